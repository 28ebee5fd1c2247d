# Short names for what `./bootstrap` runs.

.PHONY: help dev shaders watch test test-fast test-nightly lint format generated docs clean

help:               ## this list
	@grep -E '^[a-z-]+: +##' Makefile | sed -E 's/: +## /\t/' | expand -t 16

dev:                ## install everything that development needs
	./bootstrap

shaders:            ## build the sample shaders
	./bootstrap scons shaders

watch:              ## rebuild them as files are saved
	./bootstrap scons watch

test:               ## the tests, but for the nightly ones
	./bootstrap pytest

test-nightly:       ## every test
	HLSL_TOOL_NIGHTLY=all ./bootstrap pytest

test-fast:          ## tests of half a minute
	./bootstrap pytest -q -m "not medium and not slow and not oracle and not execute" \
	    tests/cases tests/diagnostics tests/docs tests/passes tests/unit

lint:               ## style, spelling, types and import contracts
	./bootstrap ruff check
	./bootstrap ruff format --check
	./bootstrap codespell
	./bootstrap mypy
	./bootstrap lint-imports

format:             ## format the code
	./bootstrap ruff check --fix
	./bootstrap ruff format

generated:          ## write schemas, reference pages, and the pictures of messages and build times
	./bootstrap python -m hlsl_tool.reflection.schema
	./bootstrap python -m hlsl_tool.cli.schema
	./bootstrap python -m hlsl_tool.base.diagnostics.document
	./bootstrap python docs/error_picture.py
	./bootstrap python bench/chart.py
	./bootstrap python docs/reference/mistakes.py

docs:               ## build the documentation site into build/site; a warning is an error
	NO_MKDOCS_2_WARNING=1 ./bootstrap mkdocs build --strict --quiet

clean:              ## remove the outputs of the build
	./bootstrap scons -c
