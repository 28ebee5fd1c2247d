"""The output of `--version`. Importing this module imports nothing of the compiler."""

from __future__ import annotations

from importlib.util import find_spec

from hlsl_tool import __version__


def version_line(program: str) -> str:
    """Return the program's name, the version, and whether mypyc compiled the package (docs/how-to/compiled.md)."""
    return f"{program} {__version__}{' (compiled)' if is_compiled() else ''}\n"


def is_compiled() -> bool:
    """Return whether this is the package compiled by mypyc."""
    spec = find_spec("hlsl_tool.compiler.pipeline.steps")
    return spec is not None and not str(spec.origin).endswith(".py")
