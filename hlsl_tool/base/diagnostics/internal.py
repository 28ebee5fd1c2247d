"""Describe an exception that is a bug in hlsl_tool, or the end of memory, in one line."""

from __future__ import annotations

import os


def internal_error(error: BaseException) -> str:
    """Return an error message with the type, text and source line of an exception."""
    return f"internal compiler error: {description(error)}"


MEMORY_HINT = "compile fewer shaders at a time (`-j`), or raise the limit (`ulimit -v`)"


def out_of_memory(hint: str = MEMORY_HINT) -> str:
    """Return the error message for a process that has no memory left, with a hint."""
    return f"error: out of memory{memory_limit()} [HLSL0003]\nhint: {hint}"


def memory_limit() -> str:
    """Return the limit on the address space of this process in words; empty if there is none."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    except (ImportError, MemoryError):  # Windows; no memory even for that
        return ""
    return "" if limit == resource.RLIM_INFINITY else f": the process may use {limit >> 20} MiB"


def description(error: BaseException) -> str:
    """Return the type and text of an exception, and the innermost line of its traceback."""
    return f"{type(error).__name__}: {error} ({where(error)})"


def where(error: BaseException) -> str:
    """Return the innermost line of an exception's traceback."""
    frame, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        frame = f"{os.path.basename(code.co_filename)}:{trace.tb_lineno} in {code.co_name}"
        trace = trace.tb_next
    return frame
