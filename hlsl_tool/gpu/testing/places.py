"""Errors of tests in comments, with their places."""

from __future__ import annotations

from hlsl_tool.diagnostics.model import Code, Diagnostic, Location
from hlsl_tool.diagnostics.render import render


class TestError(Exception):
    """A mistake in the comment, or an expectation that was not met."""

    __test__ = False  # for pytest, which collects classes with such names

    def __init__(self, code: Code, problem: str, place: Location, hint: str | None = None) -> None:
        self.diagnostic = Diagnostic(code, "error", code.template.format(problem=problem), place, hint=hint)
        super().__init__(render([self.diagnostic]).rstrip("\n"))
