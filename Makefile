# The registry of permits: everything one types.
#   make demo    a registry with sample data at http://127.0.0.1:5000 (needs only Python 3.11+ and make)
#   make serve   the registry with the data of var/
#   make test    all tests except browser and wheel
#   make check   style, types, layers, then the browser and wheel tests

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= auto
PIP := $(BIN)/python -m pip --disable-pip-version-check
PROJECTS := . $(patsubst %/pyproject.toml,%,$(sort $(wildcard plugins/*/pyproject.toml)))
MANIFESTS := pyproject.toml $(wildcard plugins/*/pyproject.toml)
REQUIREMENTS := config/requirements

.DEFAULT_GOAL := help
.PHONY: help setup demo serve test check lint types bench requirements chromium clean

help:
	@sed -n 's/^#   //p' Makefile

setup: $(VENV)/.dev

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Python's venv is missing. On Debian: apt-get install python3-venv" >&2; exit 1; }

# to run it: the hashed packages, then the core and every plugin from this folder
$(VENV)/.runtime: $(REQUIREMENTS)/runtime.txt $(MANIFESTS) | $(VENV)/bin/python
	$(PIP) install --quiet --require-hashes -r $(REQUIREMENTS)/runtime.txt
	$(PIP) install --quiet --no-deps --no-build-isolation $(foreach project,$(PROJECTS),-e ./$(project))
	@touch $@

# to work on it: tests and checks as well
$(VENV)/.dev: $(REQUIREMENTS)/dev.txt $(VENV)/.runtime
	$(PIP) install --quiet --require-hashes -r $(REQUIREMENTS)/dev.txt
	@touch $@

demo: $(VENV)/.runtime
	$(BIN)/registry demo

serve: $(VENV)/.runtime
	$(BIN)/registry serve

test: setup
	$(BIN)/pytest -q -n $(WORKERS) --dist loadgroup -m "not browser and not wheel"

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo

types: setup
	$(BIN)/mypy

check: lint types chromium
	$(BIN)/pytest -q -n $(WORKERS) --dist loadgroup -m "browser or wheel"

# the browser tests drive Debian's Chromium; elsewhere, install a Chromium by hand
chromium:
	@command -v chromium >/dev/null || ! command -v apt-get >/dev/null || \
	{ test "$$(id -u)" = 0 && apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends chromium; }

bench: setup
	$(BIN)/python -m benchmarks

# after a change of dependencies in pyproject.toml; needs uv
EXTRAS_runtime := --extra postgres --extra xlsx --extra build
EXTRAS_test := $(EXTRAS_runtime) --extra test
EXTRAS_dev := $(EXTRAS_test) --extra dev
UV_COMPILE := env -u PIP_FIND_LINKS uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url pyproject.toml

requirements:
	$(UV_COMPILE) $(EXTRAS_runtime) -o $(REQUIREMENTS)/runtime.txt
	$(UV_COMPILE) $(EXTRAS_test) -c $(REQUIREMENTS)/runtime.txt -o $(REQUIREMENTS)/test.txt
	$(UV_COMPILE) $(EXTRAS_dev) -c $(REQUIREMENTS)/test.txt -o $(REQUIREMENTS)/dev.txt

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
