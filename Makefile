# make run     sets everything up on a fresh machine, then starts the program (make run ARGS="FILE")
# make test    the same for the tests
# make lint    style, types and the layers' import rules
# make bench   what recording and reading cost (not part of make test)
# make pictures  draws the README's pictures again
.PHONY: run test lint style types layers format bench pictures setup setup-dev clean

PY := .venv/bin/python
ARGS ?=

run: setup
	@$(PY) -m inspector $(ARGS)

test: setup-dev
	$(PY) -m pytest --numprocesses auto --dist loadfile $(ARGS)

lint: style types layers

style: setup-dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: setup-dev
	$(PY) -m mypy

layers: setup-dev
	$(PY) -c "from importlinter.cli import lint_imports_command as lint; lint()"

format: setup-dev
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

bench: setup-dev
	$(PY) -m tests.bench $(ARGS)

pictures: setup-dev
	$(PY) -m tests.pictures $(ARGS)

setup:
	@sh .ci/setup run

setup-dev:
	@sh .ci/setup dev

clean:
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .out
