"""Exceptions that stop a stage."""

from __future__ import annotations


class CompileError(Exception):
    """Invalid user input.  The error is already reported to the sink; the exception holds no message."""


class InternalError(Exception):
    """A bug of this tool, independent of whether the input is valid.  The command line reports it with instructions."""
