"""initial.

Revision 0001, after .
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# triggers that refuse changes, and the index of name fragments
CREATE_GUARDS = {
    "postgresql": [
        "CREATE FUNCTION registry_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE "
        "EXCEPTION '%: rows are never changed or removed', TG_TABLE_NAME USING ERRCODE = "
        "'integrity_constraint_violation'; END $$",
        "CREATE TRIGGER audit_entry_kept BEFORE UPDATE OR DELETE ON audit_entry FOR EACH ROW EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER audit_entry_kept_whole BEFORE TRUNCATE ON audit_entry FOR EACH STATEMENT "
        "EXECUTE FUNCTION registry_refuse_change()",
        "CREATE TRIGGER decision_kept BEFORE UPDATE OR DELETE ON decision FOR EACH ROW EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER decision_kept_whole BEFORE TRUNCATE ON decision FOR EACH STATEMENT EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER index_value_kept BEFORE UPDATE OR DELETE ON index_value FOR EACH ROW EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER index_value_kept_whole BEFORE TRUNCATE ON index_value FOR EACH STATEMENT "
        "EXECUTE FUNCTION registry_refuse_change()",
        "CREATE TRIGGER posting_kept BEFORE UPDATE OR DELETE ON posting FOR EACH ROW EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER posting_kept_whole BEFORE TRUNCATE ON posting FOR EACH STATEMENT EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER receipt_kept BEFORE UPDATE OR DELETE ON receipt FOR EACH ROW EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER receipt_kept_whole BEFORE TRUNCATE ON receipt FOR EACH STATEMENT EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER till_day_kept BEFORE UPDATE OR DELETE ON till_day FOR EACH ROW EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER till_day_kept_whole BEFORE TRUNCATE ON till_day FOR EACH STATEMENT EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER verdict_kept BEFORE UPDATE OR DELETE ON verdict FOR EACH ROW EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE TRIGGER verdict_kept_whole BEFORE TRUNCATE ON verdict FOR EACH STATEMENT EXECUTE "
        "FUNCTION registry_refuse_change()",
        "CREATE EXTENSION IF NOT EXISTS pg_trgm",
        "CREATE INDEX ix_person_name_folded_trgm ON person USING gin (name_folded gin_trgm_ops)",
    ],
    "sqlite": [
        "CREATE TRIGGER audit_entry_no_update BEFORE UPDATE ON audit_entry BEGIN SELECT RAISE(ABORT, "
        "'audit_entry: rows are never changed or removed'); END",
        "CREATE TRIGGER audit_entry_no_delete BEFORE DELETE ON audit_entry BEGIN SELECT RAISE(ABORT, "
        "'audit_entry: rows are never changed or removed'); END",
        "CREATE TRIGGER audit_entry_no_replace BEFORE INSERT ON audit_entry WHEN EXISTS (SELECT 1 FROM "
        "audit_entry WHERE seq = NEW.seq) BEGIN SELECT RAISE(ABORT, 'audit_entry: rows are never changed "
        "or removed'); END",
        "CREATE TRIGGER decision_no_update BEFORE UPDATE ON decision BEGIN SELECT RAISE(ABORT, "
        "'decision: rows are never changed or removed'); END",
        "CREATE TRIGGER decision_no_delete BEFORE DELETE ON decision BEGIN SELECT RAISE(ABORT, "
        "'decision: rows are never changed or removed'); END",
        "CREATE TRIGGER decision_no_replace BEFORE INSERT ON decision WHEN EXISTS (SELECT 1 FROM "
        "decision WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'decision: rows are never changed or "
        "removed'); END",
        "CREATE TRIGGER index_value_no_update BEFORE UPDATE ON index_value BEGIN SELECT RAISE(ABORT, "
        "'index_value: rows are never changed or removed'); END",
        "CREATE TRIGGER index_value_no_delete BEFORE DELETE ON index_value BEGIN SELECT RAISE(ABORT, "
        "'index_value: rows are never changed or removed'); END",
        "CREATE TRIGGER index_value_no_replace BEFORE INSERT ON index_value WHEN EXISTS (SELECT 1 FROM "
        "index_value WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'index_value: rows are never changed "
        "or removed'); END",
        "CREATE TRIGGER posting_no_update BEFORE UPDATE ON posting BEGIN SELECT RAISE(ABORT, 'posting: "
        "rows are never changed or removed'); END",
        "CREATE TRIGGER posting_no_delete BEFORE DELETE ON posting BEGIN SELECT RAISE(ABORT, 'posting: "
        "rows are never changed or removed'); END",
        "CREATE TRIGGER posting_no_replace BEFORE INSERT ON posting WHEN EXISTS (SELECT 1 FROM posting "
        "WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'posting: rows are never changed or removed'); END",
        "CREATE TRIGGER receipt_no_update BEFORE UPDATE ON receipt BEGIN SELECT RAISE(ABORT, 'receipt: "
        "rows are never changed or removed'); END",
        "CREATE TRIGGER receipt_no_delete BEFORE DELETE ON receipt BEGIN SELECT RAISE(ABORT, 'receipt: "
        "rows are never changed or removed'); END",
        "CREATE TRIGGER receipt_no_replace BEFORE INSERT ON receipt WHEN EXISTS (SELECT 1 FROM receipt "
        "WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'receipt: rows are never changed or removed'); END",
        "CREATE TRIGGER till_day_no_update BEFORE UPDATE ON till_day BEGIN SELECT RAISE(ABORT, "
        "'till_day: rows are never changed or removed'); END",
        "CREATE TRIGGER till_day_no_delete BEFORE DELETE ON till_day BEGIN SELECT RAISE(ABORT, "
        "'till_day: rows are never changed or removed'); END",
        "CREATE TRIGGER till_day_no_replace BEFORE INSERT ON till_day WHEN EXISTS (SELECT 1 FROM "
        "till_day WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'till_day: rows are never changed or "
        "removed'); END",
        "CREATE TRIGGER verdict_no_update BEFORE UPDATE ON verdict BEGIN SELECT RAISE(ABORT, 'verdict: "
        "rows are never changed or removed'); END",
        "CREATE TRIGGER verdict_no_delete BEFORE DELETE ON verdict BEGIN SELECT RAISE(ABORT, 'verdict: "
        "rows are never changed or removed'); END",
        "CREATE TRIGGER verdict_no_replace BEFORE INSERT ON verdict WHEN EXISTS (SELECT 1 FROM verdict "
        "WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'verdict: rows are never changed or removed'); END",
        "CREATE VIRTUAL TABLE person_search USING fts5(name_folded, content='person', "
        "content_rowid='id', tokenize='trigram case_sensitive 1')",
        "CREATE TRIGGER person_search_insert AFTER INSERT ON person BEGIN INSERT INTO "
        "person_search(rowid, name_folded) VALUES (NEW.id, NEW.name_folded); END",
        "CREATE TRIGGER person_search_delete AFTER DELETE ON person BEGIN INSERT INTO "
        "person_search(person_search, rowid, name_folded) VALUES ('delete', OLD.id, OLD.name_folded); "
        "END",
        "CREATE TRIGGER person_search_update AFTER UPDATE OF name_folded ON person BEGIN INSERT INTO "
        "person_search(person_search, rowid, name_folded) VALUES ('delete', OLD.id, OLD.name_folded); "
        "INSERT INTO person_search(rowid, name_folded) VALUES (NEW.id, NEW.name_folded); END",
    ],
}
DROP_GUARDS = {"postgresql": ["DROP FUNCTION registry_refuse_change()"], "sqlite": ["DROP TABLE person_search"]}


def upgrade() -> None:
    # ### commands auto generated by Alembic - please adjust! ###
    op.create_table(
        "audit_entry",
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String(length=400), nullable=False),
        sa.Column("office", sa.String(length=64), nullable=False),
        sa.Column("trace_id", sa.String(length=64), nullable=False),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("subject_id", sa.Integer(), nullable=False),
        sa.Column("before", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=True),
        sa.Column("after", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=True),
        sa.Column("previous", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_audit_entry")),
    )
    with op.batch_alter_table("audit_entry", schema=None) as batch_op:
        batch_op.create_index("ix_audit_entry_subject", ["subject", "subject_id"], unique=False)

    op.create_table(
        "authority",
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=400), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("code", name=op.f("pk_authority")),
    )
    op.create_table(
        "unknown_log_in",
        sa.Column("username", sa.String(length=64), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("locked_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("username", name=op.f("pk_unknown_log_in")),
    )
    op.create_table(
        "closure",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("name", sa.String(length=400), nullable=False),
        sa.Column("act", sa.String(length=400), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_closure_authority_authority")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_closure")),
        sa.UniqueConstraint("authority", "day", name=op.f("uq_closure_authority_day")),
    )
    with op.batch_alter_table("closure", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_closure_authority"), ["authority"], unique=False)

    op.create_table(
        "index_value",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("since", sa.Date(), nullable=False),
        sa.Column("scaled", sa.BigInteger(), nullable=False),
        sa.Column("scale", sa.Integer(), nullable=False),
        sa.Column("unit", sa.String(length=64), nullable=False),
        sa.Column("act", sa.String(length=400), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("recorded_by", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_index_value_authority_authority")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_index_value")),
        sa.UniqueConstraint(
            "authority", "key", "since", "recorded_at", name=op.f("uq_index_value_authority_key_since_recorded_at")
        ),
    )
    with op.batch_alter_table("index_value", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_index_value_authority"), ["authority"], unique=False)

    op.create_table(
        "once",
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("act", sa.String(length=64), nullable=False),
        sa.Column("result", sa.String(length=400), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_once_authority_authority")),
        sa.PrimaryKeyConstraint("authority", "key", name=op.f("pk_once")),
    )
    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=400), nullable=False),
        sa.Column(
            "name_folded",
            sa.String(length=400).with_variant(sa.String(length=400, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("document", sa.String(length=14), nullable=False),
        sa.Column("born_on", sa.Date(), nullable=True),
        sa.Column("nationality", sa.String(length=64), nullable=False),
        sa.Column("sex", sa.String(length=64), nullable=False),
        sa.Column("cnh", sa.String(length=11), nullable=False),
        sa.Column("cnh_confirmed", sa.Boolean(), nullable=False),
        sa.Column("phone", sa.String(length=64), nullable=False),
        sa.Column("email", sa.String(length=400), nullable=False),
        sa.Column("address", sa.String(length=400), nullable=False),
        sa.Column("facts", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_person_authority_authority")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
    )
    with op.batch_alter_table("person", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_person_authority"), ["authority"], unique=False)
        batch_op.create_index("ix_person_authority_name_folded", ["authority", "name_folded", "ended_at"], unique=False)
        batch_op.create_index(
            "uq_person_authority_document",
            ["authority", "document"],
            unique=True,
            sqlite_where=sa.text("document <> '' and ended_at is null"),
            postgresql_where=sa.text("document <> '' and ended_at is null"),
        )

    op.create_table(
        "sequence",
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("year", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_sequence_authority_authority")),
        sa.PrimaryKeyConstraint("authority", "name", "year", name=op.f("pk_sequence")),
    )
    op.create_table(
        "user",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("username", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=400), nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("demo", sa.Boolean(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("locked_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("session_epoch", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_user_authority_authority")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user")),
        sa.UniqueConstraint("username", name=op.f("uq_user_username")),
    )
    with op.batch_alter_table("user", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_user_authority"), ["authority"], unique=False)

    op.create_table(
        "vehicle",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column(
            "plate", sa.String(length=7).with_variant(sa.String(length=7, collation="C"), "postgresql"), nullable=False
        ),
        sa.Column(
            "plate_key",
            sa.String(length=7).with_variant(sa.String(length=7, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("renavam", sa.String(length=11), nullable=False),
        sa.Column("type", sa.String(length=64), nullable=False),
        sa.Column("make", sa.String(length=64), nullable=False),
        sa.Column("model", sa.String(length=64), nullable=False),
        sa.Column("year_made", sa.Integer(), nullable=True),
        sa.Column("first_registered_on", sa.Date(), nullable=True),
        sa.Column("doors", sa.Integer(), nullable=True),
        sa.Column("seats", sa.Integer(), nullable=True),
        sa.Column("colour", sa.String(length=64), nullable=False),
        sa.Column("fuel", sa.String(length=64), nullable=False),
        sa.Column("facts", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_vehicle_authority_authority")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vehicle")),
    )
    with op.batch_alter_table("vehicle", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_vehicle_authority"), ["authority"], unique=False)
        batch_op.create_index("ix_vehicle_plate_key", ["plate_key"], unique=False)
        batch_op.create_index(
            "uq_vehicle_authority_plate_key",
            ["authority", "plate_key"],
            unique=True,
            sqlite_where=sa.text("ended_at is null"),
            postgresql_where=sa.text("ended_at is null"),
        )

    op.create_table(
        "verdict",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("subject_id", sa.Integer(), nullable=False),
        sa.Column("plugin", sa.String(length=64), nullable=False),
        sa.Column("plugin_version", sa.String(length=64), nullable=False),
        sa.Column("rule", sa.String(length=400), nullable=False),
        sa.Column("question", sa.String(length=64), nullable=False),
        sa.Column("on", sa.Date(), nullable=False),
        sa.Column("given", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=True),
        sa.Column("outcome", sa.String(length=64), nullable=False),
        sa.Column("answer", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=True),
        sa.Column("grounds", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("steps", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("missing", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_verdict_authority_authority")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verdict")),
    )
    with op.batch_alter_table("verdict", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_verdict_authority"), ["authority"], unique=False)
        batch_op.create_index("ix_verdict_subject", ["subject", "subject_id"], unique=False)

    op.create_table(
        "appointment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("regime", sa.String(length=64), nullable=False),
        sa.Column("office", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("since", sa.Date(), nullable=False),
        sa.Column("until", sa.Date(), nullable=True),
        sa.Column("substitute", sa.Boolean(), nullable=False),
        sa.Column("act", sa.String(length=400), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_appointment_authority_authority")),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_appointment_user_id_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_appointment")),
    )
    with op.batch_alter_table("appointment", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_appointment_authority"), ["authority"], unique=False)
        batch_op.create_index(batch_op.f("ix_appointment_user_id"), ["user_id"], unique=False)

    op.create_table(
        "file",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("media_type", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=400), nullable=False),
        sa.Column("restricted", sa.Boolean(), nullable=False),
        sa.Column("uploaded_by", sa.Integer(), nullable=True),
        sa.Column("uploaded_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_file_authority_authority")),
        sa.ForeignKeyConstraint(["uploaded_by"], ["user.id"], name=op.f("fk_file_uploaded_by_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_file")),
    )
    with op.batch_alter_table("file", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_file_authority"), ["authority"], unique=False)
        batch_op.create_index(batch_op.f("ix_file_sha256"), ["sha256"], unique=False)

    op.create_table(
        "membership",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cooperative_id", sa.Integer(), nullable=False),
        sa.Column("member_id", sa.Integer(), nullable=False),
        sa.Column("since", sa.Date(), nullable=False),
        sa.Column("until", sa.Date(), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["cooperative_id"], ["person.id"], name=op.f("fk_membership_cooperative_id_person")),
        sa.ForeignKeyConstraint(["member_id"], ["person.id"], name=op.f("fk_membership_member_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_membership")),
    )
    with op.batch_alter_table("membership", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_membership_cooperative_id"), ["cooperative_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_membership_member_id"), ["member_id"], unique=False)

    op.create_table(
        "permit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("regime", sa.String(length=64), nullable=False),
        sa.Column("number", sa.String(length=64), nullable=False),
        sa.Column("category", sa.String(length=64), nullable=False),
        sa.Column("holder_id", sa.Integer(), nullable=True),
        sa.Column("cooperative_id", sa.Integer(), nullable=True),
        sa.Column("granted_on", sa.Date(), nullable=False),
        sa.Column("granted_on_known", sa.Boolean(), nullable=False),
        sa.Column("ended_on", sa.Date(), nullable=True),
        sa.Column("end_reason", sa.String(length=64), nullable=False),
        sa.Column("facts", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_permit_authority_authority")),
        sa.ForeignKeyConstraint(["cooperative_id"], ["person.id"], name=op.f("fk_permit_cooperative_id_person")),
        sa.ForeignKeyConstraint(["holder_id"], ["person.id"], name=op.f("fk_permit_holder_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_permit")),
        sa.UniqueConstraint("authority", "regime", "number", name=op.f("uq_permit_authority_regime_number")),
    )
    with op.batch_alter_table("permit", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_permit_authority"), ["authority"], unique=False)
        batch_op.create_index(batch_op.f("ix_permit_holder_id"), ["holder_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_permit_regime"), ["regime"], unique=False)

    op.create_table(
        "receipt",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("number", sa.String(length=64), nullable=False),
        sa.Column("on_day", sa.Date(), nullable=False),
        sa.Column("method", sa.String(length=64), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("received_by", sa.Integer(), nullable=True),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_receipt_authority_authority")),
        sa.ForeignKeyConstraint(["received_by"], ["user.id"], name=op.f("fk_receipt_received_by_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_receipt")),
        sa.UniqueConstraint("authority", "number", name=op.f("uq_receipt_authority_number")),
    )
    with op.batch_alter_table("receipt", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_receipt_authority"), ["authority"], unique=False)
        batch_op.create_index(batch_op.f("ix_receipt_on_day"), ["on_day"], unique=False)

    op.create_table(
        "till_day",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("expected", sa.BigInteger(), nullable=False),
        sa.Column("counted", sa.BigInteger(), nullable=False),
        sa.Column("note", sa.String(length=400), nullable=False),
        sa.Column("closed_by", sa.Integer(), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_till_day_authority_authority")),
        sa.ForeignKeyConstraint(["closed_by"], ["user.id"], name=op.f("fk_till_day_closed_by_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_till_day")),
        sa.UniqueConstraint("authority", "day", name=op.f("uq_till_day_authority_day")),
    )
    with op.batch_alter_table("till_day", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_till_day_authority"), ["authority"], unique=False)

    op.create_table(
        "user_role",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_user_role_user_id_user")),
        sa.PrimaryKeyConstraint("user_id", "role", name=op.f("pk_user_role")),
    )
    op.create_table(
        "licence",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("regime", sa.String(length=64), nullable=False),
        sa.Column("permit_id", sa.Integer(), nullable=False),
        sa.Column("vehicle_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.String(length=64), nullable=False),
        sa.Column("issued_on", sa.Date(), nullable=False),
        sa.Column("valid_until", sa.Date(), nullable=True),
        sa.Column("ended_on", sa.Date(), nullable=True),
        sa.Column("end_reason", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_licence_authority_authority")),
        sa.ForeignKeyConstraint(["permit_id"], ["permit.id"], name=op.f("fk_licence_permit_id_permit")),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicle.id"], name=op.f("fk_licence_vehicle_id_vehicle")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_licence")),
        sa.UniqueConstraint("authority", "regime", "number", name=op.f("uq_licence_authority_regime_number")),
    )
    with op.batch_alter_table("licence", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_licence_authority"), ["authority"], unique=False)
        batch_op.create_index(batch_op.f("ix_licence_permit_id"), ["permit_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_licence_vehicle_id"), ["vehicle_id"], unique=False)

    op.create_table(
        "permit_vehicle",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("permit_id", sa.Integer(), nullable=False),
        sa.Column("vehicle_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=64), nullable=False),
        sa.Column("since", sa.Date(), nullable=False),
        sa.Column("until", sa.Date(), nullable=True),
        sa.ForeignKeyConstraint(["permit_id"], ["permit.id"], name=op.f("fk_permit_vehicle_permit_id_permit")),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicle.id"], name=op.f("fk_permit_vehicle_vehicle_id_vehicle")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_permit_vehicle")),
    )
    with op.batch_alter_table("permit_vehicle", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_permit_vehicle_permit_id"), ["permit_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_permit_vehicle_vehicle_id"), ["vehicle_id"], unique=False)

    op.create_table(
        "public_row",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column(
            "plate_key",
            sa.String(length=7).with_variant(sa.String(length=7, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column(
            "plate", sa.String(length=7).with_variant(sa.String(length=7, collation="C"), "postgresql"), nullable=False
        ),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("regime", sa.String(length=64), nullable=False),
        sa.Column("permit_id", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("givens", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("card", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_public_row_authority_authority")),
        sa.ForeignKeyConstraint(["permit_id"], ["permit.id"], name=op.f("fk_public_row_permit_id_permit")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_public_row")),
    )
    with op.batch_alter_table("public_row", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_public_row_authority"), ["authority"], unique=False)
        batch_op.create_index(batch_op.f("ix_public_row_permit_id"), ["permit_id"], unique=False)
        batch_op.create_index("ix_public_row_plate_key_since", ["plate_key", "since"], unique=False)

    op.create_table(
        "request",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("regime", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("category", sa.String(length=64), nullable=False),
        sa.Column("holder_kind", sa.String(length=64), nullable=False),
        sa.Column("number", sa.String(length=64), nullable=True),
        sa.Column("applicant_id", sa.Integer(), nullable=True),
        sa.Column("cooperative_id", sa.Integer(), nullable=True),
        sa.Column("vehicle_id", sa.Integer(), nullable=True),
        sa.Column("permit_id", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(length=64), nullable=False),
        sa.Column("shown", sa.String(length=64), nullable=False),
        sa.Column("next_step", sa.String(length=400), nullable=False),
        sa.Column("facts", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("assigned_to", sa.Integer(), nullable=True),
        sa.Column("assigned_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("due_on", sa.Date(), nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("filed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["applicant_id"], ["person.id"], name=op.f("fk_request_applicant_id_person")),
        sa.ForeignKeyConstraint(["assigned_to"], ["user.id"], name=op.f("fk_request_assigned_to_user")),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_request_authority_authority")),
        sa.ForeignKeyConstraint(["cooperative_id"], ["person.id"], name=op.f("fk_request_cooperative_id_person")),
        sa.ForeignKeyConstraint(["permit_id"], ["permit.id"], name=op.f("fk_request_permit_id_permit")),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicle.id"], name=op.f("fk_request_vehicle_id_vehicle")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_request")),
        sa.UniqueConstraint("authority", "number", name=op.f("uq_request_authority_number")),
    )
    with op.batch_alter_table("request", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_request_applicant_id"), ["applicant_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_request_assigned_to"), ["assigned_to"], unique=False)
        batch_op.create_index(batch_op.f("ix_request_authority"), ["authority"], unique=False)
        batch_op.create_index(batch_op.f("ix_request_vehicle_id"), ["vehicle_id"], unique=False)
        batch_op.create_index("ix_request_worklist", ["authority", "state", "due_on"], unique=False)

    op.create_table(
        "restriction",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("regime", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("vehicle_id", sa.Integer(), nullable=True),
        sa.Column("permit_id", sa.Integer(), nullable=True),
        sa.Column("since", sa.Date(), nullable=False),
        sa.Column("until", sa.Date(), nullable=True),
        sa.Column("reason", sa.String(length=400), nullable=False),
        sa.Column("act", sa.String(length=400), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("voided_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_restriction_authority_authority")),
        sa.ForeignKeyConstraint(["permit_id"], ["permit.id"], name=op.f("fk_restriction_permit_id_permit")),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicle.id"], name=op.f("fk_restriction_vehicle_id_vehicle")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_restriction")),
    )
    with op.batch_alter_table("restriction", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_restriction_authority"), ["authority"], unique=False)
        batch_op.create_index(batch_op.f("ix_restriction_permit_id"), ["permit_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_restriction_vehicle_id"), ["vehicle_id"], unique=False)

    op.create_table(
        "charge",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("regime", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("plan", sa.String(length=64), nullable=False),
        sa.Column("label", sa.String(length=400), nullable=False),
        sa.Column("debtor_id", sa.Integer(), nullable=False),
        sa.Column("request_id", sa.Integer(), nullable=True),
        sa.Column("request_kind", sa.String(length=64), nullable=False),
        sa.Column("number", sa.String(length=64), nullable=False),
        sa.Column("plugin", sa.String(length=64), nullable=False),
        sa.Column("question", sa.String(length=64), nullable=False),
        sa.Column("given", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("day_fields", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("due_on", sa.Date(), nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancelled_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_charge_authority_authority")),
        sa.ForeignKeyConstraint(["debtor_id"], ["person.id"], name=op.f("fk_charge_debtor_id_person")),
        sa.ForeignKeyConstraint(["request_id"], ["request.id"], name=op.f("fk_charge_request_id_request")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_charge")),
        sa.UniqueConstraint("authority", "number", name=op.f("uq_charge_authority_number")),
    )
    with op.batch_alter_table("charge", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_charge_authority"), ["authority"], unique=False)
        batch_op.create_index(batch_op.f("ix_charge_debtor_id"), ["debtor_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_charge_request_id"), ["request_id"], unique=False)

    op.create_table(
        "decision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("request_id", sa.Integer(), nullable=False),
        sa.Column("result", sa.String(length=64), nullable=False),
        sa.Column("office", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(length=8000), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["request_id"], ["request.id"], name=op.f("fk_decision_request_id_request")),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_decision_user_id_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decision")),
        sa.UniqueConstraint("request_id", name=op.f("uq_decision_request_id")),
    )
    op.create_table(
        "inspection",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("authority", sa.String(length=64), nullable=False),
        sa.Column("regime", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("request_id", sa.Integer(), nullable=True),
        sa.Column("vehicle_id", sa.Integer(), nullable=False),
        sa.Column("scheduled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("place", sa.String(length=400), nullable=False),
        sa.Column("state", sa.String(length=64), nullable=False),
        sa.Column("items", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("inspector_id", sa.Integer(), nullable=True),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("done_on", sa.Date(), nullable=True),
        sa.Column("seal", sa.String(length=64), nullable=True),
        sa.Column("valid_until", sa.Date(), nullable=True),
        sa.Column("notes", sa.String(length=400), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["authority"], ["authority.code"], name=op.f("fk_inspection_authority_authority")),
        sa.ForeignKeyConstraint(["inspector_id"], ["user.id"], name=op.f("fk_inspection_inspector_id_user")),
        sa.ForeignKeyConstraint(["request_id"], ["request.id"], name=op.f("fk_inspection_request_id_request")),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicle.id"], name=op.f("fk_inspection_vehicle_id_vehicle")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inspection")),
        sa.UniqueConstraint("authority", "regime", "seal", name=op.f("uq_inspection_authority_regime_seal")),
    )
    with op.batch_alter_table("inspection", schema=None) as batch_op:
        batch_op.create_index("ix_inspection_agenda", ["authority", "scheduled_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_inspection_authority"), ["authority"], unique=False)
        batch_op.create_index(batch_op.f("ix_inspection_request_id"), ["request_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_inspection_vehicle_id"), ["vehicle_id"], unique=False)

    op.create_table(
        "request_document",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("request_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.Column("file_id", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(length=64), nullable=False),
        sa.Column("expires_on", sa.Date(), nullable=True),
        sa.Column("copies", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=400), nullable=False),
        sa.Column("reviewed_by", sa.Integer(), nullable=True),
        sa.Column("reviewed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("replaced_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["file_id"], ["file.id"], name=op.f("fk_request_document_file_id_file")),
        sa.ForeignKeyConstraint(["request_id"], ["request.id"], name=op.f("fk_request_document_request_id_request")),
        sa.ForeignKeyConstraint(["reviewed_by"], ["user.id"], name=op.f("fk_request_document_reviewed_by_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_request_document")),
    )
    with op.batch_alter_table("request_document", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_request_document_request_id"), ["request_id"], unique=False)

    op.create_table(
        "wait",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("request_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("text", sa.String(length=4000), nullable=False),
        sa.Column("due_on", sa.Date(), nullable=True),
        sa.Column("steps", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("opened_by", sa.String(length=64), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.String(length=400), nullable=False),
        sa.ForeignKeyConstraint(["request_id"], ["request.id"], name=op.f("fk_wait_request_id_request")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_wait")),
    )
    with op.batch_alter_table("wait", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_wait_request_id"), ["request_id"], unique=False)

    op.create_table(
        "posting",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("charge_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("due_amount", sa.BigInteger(), nullable=False),
        sa.Column("on_day", sa.Date(), nullable=False),
        sa.Column("receipt_id", sa.Integer(), nullable=True),
        sa.Column("reverses_id", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(length=400), nullable=False),
        sa.Column("steps", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("posted_by", sa.Integer(), nullable=True),
        sa.Column("posted_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["charge_id"], ["charge.id"], name=op.f("fk_posting_charge_id_charge")),
        sa.ForeignKeyConstraint(["posted_by"], ["user.id"], name=op.f("fk_posting_posted_by_user")),
        sa.ForeignKeyConstraint(["receipt_id"], ["receipt.id"], name=op.f("fk_posting_receipt_id_receipt")),
        sa.ForeignKeyConstraint(["reverses_id"], ["posting.id"], name=op.f("fk_posting_reverses_id_posting")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_posting")),
        sa.UniqueConstraint("reverses_id", name=op.f("uq_posting_reverses_id")),
    )
    with op.batch_alter_table("posting", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_posting_charge_id"), ["charge_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_posting_on_day"), ["on_day"], unique=False)
        batch_op.create_index(batch_op.f("ix_posting_receipt_id"), ["receipt_id"], unique=False)

    # ### end Alembic commands ###
    for statement in CREATE_GUARDS[op.get_bind().dialect.name]:
        op.execute(statement)


def downgrade() -> None:
    # ### commands auto generated by Alembic - please adjust! ###
    with op.batch_alter_table("posting", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_posting_receipt_id"))
        batch_op.drop_index(batch_op.f("ix_posting_on_day"))
        batch_op.drop_index(batch_op.f("ix_posting_charge_id"))

    op.drop_table("posting")
    with op.batch_alter_table("wait", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_wait_request_id"))

    op.drop_table("wait")
    with op.batch_alter_table("request_document", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_request_document_request_id"))

    op.drop_table("request_document")
    with op.batch_alter_table("inspection", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_inspection_vehicle_id"))
        batch_op.drop_index(batch_op.f("ix_inspection_request_id"))
        batch_op.drop_index(batch_op.f("ix_inspection_authority"))
        batch_op.drop_index("ix_inspection_agenda")

    op.drop_table("inspection")
    op.drop_table("decision")
    with op.batch_alter_table("charge", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_charge_request_id"))
        batch_op.drop_index(batch_op.f("ix_charge_debtor_id"))
        batch_op.drop_index(batch_op.f("ix_charge_authority"))

    op.drop_table("charge")
    with op.batch_alter_table("restriction", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_restriction_vehicle_id"))
        batch_op.drop_index(batch_op.f("ix_restriction_permit_id"))
        batch_op.drop_index(batch_op.f("ix_restriction_authority"))

    op.drop_table("restriction")
    with op.batch_alter_table("request", schema=None) as batch_op:
        batch_op.drop_index("ix_request_worklist")
        batch_op.drop_index(batch_op.f("ix_request_vehicle_id"))
        batch_op.drop_index(batch_op.f("ix_request_authority"))
        batch_op.drop_index(batch_op.f("ix_request_assigned_to"))
        batch_op.drop_index(batch_op.f("ix_request_applicant_id"))

    op.drop_table("request")
    with op.batch_alter_table("public_row", schema=None) as batch_op:
        batch_op.drop_index("ix_public_row_plate_key_since")
        batch_op.drop_index(batch_op.f("ix_public_row_permit_id"))
        batch_op.drop_index(batch_op.f("ix_public_row_authority"))

    op.drop_table("public_row")
    with op.batch_alter_table("permit_vehicle", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_permit_vehicle_vehicle_id"))
        batch_op.drop_index(batch_op.f("ix_permit_vehicle_permit_id"))

    op.drop_table("permit_vehicle")
    with op.batch_alter_table("licence", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_licence_vehicle_id"))
        batch_op.drop_index(batch_op.f("ix_licence_permit_id"))
        batch_op.drop_index(batch_op.f("ix_licence_authority"))

    op.drop_table("licence")
    op.drop_table("user_role")
    with op.batch_alter_table("till_day", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_till_day_authority"))

    op.drop_table("till_day")
    with op.batch_alter_table("receipt", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_receipt_on_day"))
        batch_op.drop_index(batch_op.f("ix_receipt_authority"))

    op.drop_table("receipt")
    with op.batch_alter_table("permit", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_permit_regime"))
        batch_op.drop_index(batch_op.f("ix_permit_holder_id"))
        batch_op.drop_index(batch_op.f("ix_permit_authority"))

    op.drop_table("permit")
    with op.batch_alter_table("membership", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_membership_member_id"))
        batch_op.drop_index(batch_op.f("ix_membership_cooperative_id"))

    op.drop_table("membership")
    with op.batch_alter_table("file", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_file_sha256"))
        batch_op.drop_index(batch_op.f("ix_file_authority"))

    op.drop_table("file")
    with op.batch_alter_table("appointment", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_appointment_user_id"))
        batch_op.drop_index(batch_op.f("ix_appointment_authority"))

    op.drop_table("appointment")
    with op.batch_alter_table("verdict", schema=None) as batch_op:
        batch_op.drop_index("ix_verdict_subject")
        batch_op.drop_index(batch_op.f("ix_verdict_authority"))

    op.drop_table("verdict")
    with op.batch_alter_table("vehicle", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_vehicle_authority_plate_key",
            sqlite_where=sa.text("ended_at is null"),
            postgresql_where=sa.text("ended_at is null"),
        )
        batch_op.drop_index("ix_vehicle_plate_key")
        batch_op.drop_index(batch_op.f("ix_vehicle_authority"))

    op.drop_table("vehicle")
    with op.batch_alter_table("user", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_user_authority"))

    op.drop_table("user")
    op.drop_table("sequence")
    with op.batch_alter_table("person", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_person_authority_document",
            sqlite_where=sa.text("document <> '' and ended_at is null"),
            postgresql_where=sa.text("document <> '' and ended_at is null"),
        )
        batch_op.drop_index("ix_person_authority_name_folded")
        batch_op.drop_index(batch_op.f("ix_person_authority"))

    op.drop_table("person")
    op.drop_table("once")
    with op.batch_alter_table("index_value", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_index_value_authority"))

    op.drop_table("index_value")
    with op.batch_alter_table("closure", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_closure_authority"))

    op.drop_table("closure")
    op.drop_table("unknown_log_in")
    op.drop_table("authority")
    with op.batch_alter_table("audit_entry", schema=None) as batch_op:
        batch_op.drop_index("ix_audit_entry_subject")

    op.drop_table("audit_entry")
    # ### end Alembic commands ###
    for statement in DROP_GUARDS[op.get_bind().dialect.name]:
        op.execute(statement)
