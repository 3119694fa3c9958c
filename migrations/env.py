"""Alembic's entry, for the core and for every plugin: runs on the connection that registry.store.migrate hands over.

The runner has turned foreign keys off on SQLite before the transaction began, checks them before it commits, and says
which tables and which version table this run is about.
"""

from alembic import context

context.configure(connection=context.config.attributes["connection"], **context.config.attributes["options"])
with context.begin_transaction():
    context.run_migrations()
