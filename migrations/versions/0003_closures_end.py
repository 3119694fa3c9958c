"""A closed day ends instead of being deleted.

Revision 0003, after 0002.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

LIVE = sa.text("ended_at is null")


def upgrade() -> None:
    with op.batch_alter_table("closure") as batch:
        batch.add_column(sa.Column("ended_at", sa.DateTime(timezone=True)))
        batch.drop_constraint("uq_closure_authority_day", type_="unique")
    op.create_index(
        "uq_closure_authority_day",
        "closure",
        ["authority", "day"],
        unique=True,
        sqlite_where=LIVE,
        postgresql_where=LIVE,
    )


def downgrade() -> None:
    op.execute("DELETE FROM closure WHERE ended_at IS NOT NULL")
    op.drop_index("uq_closure_authority_day", "closure")
    with op.batch_alter_table("closure") as batch:
        batch.create_unique_constraint("uq_closure_authority_day", ["authority", "day"])
        batch.drop_column("ended_at")
