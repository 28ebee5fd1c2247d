"""Build the compiled form (docs/how-to/compiled.md) if HLSL_TOOL_COMPILE=1 is in the environment.

Everything else stands in pyproject.toml.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.build_ext import build_ext

COMPILED = ("compiler", "layout", "lower", "passes", "preprocessor", "sema", "spirv", "syntax")
"""The packages that are compiled: the stages that every shader goes through."""

INTERPRETED = {
    "lower/debug_info/ref.py": "a subclass of int",
    "preprocessor/lexing/tokens.py": "subclasses of str",
    "spirv/grammar/core.py": "tables only",
    "spirv/grammar/extinst.py": "tables only",
    "spirv/grammar/generate.py": "a program for developers",
    "spirv/literal.py": "a subclass of int",
    "syntax/actions/shared.py": "subclasses of list and dict",
    "syntax/build_tables.py": "a program for developers; it knows lark",
}
"""Files and folders of these packages that are not compiled, with the reason."""


class BuildExtensions(build_ext):
    """Run several C compilers at a time: mypyc makes one extension of many files, and setuptools goes file by file."""

    def build_extensions(self) -> None:
        """Compile every file in a thread pool."""
        compiler: Any = self.compiler
        serial = compiler.compile
        with ThreadPoolExecutor(os.cpu_count()) as pool:

            def compile(sources: list[str], **options: Any) -> list[str]:
                objects = pool.map(lambda source: serial([source], **options), sources)
                return [name for names in objects for name in names]

            compiler.compile = compile
            self.parallel = os.cpu_count()
            super().build_extensions()


def compiled() -> dict[str, Any]:
    """Return the arguments of ``setup`` for the compiled form."""
    if {"develop", "editable_wheel", "--inplace", "-i"} & set(sys.argv):
        sys.exit("HLSL_TOOL_COMPILE=1 is not for editable installs: the compiled modules would hide later edits")
    if not {"bdist_wheel", "build", "build_ext", "install"} & set(sys.argv):  # metadata, requirements
        return {"setup_requires": ["mypy[mypyc]>=1.10,<3"]}
    from mypyc.build import mypycify

    root = Path("hlsl_tool")
    interpreted = [root / name for name in INTERPRETED]
    files = sorted(path for package in COMPILED for path in (root / package).rglob("*.py"))
    files = [path for path in files if not any(path == other or other in path.parents for other in interpreted)]
    extensions = mypycify(
        [path.as_posix() for path in files],
        opt_level=os.environ.get("HLSL_TOOL_COMPILE_LEVEL", "1"),
        multi_file=True,
        group_name="hlsl_tool",
        debug_level="0",
    )
    return {"ext_modules": extensions, "cmdclass": {"build_ext": BuildExtensions}}


setup(**(compiled() if os.environ.get("HLSL_TOOL_COMPILE") == "1" else {}))
