"""Kernels with checks: the options to compile with, and the observer that reports faults."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.interpreter import Sanitizer, Settings
from hlsl_tool.interpreter.observers.kinds import DEFAULT, chosen, names_one

from .backend import Backend
from .cpu import CpuBackend

LINES, SCOPES = "line", "vulkan"
"""Categories of debug information: lines, and with them the calls that were inlined."""
EXTENSION = "SPV_KHR_non_semantic_info"
"""What that debug information needs."""


def with_lines(options: CompileOptions) -> CompileOptions:
    """Return the options with line information, which messages of the interpreter need."""
    return options if options.debug_line else replace(options, debug=(*options.debug, LINES))


def checked_options(options: CompileOptions) -> CompileOptions:
    """Return the options without optimisation, so that each access of the HLSL is one of the module."""
    allowed = (*options.extensions, EXTENSION) if options.extensions else ()
    return replace(options, optimize="none", debug=(*options.debug, SCOPES), extensions=allowed)


@contextmanager
def observed(backend: Backend, observer: Sanitizer | None, limit: int | None = None) -> Iterator[None]:
    """Let the runs of a backend in the context report to an observer; kernels share backends.

    ``limit`` is the number of steps after which a run is ended; by default that of ``Settings``.
    """
    if not isinstance(backend, CpuBackend):
        yield
        return
    before = backend.settings
    backend.settings = Settings(observer=observer)
    if limit is not None:
        backend.settings.limit = limit
    try:
        yield
    finally:
        backend.settings = before


__all__ = ["DEFAULT", "Sanitizer", "checked_options", "chosen", "names_one", "observed", "with_lines"]
