"""The help: the clerks' pages as screens."""
