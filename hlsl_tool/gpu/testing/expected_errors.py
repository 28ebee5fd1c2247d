"""Errors in tests, with source locations."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code, Diagnostic, Location
from hlsl_tool.base.diagnostics.render import render


class TestError(Exception):
    """Raised for an error in a test comment, or an expectation that is not met."""

    __test__ = False  # for pytest, which collects classes with such names

    def __init__(self, code: Code, problem: str, place: Location, hint: str | None = None) -> None:
        self.diagnostic = Diagnostic(code, "error", code.template.format(problem=problem), place, hint=hint)
        super().__init__(render([self.diagnostic]).rstrip("\n"))

    @classmethod
    def of(cls, diagnostics: list[Diagnostic]) -> TestError:
        """Return the error of faults that the run of a test has."""
        error = cls.__new__(cls)
        error.diagnostic = diagnostics[0]
        Exception.__init__(error, render(diagnostics).rstrip("\n"))
        return error
