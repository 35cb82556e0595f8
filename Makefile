# make demo   set up and run the main job: a dry run of the paper's platform, with a report
# make world  set up the virtual environment and run both experiments of its paper, with reports and films
# make ride   set up and ride an emulated aircraft, live, with a report (JSBSim's, where `[fly]` is installed)
# make test   set up and run the tests that need no real clock
# make test-realtime  those that judge programs in real time, one at a time
# make test-long  campaigns, mutants, kills and runs of minutes with their full counts: three and a half hours
# make test-compiled  the gate's, the drives' and other tests on the compiled build, compared with the pure one
# make wheels  both wheels on each Python from 3.11 to 3.13 that is here, each with its run of the demo
# make check  lint, and the tests of what changed, within a minute
# make panel  set up and open the operator panel
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
# Windows are tested on a virtual screen, away from the user's own; without xvfb-run the tests that
# need OpenGL are skipped and say so.
SCREEN := $(shell command -v xvfb-run >/dev/null && \
	echo 'xvfb-run -a -s "-screen 0 1366x768x24 -nolisten tcp"')

.PHONY: demo world ride kernels test test-realtime test-long test-long-realtime test-long-virtual panel lint check bench screenshots panel-packages wheel-check compiled test-compiled wheels lock sbom clean

demo: .venv/core.stamp
	$(BIN)/hil run configs/scenarios/demo.toml --out runs --report

world: .venv/world.stamp
	$(BIN)/hil run joint_move --out runs --report --video runs/joint_move.mp4
	$(BIN)/hil run straight_line --out runs --report --video runs/straight_line.mp4

ride: .venv/core.stamp
	$(BIN)/hil run live_demo --out runs --report

PYTEST = env PYTHONDONTWRITEBYTECODE= $(SCREEN) $(BIN)/pytest --dist loadgroup

# What is compiled is compiled once, and not by each worker and each program that it starts: kernels
# before the tests, modules as they are first imported (whatever the shell says of .pyc files).
kernels: .venv/test.stamp
	PYTHONDONTWRITEBYTECODE= $(BIN)/python tests/warm_kernels.py

# They compute and do not wait: a worker for each processor. More than eight would mostly collect.
# Those that compare this process with one of the program's are run with its settings of libraries.
ALIKE = env PYTHONDONTWRITEBYTECODE= $(SCREEN) $(BIN)/python tests/alike.py --dist loadgroup \
	$(shell grep -rl --include='test_*.py' '^@rounds_alike' tests)
test: kernels
	$(PYTEST) -n $(shell nproc) --maxprocesses 8 -m "not real_time" $(PYTEST_ARGS)
	$(ALIKE) -m "alike and not real_time"

# What is judged in real time has the machine for itself: one worker, one test at a time. Files that
# do not name the mark need not be read.
REAL_TIME = $(shell grep -rl --include='test_*.py' real_time tests)
test-realtime: kernels
	$(PYTEST) -n 1 -m real_time $(PYTEST_ARGS) $(REAL_TIME)
	$(ALIKE) -n 1 -m "alike and real_time"

# Campaigns in real time one at a time, and beside them those on the virtual clock, which give way.
# Each half can be made alone. Without a C compiler the tests of both builds are skipped.
test-long:
	$(MAKE) --keep-going --jobs 2 test-long-realtime test-long-virtual

LONG = --timeout 7200 -rA $(PYTEST_ARGS)
test-long-realtime: kernels
	HIL_TEST_SHARE=1 $(PYTEST) -n 1 -m "campaign and real_time" $(LONG) $(REAL_TIME)
	HIL_TEST_SHARE=1 $(ALIKE) -n 1 -m "alike and campaign and real_time" $(LONG)

test-long-virtual: kernels
	-nice -n 19 $(MAKE) compiled
	HIL_TEST_SHARE=1 nice -n 19 $(PYTEST) -n 1 -m "campaign and not real_time" $(LONG)

panel: .venv/panel.stamp
	$(BIN)/hil panel

lint: .venv/lint.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/python tests/type_completeness.py
	$(BIN)/lint-imports

# Within a minute, while one works: the checks, and the tests of what differs from main, the most
# particular ones first, for at most 40 s. `make test` runs all.
check: .venv/lint.stamp .venv/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	@code="$$($(BIN)/python tests/changed.py --code)"; set -x; [ -z "$$code" ] || $(BIN)/pyright $$code
	@tests="$$($(BIN)/python tests/changed.py)"; set -x; [ -z "$$tests" ] || \
	$(PYTEST) -n $(shell nproc) -x -m "not real_time" --session-timeout 40 $$tests

bench: .venv/core.stamp
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

# Pictures for docs/: of the panel, drawn on a virtual screen from runs made for them, and of a rig.
screenshots: .venv/test.stamp
	$(SCREEN) $(BIN)/python tests/tools/panel_pictures.py docs/pictures
	$(SCREEN) $(BIN)/python tests/tools/diagram_picture.py docs/pictures
	$(BIN)/python tests/tools/machine_pictures.py docs/pictures

# Debian packages that the panel and its tests want (Debian 12; names of Ubuntu 24.04 are the same
# or are provided by theirs).
panel-packages:
	@echo xvfb xauth libgl1 libglx0 libegl1 libegl-mesa0 libgl1-mesa-dri libfontconfig1 libfreetype6 \
	libglib2.0-0 libdbus-1-3 libxkbcommon0 libxkbcommon-x11-0 libx11-xcb1 libxcb-cursor0 \
	libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render0 \
	libxcb-render-util0 libxcb-shape0 libxcb-shm0 libxcb-sync1 libxcb-xfixes0 libxcb-xkb1 \
	fonts-dejavu-core

