PYTHON ?= python3
BIN := .venv/bin
USER := .venv/.installed
READY := .venv/.ready

.DEFAULT_GOAL := help

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 10

$(USER): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable .
	@touch $(USER)

$(READY): $(USER)
	$(BIN)/python -m pip install --quiet --editable '.[parquet,dask]' --group dev
	@touch $(READY)

demo: $(USER)  ## a study of a data set that ships with scikit-learn; names what it wrote
	$(BIN)/holdfast study @breast_cancer --out demo-study --export csv

test: $(READY)  ## ruff, mypy and the whole test suite but the slow tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n auto -m 'not slow'

slow: $(READY)  ## the slow tests
	$(BIN)/pytest -n auto -m slow

bench: $(READY)  ## the benchmarks; writes benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks

calibrate: $(READY)  ## simulations that test the claims of the guide; writes docs/how_we_know.md
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.claims --write

docs: $(READY)  ## the user guide, into docs/_build/html; warnings are errors
	$(BIN)/sphinx-build --fail-on-warning --quiet --builder html docs docs/_build/html
	@echo "docs/_build/html/index.html"

.PHONY: help demo test slow bench calibrate docs
