"""The questions of Decreto PE 27.099/2004, one module a topic."""
