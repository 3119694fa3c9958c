"""Stands and designations.

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
        "taxi_pontos__ponto",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=400), nullable=False),
        sa.Column(
            "name_folded",
            sa.String(length=400).with_variant(sa.String(length=400, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("category", sa.String(length=64), nullable=False),
        sa.Column("access", sa.String(length=64), nullable=False),
        sa.Column("places", sa.Integer(), nullable=True),
        sa.Column("starts_on", sa.Date(), nullable=True),
        sa.Column("ends_on", sa.Date(), nullable=True),
        sa.Column("min_side_doors", sa.Integer(), nullable=True),
        sa.Column("max_age_years", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["authority"], ["authority.code"], name=op.f("fk_taxi_pontos__ponto_authority_authority")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_taxi_pontos__ponto")),
    )
    with op.batch_alter_table("taxi_pontos__ponto", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_taxi_pontos__ponto_authority"), ["authority"], unique=False)
        batch_op.create_index(
            "uq_taxi_pontos__ponto_name",
            ["authority", "name_folded"],
            unique=True,
            sqlite_where=sa.text("ended_at is null"),
            postgresql_where=sa.text("ended_at is null"),
        )

    op.create_table(
        "taxi_pontos__designation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("permit_id", sa.Integer(), nullable=False),
        sa.Column("ponto_id", sa.Integer(), nullable=False),
        sa.Column("since", sa.Date(), nullable=False),
        sa.Column("until", sa.Date(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["permit_id"], ["permit.id"], name=op.f("fk_taxi_pontos__designation_permit_id_permit")
        ),
        sa.ForeignKeyConstraint(
            ["ponto_id"],
            ["taxi_pontos__ponto.id"],
            name=op.f("fk_taxi_pontos__designation_ponto_id_taxi_pontos__ponto"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_taxi_pontos__designation")),
    )
    with op.batch_alter_table("taxi_pontos__designation", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_taxi_pontos__designation_permit_id"), ["permit_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_taxi_pontos__designation_ponto_id"), ["ponto_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("taxi_pontos__designation", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_taxi_pontos__designation_ponto_id"))
        batch_op.drop_index(batch_op.f("ix_taxi_pontos__designation_permit_id"))

    op.drop_table("taxi_pontos__designation")
    with op.batch_alter_table("taxi_pontos__ponto", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_taxi_pontos__ponto_name",
            sqlite_where=sa.text("ended_at is null"),
            postgresql_where=sa.text("ended_at is null"),
        )
        batch_op.drop_index(batch_op.f("ix_taxi_pontos__ponto_authority"))

    op.drop_table("taxi_pontos__ponto")
