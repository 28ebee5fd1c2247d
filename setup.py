"""Put SPIRV-Tools into wheels, and build the compiled form (docs/how-to/compiled.md) if HLSL_TOOL_COMPILE=1 is set.

Everything else stands in pyproject.toml.
"""

from __future__ import annotations

import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).parent))
from hlsl_tool.base.system.native_classes import STUB, rewrite
from hlsl_tool.spirv.tools.bundle import bundle  # imports the standard library only
from hlsl_tool.spirv.tools.package import cmeel_package

COMPILED = ("codegen", "compiler", "frontend/preprocessor", "frontend/sema", "frontend/syntax", "spirv")
"""The packages that are compiled: the stages that every shader goes through."""

INTERPRETED = {
    "codegen/lower/debug_info/ref.py": "a subclass of int",
    "frontend/preprocessor/lexing/tokens.py": "subclasses of str",
    "spirv/grammar/core.py": "tables only",
    "spirv/grammar/extinst.py": "tables only",
    "spirv/grammar/generate.py": "a program for developers",
    "spirv/literal.py": "a subclass of int",
    "spirv/tools": "starts programs and libraries",
    "frontend/syntax/actions/shared.py": "subclasses of list and dict",
    "frontend/syntax/build_tables.py": "a program for developers; it knows lark",
}
"""Files and folders of these packages that are not compiled, with the reason."""


TOOLS = Path("hlsl_tool", "spirv", "tools", "spirv_tools")
"""Where `tools.package` looks for SPIRV-Tools, below the folder of the package."""


def _is_interpreted(name: str) -> bool:
    return any(name == item or name.startswith(f"{item}/") for item in INTERPRETED)


def has_tools() -> bool:
    """Return whether wheels contain SPIRV-Tools: the build environment has it, or an editable install made a copy.

    HLSL_TOOL_PURE=1 leaves it out: the wheel is for the platforms for which there is none.
    """
    return os.environ.get("HLSL_TOOL_PURE") != "1" and (cmeel_package() is not None or TOOLS.exists())


class BinaryDistribution(Distribution):
    """A distribution whose files depend on the platform if it contains programs."""

    def has_ext_modules(self) -> bool:
        """Return whether the wheel is for one platform."""
        return has_tools() or bool(super().has_ext_modules())


class BuildPackages(build_py):
    """Add SPIRV-Tools to the package where the build environment has it."""

    def run(self) -> None:
        """Copy the sources, then SPIRV-Tools; an editable install gets it in the source tree."""
        super().run()
        if not has_tools():
            return
        target = TOOLS if self.editable_mode else Path(self.build_lib) / TOOLS
        if not bundle(str(target)) and TOOLS.exists() and not self.editable_mode:  # an editable install was made here
            shutil.copytree(TOOLS, target, dirs_exist_ok=True)


class Wheel(bdist_wheel):
    """A wheel for one platform and any Python, unless its modules are compiled."""

    def get_tag(self) -> tuple[str, str, str]:
        """Return the tags for Python, its binary interface and the platform."""
        tag: tuple[str, str, str] = super().get_tag()
        return tag if self.distribution.ext_modules or self.root_is_pure else ("py3", "none", tag[2])


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
        return {"setup_requires": ["mypy[mypyc]>=1.18,<3", "lark>=1.1.9,<2"]}  # mypy reads what imports lark
    from mypyc.build import mypycify  # pip installs it for the build

    package = Path("hlsl_tool")
    files = sorted(path for stage in COMPILED for path in (package / stage).rglob("*.py"))
    files = [path for path in files if not _is_interpreted(path.relative_to(package).as_posix())]
    place = Path("build", "native").absolute()
    _write_sources(place, {**rewrite(Path(), files), Path(package, "base", "system", "dataclass.py"): STUB})
    here = Path.cwd()
    os.chdir(place)  # mypyc names modules and tracebacks by paths from here
    try:
        extensions = mypycify(
            ["--follow-imports=silent", *(path.as_posix() for path in files)],  # other modules have checks of their own
            opt_level=os.environ.get("HLSL_TOOL_COMPILE_LEVEL", "1"),
            multi_file=True,
            group_name="hlsl_tool",
            debug_level="0",
        )
    finally:
        os.chdir(here)
    for extension in extensions:
        for paths in (extension.sources, extension.include_dirs, extension.depends):
            paths[:] = [path if os.path.isabs(path) else str(Path("build", "native", path)) for path in paths]
    return {"ext_modules": extensions}


def _write_sources(place: Path, rewritten: dict[Path, str]) -> None:
    """Copy the package to a folder, with some texts changed; leave equal files alone, for the sake of their times."""
    for path in Path("hlsl_tool").rglob("*.py"):
        text, target = rewritten.get(path) or path.read_text(encoding="utf-8"), place / path
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")


COMMANDS = {"build_py": BuildPackages, "build_ext": BuildExtensions, "bdist_wheel": Wheel}
setup(
    distclass=BinaryDistribution,
    cmdclass=COMMANDS,
    **(compiled() if os.environ.get("HLSL_TOOL_COMPILE") == "1" else {}),
)
