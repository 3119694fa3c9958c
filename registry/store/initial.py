"""Writes the core's first migration anew from the models, as long as there is only that one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from pprint import pformat

from registry.store import guards, migrate
from registry.store.engine import Store

REVISION = "0001"
_DIALECTS = ("postgresql", "sqlite")


def rewrite() -> Path:
    """Replaces migration 0001 by one made from the models and the guards; answers its file.

    Raises MigrationError when there are later migrations: from then on each change gets its own.
    """
    which = migrate.core()
    if later := [each.name for each in which.versions.glob("*.py") if not each.name.startswith(REVISION)]:
        raise migrate.MigrationError(f"Já há migrações depois da {REVISION} ({', '.join(sorted(later))}); crie outra.")
    with tempfile.TemporaryDirectory() as folder:
        apart = migrate.Migrations(migrate.CORE, Path(folder) / "versions")
        store = Store(f"sqlite:///{folder}/empty.db")
        try:
            written = migrate.revise(store, apart, "initial", REVISION)
        finally:
            store.close()
        content = _with_guards(written.read_text(encoding="utf-8"))
    target = which.versions / written.name
    target.write_text(content, encoding="utf-8")
    return target


def _with_guards(source: str) -> str:
    """The generated migration with the statements of the guards, written out, after and before the tables."""
    head, upgrade, rest = source.partition("def upgrade() -> None:\n")
    body, downgrade, drops = rest.partition("def downgrade() -> None:\n")
    constants = "".join(
        f"{name} = {pformat({each: make(each) for each in _DIALECTS}, width=110)}\n"
        for name, make in (("CREATE_GUARDS", guards.create_statements), ("DROP_GUARDS", guards.drop_statements))
    )
    return (
        f"{head.rstrip()}\n\n# triggers that refuse changes, and the index of name fragments\n{constants}\n\n"
        f"{upgrade}{body.rstrip()}\n{_execute('CREATE_GUARDS')}\n\n"
        f"{downgrade}{drops.rstrip()}\n{_execute('DROP_GUARDS')}"
    )


def _execute(name: str) -> str:
    return f"    for statement in {name}[op.get_bind().dialect.name]:\n        op.execute(statement)\n"
