"""Write the host structs of a project as C# with explicit offsets (C# 7.3 or later; unsafe code allowed)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hlsl_tool.reflection.cpp.identifiers import Scope, identifier, in_comment, in_string
from hlsl_tool.reflection.reflection import Reflection

from ..cpp.plan import Key
from ..cpp.project import Shader, StructNames, interfaces, project_names
from .fields import Field, Layout, Shape, layout_of

UNROLLED = 64
"""Up to this number, the elements of an array of structs are fields; more are bytes."""

_NUMBERS = {
    ("float", 16): "ushort", ("float", 32): "float", ("float", 64): "double",
    ("int", 8): "sbyte", ("int", 16): "short", ("int", 32): "int", ("int", 64): "long",
    ("uint", 8): "byte", ("uint", 16): "ushort", ("uint", 32): "uint", ("uint", 64): "ulong",
}  # fmt: skip

_WORDS = """
abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else
enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is lock
long namespace new null object operator out override params private protected public readonly ref return sbyte sealed
short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort
using virtual void volatile while Binding FieldOffset LayoutKind SizeInBytes StructLayout
"""
_KEYWORDS = frozenset(_WORDS.split())

_HEAD = """\
// Written by hlsl_tool: the structs, bindings and entry points of a project's shaders.
using System.Runtime.InteropServices;

namespace {namespace}
{{
    /// <summary>Where a resource is bound; Count is 0 for an unbounded array.</summary>
    public struct Binding
    {{
        public readonly uint Set, Number, Count;

        public Binding(uint set, uint number, uint count)
        {{
            Set = set;
            Number = number;
            Count = count;
        }}
    }}
"""


def csharp_structs(shaders: Sequence[Shader], *, namespace: str) -> str:
    """Return a C# file with the structs of all shaders, and a static class with the constants of each shader."""
    names = project_names(shaders)
    layouts: dict[Key, Layout] = {}
    parts = [_HEAD.format(namespace=_word(namespace))]
    for key, plan in names.in_order():
        layouts[key] = layout_of(plan, layouts)
        parts.append(_struct(names, key, layouts[key]))
    for group in interfaces(shaders, names, _constants):
        parts.append(
            f"\n    /// <summary>{_xml(group.doc)}</summary>\n    public static class {_word(group.name)}\n    {{\n"
        )
        parts.append(f"{group.text}    }}\n")
    return "".join(parts) + "}\n"


def _word(name: str) -> str:
    word = identifier(name)
    return f"{word}_" if word in _KEYWORDS else word


def _xml(text: str) -> str:
    return in_comment(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _struct(names: StructNames, key: Key, layout: Layout) -> str:
    name = _word(names.names[key])
    pack = f", Pack = {layout.align}"
    lines = ["", f"    /// <summary>{_xml(names.plan.structs[key].type.name)}</summary>"]
    lines.append(f"    [StructLayout(LayoutKind.Explicit, Size = {layout.size}{pack})]")
    lines += [f"    public unsafe struct {name}", "    {", f"        public const int SizeInBytes = {layout.size};"]
    scope = Scope([name])
    for field in layout.fields:
        if field.name:
            note = f"  // {in_comment(field.note)}" if field.note else ""
            lines += [line + note for line in _fields(field, _word(scope.add(field.name)), names)]
    return "\n".join([*lines, "    }", ""])


def _fields(field: Field, word: str, names: StructNames) -> list[str]:
    """Return the C# declarations of one member of a struct, as lines; ``word`` is its name in C#."""
    shape, count = field.shape, prod(field.shape.dims)
    if not shape.is_struct:
        number = _NUMBERS[_number(shape)]
        declared = f"fixed {number} {word}[{count}]" if shape.dims else f"{number} {word}"
        return [f"        [FieldOffset({field.offset})] public {declared};"]
    struct = _word(names.names[shape.element])
    if count > UNROLLED:
        size = f"{shape.size}]; // {count} of {struct}"
        return [f"        [FieldOffset({field.offset})] public fixed byte {word}[{size}"]
    if not shape.dims:
        return [f"        [FieldOffset({field.offset})] public {struct} {word};"]
    return [f"        [FieldOffset({field.offset + i * shape.unit})] public {struct} {word}_{i};" for i in range(count)]


def _number(shape: Shape) -> tuple[str, int]:
    kind, bits = shape.element
    return str(kind), int(str(bits))


def _constants(reflection: Reflection) -> str:
    """Return the constants of a shader, as indented lines."""
    lines: list[str] = []
    bound = [r for r in reflection.resources if r.binding is not None]
    if bound:
        scope = Scope()
        lines += ["        public static class Bindings", "        {"]
        for r in bound:
            value = f"{r.set or 0}, {r.binding}, {r.count or 0}"
            lines.append(
                f"            public static readonly Binding {_word(scope.add(r.name))} = new Binding({value});"
            )
        lines.append("        }")
    if reflection.specialization_constants:
        scope = Scope()
        lines += ["        public static class Constants", "        {"]
        lines += [
            f"            public const uint {_word(scope.add(c.name))} = {c.id};"
            for c in reflection.specialization_constants
        ]
        lines.append("        }")
    scope = Scope()
    lines += ["        public static class EntryPoints", "        {"]
    for entry in reflection.entry_points:
        text = in_string(entry.name).replace("\\", "\\\\")
        lines.append(f'            public const string {_word(scope.add(entry.name))} = "{text}";')
    return "\n".join([*lines, "        }", ""])
