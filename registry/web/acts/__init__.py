"""Acts of the authority on screen, and how other pages name one."""
