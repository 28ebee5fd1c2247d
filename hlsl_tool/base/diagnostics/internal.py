"""Describe an exception that is a bug in hlsl_tool in one line."""

from __future__ import annotations

import os


def internal_error(error: BaseException) -> str:
    """Return an error message with the type, text and source line of an exception."""
    return f"internal compiler error: {description(error)}"


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
