"""Write a reflection as a C++17 header without dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hlsl_tool.reflection.cpp.identifiers import Scope, identifier, in_comment, in_string
from hlsl_tool.reflection.member_layout import rooms
from hlsl_tool.reflection.reflection import EntryPoint, Reflection, Resource

from ..blocks import Block, blocks, member_names
from .members import BYTES, Spelled, Spelling, comment
from .plan import StructPlan, key_of, packing
from .project import Shader, StructNames, interfaces, project_names

_PREAMBLE = """\
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

"""
_COMMON = """
static_assert(std::numeric_limits<float>::is_iec559 && sizeof(float) == 4 && sizeof(double) == 8, "IEEE 754");

/// Where a resource is bound; `count` is 0 for an unbounded array.
struct Binding {
    std::uint32_t set;
    std::uint32_t binding;
    std::uint32_t count;
};
"""
_PADDED = """
/// A value with the padding up to the next one.
template <class T, std::size_t Stride>
struct Padded {
    T value;
    std::uint8_t padding[Stride - sizeof(T)];
};

/// An array whose elements are further apart than they are large.
template <class T, std::size_t Count, std::size_t Stride>
struct Strided {
    Padded<T, Stride> items[Count];
    constexpr T& operator[](std::size_t i) { return items[i].value; }
    constexpr const T& operator[](std::size_t i) const { return items[i].value; }
};

