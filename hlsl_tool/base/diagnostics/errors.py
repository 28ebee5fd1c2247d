"""Exceptions that end a stage of the compiler."""

from __future__ import annotations


class CompileError(Exception):
    """Raised for invalid user input after the error was reported to the sink; it has no message."""


class InternalError(Exception):
    """Raised for a bug in hlsl_tool, whether or not the input is valid.

    The command line reports it with instructions.
    """
