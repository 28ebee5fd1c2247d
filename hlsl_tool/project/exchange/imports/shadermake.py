"""Parse lists of ShaderMake: each line has a source, a stage and macros, with alternatives in braces."""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Iterator

from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.project.config.output_kinds import BLOB_SUFFIXES
from hlsl_tool.project.exchange.imports.shaders import Importer, Shader, words_of

SHORT = {
    "T": "profile", "E": "entryPoint", "D": "define", "o": "output", "O": "optimization", "s": "outputSuffix",
    "m": "shaderModel",
}  # fmt: skip
"""Letter of an option of a line → its long name."""

LONG = (*SHORT.values(), "compilerOptionsDXIL", "compilerOptionsSPIRV")
OPTIMIZATION = ("-Od", "-O1", "-O2", "-O3")
FORMS = {
    "binary": ("spv", ""),
    "header": ("header", ".h"),
    "binaryBlob": ("blob", ""),
    "headerBlob": ("blob_header", ".h"),
}
"""Option of ShaderMake that asks for an output → kind of output, and the end of its name after the extension."""

LIMIT = 100_000
"""Number of permutations of a line above which it is an error."""


@dataclass(slots=True)
class Switches:
    """The options of ShaderMake's command line that affect what is compiled; the defaults are ShaderMake's."""

    out: str = ""
    """The folder of outputs, from the working folder."""
    extension: str = ".spirv"
    model: str = "6_5"
    optimization: int = 3
    defines: list[str] = field(default_factory=list)
    includes: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    """Options of DXC that follow from the others."""
    forms: tuple[str, ...] = ()
    """The keys of `FORMS` that are asked for."""
    flatten: bool = False


class _Wrong(Exception):
    """Raised for an invalid line; ``column`` is 1-based."""

    def __init__(self, problem: str, column: int = 1) -> None:
        super().__init__(problem)
        self.column = column


def shadermake(text: str, name: str, importer: Importer, switches: Switches, sources: str) -> list[Shader]:
    """Return the shaders of a list; ``sources`` is the absolute folder of the sources."""
    shaders = []
    for number, line in _lines(text, name, importer, switches.defines):
        at = Location(name, number, len(line) - len(line.lstrip()) + 1)
        try:
            for expanded in _expanded(line):
                shader = _shader(words_of(expanded), at, importer, switches, sources)
                if shader is not None:
                    shaders.append(shader)
        except _Wrong as problem:
            place = replace(at, col=problem.column if problem.column > 1 else at.col)
            importer.sink.error(codes.LIST_SYNTAX, place, problem=str(problem))
        except ValueError as error:
            importer.sink.error(codes.LIST_SYNTAX, at, problem=str(error).lower())
    return shaders


