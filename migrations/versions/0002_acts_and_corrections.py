"""Acts, corrections, merges, former plates, runs of the importer, invitations.

Revision 0002, after 0001.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

ACT_COLUMNS = [
    ("appointment", "act_id"),
    ("closure", "act_id"),
    ("decision", "act_id"),
    ("index_value", "act_id"),
    ("permit", "end_act_id"),
    ("restriction", "act_id"),
]
# of an audit entry the content may be blanked; fragments of two letters get an index of their own
CHANGE_GUARDS = {
    "postgresql": [
        "DROP TRIGGER audit_entry_kept ON audit_entry",
        "DROP TRIGGER decision_kept ON decision",
        "DROP TRIGGER index_value_kept ON index_value",
        "DROP TRIGGER posting_kept ON posting",
        "DROP TRIGGER receipt_kept ON receipt",
        "DROP TRIGGER till_day_kept ON till_day",
        "DROP TRIGGER verdict_kept ON verdict",
        "CREATE TRIGGER audit_entry_kept BEFORE DELETE ON audit_entry FOR EACH ROW EXECUTE FUNCTION "
        "registry_refuse_change()",
        "CREATE TRIGGER audit_entry_kept_same BEFORE UPDATE ON audit_entry FOR EACH ROW WHEN (NOT "
        '(NEW."before" IS NULL AND NEW."after" IS NULL AND NEW."seq" IS NOT DISTINCT FROM OLD."seq" '
        'AND NEW."authority" IS NOT DISTINCT FROM OLD."authority" AND NEW."at" IS NOT DISTINCT FROM '
        'OLD."at" AND NEW."actor" IS NOT DISTINCT FROM OLD."actor" AND NEW."office" IS NOT DISTINCT '
        'FROM OLD."office" AND NEW."trace_id" IS NOT DISTINCT FROM OLD."trace_id" AND NEW."action" '
        'IS NOT DISTINCT FROM OLD."action" AND NEW."subject" IS NOT DISTINCT FROM OLD."subject" AND '
        'NEW."subject_id" IS NOT DISTINCT FROM OLD."subject_id" AND NEW."previous" IS NOT DISTINCT '
        'FROM OLD."previous" AND NEW."hash" IS NOT DISTINCT FROM OLD."hash")) EXECUTE FUNCTION '
        "registry_refuse_change()",
        "CREATE TRIGGER decision_kept BEFORE DELETE ON decision FOR EACH ROW EXECUTE FUNCTION registry_refuse_change()",
        "CREATE TRIGGER decision_kept_same BEFORE UPDATE ON decision FOR EACH ROW EXECUTE FUNCTION "
        "registry_refuse_change()",
        "CREATE TRIGGER index_value_kept BEFORE DELETE ON index_value FOR EACH ROW EXECUTE FUNCTION "
        "registry_refuse_change()",
        "CREATE TRIGGER index_value_kept_same BEFORE UPDATE ON index_value FOR EACH ROW EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER posting_kept BEFORE DELETE ON posting FOR EACH ROW EXECUTE FUNCTION registry_refuse_change()",
        "CREATE TRIGGER posting_kept_same BEFORE UPDATE ON posting FOR EACH ROW EXECUTE FUNCTION "
        "registry_refuse_change()",
        "CREATE TRIGGER receipt_kept BEFORE DELETE ON receipt FOR EACH ROW EXECUTE FUNCTION registry_refuse_change()",
        "CREATE TRIGGER receipt_kept_same BEFORE UPDATE ON receipt FOR EACH ROW EXECUTE FUNCTION "
        "registry_refuse_change()",
        "CREATE TRIGGER till_day_kept BEFORE DELETE ON till_day FOR EACH ROW EXECUTE FUNCTION registry_refuse_change()",
        "CREATE TRIGGER till_day_kept_same BEFORE UPDATE ON till_day FOR EACH ROW EXECUTE FUNCTION "
        "registry_refuse_change()",
        "CREATE TRIGGER verdict_kept BEFORE DELETE ON verdict FOR EACH ROW EXECUTE FUNCTION registry_refuse_change()",
        "CREATE TRIGGER verdict_kept_same BEFORE UPDATE ON verdict FOR EACH ROW EXECUTE FUNCTION "
        "registry_refuse_change()",
        "CREATE FUNCTION registry_bigrams(name text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL "
        "SAFE AS $$ SELECT array_agg(DISTINCT substr(name, place, 2)) FROM generate_series(1, "
        "length(name) - 1) AS place $$",
        "CREATE INDEX ix_person_name_folded_bigrams ON person USING gin (registry_bigrams(name_folded))",
    ],
    "sqlite": [
        "DROP TRIGGER audit_entry_no_update",
        'CREATE TRIGGER audit_entry_no_update BEFORE UPDATE ON audit_entry WHEN (NOT (NEW."before" IS '
        'NULL AND NEW."after" IS NULL AND NEW."seq" IS OLD."seq" AND NEW."authority" IS OLD."authority" '
        'AND NEW."at" IS OLD."at" AND NEW."actor" IS OLD."actor" AND NEW."office" IS OLD."office" AND '
        'NEW."trace_id" IS OLD."trace_id" AND NEW."action" IS OLD."action" AND NEW."subject" IS '
        'OLD."subject" AND NEW."subject_id" IS OLD."subject_id" AND NEW."previous" IS OLD."previous" AND '
        'NEW."hash" IS OLD."hash")) BEGIN SELECT RAISE(ABORT, \'audit_entry: rows are never changed or '
        "removed'); END",
    ],
}
CHANGE_BACK = {
    "postgresql": [
        "DROP TRIGGER audit_entry_kept ON audit_entry",
        "DROP TRIGGER audit_entry_kept_same ON audit_entry",
        "DROP TRIGGER decision_kept ON decision",
        "DROP TRIGGER decision_kept_same ON decision",
        "DROP TRIGGER index_value_kept ON index_value",
        "DROP TRIGGER index_value_kept_same ON index_value",
        "DROP TRIGGER posting_kept ON posting",
        "DROP TRIGGER posting_kept_same ON posting",
        "DROP TRIGGER receipt_kept ON receipt",
        "DROP TRIGGER receipt_kept_same ON receipt",
        "DROP TRIGGER till_day_kept ON till_day",
        "DROP TRIGGER till_day_kept_same ON till_day",
        "DROP TRIGGER verdict_kept ON verdict",
        "DROP TRIGGER verdict_kept_same ON verdict",
        "DROP INDEX ix_person_name_folded_bigrams",
        "DROP FUNCTION registry_bigrams(text)",
        "CREATE TRIGGER audit_entry_kept BEFORE UPDATE OR DELETE ON audit_entry FOR EACH ROW EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER decision_kept BEFORE UPDATE OR DELETE ON decision FOR EACH ROW EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER index_value_kept BEFORE UPDATE OR DELETE ON index_value FOR EACH ROW EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER posting_kept BEFORE UPDATE OR DELETE ON posting FOR EACH ROW EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER receipt_kept BEFORE UPDATE OR DELETE ON receipt FOR EACH ROW EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER till_day_kept BEFORE UPDATE OR DELETE ON till_day FOR EACH ROW EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER verdict_kept BEFORE UPDATE OR DELETE ON verdict FOR EACH ROW EXECUTE "
        "FUNCTION registry_refuse_change()",
    ],
    "sqlite": [
        "DROP TRIGGER audit_entry_no_update",
        "CREATE TRIGGER audit_entry_no_update BEFORE UPDATE ON audit_entry BEGIN SELECT RAISE(ABORT, "
        "'audit_entry: rows are never changed or removed'); END",
    ],
}


def upgrade() -> None:
    op.create_table(
        "merge",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("noun", sa.String(length=64), nullable=False),
        sa.Column("kept_id", sa.Integer(), nullable=False),
        sa.Column("gone_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=400), nullable=False),
        sa.Column("office", sa.String(length=64), nullable=False),
        sa.Column("moved", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("merged_by", sa.String(length=64), nullable=False),
        sa.Column("merged_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("undone_by", sa.String(length=64), nullable=True),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("undone_reason", sa.String(length=400), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_merge_authority_authority")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_merge")),
    )
    with op.batch_alter_table("merge", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_merge_authority"), ["authority"], unique=False)
        batch_op.create_index("ix_merge_gone", ["noun", "gone_id"], unique=False)
        batch_op.create_index("ix_merge_kept", ["noun", "kept_id"], unique=False)

    op.create_table(
        "former_plate",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("vehicle_id", sa.Integer(), nullable=False),
        sa.Column(
            "plate", sa.String(length=7).with_variant(sa.String(length=7, collation="C"), "postgresql"), nullable=False
        ),
        sa.Column(
            "plate_key",
            sa.String(length=7).with_variant(sa.String(length=7, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("until", sa.Date(), nullable=False),
        sa.Column("reason", sa.String(length=400), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_former_plate_authority_authority")),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicle.id"], name=op.f("fk_former_plate_vehicle_id_vehicle")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_former_plate")),
    )
    with op.batch_alter_table("former_plate", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_former_plate_authority"), ["authority"], unique=False)
        batch_op.create_index(batch_op.f("ix_former_plate_plate_key"), ["plate_key"], unique=False)
        batch_op.create_index(batch_op.f("ix_former_plate_vehicle_id"), ["vehicle_id"], unique=False)

    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancelled_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_invitation_user_id_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("digest", name=op.f("uq_invitation_digest")),
    )
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_invitation_user_id"), ["user_id"], unique=False)

    op.create_table(
        "act",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("number", sa.String(length=64), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("gazette", sa.String(length=400), nullable=False),
        sa.Column("summary", sa.String(length=400), nullable=False),
        sa.Column("file_id", sa.Integer(), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("recorded_by", sa.String(length=64), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_act_authority_authority")),
        sa.ForeignKeyConstraint(["file_id"], ["file.id"], name=op.f("fk_act_file_id_file")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_act")),
    )
    with op.batch_alter_table("act", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_act_authority"), ["authority"], unique=False)
        batch_op.create_index(
            "uq_act_authority_kind_number",
            ["authority", "kind", "number"],
            unique=True,
            sqlite_where=sa.text("ended_at is null"),
            postgresql_where=sa.text("ended_at is null"),
        )

    op.create_table(
        "import_run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("regime", sa.String(length=64), nullable=False),
        sa.Column("file_id", sa.Integer(), nullable=True),
        sa.Column("file_name", sa.String(length=400), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("choices", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("state", sa.String(length=64), nullable=False),
        sa.Column("lines_done", sa.Integer(), nullable=False),
        sa.Column("lines_total", sa.Integer(), nullable=False),
        sa.Column("report", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("undone_by", sa.String(length=64), nullable=True),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("undone_reason", sa.String(length=400), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_import_run_authority_authority")),
        sa.ForeignKeyConstraint(["file_id"], ["file.id"], name=op.f("fk_import_run_file_id_file")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_import_run")),
    )
    with op.batch_alter_table("import_run", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_import_run_authority"), ["authority"], unique=False)
        batch_op.create_index("ix_import_run_list", ["authority", "created_at"], unique=False)

    op.create_table(
        "correction",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("noun", sa.String(length=64), nullable=False),
        sa.Column("wrong_id", sa.Integer(), nullable=False),
        sa.Column("right_id", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(length=400), nullable=False),
        sa.Column("office", sa.String(length=64), nullable=False),
        sa.Column("act", sa.String(length=400), nullable=False),
        sa.Column("act_id", sa.Integer(), nullable=True),
        sa.Column("recorded_by", sa.String(length=64), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["act_id"], ["act.id"], name=op.f("fk_correction_act_id_act")),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_correction_authority_authority")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_correction")),
    )
    with op.batch_alter_table("correction", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_correction_authority"), ["authority"], unique=False)
        batch_op.create_index("ix_correction_right", ["noun", "right_id"], unique=False)
        batch_op.create_index("ix_correction_wrong", ["noun", "wrong_id"], unique=False)

    op.create_table(
        "imported_row",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("table", sa.String(length=64), nullable=False),
        sa.Column("row_id", sa.Integer(), nullable=False),
        sa.Column("before", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=True),
        sa.Column("after", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["import_run.id"], name=op.f("fk_imported_row_run_id_import_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_imported_row")),
    )
    with op.batch_alter_table("imported_row", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_imported_row_run_id"), ["run_id"], unique=False)

    op.add_column("person", sa.Column("anonymised_at", sa.DateTime(timezone=True)))
    for table, column in ACT_COLUMNS:
        reference = f"INTEGER CONSTRAINT fk_{table}_{column}_act REFERENCES act(id)"
        op.execute(f"ALTER TABLE {table} ADD COLUMN {column} {reference}")
    for statement in CHANGE_GUARDS[op.get_bind().dialect.name]:
        op.execute(statement)


def downgrade() -> None:
    for statement in CHANGE_BACK[op.get_bind().dialect.name]:
        op.execute(statement)
    for table, column in ACT_COLUMNS:
        if table == "closure":  # a later migration may have made it anew on SQLite, with the foreign key on its own
            with op.batch_alter_table(table) as batch_op:
                batch_op.drop_column(column)
        else:
            op.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    op.drop_column("person", "anonymised_at")
    with op.batch_alter_table("imported_row", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_imported_row_run_id"))

    op.drop_table("imported_row")
    with op.batch_alter_table("correction", schema=None) as batch_op:
        batch_op.drop_index("ix_correction_wrong")
        batch_op.drop_index("ix_correction_right")
        batch_op.drop_index(batch_op.f("ix_correction_authority"))

    op.drop_table("correction")
    with op.batch_alter_table("import_run", schema=None) as batch_op:
        batch_op.drop_index("ix_import_run_list")
        batch_op.drop_index(batch_op.f("ix_import_run_authority"))

    op.drop_table("import_run")
    with op.batch_alter_table("act", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_act_authority_kind_number",
            sqlite_where=sa.text("ended_at is null"),
            postgresql_where=sa.text("ended_at is null"),
        )
        batch_op.drop_index(batch_op.f("ix_act_authority"))

    op.drop_table("act")
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_invitation_user_id"))

    op.drop_table("invitation")
    with op.batch_alter_table("former_plate", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_former_plate_vehicle_id"))
        batch_op.drop_index(batch_op.f("ix_former_plate_plate_key"))
        batch_op.drop_index(batch_op.f("ix_former_plate_authority"))

    op.drop_table("former_plate")
    with op.batch_alter_table("merge", schema=None) as batch_op:
        batch_op.drop_index("ix_merge_kept")
        batch_op.drop_index("ix_merge_gone")
        batch_op.drop_index(batch_op.f("ix_merge_authority"))

    op.drop_table("merge")
