"""Runs every benchmark of this folder, one after another; the modules with a function ``main()``."""

from __future__ import annotations

import importlib
import pkgutil

import benchmarks

for _, name, _ in pkgutil.iter_modules(benchmarks.__path__):
    if not name.startswith("_"):
        module = importlib.import_module(f"benchmarks.{name}")
        if hasattr(module, "main"):
            print(f"\n== {name}")
            module.main()