def _lines(text: str, name: str, importer: Importer, defines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield (number, line) after evaluating `#if`, `#ifdef`, `#else` and `#endif` as ShaderMake does."""
    blocks = [True]
    opened: list[Location] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("//", 1)[0].split() if line.lstrip().startswith("#") else []
        if not line.strip() or line.lstrip().startswith("//"):
            continue
        if not words:
            if blocks[-1]:
                yield number, line.rstrip()
        elif words[0] in ("#ifdef", "#if") and len(words) == 2:
            holds = words[1] in defines if words[0] == "#ifdef" else words[1] == "1"
            blocks.append(blocks[-1] and holds)
            opened.append(Location(name, number, line.index("#") + 1))
        elif words == ["#else"] and len(blocks) > 1:
            blocks[-1] = blocks[-2] and not blocks[-1]  # ShaderMake turns the block at each of several, too
        elif words == ["#endif"] and len(blocks) > 1:
            blocks.pop()
            opened.pop()
        else:
            at = Location(name, number, line.index("#") + 1)
            importer.sink.error(codes.LIST_SYNTAX, at, problem=f"`{words[0]}` is unexpected here")
    for at in opened:
        importer.sink.error(codes.LIST_SYNTAX, at, problem="the block has no `#endif`")


def _expanded(line: str) -> Iterator[str]:
    """Yield a line for each combination of the alternatives in braces; the first braces vary slowest."""
    parts: list[list[str]] = []
    at = 0
    count = 1
    while (opening := line.find("{", at)) >= 0:
        closing = line.find("}", opening)
        if closing < 0:
            raise _Wrong("`{` has no `}`", opening + 1)
        alternatives = line[opening + 1 : closing].split(",")
        count *= len(alternatives)
        if count > LIMIT:
            raise _Wrong(f"more than {LIMIT} permutations", opening + 1)
        parts += [[line[at:opening]], alternatives]
        at = closing + 1
    parts.append([line[at:]])
    return map("".join, itertools.product(*parts))


def _shader(words: list[str], at: Location, importer: Importer, switches: Switches, sources: str) -> Shader | None:
    if not words or not words[0]:
        raise _Wrong("the line has no source")
    source = words[0].replace("\\", "/")
    if source.endswith("/"):
        raise _Wrong(f"the source `{source}` is a folder")
    options = _options(words[1:])
    if not options["profile"]:
        raise _Wrong("the line has no profile: `-T ps`")
    entry = options["entryPoint"][-1] if options["entryPoint"] else "main"
    model = options["shaderModel"][-1] if options["shaderModel"] else switches.model
    match = re.fullmatch(r"(\d+)_(\d+)", model)
    if match is None:
        raise _Wrong(f"`{model}` is no shader model such as 6_5")
    level = options["optimization"][-1] if options["optimization"] else str(switches.optimization)
    if not level.isdecimal():
        raise _Wrong(f"`{level}` is no level of optimization from 0 to 3")
    command = ["-T", f"{options['profile'][-1]}_{model}", "-E", entry]
    command += [word for define in (*options["define"], *switches.defines) for word in ("-D", define)]
    command += [word for folder in switches.includes for word in ("-I", folder)]
    command += [OPTIMIZATION[min(int(level), 3)], *switches.flags]
    if (int(match[1]), int(match[2])) >= (6, 2):
        command.append("-enable-16bit-types")
    command += [word for text in options["compilerOptionsSPIRV"] for word in words_of(text)]
    stem = _stem(source, entry, options, switches)
    shader = importer.shader([*command, posixpath.join(sources.replace("\\", "/"), source)], at)
    if shader is not None:
        _set_files(shader, stem, [define.partition("=")[0] for define in options["define"]], importer, switches)
    return shader


def _set_files(shader: Shader, stem: str, macros: list[str], importer: Importer, switches: Switches) -> None:
    """Set the output files of a shader, in place, to the paths that ShaderMake would write.

    ``stem`` is the path without suffix; ``macros`` are those that identify the permutation inside a blob.
    """
    for form, (kind, end) in FORMS.items():
        if form in (switches.forms or ("binary",)):
            path = posixpath.join(switches.out, stem + switches.extension + end)
            shader.files[kind] = importer.path(path)
    if "headerBlob" in switches.forms:
        shader.array = "g_" + re.sub(r"[^A-Za-z0-9]", "_", posixpath.basename(stem)) + "_spirv"
    if shader.files.keys() & BLOB_SUFFIXES.keys():
        shader.keys = frozenset(macros)


def _stem(source: str, entry: str, options: dict[str, list[str]], switches: Switches) -> str:
    """Return ShaderMake's name for the file that contains all permutations of an entry point."""
    parts = [part for part in source.split("/") if part not in ("", ".", "..")]
    stem = posixpath.splitext("/".join(parts))[0]
    if switches.flatten or options["output"]:
        stem = posixpath.basename(stem)
    stem += (f"_{entry}" if entry != "main" else "") + "".join(options["outputSuffix"][-1:])
    return posixpath.join(*options["output"][-1:], stem)


def _options(words: list[str]) -> dict[str, list[str]]:
    """Parse the options of a line: return long name of an option → its values."""
    values: dict[str, list[str]] = {name: [] for name in LONG}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--"):
            name, equals, value = SHORT.get(word[1:2], "") if word[:1] == "-" else "", word[2:], word[2:]
        if name not in values:
            raise _Wrong(f"`{word}` is no option of a line")
        following = value if equals else next(rest, None)
        if following is None:
            raise _Wrong(f"`{word}` has no value")
        values[name].append(following)
    return values
