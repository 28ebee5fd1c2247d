"""The interface of a module as lines of text, made from our reflection: the facts that a host needs."""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.reflection.extract import reflect
from hlsl_tool.reflection.reflection import EntryPoint, Member, StageVariable, Type
from hlsl_tool.spirv.decode import decode


def interface(spirv: bytes) -> list[str]:
    """Return a line for each entry point, stage variable, resource and constant, sorted.

    The lines omit names of variables and types, which hosts do not use. An output that is an array of vectors counts as
    one output for each location, and a counter as unsigned.
    """
    content = reflect(decode(spirv))
    lines: list[str] = []
    for entry in content.entry_points:
        lines += _entry(entry)
    for r in content.resources:
        lines.append(f"{r.set}.{r.binding} {r.kind} x{r.count} {r.access}: {_type(r.type)}")
    lines += [f"push constants: {_type(block.type)}" for block in content.push_constants]
    lines += [f"specialisation {constant.id} = {constant.default}" for constant in content.specialization_constants]
    return sorted(line.replace("{@0 int32}", "{@0 uint32}") for line in lines)


def _entry(entry: EntryPoint) -> Iterator[str]:
    modes = (f"{mode.name.replace('LocalSizeId', 'LocalSize')}{mode.operands or ''}" for mode in entry.execution_modes)
    yield " ".join(["entry", entry.name, entry.model, *sorted(modes)])
    for direction, variables in (("in", entry.inputs), ("out", entry.outputs)):
        for variable in variables:
            yield from _variable(direction, variable)


def _variable(direction: str, v: StageVariable) -> Iterator[str]:
    marks = " ".join([*v.interpolation, *(mark for mark in v.decorations if mark == "patch" and not v.builtin)])
    end = f" {marks}" if marks else ""
    if v.builtin:
        yield f"{direction} {v.builtin}: {_type(v.type, in_memory=False)}{end}"
    elif direction == "out" and v.type.element is not None and "patch" not in v.decorations and v.location is not None:
        for at in range(v.type.count or 0):
            yield f"{direction} {v.location + at}: {_type(v.type.element)}{end}"
    else:
        yield f"{direction} {v.location}: {_type(v.type)}{end}"


def _type(t: Type, *, in_memory: bool = True) -> str:
    if t.kind in ("bool", "int", "uint", "float"):
        return f"{t.kind}{t.bits}"
    if t.kind == "vector":
        return f"{t.component}{t.columns}"
    if t.kind == "matrix":
        return f"{t.component}{t.rows}x{t.columns} {t.majorness} {t.stride}".replace(" None", "").rstrip()
    if t.kind == "array" and t.element is not None:
        stride = f" {t.stride}" if in_memory and t.stride is not None else ""
        return f"[{'' if t.count is None else t.count}{stride}] {_type(t.element)}"
    if t.kind == "struct":
        return "{" + "; ".join(map(_member, t.members)) + "}"
    if t.kind == "image":
        marks = [t.component, t.dim, "arrayed" * t.arrayed, "multisampled" * t.multisampled, t.format]
        return " ".join(filter(None, marks))
    return t.kind


def _member(m: Member) -> str:
    name = "" if m.name.startswith(("@", "counter")) else m.name  # the data and the counters of buffers
    place = f"@{m.offset} " if m.offset is not None else ""
    return f"{name}{place}{m.builtin + ' ' if m.builtin else ''}{_type(m.type)}"
