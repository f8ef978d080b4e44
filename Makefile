# The two commands of the README are `make demo` and `make test`; `make help` lists the others.
# Everything is installed into $(VENV), nothing outside the checkout is touched.
PYTHON ?= python3
VENV ?= .venv

python := $(VENV)/bin/python
pip := $(python) -m pip --disable-pip-version-check install -q
requirements = $$($(python) .ci/requirements.py $(1) | tr -d ' ')
# Directories are among the sources: a removed file is a change too.
sources := $(shell find src meson.build meson.options pyproject.toml -not -path '*/__pycache__*')

.PHONY: help demo test lint format docs bench-smoke clean
.DELETE_ON_ERROR:

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' Makefile | awk -F': ' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: $(VENV)/package $(VENV)/plot  ## select features on example data, print a table, draw a picture
	$(python) -P examples/demo.py

test: $(VENV)/package $(VENV)/test  ## run the tests against the installed package
	$(python) -P -m pytest -q -n auto tests

lint: $(VENV)/package $(VENV)/lint  ## everything that can be said without running the code
	$(python) -m ruff check .
	$(python) -m ruff format --check .
	$(python) -m mypy
	PATH="$(abspath $(VENV))/bin:$$PATH" cython-lint src
	$(VENV)/bin/codespell
	PYTHONPATH=src $(VENV)/bin/lint-imports --no-logo

format: $(VENV)/lint  ## let ruff write the files
	$(python) -m ruff check --fix .
	$(python) -m ruff format .

docs: $(VENV)/package $(VENV)/plot $(VENV)/docs  ## build the documentation into docs/_build/html
	$(python) -P -m sphinx -W --keep-going -q -b html docs docs/_build/html
	$(python) docs/check_links.py docs/_build/html
	@echo "docs/_build/html/index.html"

bench-smoke: $(VENV)/package $(VENV)/test $(VENV)/bench  ## do the benchmarks import and start?
	cd bench && $(abspath $(python)) -P -m asv check --python=same

clean:  ## remove what the other targets made
	rm -rf $(VENV) build dist docs/_build docs/api.rst docs/generated docs/auto_examples docs/sg_execution_times.rst .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/made:
	@sh .ci/preflight $(PYTHON)
	$(PYTHON) -m venv $(VENV)
	@touch $@

# The package as users have it, not editable. The build directory lives in the environment, so a
# change compiles only what it touches. Free-threaded Pythons have no limited API.
$(VENV)/package: $(VENV)/made $(sources) .ci/requirements.py
	@sh .ci/preflight $(PYTHON)
	$(pip) $(call requirements,build dependencies)
	@mkdir -p $(VENV)/build
	PATH="$(abspath $(VENV))/bin:$$PATH" $(pip) --no-build-isolation --no-deps --force-reinstall --config-settings=build-dir=$(VENV)/build \
		$$($(python) -c 'import sysconfig; \
		print("--config-settings=setup-args=-Dpython.allow_limited_api=false" * bool(sysconfig.get_config_var("Py_GIL_DISABLED")))') .
	@touch $@

# An extra or a dependency group of pyproject.toml.
$(VENV)/plot $(VENV)/test $(VENV)/lint $(VENV)/docs $(VENV)/bench: $(VENV)/%: $(VENV)/made pyproject.toml
	$(pip) $(call requirements,$*)
	@touch $@
