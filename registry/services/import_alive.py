"""Whether a run of the importer is still being written, and how far it is.

The writer holds a lock on a small file, which the system takes back when its process ends, however it ends; into the
file it writes how many lines are done. Writer and readers are on one machine, as the folder of data is.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER = "imports"


class Busy(Exception):
    """Another process writes this run."""


@contextmanager
def holding(var: Path, run_id: int) -> Iterator[Callable[[int, int], None]]:
    """Holds the run's lock; yields what is told of lines done and lines in all. Raises Busy."""
    path = _path(var, run_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Busy from error

        def told(done: int, total: int) -> None:
            file.truncate(0)
            file.write(f"{done} {total}")
            file.flush()

        told(0, 0)
        try:
            yield told
        finally:
            path.unlink(missing_ok=True)


def progress(var: Path, run_id: int) -> tuple[int, int] | None:
    """Lines done and lines in all of a run that is being written; None when nobody writes it."""
    try:
        with _path(var, run_id).open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                done, _, total = file.read().partition(" ")
                return (int(done), int(total)) if done.isdigit() and total.isdigit() else (0, 0)
    except FileNotFoundError:
        pass
    return None


def _path(var: Path, run_id: int) -> Path:
    return var / FOLDER / f"{run_id}.lock"
