# Five words to know: setup, test, check, bench, demo. Each is self-sufficient on a fresh machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LIBRARY := src/sandlot/lib/libsandlot.so
ENGINE := $(shell find engine -name '*.c' -o -name '*.h') CMakeLists.txt
SETUP := $(VENV)/.installed

.PHONY: help setup build demo test check bench docs clean

help:            ## this list
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(SETUP) build   ## virtual environment, packages, native engine

$(SETUP): pyproject.toml constraints.txt
	@echo "==> Python environment in $(VENV) (a few minutes the first time)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --upgrade pip
	@$(BIN)/pip install --quiet --constraint constraints.txt "torch==2.13.0" cmake ninja scikit-build-core
	@$(BIN)/pip install --quiet --constraint constraints.txt --no-build-isolation --config-settings wheel.cmake=false --editable '.[dev]'
	@touch $@

build: $(LIBRARY)       ## the native engine alone

$(LIBRARY): $(ENGINE) | $(SETUP)
	@echo "==> Native engine"
	@command -v cc >/dev/null || { echo "A C compiler is needed: install gcc or clang (Debian: apt-get install build-essential)." >&2; exit 2; }
	@PATH="$(abspath $(BIN)):$$PATH" cmake -S . -B build/dev -G Ninja -DCMAKE_BUILD_TYPE=Release >build-configure.log 2>&1 || { cat build-configure.log; exit 2; }
	@rm -f build-configure.log
	@PATH="$(abspath $(BIN)):$$PATH" cmake --build build/dev --target sandlot
	@mkdir -p $(dir $@) && cp build/dev/libsandlot.* $(dir $@)

test: setup             ## every test
	@echo "==> Tests"
	@$(BIN)/pytest

check: setup            ## format, lint, types
	@$(BIN)/ruff format --check src tests benchmarks examples
	@$(BIN)/ruff check src tests benchmarks examples
	@$(BIN)/mypy

bench: setup            ## speed of every game, beside its peers, in one run
	@$(BIN)/sandlot bench

docs: setup             ## rebuild the generated pages
	@$(BIN)/python -m sandlot.games.reward_notes

demo: setup             ## a first look at what is here
	@$(BIN)/sandlot demo

clean:                  ## remove what was built
	@rm -rf build dist $(dir $(LIBRARY)) $(VENV)
