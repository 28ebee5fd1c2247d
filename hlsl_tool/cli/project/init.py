"""`hlsl_tool init [DIR]`: make a project of a folder's shaders, or a new project that draws a picture."""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import shutil
import sys
import sysconfig
from typing import Any

from hlsl_tool.cli import common
from hlsl_tool.cli.parsers import Parser
from hlsl_tool.cli.project.next_steps import CONFIGURATION, enter

FILES = {
    ".gitignore": "gitignore",
    "README.md": "README.md",
    "SConstruct": "SConstruct",
    "config/shaders/hills.yaml": "config/shaders/hills.yaml",
    "draw.py": "draw.py",
    "shaders/hills.hlsl": "shaders/hills.hlsl",
}
"""File of the project → its template, a file below `template`."""

SCHEMA = "config/schema/shaders.json"
"""The file that the configuration names to editors."""

KEPT = (".gitignore", "README.md")
"""Files of the project that stay if the folder has them: those of a new repository."""


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "init",
        help="make a project: of the shaders in a folder, or a new one with a shader and a program that draws it",
        description="In a folder with HLSL: find entry points, include folders and macros, write a configuration with "
        "comments on the guesses, and build it. In an empty folder: make a project with a shader, its configuration, "
        "and a program that draws it; the folder may have what a new repository has (README, licence, hidden files), "
        "virtual environments and wheels: they stay. No file is overwritten.",
    )
    parser.add_argument("folder", nargs="?", default=".", metavar="DIR", help="the folder (default: the current one)")
    parser.add_argument("-o", "--output", metavar="FILE", help=f"the configuration of shaders ({CONFIGURATION})")
    parser.add_argument(
        "--no-build", action="store_true", help="write the configuration of shaders, and do not build it"
    )
    parser.add_argument(
        "--no-lists", action="store_true", help="take no shaders from lists of other tools (see `hlsl_tool import`)"
    )
    common.add_jobs(parser)
    parser.set_defaults(function=run, jobs=os.cpu_count() or 1)


def run(options: argparse.Namespace) -> int:
    """Make a project of the folder's shaders if it has some, else a new one; return the exit status."""
    from hlsl_tool.cli.project import from_shaders

    _check_name(options.folder)
    files = from_shaders.find_files(options.folder)
    if files is not None:
        return from_shaders.run(options, files)
    _check_empty(options.folder)
    return _create(options.folder)


def _create(folder: str) -> int:
    """Write the files of a new project; return the exit status."""
    from hlsl_tool.base.system.atomic_write import WriteError, write_all

    contents = _contents(folder)
    kept = [file for file in KEPT if os.path.lexists(os.path.join(folder, file))]
    try:
        write_all({os.path.join(folder, file): data for file, data in contents.items() if file not in kept})
    except WriteError as error:
        raise common.Failed(str(error)) from None
    print(f"{_project_name(folder)}: a project with one shader, shaders/hills.hlsl")
    if kept:
        print(f"Left as they are: {', '.join(kept)}")
    print("Next:")
    for command in _next_commands(folder):
        print(f"  {command}")
    return 0


def _project_name(folder: str) -> str:
    return os.path.basename(os.path.abspath(folder)) or "shaders"


def _check_name(folder: str) -> None:
    """Raise `Failed` for a folder whose name build tools cannot handle."""
    if not folder:
        raise common.Failed("the name of the folder is empty")
    path = os.path.abspath(folder)
    if not path.isprintable():
        raise common.Failed(f"the folder's path has characters that cannot be printed: {path!r}")


def _check_empty(folder: str) -> None:
    """Raise `Failed` if the folder contains files other than those of a new repository or a virtual environment."""
    try:
        entries = sorted(os.listdir(folder))
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise common.Failed(f"`{folder}` is, or is below, a file; name a folder") from None
    except OSError as error:
        raise common.Failed(f"cannot read `{folder}`: {error.strerror}") from None
    in_the_way = [name for name in entries if not _is_tolerated(folder, name)]
    if in_the_way:
        more = f" and {len(in_the_way) - 1} more" if len(in_the_way) > 1 else ""
        raise common.Failed(
            f"`{folder}` is not empty: it has `{in_the_way[0]}`{more}, and no HLSL; name a new folder, or one with"
            " shaders"
        )


def _is_tolerated(folder: str, name: str) -> bool:
    is_environment = os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
    is_usual = name.startswith((".", "README", "LICENSE", "LICENCE", "COPYING")) or name.endswith(".whl")
    return is_environment or is_usual


def _contents(folder: str) -> dict[str, bytes]:
    """Return path → content of the new project's files, relative to its folder."""
    from hlsl_tool.project.config import schema

    templates = os.path.join(os.path.dirname(__file__), "template")
    contents = {SCHEMA: schema.text(os.path.basename(SCHEMA)).encode()}
    for file, template in FILES.items():
        with open(os.path.join(templates, template), "rb") as stream:
            contents[file] = stream.read()
    contents["README.md"] = contents["README.md"].replace(b"${name}", _project_name(folder).encode())
    return contents


def _next_commands(folder: str) -> list[str]:
    """Return the commands that build the project and draw the picture with the programs that are installed."""
    needs_wgpu = importlib.util.find_spec("wgpu") is None
    install = [f"{_program('pip', 'pip')} install wgpu"] if needs_wgpu else []
    return [*enter(folder), _build_command(), *install, f"{_python()} draw.py"]


def _build_command() -> str:
    """Return the command that builds the project: SCons if this Python has it, else `hlsl_tool build`."""
    if importlib.util.find_spec("SCons") is None:
        return f"{_program('hlsl_tool', 'hlsl_tool')} build"
    return _program("scons", "SCons")


def _program(script: str, module: str) -> str:
    """Return ``script`` if the shell finds the one of this Python's environment, else `python -m` with ``module``."""
    return script if _is_found(script) else f"{_python()} -m {module}"


def _python() -> str:
    """Return the command that starts this Python."""
    return "python" if _is_found("python") else shlex.quote(sys.executable)


def _is_found(script: str) -> bool:
    place = shutil.which(script)
    return place is not None and os.path.dirname(place) == sysconfig.get_path("scripts")
