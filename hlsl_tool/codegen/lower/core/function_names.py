"""Names of functions in the module, and signatures of those that modules import and export.

In SPIR-V all parameters are pointers, and several types of HLSL are one. So a library has a string for each function,
with its signature in HLSL: ``hlsl_tool.function f|in,inout|float(float, inout float)``. Programs do not have them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from hlsl_tool.frontend.sema.model.hir import Function, Param
from hlsl_tool.frontend.sema.model.types import ObjectType, display, innermost


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


# ---- signatures

_PREFIX = "hlsl_tool.function "


class Signature(NamedTuple):
    """The parameters and the result of a function in HLSL, which tells more functions apart than SPIR-V."""

    text: str
    directions: tuple[str, ...]


def signature_of(f: Function) -> Signature:
    """Return the signature of a function; it has no name."""
    directions = tuple(p.direction for p in f.params)
    parameters = (f"{d} {display(p.type)}".removeprefix("in ") for d, p in zip(directions, f.params, strict=True))
    return Signature(f"{display(f.return_type)}({', '.join(parameters)})", directions)


def signature_text(name: str, signature: Signature) -> str:
    """Return the string of a library for a function that it imports or exports under ``name``."""
    return f"{_PREFIX}{name}|{','.join(signature.directions)}|{signature.text}"


def is_signature(text: str) -> bool:
    """Return whether a string of a module is that of a function."""
    return text.startswith(_PREFIX)


def read_signatures(texts: Iterable[str]) -> dict[str, list[Signature]]:
    """Return the signatures in the strings of a module: name → one for each function of the name, in order."""
    found: dict[str, list[Signature]] = {}
    for text in filter(is_signature, texts):
        name, directions, signature = text.removeprefix(_PREFIX).rsplit("|", 2)
        found.setdefault(name, []).append(Signature(signature, tuple(directions.split(",")) if directions else ()))
    return found


_MESH_OUTPUTS = frozenset(("vertices", "primitives", "indices"))
"""Words in front of the outputs of mesh shaders."""


def entry_parameter(f: Function) -> Param | None:
    """Return the first parameter that belongs to the outputs or records of an entry point; ``None`` without one.

    Such a parameter is no value: its uses become instructions that name the entry point's variables.
    """
    return next((p for p in f.params if _is_of_entry(p)), None)


def _is_of_entry(p: Param) -> bool:
    if not _MESH_OUTPUTS.isdisjoint(p.quals):
        return True
    t = innermost(p.type)
    return isinstance(t, ObjectType) and (t.name.endswith("Stream") or "Record" in t.name or "NodeOutput" in t.name)
