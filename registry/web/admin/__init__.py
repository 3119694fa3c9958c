"""Administration: users, their roles and offices, and the health of the plugins."""
