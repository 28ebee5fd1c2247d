"""Write the text of a module: declarations, functions and entry points."""

from __future__ import annotations

import re

from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.instructions import access, arithmetic, builtins, composites, subgroups, textures
from hlsl_tool.wgsl.instructions import conversions_and_bits as conversions
from hlsl_tool.wgsl.interface.stage_io import Interface
from hlsl_tool.wgsl.module.hlsl_names import name_of_hlsl
from hlsl_tool.wgsl.module.source_places import Places
from hlsl_tool.wgsl.module.usage import Usage
from hlsl_tool.wgsl.uniformity import check_barriers
from hlsl_tool.wgsl.writer.body import BodyWriter, Entry
from hlsl_tool.wgsl.writer.comments import names_of_hlsl
from hlsl_tool.wgsl.writer.context import Context
from hlsl_tool.wgsl.writer.wgsl_types import StructText

NAGA_HAS = frozenset(("subgroups",))
"""Extensions that naga has without a directive."""

_WORD = re.compile(r"\w+")

HANDLER_MODULES = (access, arithmetic, builtins, composites, conversions, subgroups, textures)
"""Modules that are imported because they register handlers."""


def module_text(context: Context, usage: Usage, functions: list[Function], places: Places) -> str:
    """Return the WGSL text of a module whose variables have been declared."""
    view = context.view
    roots: dict[int, list[Instruction]] = {}
    for inst, _, _ in view.entry_points():
        roots.setdefault(inst.id(1), []).append(inst)
    called = {number for numbers in usage.calls.values() for number in numbers}
    called |= {number for number, entries in roots.items() if len(entries) > 1}
    entry_names = {name for _, _, name in view.entry_points()}
    context.fragment = usage.fragment_only()
    names: dict[int, str] = {}
    for inst, _, name in view.entry_points():
        names[id(inst)] = context.names.unique(name, "main")
    for function in functions:
        entries = roots.get(function.id, [])
        if function.id in called or not entries:
            hint = view.names.get(function.id, "")
            hint = hint.split("(")[0]
            if entries or name_of_hlsl(hint) in entry_names:
                hint = name_of_hlsl(hint) + "_inner"
            context.functions[function.id] = context.names.unique(hint, "function_")
        else:
            context.functions[function.id] = names[id(entries[0])]
    interface = Interface(context, usage, called)
    signatures = {id(inst): interface.entry(inst, model, names[id(inst)]) for inst, model, _ in view.entry_points()}
    check_barriers(context, functions, places)
    texts: list[str] = []
    for function in functions:
        entries = roots.get(function.id, [])
        if entries and function.id not in called:
            texts.append(_function(context, function, signatures[id(entries[0])], places))
            continue
        texts.append(_function(context, function, None, places))
        texts += [_wrapper(context, function, names[id(inst)], signatures[id(inst)]) for inst in entries]
    return _assemble(context, interface, texts)


def _function(context: Context, function: Function, entry: Entry | None, places: Places) -> str:
    writer = BodyWriter(context, function, entry)
    try:
        return writer.write()
    except Unsupported as problem:
        inst = context.view.defs.get(problem.result) or writer.current
        raise places.error(problem, inst, writer.current) from problem


def _wrapper(context: Context, function: Function, name: str, entry: Entry) -> str:
    """Return the text of the entry point ``name``, which only calls ``function``, the function with its code.

    WGSL's entry points cannot be called, but other functions call this function.
    """
    arrow = f" -> {entry.result}" if entry.result else ""
    lines = [*entry.prologue, f"{context.functions[function.id]}();"]
    if entry.pieces:
        values = ", ".join(text for _, text, _ in entry.pieces)
        lines.append(f"return {entry.constructor}({values});" if entry.constructor else f"return {values};")
    body = "".join(f"  {line}\n" for line in lines)
    return f"{entry.attributes}\nfn {name}({', '.join(entry.parameters)}){arrow} {{\n{body}}}\n"


def _mentioned(structs: list[StructText], texts: list[str]) -> list[StructText]:
    """Return the structs whose names occur in texts, or in members of such structs."""
    words = set(_WORD.findall("\n".join(texts)))
    out: list[StructText] = []
    for struct in reversed(structs):  # a struct is declared behind those of its members
        if struct.name in words:
            words.update(word for _, _, spelled in struct.members for word in _WORD.findall(spelled))
            out.append(struct)
    return out[::-1]


def _assemble(context: Context, interface: Interface, functions: list[str]) -> str:
    needs, naga = context.needs, context.options.wgsl_naga
    enables = needs.enables - NAGA_HAS if naga else needs.enables
    head: list[str] = []
    if enables:
        head.append(f"enable {', '.join(sorted(enables))};\n")
    if needs.requires:
        head.append(f"requires {', '.join(sorted(needs.requires))};\n")
    if needs.derivatives:
        head.append("diagnostic(off, derivative_uniformity);\n")
    if needs.subgroups and not naga:
        head.append("diagnostic(off, subgroup_uniformity);\n")
    sections = [
        names_of_hlsl(context) if context.comments else "",
        "".join(head),
        "".join(context.constants.declarations),
    ]
    rest = [
        "".join([*context.handles.declarations, *interface.declarations]),
        *[text for _, text in context.helpers.values()],
        *functions,
    ]
    sections += [text.lines() for text in _mentioned(context.types.structs, [*context.constants.declarations, *rest])]
    sections += rest
    return "\n".join(section for section in sections if section)
