"""Hooks that the core calls and that subpackages above it implement."""

from __future__ import annotations

from hlsl_tool.frontend.sema.model.hir import Expr, Function, Variable


class CounterHooks:
    """Hooks that are called when a buffer is assigned, initialised or passed, so that its counter is assigned, too.

    The default implementation does nothing; `resources.counters` installs another in programs with counters.
    """

    def counter_of(self, buffer: Expr) -> int | None:
        """Return a pointer to the counter of a buffer; ``None`` if the buffer has no counter."""
        return None

    def on_declaration(self, variable: Variable) -> None: ...

    def on_init(self, variable: Variable, initializer: Expr) -> None: ...

    def on_argument(self, parameter: Variable, argument: Expr) -> None: ...

    def on_output(self, parameter: Variable, argument: Expr) -> None: ...

    def on_return(self, function: Function, value: Expr) -> None: ...

    def on_this(self, function: Function, this: Expr) -> None: ...

    def on_this_output(self, function: Function, this: Expr) -> None: ...

    def on_assign(self, target: Expr, value: Expr) -> None: ...
