"""What the tables need beyond columns and keys: triggers that refuse changes, and the index of name fragments.

The migrations carry copies of these statements, and a test compares what they made with what stands here. A migration
that recreates one of the tables on SQLite (batch mode drops its triggers silently) must create them again; the
migration runner compares with the names kept here and aborts when one is missing.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

KEPT_TABLES = ("audit_entry", "decision", "index_value", "posting", "receipt", "till_day", "verdict")
"""Tables whose rows are never changed or removed; of an audit entry the content may be blanked, and nothing else."""

_AUDIT_KEPT = (
    "seq", "authority", "at", "actor", "office", "trace_id", "action", "subject", "subject_id", "previous", "hash"
)  # fmt: skip

SEARCH_TABLE = "person_search"
TRIGRAM_INDEX = "ix_person_name_folded_trgm"
BIGRAM_INDEX = "ix_person_name_folded_bigrams"
BIGRAMS = "registry_bigrams"
_REFUSE = "registry_refuse_change"


def is_guard(name: str) -> bool:
    """Whether a table or index belongs to the guards and not to the models."""
    return name.startswith(SEARCH_TABLE) or name in (TRIGRAM_INDEX, BIGRAM_INDEX)


def create_statements(dialect: str) -> list[str]:
    """The SQL that creates the guards on ``sqlite`` or ``postgresql``."""
    return _postgresql_create() if dialect == "postgresql" else _sqlite_create()


def drop_statements(dialect: str) -> list[str]:
    """The SQL that drops what of the guards does not go with its table; run after the tables were dropped."""
    return (
        [f"DROP FUNCTION {_REFUSE}()", f"DROP FUNCTION {BIGRAMS}(text)"]
        if dialect == "postgresql"
        else [f"DROP TABLE {SEARCH_TABLE}"]
    )


def missing(connection: Connection) -> tuple[str, ...]:
    """The names of guards that a whole database would have and this one has not."""
    if connection.dialect.name == "postgresql":
        wanted = {f"{table}_{what}" for table in KEPT_TABLES for what in ("kept", "kept_same", "kept_whole")}
        wanted |= {TRIGRAM_INDEX, BIGRAM_INDEX}
        query = (
            "select tgname from pg_trigger where not tgisinternal and tgenabled <> 'D' "
            "and tgrelid in (select oid from pg_class where relnamespace = current_schema()::regnamespace) "
            "union select indexname from pg_indexes where schemaname = current_schema()"
        )
    else:
        kinds = ("update", "delete", "replace")
        wanted = {f"{table}_no_{what}" for table in KEPT_TABLES for what in kinds}
        wanted |= {f"{SEARCH_TABLE}_{what}" for what in ("insert", "update", "delete")} | {SEARCH_TABLE}
        query = "select name from sqlite_master where type in ('trigger', 'table')"
    return tuple(sorted(wanted - set(connection.execute(text(query)).scalars())))


def _sqlite_create() -> list[str]:
    statements = []
    for table in KEPT_TABLES:
        refuse = f"SELECT RAISE(ABORT, '{table}: rows are never changed or removed')"
        key = "seq" if table == "audit_entry" else "id"
        statements += [
            f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table}{_unless_blanked(table, 'IS')} "
            f"BEGIN {refuse}; END",
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} BEGIN {refuse}; END",
            # INSERT OR REPLACE would remove the old row without firing the trigger on DELETE
            f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "
            f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key}) BEGIN {refuse}; END",
        ]
    add = f"INSERT INTO {SEARCH_TABLE}(rowid, name_folded) VALUES (NEW.id, NEW.name_folded)"
    remove = (
        f"INSERT INTO {SEARCH_TABLE}({SEARCH_TABLE}, rowid, name_folded) VALUES ('delete', OLD.id, OLD.name_folded)"
    )
    return [
        *statements,
        f"CREATE VIRTUAL TABLE {SEARCH_TABLE} USING fts5(name_folded, content='person', content_rowid='id', "
        "tokenize='trigram case_sensitive 1')",
        f"CREATE TRIGGER {SEARCH_TABLE}_insert AFTER INSERT ON person BEGIN {add}; END",
        f"CREATE TRIGGER {SEARCH_TABLE}_delete AFTER DELETE ON person BEGIN {remove}; END",
        f"CREATE TRIGGER {SEARCH_TABLE}_update AFTER UPDATE OF name_folded ON person BEGIN {remove}; {add}; END",
    ]


def _postgresql_create() -> list[str]:
    statements = [
        f"CREATE FUNCTION {_REFUSE}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE EXCEPTION '%: rows are never changed or removed', TG_TABLE_NAME "
        "USING ERRCODE = 'integrity_constraint_violation'; END $$"
    ]
    for table in KEPT_TABLES:
        run = f"EXECUTE FUNCTION {_REFUSE}()"
        statements += [
            f"CREATE TRIGGER {table}_kept BEFORE DELETE ON {table} FOR EACH ROW {run}",
            f"CREATE TRIGGER {table}_kept_same BEFORE UPDATE ON {table} FOR EACH ROW"
            f"{_unless_blanked(table, 'IS NOT DISTINCT FROM')} {run}",
            f"CREATE TRIGGER {table}_kept_whole BEFORE TRUNCATE ON {table} FOR EACH STATEMENT {run}",
        ]
    return [
        *statements,
        "CREATE EXTENSION IF NOT EXISTS pg_trgm",
        f"CREATE INDEX {TRIGRAM_INDEX} ON person USING gin (name_folded gin_trgm_ops)",
        f"CREATE FUNCTION {BIGRAMS}(name text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ "
        "SELECT array_agg(DISTINCT substr(name, place, 2)) FROM generate_series(1, length(name) - 1) AS place $$",
        f"CREATE INDEX {BIGRAM_INDEX} ON person USING gin ({BIGRAMS}(name_folded))",
    ]


def _unless_blanked(table: str, same: str) -> str:
    """The condition that lets through only the blanking of an audit entry's content; "" for every other table."""
    if table != "audit_entry":
        return ""
    kept = " AND ".join(f'NEW."{column}" {same} OLD."{column}"' for column in _AUDIT_KEPT)
    return f' WHEN (NOT (NEW."before" IS NULL AND NEW."after" IS NULL AND {kept}))'
