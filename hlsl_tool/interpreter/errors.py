"""Exceptions of the interpreter; each has a code of the diagnostics catalogue."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.diagnostics.diagnostic import Code


class InterpreterError(Exception):
    """Base class: a module that cannot be run, or an error while it runs; ``code`` is stable (``HLSL1890``)."""

    def __init__(self, code: Code, **fields: object) -> None:
        self.code = code.id
        self.message = code.template.format(**fields)
        super().__init__(f"{self.message} [{self.code}]")


class NotInterpretedError(InterpreterError):
    """Raised before anything runs if the entry point needs an instruction or type that the interpreter lacks."""

    def __init__(self, what: str) -> None:
        super().__init__(codes.NOT_INTERPRETED, what=what)
        self.what = what


class ExecutionError(InterpreterError):
    """Raised while a shader runs, such as for a loop that exceeds the limit of steps."""

    def __init__(self, problem: str) -> None:
        super().__init__(codes.EXECUTION, problem=problem)
        self.problem = problem