/// The same where other members lie behind the last element.
template <class T, std::size_t Count, std::size_t Stride>
struct StridedTight {
    Padded<T, Stride> items[Count - 1];
    T last;
    constexpr T& operator[](std::size_t i) { return i + 1 < Count ? items[i].value : last; }
    constexpr const T& operator[](std::size_t i) const { return i + 1 < Count ? items[i].value : last; }
};
"""


def cpp_header(reflection: Reflection, *, namespace: str = "shader") -> str:
    """Return the text of a header with a struct for each block, bindings, specialisation constants and entry points.

    ``namespace`` may be nested (``engine::shaders``).  The structs assume a little-endian host.
    """
    return _whole(_Structs(StructNames(list(blocks(reflection)))).text(), _constants(reflection), namespace)


def cpp_project_header(shaders: Sequence[Shader], *, namespace: str) -> str:
    """Return the text of one header for several shaders, which share their structs.

    Each entry point of the configuration has a namespace with its bindings, constants and entry points.  If these
    differ between the permutations of an entry point, each permutation has a namespace.
    """
    names = project_names(shaders)
    parts = []
    for group in interfaces(shaders, names, lambda reflection: "".join(_constants(reflection))):
        name = group.name
        parts.append(f"\n/// {in_comment(group.doc)}\nnamespace {name} {{{group.text}\n}}  // namespace {name}\n")
    return _whole(_Structs(names).text(), parts, namespace)


def _whole(structs: str, constants: Iterable[str], namespace: str) -> str:
    full = "::".join(identifier(part) for part in namespace.split("::"))
    common = _COMMON + (_PADDED if "Strided" in structs else "")
    parts = [_PREAMBLE, f"namespace {full} {{\n", common, structs, *constants]
    return "".join(parts) + f"\n}}  // namespace {full}\n"


class _Structs:
    """Writes the structs of blocks."""

    def __init__(self, names: StructNames) -> None:
        self.names = names
        self.spelling = Spelling(names.plan.structs)
        self.body: list[str] = []

    def text(self) -> str:
        """Return the declarations of all structs; a struct follows those that it contains."""
        self.spelling.reserved = set(self.names.names.values())
        for key, plan in self.names.in_order():
            self._struct(self.names.names[key], plan, self.names.tails.get(key))
        return "".join(self.body)

    def _struct(self, name: str, plan: StructPlan, block: Block | None) -> None:
        layout = _Layout(self.spelling, plan)
        self.spelling.structs[key_of(plan.type)] = Spelled(name, "", layout.size, layout.align)
        lines = [f"\n/// {_doc(plan)}"]
        if layout.pack is not None:
            lines.append(f"#pragma pack(push, {layout.pack})")
        lines += [f"struct {name} {{", *layout.lines]
        if block is not None and block.tail is not None:
            for word, value in (("offset", block.tail.offset), ("stride", block.stride)):
                constant = layout.scope.add(f"{block.tail.name or 'items'}_{word}")
                lines.append(f"    static constexpr std::size_t {constant} = {value};")
        lines.append("};")
        if layout.pack is not None:
            lines.append("#pragma pack(pop)")
        lines += [
            f'static_assert(sizeof({name}) == {layout.size}, "size of {name}");',
            f'static_assert(alignof({name}) == {layout.align}, "alignment of {name}");',
            f'static_assert(std::is_standard_layout_v<{name}> && std::is_trivially_copyable_v<{name}>, "{name}");',
        ]
        lines += [
            f'static_assert(offsetof({name}, {member}) == {offset}, "offset of {name}::{member}");'
            for member, offset in layout.offsets
        ]
        self.body.append("\n".join(lines) + "\n")


def _constants(reflection: Reflection) -> list[str]:
    """Return the namespaces with bindings, specialisation constants and entry points, as lines."""
    out: list[str] = []
    bound = [r for r in reflection.resources if r.binding is not None]
    scope = Scope()
    if bound:
        rows = [f"inline constexpr Binding {scope.add(r.name)}{{{_place(r)}}};  // {_summary(r)}" for r in bound]
        out.append(_in_namespace("bindings", rows, "Where resources are bound."))
    scope = Scope()
    if reflection.specialization_constants:
        rows = [
            f"inline constexpr std::uint32_t {scope.add(c.name)} = {c.id};"
            f"  // {in_comment(c.type.name)}, default {c.default}"
            for c in reflection.specialization_constants
        ]
        out.append(_in_namespace("constants", rows, "The ids of specialisation constants."))
    scope = Scope()
    rows = [line for entry in reflection.entry_points for line in _entry(entry, scope)]
    if rows:
        out.append(_in_namespace("entry_points", rows, "The names that pipelines are made with."))
    return out


def _doc(plan: StructPlan) -> str:
    name = plan.type.name.removesuffix(".") or plan.owner
    return in_comment(name if plan.depth else f"{name}: {plan.owner}")


def _in_namespace(name: str, rows: list[str], doc: str) -> str:
    return "\n".join([f"\n/// {doc}", f"namespace {name} {{", *rows, f"}}  // namespace {name}\n"])


def _place(r: Resource) -> str:
    return f"{r.set or 0}, {r.binding}, {0 if r.count is None else r.count}"


def _summary(r: Resource) -> str:
    words = [r.kind, r.hlsl.get("declared") or r.hlsl.get("type", "") or r.type.name]
    if "register" in r.hlsl:
        space = f", space{r.hlsl['space']}" if "space" in r.hlsl else ""
        words.append(f"register({r.hlsl['register']}{space})")
    return in_comment(", ".join(word for word in words if word))


def _entry(entry: EntryPoint, scope: Scope) -> list[str]:
    name = scope.add(entry.name)
    text = in_string(entry.name)
    rows = [f'inline constexpr const char* {name} = "{text}";  // {in_comment(entry.model)}']
    if entry.workgroup_size is not None:
        size = ", ".join(str(n) for n in entry.workgroup_size)
        rows.append(f"inline constexpr std::uint32_t {scope.add(name + '_workgroup_size')}[3] = {{{size}}};")
    return rows


class _Layout:
    """Writes the members of one struct with explicit padding."""

    def __init__(self, spelling: Spelling, plan: StructPlan) -> None:
        self.spelling, self.type = spelling, plan.type
        self.scope = Scope(spelling.reserved)
        self.lines: list[str] = []
        self.offsets: list[tuple[str, int]] = []
        self.at = 0
        self.align = 1
        self.pads = 0
        self.pack: int | None = None
        spelled = self._spelled(plan.size)
        natural = max([s.align for _, _, s, _ in spelled], default=1)
        self.pack = packing(natural, [(o, s.align) for o, _, s, _ in spelled], plan.size)
        self.align = min(natural, self.pack or natural)
        self.size = plan.size
        for offset, name, s, note in spelled:
            self._pad(offset)
            self.lines.append(f"    {s.before} {name}{s.dims};" + (f"  // {in_comment(note)}" if note else ""))
            self.offsets.append((name, offset))
            self.at = offset + s.size
        self._pad(self.size)

    def _spelled(self, size: int) -> list[tuple[int, str, Spelled, str]]:
        names = dict(zip(map(id, self.type.members), member_names(self.type.members), strict=True))
        out: list[tuple[int, str, Spelled, str]] = []
        end = 0
        for member, room in rooms(self.type, size):
            offset = member.offset or 0
            fields = [b["name"] for b in member.hlsl.get("bit_fields", [])]
            name = self.scope.add("_".join(fields) or names[id(member)])
            if offset < end:
                self.lines.append(f"    // {name} lies at {offset}, over other members")
                continue
            s = self.spelling.spell(member.type, room)
            note = comment(member)
            if s is None or s.size > room:
                s = Spelled(BYTES, f"[{min(room, member.type.size or room)}]", min(room, member.type.size or room), 1)
                note = f"{member.type.name}, as bytes"
            out.append((offset, name, s, note))
            end = offset + s.size
        return out

    def _pad(self, offset: int) -> None:
        if offset > self.at:
            name = self.scope.add(f"padding{self.pads}")
            self.pads += 1
            self.lines.append(f"    {BYTES} {name}[{offset - self.at}];")
            self.at = offset
