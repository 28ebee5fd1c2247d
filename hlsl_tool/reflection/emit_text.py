"""Print a reflection: entry points, resources, and blocks with offset and size of each member."""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.diagnostics.visible import visible_name
from hlsl_tool.reflection.reflection import (
    DescriptorHeap,
    EntryPoint,
    Member,
    Reflection,
    Resource,
    StageVariable,
    Type,
)


def reflection_text(reflection: Reflection) -> str:
    """Return a reflection as text tables; the same module gives the same text.

    Control characters in the names of a foreign module are escaped.
    """
    return "\n".join(map(visible_name, _lines(reflection))) + "\n"


def _lines(r: Reflection) -> Iterator[str]:
    yield f"SPIR-V {r.version}" + (f", Vulkan {r.requirements.vulkan}" if r.requirements is not None else "")
    yield f"capabilities: {', '.join(r.capabilities) or 'none'}"
    if r.extensions:
        yield f"extensions: {', '.join(r.extensions)}"
    for entry in r.entry_points:
        yield from _entry(entry)
    if r.resources:
        yield from ["", "resources"]
        yield from _table([_resource(resource) for resource in r.resources])
    for heap in r.descriptor_heaps:
        yield from _heap(heap)
    for constant in r.specialization_constants:
        yield f"specialisation constant {constant.id}: {constant.type.name} {constant.name} = {constant.default}"
    for resource in [*r.resources, *r.push_constants]:
        if resource.type.kind == "struct":
            yield from ["", f"{resource.kind} {resource.name}{_size(resource.type)}"]
            yield from _table(list(_members(resource.type, 0, 0)))
    for pointee in r.pointees:
        yield from ["", f"pointee {pointee.name}{_size(pointee.type)}"]
        yield from _table(list(_members(pointee.type, 0, 0)))


def _heap(heap: DescriptorHeap) -> Iterator[str]:
    stride = f"{heap.stride} bytes" if heap.stride is not None else f"largest of {', '.join(heap.stride_of_largest)}"
    yield from ["", f"descriptor heap {heap.name}, stride: {stride}"]
    yield from _table([[d.kind, d.type.name, d.access] for d in heap.descriptors])


def _size(t: Type) -> str:
    return f", {t.size} bytes" if t.size else ""


def _entry(entry: EntryPoint) -> Iterator[str]:
    yield ""
    yield f"entry point {entry.name} ({entry.model})"
    for mode in entry.execution_modes:
        yield f"  {mode.name}" + "".join(f" {operand}" for operand in mode.operands)
    for word, variables in (("in", entry.inputs), ("out", entry.outputs), ("payload", entry.payloads)):
        yield from _table([_variable(word, v) for v in variables])
    for touched in entry.push_constants:
        yield f"  push constants {touched.name}: bytes {touched.offset} to {touched.offset + touched.size - 1}"


def _variable(word: str, v: StageVariable) -> list[str]:
    place = v.builtin or f"location {v.location}" + (f".{v.component}" if v.component is not None else "")
    if not v.builtin and v.location is None:
        place = v.storage
    return [word, place, v.type.name, v.semantic or v.name, " ".join([*v.interpolation, *v.decorations])]


def _resource(r: Resource) -> list[str]:
    count = "[]" if r.count is None else f"[{r.count}]" if r.dimensions else ""
    place = f"set {r.set} binding {r.binding}" if r.binding is not None else ""
    hlsl = r.hlsl.get("declared") or r.hlsl.get("type", "")
    register = r.hlsl.get("register", "")
    used = f"used by {', '.join(r.used_by)}" if r.used_by else "not used"
    return [place, r.kind, r.name + count, r.access, hlsl, register, used]


def _members(t: Type, base: int, depth: int) -> Iterator[list[str]]:
    """Yield a table row for each member of a struct; ``base`` is the offset of the struct in its block or element."""
    for member in t.members:
        begin = base + (member.offset or 0)
        yield [
            str(begin),
            str(member.size if member.size is not None else ""),
            "  " * depth + f"{_spelled(member)} {member.name}".rstrip(),
            _note(member.type),
        ]
        inner = member.type
        while inner.kind == "array" and inner.element is not None:
            inner = inner.element
        if inner.kind == "struct":
            yield from _members(inner, begin, depth + 1)


def _spelled(member: Member) -> str:
    return member.hlsl.get("type") or member.type.name


def _note(t: Type) -> str:
    words = []
    while t.kind == "array" and t.element is not None:
        words.append(f"stride {t.stride}")
        t = t.element
    if t.kind == "matrix":
        words.append(f"{t.majorness}, stride {t.stride}")
    return ", ".join(words)


def _table(rows: list[list[str]]) -> Iterator[str]:
    """Yield aligned lines: numbers are right-aligned, empty columns omitted."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    for row in rows:
        cells = [
            cell.rjust(width) if cell.isdigit() else cell.ljust(width) for cell, width in zip(row, widths, strict=True)
        ]
        yield "  " + "  ".join(cell for cell, width in zip(cells, widths, strict=True) if width).rstrip()
