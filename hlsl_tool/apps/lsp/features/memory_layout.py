"""Describe offsets of members and bindings of resources, and the rules that determine them."""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.apps.lsp.source.analysis import Analysis
from hlsl_tool.apps.lsp.source.describe import struct_of
from hlsl_tool.apps.lsp.source.references import Declaration
from hlsl_tool.codegen.layout.blocks import BlockLayout, Usage
from hlsl_tool.codegen.layout.explain import why_here
from hlsl_tool.codegen.layout.rules import RULES_OF_OPTION, Rule, extent, is_row_major, place
from hlsl_tool.codegen.layout.tree import Node, tree
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import CBuffer, Variable
from hlsl_tool.frontend.sema.model.types import Field, ObjectType, Struct
from hlsl_tool.reflection.linking.binding_table import Binding, rule_words

_USAGES: dict[str, Usage] = {
    "ConstantBuffer": "constant",
    "TextureBuffer": "texture",
    "StructuredBuffer": "storage",
    "RWStructuredBuffer": "storage",
    "AppendStructuredBuffer": "storage",
    "ConsumeStructuredBuffer": "storage",
    "RasterizerOrderedStructuredBuffer": "storage",
}
_INDEX: dict[Usage, int] = {"constant": 0, "texture": 1, "storage": 2}


def rule_of(analysis: Analysis, usage: Usage) -> Rule:
    """Return the layout rule that the options select for a kind of block."""
    return RULES_OF_OPTION[analysis.target.options.layout][_INDEX[usage]]


def block_of(analysis: Analysis, buffer: CBuffer) -> BlockLayout:
    """Return the memory layout of a ``cbuffer`` or ``tbuffer``."""
    default = analysis.target.options.row_major
    usage: Usage = "texture" if buffer.keyword == "tbuffer" else "constant"
    members = [(_field(v), v.type, is_row_major(v.majorness, default)) for v in buffer.members]
    rule = rule_of(analysis, usage)
    return BlockLayout(
        buffer.name, buffer.keyword, usage, rule, default, list(members), pos=buffer.pos, chunk=buffer.chunk
    )


def _field(v: Variable) -> Field:
    return Field(v.name, v.type, v.pos, v.majorness, v.quals, v.semantic, v.registers, v.packoffset, v.attributes)


def nodes_of(analysis: Analysis, buffer: CBuffer) -> list[Node]:
    """Return the members of a ``cbuffer`` with their offsets; [] if a type has no layout."""
    try:
        return tree(block_of(analysis, buffer))
    except (TypeError, ValueError, AttributeError, KeyError):  # a member with a type that has no place in memory
        return []


def usages(analysis: Analysis) -> dict[Struct, list[Usage]]:
    """Return a map from each struct that a block contains, at any depth, to the kinds of blocks that contain it.

    The kinds are constant buffers, texture buffers and structured buffers.
    """
    found: dict[Struct, list[Usage]] = {}
    for item in analysis.program.globals:
        if isinstance(item, CBuffer):
            usage: Usage = "texture" if item.keyword == "tbuffer" else "constant"
            for member in item.members:
                _use(found, member.type, usage)
        else:
            t = ty.innermost(item.type)
            if isinstance(t, ObjectType) and t.name in _USAGES and t.args:
                _use(found, t.element, _USAGES[t.name])
    return found


def _use(found: dict[Struct, list[Usage]], t: ty.Type, usage: Usage) -> None:
    todo: list[ty.Type] = [t]
    while todo:
        t = ty.innermost(todo.pop())
        if isinstance(t, Struct) and usage not in found.setdefault(t, []):
            found[t].append(usage)
            todo += [f.type for f in t.all_fields()]


def placed(analysis: Analysis, struct: Struct, usage: Usage) -> Iterator[tuple[Field, int, int]]:
    """Yield (field, offset, size) of a struct's own fields, in bytes from the start of the struct."""
    default = analysis.target.options.row_major
    try:
        members = place(struct, rule_of(analysis, usage), default)
    except (TypeError, ValueError, AttributeError, KeyError):  # a member with a type that has no place in memory
        return
    for member in members:
        if member.field is not None:
            yield member.field, member.offset, member.extent.size


def of_declaration(analysis: Analysis, declaration: Declaration) -> list[str]:
    """Return sentences about the offset of a member, or the binding of a resource; [] for other declarations."""
    if declaration.kind == "field":
        return _of_field(analysis, declaration)
    if declaration.kind == "cbuffer":
        return [*_size(analysis, declaration), *_binding(analysis, declaration)]
    if declaration.kind == "variable" and declaration.owner is not None and declaration.owner.kind == "cbuffer":
        return _of_constant(analysis, declaration)
    return _binding(analysis, declaration) if declaration.kind == "variable" else []


def _of_constant(analysis: Analysis, declaration: Declaration) -> list[str]:
    for buffer in analysis.typed.globals(declaration.chunk):
        if isinstance(buffer, CBuffer):
            for node in nodes_of(analysis, buffer):
                if node.field is not None and node.field.pos == declaration.pos:
                    rule = block_of(analysis, buffer).rule
                    where = f"offset {node.offset}, {node.extent.size} bytes in `{buffer.name}`, {rule.value}"
                    return [f"{where}: {why_here(node, rule)}"]
    return []


def _of_field(analysis: Analysis, declaration: Declaration) -> list[str]:
    struct = struct_of(analysis, declaration.owner) if declaration.owner is not None else None
    if struct is None:
        return []
    notes = []
    for usage in usages(analysis).get(struct, ()):
        for field, offset, size in placed(analysis, struct, usage):
            if field.pos == declaration.pos:
                notes.append(f"offset {offset}, {size} bytes ({kind_words(usage)}, {rule_of(analysis, usage).value})")
    return notes


def kind_words(usage: Usage) -> str:
    """Return the kind of a block as words of a sentence, such as `constant buffer`."""
    return {"constant": "constant buffer", "texture": "texture buffer", "storage": "structured buffer"}[usage]


def of_struct(analysis: Analysis, declaration: Declaration, struct: Struct | None) -> list[str]:
    """Return sentences about the size of a struct in each kind of block that contains it."""
    if struct is None:
        return []
    notes = []
    for usage in usages(analysis).get(struct, ()):
        rule, default = rule_of(analysis, usage), analysis.target.options.row_major
        size = extent(struct, rule, False, default).size
        notes.append(f"{size} bytes ({kind_words(usage)}, {rule.value})")
    return notes


def _size(analysis: Analysis, declaration: Declaration) -> list[str]:
    for buffer in analysis.typed.globals(declaration.chunk):
        if isinstance(buffer, CBuffer) and buffer.pos == declaration.pos:
            nodes = nodes_of(analysis, buffer)
            if nodes:
                rule = block_of(analysis, buffer).rule
                return [f"{max(node.end for node in nodes)} bytes, {rule.value}"]
    return []


def _binding(analysis: Analysis, declaration: Declaration) -> list[str]:
    """Return a sentence about the set and binding of a resource, and the rule that determined them."""
    interface = analysis.interface()
    for record in interface.resources if interface is not None else ():
        declared = record.token
        if declared is None or declared[1] is not declaration.chunk or record.name != declaration.name:
            continue
        if record.binding is None:
            return [record.kind.replace("_", " ")]
        row = Binding(record.name, record.type, record.register, record.space, record.rule, record.shift)
        register = f", register {record.register}" if record.register else ""
        return [f"set {record.set}, binding {record.binding} (by {rule_words(row)}{register})"]
    return []
