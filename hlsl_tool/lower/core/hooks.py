"""Calls from the core to areas above it, which install the implementations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from hlsl_tool.sema.hir import Expr, Function, Variable
from hlsl_tool.sema.types import Type

if TYPE_CHECKING:
    from hlsl_tool.lower.core.context import Lowering
    from hlsl_tool.lower.core.values import Value


class GlobalVariables(Protocol):
    """Declarations of global variables on demand; implemented by `global_variables.declare`."""

    def late(self, ctx: Lowering, v: Variable) -> Value:
        """Declare a variable that was not declared in its turn, and return it."""
        ...

    def static_local(self, ctx: Lowering, v: Variable) -> None:
        """Declare and initialise a static variable of a function."""
        ...

    def heap(self, v: Variable) -> None:
        """Declare an array of descriptors of a heap."""
        ...

    def counter(self, v: Variable) -> int:
        """Return the counter variable of a structured buffer."""
        ...

    def counter_type(self, t: Type) -> int:
        """Return the type of the counter of a buffer, or of an array of counters."""
        ...


LowerFunction = Callable[["Lowering", Function, str, int], None]
"""Writes a function: the lowering, the function, its name and its id."""


class FunctionSharing(Protocol):
    """Functions that several modules share; implemented by `functions.shared`."""

    def define(self, ctx: Lowering, f: Function, name: str, function: int, lower: LowerFunction) -> None:
        """Write a function with the id ``function``, by ``lower`` unless it can be repeated."""
        ...


class MeshOutput(Protocol):
    """The output variables behind a vertex, primitive or index array of a mesh shader."""

    def assign(self, ctx: Lowering, target: Expr, value: Value) -> None:
        """Store to an element of the array, or to a part of an element."""
        ...


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
