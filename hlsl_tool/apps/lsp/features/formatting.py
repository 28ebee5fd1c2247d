"""Formatting by clang-format, with the style of the project's `.clang-format`."""

from __future__ import annotations

import os
import shutil
import subprocess

from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.features.rename import Refused
from hlsl_tool.apps.lsp.source.text import offset_of, range_of
from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.base.source import SourceFile

PROGRAM = "clang-format"
TIMEOUT = 10.0
"""Seconds after which the program is ended."""


def formatted(file: SourceFile, part: lsp.Range | None = None) -> list[lsp.TextEdit] | Refused:
    """Return the edit that formats a file, or a range of it; [] if nothing changes.

    The result is a `Refused` with the reason if clang-format is not installed, or fails.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        return _refused(codes.NO_CLANG_FORMAT)
    words = [program, f"--assume-filename={file.path}"]
    if part is not None:
        start, end = offset_of(file, part.start), offset_of(file, part.end)
        first, length = len(file.text[:start].encode()), len(file.text[start:end].encode())
        words += [f"--offset={first}", f"--length={length}"]
    folder = os.path.dirname(file.path)
    try:
        done = subprocess.run(
            words,
            input=file.text.encode(),
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
            cwd=folder if os.path.isdir(folder) else None,
        )
    except subprocess.TimeoutExpired:
        return _refused(codes.CLANG_FORMAT_FAILED, reason=f"no answer in {TIMEOUT:g} seconds")
    except OSError as error:
        return _refused(codes.CLANG_FORMAT_FAILED, reason=error.strerror or str(error))
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        return _refused(codes.CLANG_FORMAT_FAILED, reason=reason or f"exit status {done.returncode}")
    text = done.stdout.decode("utf-8", "replace")
    return [] if text == file.text else [_edit(file, text)]


def _edit(file: SourceFile, text: str) -> lsp.TextEdit:
    """Return the replacement of the part of a file that differs from a text."""
    before, shorter = file.text, min(len(file.text), len(text))
    start = next((at for at in range(shorter) if before[at] != text[at]), shorter)
    limit = shorter - start
    tail = next((at for at in range(limit) if before[-1 - at] != text[-1 - at]), limit)
    return lsp.TextEdit(range_of(file, start, len(before) - tail), text[start : len(text) - tail])


def _refused(code: Code, **fields: object) -> Refused:
    return Refused(f"{code.template.format(**fields)} [{code.id}]")
