"""Warnings that are off by default; the checks run only if an option or a pragma may enable them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hlsl_tool.base.diagnostics.catalogue import language as codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.rules.warnings import shadow, uninitialized, unused
from hlsl_tool.frontend.sema.scope.context import BodySource, findings_of


def check(functions: Iterable[Function], may_warn: Callable[[Code], bool]) -> list[Raw]:
    """Return the warnings about ``functions`` whose codes ``may_warn`` allows."""
    messages: list[Raw] = []
    for check_function, enabling in _CHECKS:
        if any(map(may_warn, enabling)):
            for f in functions:
                if _is_valid(f):
                    messages += findings_of(f, check_function)
    return messages


_CHECKS: tuple[tuple[Callable[[Function], list[Raw]], tuple[Code, ...]], ...] = (
    (uninitialized.check_variables, (codes.UNINITIALIZED, codes.SOMETIMES_UNINITIALIZED)),
    (shadow.check, (codes.SHADOW,)),
    (unused.check_names, (codes.UNUSED_VARIABLE, codes.UNUSED_PARAMETER)),
)
"""A check of one function, and the warnings that it can report."""


def _is_valid(f: Function) -> bool:
    """Return whether the body of a function was analysed and has no errors."""
    source = f.source
    if not isinstance(source, BodySource) or f.body is None or source.is_poisoned:
        return False
    return not any(m.code.severity == "error" for m in source.messages)
