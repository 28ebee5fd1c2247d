"""Explain a member's offset and a matrix's majorness in a sentence."""

from __future__ import annotations

from hlsl_tool.base.rounding import round_up
from hlsl_tool.codegen.layout.rules import Rule, alignment, is_relaxed_vector, straddles
from hlsl_tool.codegen.layout.tree import Node
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Matrix, Struct, Type, Vector

TIGHT = (Rule.SCALAR, Rule.FXC_SBUFFER)
TO_16 = (Rule.STD140, Rule.RELAXED_STD140, Rule.FXC_CBUFFER)


def why_here(node: Node, rule: Rule) -> str:
    """Return a sentence with the reason for a member's offset."""
    before, start = node.previous, node.parent.offset if node.parent is not None else 0
    if node.bits is not None and node.bits[0] > 0 and before is not None:
        return f"bits {node.bits[0]} to {sum(node.bits) - 1} of the word that it shares with `{before.name}`"
    if node.forced:
        return _forced_by(node)
    if before is None:
        return "the first member" + (f" of `{node.parent.name}`, which is at {start}" if node.parent else "")
    end, align = before.end, alignment(node.type, node.extent, rule)
    behind = f"`{before.name}` ends at {end}"
    if node.offset == end:
        return f"{behind}, which fits an alignment of {align}"
    if is_relaxed_vector(node.type, node.extent, rule) and straddles(
        at := start + round_up(end - start, align), node.extent.size
    ):
        return (
            f"{behind}; at {at} its {node.extent.size} bytes would lie across a boundary of 16, which vectors may not: "
            f"the next 16 ({node.padding} bytes of padding)"
        )
    return f"{behind}; {_why_aligned(node.type, align, rule)} ({node.padding} bytes of padding)"


def _forced_by(node: Node) -> str:
    f = node.field
    if f is not None and any(a.scope == "vk" and a.name == "offset" for a in f.attributes):
        return f"[[vk::offset({node.offset - (node.parent.offset if node.parent else 0)})]] says so"
    if f is not None and f.packoffset is not None:
        component = "" if node.offset % 16 == 0 else "." + "xyzw"[node.offset % 16 // 4]
        return f"packoffset(c{node.offset // 16}{component}) says so"
    return f"register(c{node.offset // 16}) says so"


def _why_aligned(t: Type, align: int, rule: Rule) -> str:
    kind = (
        "array"
        if isinstance(t, Array)
        else "struct"
        if isinstance(t, Struct)
        else "matrix"
        if isinstance(t, Matrix)
        else "vector"
        if isinstance(t, Vector)
        else "number"
    )
    plural = "matrices" if kind == "matrix" else f"{kind}s"
    if rule in TIGHT:
        return f"{plural} are aligned as their largest number, here to {align}"
    if kind in ("array", "struct", "matrix"):
        to = "to 16 bytes" if rule in TO_16 else "as their parts"
        return f"{plural} are aligned {to}{'' if align == 16 and rule in TO_16 else f', here to {align}'}"
    return f"a {ty.display(t)} is aligned to {align}"


def majorness_origin(quals: tuple[str, ...], stated: str | None, default_row_major: bool) -> str:
    """Return a phrase that names the keyword, pragma or option that determined a declaration's majorness.

    ``quals`` are the declaration's qualifiers; ``stated`` is the majorness that a keyword or pragma gives, if any.
    """
    for word in ("row_major", "column_major"):
        if word in quals:
            return f"the keyword {word}"
    if stated is not None:
        return f"#pragma pack_matrix({stated}_major)"
    return "-Zpr (matrix_layout: row_major)" if default_row_major else "the default (-Zpc)"
