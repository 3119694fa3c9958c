"""Periods in which an act sets the fare band.

Revision 0001, the first.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "taxi_bandeiras__period",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("regime", sa.String(length=64), nullable=False),
        sa.Column("service", sa.String(length=64), nullable=False),
        sa.Column("band", sa.Integer(), nullable=False),
        sa.Column("start", sa.DateTime(timezone=True), nullable=False),
        sa.Column("end", sa.DateTime(timezone=True), nullable=False),
        sa.Column("act", sa.String(length=400), nullable=False),
        sa.Column("act_id", sa.Integer(), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("recorded_by", sa.String(length=64), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_by", sa.String(length=64), nullable=True),
        sa.Column("end_reason", sa.String(length=400), nullable=False),
        sa.ForeignKeyConstraint(["act_id"], ["act.id"], name=op.f("fk_taxi_bandeiras__period_act_id_act")),
        sa.ForeignKeyConstraint(
            ["authority"], ["authority.code"], name=op.f("fk_taxi_bandeiras__period_authority_authority")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_taxi_bandeiras__period")),
    )
    with op.batch_alter_table("taxi_bandeiras__period", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_taxi_bandeiras__period_authority"), ["authority"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("taxi_bandeiras__period", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_taxi_bandeiras__period_authority"))

    op.drop_table("taxi_bandeiras__period")