# The wheel installs into an empty environment (PYTHON=… chooses whose) and runs the demo and the
# examples from there, away from the clone; and nothing that lies beside the user can take the place of a part of it.
wheel-check:
	rm -rf build/wheel && mkdir -p build/wheel
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/pip install -q build
	build/wheel/venv/bin/python -m build -q --wheel --outdir build/wheel .
	rm -rf build/wheel/venv && $(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/pip install -q build/wheel/*.whl
	cd build/wheel && venv/bin/hil --version && venv/bin/hil run demo --out runs --report --json
	cd build/wheel && for each in $(filter-out %/read_recording.py %/fmu_car.py,$(wildcard examples/*.py)); do \
		PYTHONPATH=../../examples venv/bin/python -P ../../$$each || exit 1; done && \
		venv/bin/python -P ../../examples/read_recording.py runs/demo-*
	$(PYTHON) tests/installation/shadow_trials.py build/wheel/venv/bin/python

# The same program with modules compiled by mypyc (a C compiler and the headers of Python are needed),
# in an environment of its own, which takes what it depends on from that of the tests.
COMPILED := build/compiled
compiled: .venv/test.stamp
	rm -rf $(COMPILED) && mkdir -p $(COMPILED)
	HIL_COMPILE=1 $(BIN)/python -m pip wheel -q --no-deps -w $(COMPILED) .
	$(BIN)/python -m venv $(COMPILED)/venv
	$(COMPILED)/venv/bin/python -m pip install -q --no-deps $(COMPILED)/*.whl
	$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' | \
		tee $$(echo $(COMPILED)/venv/lib/python3*/site-packages)/dependencies.pth
	$(COMPILED)/venv/bin/python -P -c 'from hil.config.build import check_build, describe_build; \
		check_build(); print(describe_build())'

# What compiled modules decide, judged by the same tests; verdicts, graphs and whole runs of both
# builds side by side, which are equal to the byte; and mutants of compiled modules.
COMPILED_TESTS := tests/safety tests/gate tests/drives tests/faults tests/contract tests/operated
COMPILED_RUNS := heave circle_on_rm01
test-compiled: compiled
	$(COMPILED)/venv/bin/python -P -m hil warm
	$(COMPILED)/venv/bin/python -P -m pytest -n $(shell nproc) --dist loadgroup \
		-m "not real_time" $(COMPILED_TESTS) --ignore-glob='*mutants*' $(PYTEST_ARGS)
	$(PYTEST) -n $(shell nproc) tests/builds $(PYTEST_ARGS)
	$(BIN)/python -P tests/frozen $(COMPILED)/venv $(COMPILED_RUNS)

# Both wheels on each Python of those that is here: the demo has one recording.
wheels: .venv/test.stamp
	HIL_TEST_SHARE=1 $(PYTEST) -n 0 -rA --timeout 7200 tests/builds/test_wheels.py

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed (apt install python3 python3-venv)"; exit 1; }
	$(PYTHON) -m venv .venv || { echo "apt install python3-venv, then try again"; rm -rf .venv; exit 1; }

# Releases are those of the lock files, and their files those that hashes were taken of; with
# UNLOCKED=1, where an index has others, whatever pyproject.toml allows.
PIP = $(BIN)/pip install -q
ifdef UNLOCKED
install = $(PIP) -e .$(if $(1),[$(1)])
else
install = $(PIP) --require-hashes $(patsubst %,-r locks/%.txt,core $(sort $(1) $(if $(filter test lint,$(1)),panel world)))
endif

# The study of the space arm's integrators is a distribution of its own.
STUDY := benchmarks/arm_study

.venv/core.stamp: .venv/bin/python pyproject.toml $(STUDY)/pyproject.toml locks/core.txt
	$(call install)
	$(if $(UNLOCKED),,$(PIP) --no-deps --no-build-isolation -e .)
	$(PIP) --no-deps $(if $(UNLOCKED),,--no-build-isolation) -e $(STUDY)
	touch $@

.venv/%.stamp: .venv/core.stamp locks/panel.txt locks/world.txt locks/%.txt
	@# The wheel `mujoco` writes into the same folder as `mujoco-core`.
	! $(BIN)/pip show -q mujoco 2> /dev/null || \
		$(BIN)/pip uninstall -q -y mujoco mujoco-core mujoco-studio
	$(call install,$*)
	touch $@

# After a change of the dependencies in pyproject.toml; all that still fits stays as it is. NOTICE is
# written of what is installed, so of the tests' environment, too.
lock: .venv/bin/python
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip install -q "uv>=0.9,<1"
	$(BIN)/python locks/lock.py build/lock/bin/uv
	$(MAKE) .venv/test.stamp && $(BIN)/python locks/notice.py

# What an installed program consists of, with licences, as CycloneDX 1.6 (build/sbom.json); hashes of
# its files are in the lock files. SBOM="panel world" takes these extras, too.
sbom:
	rm -rf build/sbom && $(PYTHON) -m venv build/sbom/tool && $(PYTHON) -m venv build/sbom/env
	build/sbom/tool/bin/pip install -q "cyclonedx-bom>=7,<8"
	build/sbom/env/bin/pip install -q --require-hashes $(patsubst %,-r locks/%.txt,core $(SBOM))
	build/sbom/env/bin/pip install -q --no-deps --no-build-isolation .
	build/sbom/env/bin/pip uninstall -q -y pip setuptools
	build/sbom/tool/bin/cyclonedx-py environment --pyproject pyproject.toml --mc-type application \
		--output-reproducible --validate --output-file build/sbom.json build/sbom/env

clean:
	rm -rf .venv build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
