"""What the registry does outside a request: once a night, and whatever a screen puts into the queue.

Nothing that anyone may do hangs on the night: who may carry passengers, what is owed and what may be decided are asked
anew each time. It keeps the work lists and the exported heads of the audit chain up to the day. A timer of the machine
calls it through ``registry jobs run``, or the worker (``registry jobs worker``) at its hour.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from pathlib import Path
from typing import ParamSpec
from uuid import uuid4

import structlog
from huey import Huey, PostgresHuey, SqliteHuey
from huey.consumer import Consumer
from huey.serializer import SignedSerializer

from registry.domain.occasion import Occasion
from registry.services import import_runs
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, Refused
from registry.services.progress import refresh_all
from registry.store.audit import Head, head
from registry.store.audit_head import append_head

NIGHTLY_AT = time(3, 10)
"""When the worker does the nightly run, by the clock of the first authority."""

P = ParamSpec("P")
_QUEUE = "registry"
_IDLE_SECONDS = 1
"""The longest that an idle worker waits before it looks into the queue again."""
_SCHEMA = "registry_jobs"
log = structlog.get_logger("registry.jobs")


@dataclass(frozen=True)
class Swept:
    """How many live requests of an authority are shown otherwise than before, and of how many no rule answered."""

    authority: str
    changed: int
    failed: int


@dataclass(frozen=True)
class Night:
    """What one nightly run did: the sweep of each authority, and the head of the audit chain that it exported."""

    swept: tuple[Swept, ...]
    head: Head

    @property
    def failed(self) -> bool:
        """Whether some request keeps what was shown of it, since a rule did not answer."""
        return any(each.failed for each in self.swept)


def nightly(desk: Desk, occasion: Callable[[str], Occasion], heads: Path) -> Night:
    """Derives every live request of every authority anew and appends the audit head to a file.

    Args:
        desk: of this installation.
        occasion: gives the occasion in the name of an authority, by its code.
        heads: text file of heads, made when there is none (see ``registry audit verify --head``).
    """
    occasions = [occasion(code) for code in desk.settings.authorities]
    swept = tuple(Swept(each.authority, *refresh_all(desk, each)) for each in occasions)
    with desk.store.reading() as session:
        now = head(session)
    append_head(heads, occasions[0].at.astimezone(UTC), now)
    return Night(swept, now)


def heads_file(var: Path) -> Path:
    """Where the heads of the audit chain are exported to unless told otherwise."""
    return var / "audit" / "heads.txt"


class Jobs:
    """The queue of one installation and its tasks; screens put into it, the worker takes out.

    What waits in it is signed with the installation's secret: a row that another hand put there is not run.
    """

    def __init__(self, desk: Desk, clock: Callable[[], datetime]) -> None:
        self._desk = desk
        self._clock = clock
        self.queue = _queue(desk)
        self._import = self.queue.task(name="import_file")(_told("import_file", self._import_file))
        self.queue.periodic_task(self._is_night, name="nightly")(_told("nightly", self._night))

    def put_import(self, run_id: int, authority: str, actor: str, actor_id: int | None) -> None:
        """Asks the worker to write an import that is marked for it, in the name of a user."""
        self._import(run_id, authority, actor, actor_id)

    @property
    def waiting(self) -> int:
        """How many tasks wait for the worker."""
        return int(self.queue.pending_count())

    def work(self) -> None:
        """Takes tasks out of the queue until the process is told to stop (SIGTERM, SIGINT)."""
        _tell_huey_to_structlog()
        Consumer(self.queue, workers=1, periodic=True, max_delay=_IDLE_SECONDS, graceful_signal="TERM").run()

    def work_off(self) -> int:
        """Does what waits now, in this thread, and answers how many tasks that was."""
        done = 0
        while (task := self.queue.dequeue()) is not None:
            self.queue.execute(task)
            done += 1
        return done

    def work_beside(self) -> Callable[[], None]:
        """Takes tasks out in a thread of this process, for the demonstration; answers what stops it."""
        _tell_huey_to_structlog()
        worker = _Beside(self.queue, workers=1, periodic=False, max_delay=_IDLE_SECONDS)
        worker.start()
        return worker.stop

    def _is_night(self, now: datetime) -> bool:
        zone = next(iter(self._desk.settings.authorities.values())).zone
        here = now.replace(tzinfo=UTC).astimezone(zone)
        return (here.hour, here.minute) == (NIGHTLY_AT.hour, NIGHTLY_AT.minute)

    def _night(self) -> None:
        night = nightly(self._desk, self._occasion, heads_file(self._desk.settings.var))
        log.info("nightly", changed=sum(each.changed for each in night.swept), failed=night.failed)

    def _import_file(self, run_id: int, authority: str, actor: str, actor_id: int | None) -> None:
        # the run itself keeps why it was refused or failed; its page says so
        with suppress(Refused, AlreadyDone):
            occasion = replace(self._occasion(authority), actor=actor, actor_id=actor_id)
            import_runs.perform(occasion, self._desk, run_id)

    def _occasion(self, authority: str) -> Occasion:
        zone = self._desk.settings.authority(authority).zone
        return Occasion(actor="registro", authority=authority, at=self._clock().astimezone(zone), zone=zone)


def _told(name: str, task: Callable[P, None]) -> Callable[P, None]:
    """The task with a line in the log for its end, and the traceback there when it fails."""

    def run(*args: P.args, **named: P.kwargs) -> None:
        with structlog.contextvars.bound_contextvars(trace_id=uuid4().hex[:16], task=name):
            try:
                task(*args, **named)
            except Exception:
                log.exception("task failed")
                raise
            log.info("task done")

    return run


class _ToStructlog(logging.Handler):
    """Says what huey says as the registry says it: one JSON object a line."""

    def emit(self, record: logging.LogRecord) -> None:
        """Passes a record on; a task's own traceback was told before."""
        log.log(record.levelno, "worker", said=record.getMessage().splitlines()[0])


def _tell_huey_to_structlog() -> None:
    huey = logging.getLogger("huey")
    huey.handlers, huey.propagate = [_ToStructlog(logging.WARNING)], False


class _Beside(Consumer):
    """A consumer inside a process whose signals belong to someone else."""

    def _set_signal_handlers(self) -> None:
        pass


def _queue(desk: Desk) -> Huey:
    """The queue beside the registry's own database: a file of its own on SQLite, a schema of its own on PostgreSQL."""
    serializer = SignedSerializer(desk.settings.secret_key, _QUEUE)
    options = {"name": _QUEUE, "results": False, "utc": True, "serializer": serializer}
    if desk.store.dialect == "sqlite":
        folder = desk.settings.var
        folder.mkdir(parents=True, exist_ok=True)
        return SqliteHuey(filename=str(folder / "jobs.db"), **options)
    return PostgresHuey(connection=lambda: _connection(desk), **options)


def _connection(desk: Desk) -> object:
    import psycopg

    address = desk.store.url.set(drivername="postgresql").render_as_string(hide_password=False)
    connection = psycopg.connect(address, autocommit=True)
    connection.execute(f"create schema if not exists {_SCHEMA}")
    connection.execute(f"set search_path to {_SCHEMA}")
    return connection
