# make demo   set up and run the main job: a dry run of the paper's platform, with a report
# make test   set up and run the tests
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin

.PHONY: demo test lint bench wheel-check clean

demo: .venv/core.stamp
	$(BIN)/hil run configs/scenarios/demo.toml --out runs --report

test: .venv/test.stamp
	$(BIN)/pytest -n 2 --dist loadgroup $(PYTEST_ARGS)

lint: .venv/lint.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: .venv/core.stamp
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

# The wheel installs into an empty environment and runs the demo from there, away from the clone.
wheel-check:
	rm -rf build/wheel && mkdir -p build/wheel
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/pip install -q build
	build/wheel/venv/bin/python -m build -q --wheel --outdir build/wheel .
	rm -rf build/wheel/venv && $(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/pip install -q build/wheel/*.whl
	cd build/wheel && venv/bin/hil run demo --out runs --report --json

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed (apt install python3 python3-venv)"; exit 1; }
	$(PYTHON) -m venv .venv || { echo "apt install python3-venv, then try again"; rm -rf .venv; exit 1; }

.venv/core.stamp: .venv/bin/python pyproject.toml
	$(BIN)/pip install -q -e .
	touch $@

.venv/test.stamp: .venv/core.stamp
	$(BIN)/pip install -q -e .[test]
	touch $@

.venv/lint.stamp: .venv/core.stamp
	$(BIN)/pip install -q -e .[lint]
	touch $@

clean:
	rm -rf .venv build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
