"""Calls from the core to areas above it, which install the implementations."""

from __future__ import annotations

from hlsl_tool.sema.hir import Expr, Function, Variable


class CounterHooks:
    """Events that move buffers, whose counters `resources.counters` moves along.

    The methods do nothing in programs without counters.
    """

    def counter_of(self, buffer: Expr) -> int | None:
        """Return a pointer to the counter of a buffer; ``None`` if it has none."""
        return None

    def on_declaration(self, variable: Variable) -> None: ...

    def on_init(self, variable: Variable, initializer: Expr) -> None: ...

    def on_argument(self, parameter: Variable, argument: Expr) -> None: ...

    def on_return(self, function: Function, value: Expr) -> None: ...

    def on_this(self, function: Function, this: Expr) -> None: ...

    def on_assign(self, target: Expr, value: Expr) -> None: ...
