"""Vertex attributes and colour attachments, from the stage variables."""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.rounding import round_up
from hlsl_tool.reflection.pipeline.pipeline_stages import PipelineError
from hlsl_tool.reflection.pipeline.pipeline_tables import Attribute, ColorAttachment, VertexInput
from hlsl_tool.reflection.reflection import EntryPoint, StageVariable, Type

_CHANNELS = "RGBA"
_NUMBERS = ("int", "uint", "float")


def vertex_input(entry: EntryPoint) -> VertexInput:
    """Return the attributes of a vertex stage, interleaved in one buffer.

    Raise `PipelineError` for unsupported inputs.
    """
    out = VertexInput()
    largest = 4
    for location, part, name in _attributes(entry):
        form, size = vertex_format(part)
        component = part.bits // 8
        align = max(component, min(4, size))  # Vulkan aligns attributes to their components
        largest = max(largest, component)
        offset = round_up(out.stride, align)
        out.attributes.append(Attribute(location, form, offset, size, name))
        out.stride = offset + size
    out.stride = round_up(out.stride, largest)
    return out


def _attributes(entry: EntryPoint) -> Iterator[tuple[int, Type, str]]:
    """Yield (location, scalar or vector type, semantic) of each vertex attribute that a vertex stage needs.

    Input variables that share a location form one attribute.
    """
    shared: dict[int, list[tuple[int, Type, str]]] = {}
    variables = [variable for variable in entry.inputs if variable.location is not None]
    for variable in sorted(variables, key=lambda v: (v.location or 0, v.component or 0)):
        location = variable.location or 0
        for part in _parts(variable.type, variable, "vertex attribute"):
            shared.setdefault(location, []).append((variable.component or 0, part, _name(variable)))
            location += 2 if part.bits == 64 and part.columns > 2 else 1
    for location, parts in sorted(shared.items()):
        component, first, name = parts[0]
        if len(parts) == 1 and component == 0:
            yield location, first, name
            continue
        if any(_kind(part) != _kind(first) or part.bits != first.bits for _, part, _ in parts):
            names = " and ".join(f"`{name}`" for _, _, name in parts)
            raise PipelineError(f"{names} share location {location} with different types: no format has both")
        per_component = max(first.bits // 32, 1)
        ends = [start // per_component + (part.columns or 1) for start, part, _ in parts]
        word = first.component or first.kind
        whole = Type("vector", bits=first.bits, component=word, rows=1, columns=max(ends))
        yield location, whole, ", ".join(dict.fromkeys(name for _, _, name in parts))


def color_attachments(entry: EntryPoint) -> Iterator[ColorAttachment]:
    """Yield the colour outputs of a fragment stage by location; raise `PipelineError` for unsupported outputs."""
    variables = [variable for variable in entry.outputs if variable.location is not None]
    for variable in sorted(variables, key=lambda v: (v.location or 0, v.index or 0, v.component or 0)):
        location = variable.location or 0
        for part in _parts(variable.type, variable, "colour attachment"):
            kind = {"SFLOAT": "float", "UINT": "uint", "SINT": "sint"}[_kind(part)]
            components = (variable.component or 0) + (part.columns or 1)
            width = 4 if components == 3 else components  # formats of three components are hardly ever drawn to
            whole = Type("vector", bits=part.bits, component=part.component or part.kind, rows=1, columns=width)
            form, _ = vertex_format(whole)
            yield ColorAttachment(location, variable.index or 0, kind, components, form)
            location += 1


def _parts(t: Type, variable: StageVariable, role: str) -> Iterator[Type]:
    """Yield the vector or scalar type at each location of a stage variable of the type ``t``.

    Raise `PipelineError` for other types; its message calls the variable a ``role``, such as `vertex attribute`.
    """
    if t.kind == "array" and t.element is not None:
        for _ in range(t.count or 0):
            yield from _parts(t.element, variable, role)
    elif t.kind == "matrix":
        for _ in range(t.rows):
            yield Type("vector", bits=t.bits, component=t.component, rows=1, columns=t.columns)
    elif t.kind == "vector" or t.kind in _NUMBERS:
        yield t
    else:
        name = f"`{_name(variable)}`" if _name(variable) else f"the variable at location {variable.location}"
        raise PipelineError(f"{name} is a {t.kind}, which is no {role} of Vulkan")


def _kind(t: Type) -> str:
    word = t.component or t.kind
    return "SFLOAT" if word.startswith(("float", "half", "double")) else "UINT" if word.startswith("u") else "SINT"


def vertex_format(t: Type) -> tuple[str, int]:
    """Return (Vulkan format, size in bytes) that match a scalar or vector type of the shader exactly."""
    count = t.columns or 1
    channels = "".join(f"{channel}{t.bits}" for channel in _CHANNELS[:count])
    return f"VK_FORMAT_{channels}_{_kind(t)}", count * t.bits // 8


def _name(variable: StageVariable) -> str:
    return variable.semantic or variable.name.removeprefix("in.var.").removeprefix("out.var.")
