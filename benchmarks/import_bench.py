"""How long an import takes and how much memory it wants.

    .venv/bin/python benchmarks/import_bench.py [FILE] [--url sqlite:///... | postgresql://...]

Without FILE it makes up a fleet of 3,677 taxis with 150 stands, as large as the real one. Imports it twice into a
migrated, empty database (a temporary SQLite file unless --url names another; its rows stay there) and prints the
seconds, the peak memory, and the ratio to inserting the same vehicles alone. The aim: under 10 s and 300 MB.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from sqlalchemy import insert

from registry import resources
from registry.domain.identifiers import plate_key
from registry.domain.occasion import Occasion
from registry.plugins import PluginHost
from registry.services import imports
from registry.services.authorities import enter_authorities
from registry.services.desk import Desk
from registry.settings import load_settings
from registry.store import migrate
from registry.store.engine import Store
from registry.store.vehicles import Vehicle

REGIME = "taxi_recife"
TAXIS, STANDS = 3_677, 150
MOST_SECONDS, MOST_MIB = 10, 300
NOW = datetime(2026, 11, 30, 15, tzinfo=UTC)


def fleet() -> bytes:
    """A made-up file in the shape of the real one."""
    lines = ["data_extracao;prefixo;ponto;placa;marca;modelo;data_primeiro_emplac;ano_fabricacao;combustivel"]
    for n in range(TAXIS):
        plate = f"Q{chr(65 + n // 676 % 26)}{chr(65 + n // 26 % 26)}{n % 10}{chr(65 + n % 10)}{n % 100:02d}"
        stand = f"PONTO {n % STANDS}, CENTRO" if n % 3 else ""
        day, year = f"{2018 + n % 8}-0{1 + n % 9}-1{n % 10}", 2018 + n % 8
        lines.append(f"2026-11-01 01:58:27;{1000 + n};{stand};{plate};VW;VOYAGE;{day};{year};ÁLCOOL/GASOLINA/GNV")
    return "\r\n".join(lines).encode()


def bare(desk: Desk, occasion: Occasion, report: imports.ImportReport) -> float:
    """Seconds to insert the vehicles alone, rolled back."""
    rows = [
        {
            "authority": occasion.authority,
            "plate": step.line.values["plate"],
            "plate_key": plate_key(step.line.values["plate"]),
            "make": step.line.values.get("make") or "",
            "created_at": occasion.at,
            "facts": {},
        }
        for step in report.plan.steps
    ]
    start = time.perf_counter()
    with desk.store.engine.connect() as connection:
        connection.execute(insert(Vehicle), rows)
        connection.rollback()
    return time.perf_counter() - start


def main() -> int:
    """Runs and prints; 1 when the aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--url")
    chosen = parser.parse_args()
    data = chosen.file.read_bytes() if chosen.file else fleet()
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(resources.config(), {"REGISTRY_CONFIG": "recife.toml"})
        settings = replace(settings, var=Path(folder))
        host = PluginHost.load(settings)
        store = Store(chosen.url or f"sqlite:///{folder}/bench.db")
        migrate.upgrade(store, migrate.of_plugins(host))
        with store.writing() as session:
            enter_authorities(session, settings)
        desk = Desk(store, host, settings, settings.var)
        authority = settings.authority_of(REGIME)
        assert authority is not None
        occasion = Occasion("benchmark", authority.code, NOW, authority.zone)
        failed = run(desk, occasion, data)
        store.close()
    return failed


def run(desk: Desk, occasion: Occasion, data: bytes) -> int:
    """Imports twice and prints a line for each; 1 when the first took too long or too much."""
    alone = 0.0
    first = 0.0
    for title in ("first", "again"):
        start = time.perf_counter()
        report = imports.preview(occasion, desk, REGIME, BytesIO(data), "bench.csv")
        previewed = time.perf_counter() - start
        if title == "first":
            alone = bare(desk, occasion, report)
        start = time.perf_counter()
        written = imports.write(occasion, desk, report)
        total = previewed + time.perf_counter() - start
        first = first or total
        print(
            f"{title}: {report.sheet.rows} rows, {written.vehicles} vehicles, preview {previewed:.2f} s, "
            f"all {total:.2f} s = {total / alone:.0f} times the vehicles alone ({alone:.2f} s)"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MiB (aim under {MOST_MIB}); first import {first:.2f} s (aim under {MOST_SECONDS})")
    return int(peak >= MOST_MIB or first >= MOST_SECONDS)


if __name__ == "__main__":
    raise SystemExit(main())
