# Five words to know: setup, test, check, bench, docs. Each is self-sufficient on a fresh machine.
# Other tools:  make PYTHON=python3.12 setup    make CC=clang build
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SETUP := $(VENV)/.installed
LIBRARY := src/sandlot/lib/libsandlot.$(if $(filter Darwin,$(shell uname -s)),dylib,so)
ENGINE := $(shell find engine -name '*.c' -o -name '*.h') CMakeLists.txt
PIP := $(BIN)/pip --disable-pip-version-check --quiet
CONFIGURE_LOG := build/configure.log
SITE := src/sandlot/serve/site/index.html
SITE_SOURCE := $(shell find web -path web/node_modules -prune -o -type f -print 2>/dev/null) engine/wasm/sandlot.mjs
WASM := build/wasm/sandlot.wasm
SITE_IF_NODE := $(shell .ci/needs --ask node npm && echo web)   # without node everything but the site works

TEST_PROCESSES ?= 2   # that share the tests; browsers and engines are processes of their own beside them

export PYTHON CC

STOCK := .venv-godot-rl

.PHONY: help setup build web demo test quick check bench stock docs clean

help:            ## this list
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(SETUP) build   ## virtual environment, packages, native engine
	@echo "==> Ready. Try: make demo, or $(BIN)/sandlot --help"

$(SETUP): pyproject.toml constraints.txt
	@.ci/needs python compiler
	@echo "==> Python packages into $(VENV) (a few minutes the first time)"
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --constraint constraints.txt torch cmake ninja psutil scikit-build-core
	@$(PIP) install --constraint constraints.txt --no-deps pufferlib-core   # it pins an older torch than it needs
	@$(PIP) install --constraint constraints.txt nvidia-ml-py pyro-ppl rich-argparse   # what its trainer imports
	@$(PIP) install --constraint constraints.txt --no-build-isolation --config-settings wheel.cmake=false --editable '.[dev]'
	@touch $@

build: $(LIBRARY)       ## the native engine alone

# Configuring is silent unless it fails; compiling shows its own progress.
$(LIBRARY): $(ENGINE) | $(SETUP)
	@.ci/needs compiler
	@echo "==> Native engine into $@"
	@mkdir -p build $(dir $@)
	@PATH="$(abspath $(BIN)):$$PATH" cmake -S . -B build/dev -G Ninja -DCMAKE_BUILD_TYPE=Release >$(CONFIGURE_LOG) 2>&1 \
	    || { cat $(CONFIGURE_LOG) >&2; echo "Configuring the engine failed; the lines above say why." >&2; exit 2; }
	@PATH="$(abspath $(BIN)):$$PATH" cmake --build build/dev --target sandlot
	@cp build/dev/$(notdir $@) $@.new && mv -f $@.new $@   # a program that has the old one open keeps it

web: $(SITE)            ## the site, from web/ into the package

$(WASM): $(ENGINE) $(wildcard engine/wasm/*) | $(SETUP)
	@echo "==> Engine as WebAssembly into $@"
	@$(BIN)/python engine/wasm/build.py >/dev/null

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	@.ci/needs node npm
	@echo "==> What the site is built with, into web/node_modules"
	@cd web && npm install --no-save --no-fund --no-audit --loglevel=error   # ci would ask for every platform's binaries
	@touch $@

$(SITE): web/node_modules/.package-lock.json $(SITE_SOURCE) $(WASM)
	@echo "==> Site into $(dir $@)"
	@cd web && npm run --silent build -- --logLevel warn

test: $(SETUP) build web stock   ## every test
	@.ci/needs node npm browser screen
	@echo "==> Godot, found or fetched into the cache (a minute the first time)"
	@$(BIN)/sandlot godot install || test -z "$$CI"
	@echo "==> Tests (quick ones alone: make quick)"
	@$(BIN)/pytest -n $(TEST_PROCESSES)

quick: $(SETUP) build   ## the tests that take seconds
	@$(BIN)/pytest -n $(TEST_PROCESSES) -m "not slow and not parity and not perf"

check: $(SETUP) build   ## format, lint, types
	@$(BIN)/ruff format --check src tests benchmarks examples docs scripts
	@$(BIN)/ruff check src tests benchmarks examples docs scripts
	@$(BIN)/mypy

bench: $(SETUP) build   ## speed of every game beside its twin, in one run
	@$(BIN)/sandlot bench

stock:                  ## the stock godot-rl client, for sandlot bench --engine godot
	@.ci/needs python
	@echo "==> Stock godot-rl into $(STOCK)"
	@test -x $(STOCK)/bin/pip || $(PYTHON) -m venv $(STOCK)
	@$(STOCK)/bin/pip --disable-pip-version-check --quiet install --no-deps --requirement godot/stock_rl/requirements.txt

docs: $(SETUP) build    ## rebuild the generated pages
	@$(BIN)/python -m sandlot.games.reward_notes
	@$(BIN)/python -m sandlot.variables

demo: $(SETUP) build $(SITE_IF_NODE)   ## a first look at what is here
	@$(BIN)/sandlot demo

clean:                  ## remove what was built
	@rm -rf build dist $(dir $(LIBRARY)) $(dir $(SITE)) web/node_modules $(VENV) $(STOCK)
