"""`hlsl2spirv --repro FILE`: read the archive of a compilation, and the options for the outputs of its replay."""

from __future__ import annotations

import ntpath
import os
from collections import Counter
from collections.abc import Mapping, Sequence

from hlsl_tool.base.diagnostics import Diagnostic, Sink
from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.diagnostics.catalogue.compiler import INTERNAL_ERROR
from hlsl_tool.base.options.checks import OptionError
from hlsl_tool.base.options.command_line import Command, parse
from hlsl_tool.base.source import SourceFile
from hlsl_tool.base.system.dataclass import dataclass, replace
from hlsl_tool.base.system.regular_files import read_regular
from hlsl_tool.project.repro.archive import MAX_BYTES, BadArchive, unpack
from hlsl_tool.project.repro.bundle import Bundle, ReplayedFiles
from hlsl_tool.project.repro.replay import run_job, source_of, warnings_about

OUTPUTS = "--outputs"
"""The option that names a folder for all outputs of a shader of a configuration."""

_PROFILE = "lib_6_3"
"""The profile that the parser sees in place of the recorded one."""


class RefusedReplay(Exception):
    """Raised if a replay cannot begin; the text is an error of the command line, unless there are diagnostics."""

    def __init__(self, text: str, *diagnostics: Diagnostic) -> None:
        super().__init__(text)
        self.diagnostics = list(diagnostics)
        self.command = Command()


@dataclass(slots=True)
class Replay:
    """A compilation to repeat."""

    command: Command
    """The outputs and forms of the replay, with the options of the recorded compilation."""
    bundle: Bundle
    source: SourceFile
    files: ReplayedFiles
    folder: str = ""
    """The folder for all outputs of a shader of a configuration; empty for none."""

    def warnings(self) -> list[Diagnostic]:
        """Return warnings about all that makes the result differ from the recorded one."""
        return warnings_about(self.bundle, self.files.unknown)

    def run_job(self) -> ReplayedJob:
        """Run the shader of a configuration as a build does."""
        result, unknown = run_job(self.bundle)
        diagnostics = [*result.diagnostics, *warnings_about(self.bundle, unknown)]
        assert self.bundle.job is not None
        names = _file_names(self.bundle.job.targets)
        files = {os.path.join(self.folder, names[kind]): data for kind, data in result.outputs.items() if self.folder}
        return ReplayedJob(result.outputs.get("spv"), files, diagnostics)


@dataclass(slots=True)
class ReplayedJob:
    """The result of the shader of a configuration."""

    spirv: bytes | None
    """``None`` if the shader failed."""
    files: dict[str, bytes]
    """The outputs for the folder of the call."""
    diagnostics: list[Diagnostic]

    @property
    def is_internal_error(self) -> bool:
        """Whether a bug of the compiler ended the job."""
        return any(diagnostic.code is INTERNAL_ERROR for diagnostic in self.diagnostics)


def read_replay(name: str, path: str, words: Sequence[str]) -> Replay:
    """Return the compilation in the archive ``path``, called ``name`` in messages; ``words`` are the other arguments.

    Raise `RefusedReplay` if the archive or the arguments cannot be used.
    """
    words, folder = _take_folder(list(words))
    try:
        command = parse(["-T", _PROFILE, *words, name], is_file=os.path.isfile)
    except OptionError as error:
        raise RefusedReplay(error.text) from None
    refused = RefusedReplay("")
    refused.command = command
    plain = parse(["-T", _PROFILE, name])
    others = (command.dependencies_only, command.ast_dump, command.preprocess, command.debug_file)
    if command.options != plain.options or len(command.inputs) > 1 or any(others):
        refused.diagnostics.append(Sink().error(codes.REPRO_OPTION, None))
        raise refused
    try:
        bundle = unpack(read_regular(path, MAX_BYTES), name)
    except OSError as error:
        refused.diagnostics.append(
            Sink().error(codes.CANNOT_READ, None, path=name, reason=error.strerror or str(error))
        )
        raise refused from None
    except BadArchive as problem:
        refused.diagnostics.append(problem.diagnostic)
        raise refused from None
    if folder and bundle.job is None:
        raise RefusedReplay(f"{OUTPUTS} is for shaders of a configuration; -Fo, -Fc and -Fh name outputs of this one")
    warnings = [*bundle.warnings, *command.warnings]
    command = replace(command, options=bundle.options, inputs=[bundle.source], warnings=warnings)
    return Replay(command, bundle, source_of(bundle), bundle.file_system(), folder)


def _take_folder(words: list[str]) -> tuple[list[str], str]:
    """Return the arguments without `--outputs FOLDER`, and the folder; empty without one."""
    if OUTPUTS not in words:
        return words, ""
    place = words.index(OUTPUTS)
    if place + 1 == len(words):
        raise RefusedReplay(f"{OUTPUTS} wants a folder")
    return [*words[:place], *words[place + 2 :]], words[place + 1]


def _file_names(targets: Mapping[str, str]) -> dict[str, str]:
    """Return kind of output → file below the folder for outputs.

    It is the last part of the output's path: an archive may come from a stranger, so it names no folder.  Outputs whose
    names are equal are in folders that are called like their kinds.
    """
    names = {kind: ntpath.basename(target) for kind, target in targets.items()}
    names = {kind: "output" if name in ("", ".", "..") else name for kind, name in names.items()}
    counts = Counter(name.casefold() for name in names.values())
    return {kind: f"{kind}/{name}" if counts[name.casefold()] > 1 else name for kind, name in names.items()}
