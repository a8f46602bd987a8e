PYTHON ?= python3
BIN := .venv/bin
OLDEST := .venv-oldest/bin
VENV := .venv/.created
USER := .venv/.installed
READY := .venv/.ready
# what makes a test slow or an integration test: see the markers in pyproject.toml
UNIT := not slow and not integration
REST := slow or integration or hypothesis
# Python must keep the bytecode of what it imports, whatever the caller's environment says: without
# it, each of the hundreds of processes that the tests start compiles some 2,000 modules again
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 10

$(VENV):
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@touch $(VENV)

$(USER): $(VENV) pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $(USER)

# without --no-compile, pip would spend most of its time on modules that no test imports
$(READY): $(VENV) pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[parquet,dask]' --group dev
	@touch $(READY)

demo: $(USER)  ## a study of a data set that ships with scikit-learn; names what it wrote
	$(BIN)/holdfast study @breast_cancer --out demo-study --export csv

test: $(READY)  ## ruff, mypy and the unit tests, side by side; about five minutes at first
	@$(MAKE) --no-print-directory --jobs=2 lint unit

lint: $(READY)  ## ruff and mypy alone
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

unit: $(READY)  ## the unit tests alone
	$(BIN)/pytest -n auto -m '$(UNIT)'

test-all: $(READY)  ## what `make test` leaves out: slow and integration tests, more examples
	HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-ci} $(BIN)/pytest -n auto -m '$(REST)'

# the oldest releases that pyproject.toml allows, with the newest of all else; these call what newer
# dependencies of theirs deprecate, which is no fault of holdfast
test-oldest:  ## the unit tests with the oldest dependencies that are supported, on Python 3.11
	python3.11 -m venv .venv-oldest
	$(OLDEST)/python -m pip install --quiet uv
	$(OLDEST)/uv pip compile --quiet --no-deps --resolution lowest-direct \
	  --extra parquet --extra dask pyproject.toml --output-file .venv-oldest/constraints.txt
	$(OLDEST)/uv pip install --quiet --python $(OLDEST)/python \
	  --constraint .venv-oldest/constraints.txt --editable '.[parquet,dask]' --group dev
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-oldest/numba $(OLDEST)/pytest -n auto -m '$(UNIT)' \
	  -W ignore::DeprecationWarning

coverage: $(READY)  ## lines that the unit tests do not run; compiled kernels cannot be seen
	$(BIN)/pytest -n auto -m '$(UNIT)' --cov --cov-report=term-missing:skip-covered

bench: $(READY)  ## the benchmarks; writes benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks

calibrate: $(READY)  ## simulations that test the claims of the guide; writes docs/how_we_know.md
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.claims --write

docs: $(READY)  ## the user guide, into docs/_build/html; warnings are errors
	$(BIN)/sphinx-build --fail-on-warning --quiet --builder html docs docs/_build/html
	@echo "docs/_build/html/index.html"

.PHONY: help demo test lint unit test-all test-oldest coverage bench calibrate docs
