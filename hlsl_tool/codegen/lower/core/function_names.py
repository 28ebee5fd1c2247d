"""Names of functions in the module."""

from __future__ import annotations

from hlsl_tool.frontend.sema.model.hir import Function


def spirv_name(f: Function) -> str:
    """Return the OpName of a function; a method has its struct's name as a prefix."""
    name = f.name
    if name.startswith("operator"):
        name = f"operator.{OPERATOR_NAMES[name[8:].strip()]}" if name[8:].strip() in OPERATOR_NAMES else name
    if f.owner is not None:
        owner = f"{f.owner.scope}::{f.owner.name}" if f.owner.scope else f.owner.name
        return f"{owner}.{name}"
    return f"{f.scope}::{name}" if f.scope else name


def linkage_name(f: Function) -> str:
    """Return the name under which a library exports or imports a function.

    Overloads share a name; the linker tells them apart by their types.
    """
    return f"{f.scope}::{f.name}" if f.scope else f.name


OPERATOR_NAMES = {
    "+": "Plus", "-": "Minus", "*": "Star", "/": "Slash", "%": "Percent", "^": "Caret", "&": "Amp", "|": "Pipe",
    "~": "Tilde", "!": "Exclaim", "=": "Equal", "<": "Less", ">": "Greater", "+=": "PlusEqual", "-=": "MinusEqual",
    "*=": "StarEqual", "/=": "SlashEqual", "%=": "PercentEqual", "^=": "CaretEqual", "&=": "AmpEqual",
    "|=": "PipeEqual", "<<": "LessLess", ">>": "GreaterGreater", "<<=": "LessLessEqual", ">>=": "GreaterGreaterEqual",
    "==": "EqualEqual", "!=": "ExclaimEqual", "<=": "LessEqual", ">=": "GreaterEqual", "&&": "AmpAmp",
    "||": "PipePipe", "++": "PlusPlus", "--": "MinusMinus", ",": "Comma", "()": "Call", "[]": "Subscript",
}  # fmt: skip
"""Operator → its spelling in names of SPIR-V functions."""
