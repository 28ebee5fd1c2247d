"""Helpers that format C++ text."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.reflection.cpp.identifiers import in_comment
from hlsl_tool.reflection.pipeline.pipeline_tables import Binding


def flags(words: Sequence[str]) -> str:
    """Return a C++ expression for a set of flags: `A | B`; `0` for an empty set."""
    return " | ".join(words) if words else "0"


def array(kind: str, name: str, rows: Sequence[str]) -> str:
    """Return the definition of a constant array with these initialisers."""
    lines = "".join(f"    {row}\n" for row in rows)
    return f"inline constexpr {kind} {name}[] = {{\n{lines}}};\n"


def binding_comment(binding: Binding) -> str:
    """Return a C++ comment with a binding's name, the constants in its descriptor count, and its attachment index."""
    words = [binding.name]
    if binding.count_constants:
        words.append("count by the default of constant " + ", ".join(map(str, binding.count_constants)))
    if binding.input_attachment_index is not None:
        words.append(f"input attachment {binding.input_attachment_index}")
    return in_comment("; ".join(words))
