"""Write comments with HLSL names and with the bindings of resources (option ``comments``)."""

from __future__ import annotations

from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.wgsl.module.hlsl_names import name_of_hlsl
from hlsl_tool.wgsl.writer.context import Context


def names_of_hlsl(context: Context) -> str:
    """Return a comment block for the beginning of the text, which lists each WGSL name with its HLSL name."""
    view = context.view
    own = [number for number in context.functions if number < view.module.bound or number in view.origins]
    rows = [(context.functions[number], _hlsl(context, number), "") for number in own]
    for number, root in context.roots.items():
        for part in root.parts or [root]:
            rows.append((part.name, _hlsl(context, number), _place(context, number)))
    for binding in context.handles.bindings:
        rows.append((binding.name, _hlsl(context, binding.variable), _place(context, binding.variable)))
    lines = [
        f"// {name}: {' '.join(word for word in (hlsl, place) if word)}\n"
        for name, hlsl, place in sorted(set(rows))
        if name and (place or (hlsl and hlsl != name))
    ]
    return "".join(["// Names of HLSL\n", *lines]) if lines else ""


def _hlsl(context: Context, number: int) -> str:
    element = context.view.elements.get(number)
    name = context.view.names.get(number if element is None else element.array, "")
    name = name_of_hlsl(name)
    name += f"[{element.place}]" if element is not None else ""
    return "".join(letter if letter.isprintable() else "?" for letter in name)


def _place(context: Context, number: int) -> str:
    parts = [
        f"{word} {place}"
        for word, decoration in (("set", Decoration.DescriptorSet), ("binding", Decoration.Binding))
        if (place := context.view.literal(number, decoration)) is not None
    ]
    return f"({', '.join(parts)})" if parts else ""
