"""The two ways a stage can stop."""

from __future__ import annotations


class CompileError(Exception):
    """The user's input stops this stage.  The sink has the message already; the exception carries nothing to show."""


class InternalError(Exception):
    """A bug of this tool, never of the user's input.  Whoever shows it says how to send a reproduction."""
