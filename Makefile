# Everything a fresh machine with python3 (>= 3.11) and make needs. `make` lists the targets.
# The environment is .venv here; .ci/setup makes and repairs it.

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help demo browser test test-long test-lowest constraints check check-lint check-format check-types check-imports check-words bench docs clean distclean FORCE
.DELETE_ON_ERROR:

BIN := .venv/bin
INSTALLED := .venv/.installed
WARMED := .venv/.warmed
PEERS := .venv/.peers
DOCS := .venv/.docs
SOURCES := $(shell find src/slipstick -name '*.py')

# one thread a process: the suite runs in three, and BLAS threads would fight over the cores
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export VECLIB_MAXIMUM_THREADS := 1
export MPLBACKEND := Agg
unexport PYTHONHOME PYTHONPATH
# the suite starts hundreds of processes: without bytecode on disk each compiles all modules, and so does the collection
unexport PYTHONDONTWRITEBYTECODE

# a stamp is worth nothing if the checkout has moved or the interpreter behind .venv is gone
USABLE := $(shell sh .ci/setup usable && echo yes)

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

demo: $(WARMED)  ## the whole story in a minute, and a page about it: out/demo/index.html
	@$(BIN)/python examples/demo

browser:
	@sh .ci/setup browser

# three processes on two cores: tests of the page, and of processes, wait
test: $(WARMED) browser  ## the test suite, without the long tests
	@echo "tests"
	@$(BIN)/python -m pytest -n 3 --dist loadgroup -m "not long"

test-long: $(WARMED) browser  ## the tests that take long, half an hour
	@echo "long tests"
	@$(BIN)/python -m pytest -n 2 --dist loadgroup --timeout 3600 -m long

test-lowest: browser  ## the test suite with the lowest versions of all dependencies, in .venv-lowest
	@sh .ci/lowest

constraints: $(INSTALLED)  ## pin the newest versions of everything for the tests, in .ci/constraints.txt
	@sh .ci/setup newest

check: check-lint check-format check-types check-imports check-words  ## style, types, layers, spelling and prose

check-lint: $(INSTALLED)
	@echo "ruff check" && $(BIN)/ruff check --quiet

check-format: $(INSTALLED)
	@echo "ruff format" && $(BIN)/ruff format --check --quiet

check-types: $(INSTALLED)
	@echo "mypy" && $(BIN)/mypy --no-error-summary

check-imports: $(INSTALLED)
	@echo "import layers" && { found=$$($(BIN)/lint-imports 2>&1) || { echo "$$found"; exit 1; }; }

check-words: $(INSTALLED)
	@echo "spelling and prose" && $(BIN)/codespell && $(BIN)/python scripts/check_prose.py && $(BIN)/python scripts/count_words.py

bench: $(WARMED) $(PEERS)  ## speed beside other programs; benchmarks/run.py all prints every table
	@$(BIN)/python benchmarks/run.py

docs: $(DOCS)  ## the site, in build/site; nothing is fetched to read it
	@echo "gallery" && $(BIN)/python scripts/make_gallery.py
	@echo "site" && $(BIN)/sphinx-build -q -W --keep-going -j auto -d build/doctrees docs build/site
	@echo "build/site/index.html"

clean:  ## remove caches and results, keep .venv
	@rm -rf out dist build docs/pictures/gallery .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage $(WARMED)
	@find src tests examples benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean  ## remove the environments as well
	@rm -rf .venv .venv-lowest

$(INSTALLED): pyproject.toml .ci/constraints.txt $(if $(USABLE),,FORCE)
	@sh .ci/setup

$(PEERS): $(INSTALLED)
	@sh .ci/setup peers

$(DOCS): $(INSTALLED)
	@sh .ci/setup docs

$(WARMED): $(INSTALLED) $(SOURCES)
	@echo "compiling kernels" && $(BIN)/slipstick warm
	@touch $(WARMED)

FORCE:
