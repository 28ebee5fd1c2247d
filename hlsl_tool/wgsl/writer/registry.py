"""Registries of instruction handlers by opcode."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.wgsl.writer.expr import Expr

ValueHandler = Callable[..., Expr]
"""Takes the `FunctionWriter` and the instruction."""

StatementHandler = Callable[..., None]
"""Takes the `FunctionWriter` and the instruction."""

VALUES: dict[int, ValueHandler] = {}
"""Opcode with a result → handler that returns its expression."""

STATEMENTS: dict[int, StatementHandler] = {}
"""Opcode that is a statement → handler that writes it, and defines its result if it has one."""


def value(*opcodes: int) -> Callable[[ValueHandler], ValueHandler]:
    """Register a handler that returns the expression for instructions with these opcodes."""

    def register(handler: ValueHandler) -> ValueHandler:
        VALUES.update(dict.fromkeys(opcodes, handler))
        return handler

    return register


def statement(*opcodes: int) -> Callable[[StatementHandler], StatementHandler]:
    """Register a handler that writes instructions with these opcodes as statements."""

    def register(handler: StatementHandler) -> StatementHandler:
        STATEMENTS.update(dict.fromkeys(opcodes, handler))
        return handler

    return register
