# Short names for what `./bootstrap` runs.

.PHONY: dev shaders watch test test-fast lint format generated clean

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
	./bootstrap mypy
	./bootstrap lint-imports

generated:          ## schemas and docs/config.md
	./bootstrap python -m hlsl_tool schema --write

clean:
	./bootstrap scons -c
