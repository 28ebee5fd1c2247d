# Short names for what `./bootstrap` runs.

.PHONY: help dev shaders watch test test-fast lint format generated docs clean

help:               ## this list
	@grep -E '^[a-z-]+: +##' Makefile | sed -E 's/: +## /\t/' | expand -t 16

dev:                ## install everything that development needs
	./bootstrap

shaders:            ## build the sample shaders
	./bootstrap scons shaders

watch:              ## rebuild them as files are saved
	./bootstrap scons watch

test:               ## every test
	./bootstrap pytest

test-fast:          ## those that take no time
	./bootstrap pytest -q -x -m "not slow and not oracle and not execute"

lint:               ## style, types, and who may import whom
	./bootstrap ruff check
	./bootstrap ruff format --check
	./bootstrap mypy
	./bootstrap lint-imports

format:             ## lay the code out
	./bootstrap ruff check --fix
	./bootstrap ruff format

generated:          ## schemas and docs/reference/config.md
	./bootstrap python -m hlsl_tool schema --write

docs:               ## build the documentation site into build/site; a warning is an error
	NO_MKDOCS_2_WARNING=1 ./bootstrap mkdocs build --strict --quiet

clean:              ## remove what the build made
	./bootstrap scons -c
