"""Find the entry points of a parsed source, and their stages, with the reason for each."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.frontend.syntax import ast
from hlsl_tool.project.discovery.entries.units import Unit
from hlsl_tool.project.discovery.names import (
    LIBRARY,
    has_abbreviation,
    stage_of_file,
    stage_of_suffix,
    stage_of_words,
    stem_of,
)

SHADER_NAMES = {
    "vertex": "vs", "hull": "hs", "domain": "ds", "geometry": "gs", "pixel": "ps", "compute": "cs", "mesh": "ms",
    "amplification": "as",
}  # fmt: skip
"""Name in `[shader("…")]` → stage; those of ray tracing and work graphs are in libraries."""

USUAL_NAMES = ("main", "main0")
"""Names of entry points in files that have one."""


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A function that is compiled for a stage.  In a library, all functions are, and the name is empty."""

    name: str
    stage: str
    reason: str
    """The evidence, for the comment in the configuration."""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class _Evidence:
    stage: str
    reason: str
    is_weak: bool = False
    """Whether a function of a header might have it, too."""


def entry_points(unit: Unit, *, is_included: bool) -> list[EntryPoint]:
    """Return the entry points of a source.

    Those that an included file defines count only if the source has none, as in a source that sets macros and includes
    the rest.  ``is_included``: other files include the source, so that a name is no evidence.
    """
    own: list[EntryPoint] = []
    others: list[EntryPoint] = []
    patches = _patch_functions(unit)
    for number, function in unit.functions:
        evidence = None if function.name in patches or function.template else _evidence(unit, number, function)
        if evidence is None or (is_included and evidence.is_weak):
            continue
        line = unit.line_of(number, function)
        place = own if line else others
        place.append(EntryPoint(function.name, evidence.stage, evidence.reason, line))
    entries = own or _of_stage(others, unit.path, is_included=is_included)
    entries = entries or ([] if is_included else list(_by_text(unit)))
    return _with_library(list(dict.fromkeys(entries)))


def _of_stage(entries: list[EntryPoint], path: str, *, is_included: bool) -> list[EntryPoint]:
    """Return the entry points of the stage that a file's name gives; all if it gives none and no file includes it.

    One that is called like the file is the only one.
    """
    stage = stage_of_file(path)
    same = [entry for entry in entries if entry.stage == stage]
    named = [entry for entry in same if entry.name == stem_of(path)]
    return named or same or ([] if is_included else entries)


def _with_library(entries: list[EntryPoint]) -> list[EntryPoint]:
    """Replace the entry points that need a library by the library."""
    library = [entry for entry in entries if entry.stage == LIBRARY]
    if not library:
        return entries
    reason = ", ".join(dict.fromkeys(entry.reason for entry in library))
    whole = EntryPoint("", LIBRARY, reason, library[0].line)
    return [whole, *(entry for entry in entries if entry.stage != LIBRARY)]


def _evidence(unit: Unit, number: int, function: ast.FunctionDecl) -> _Evidence | None:
    """Return the stage of a function; `None` if it is no entry point."""
    signature = unit.structs.signature(function)
    by_attributes = _by_attributes(function)
    if by_attributes is not None:
        if by_attributes.is_weak and not signature.is_complete and unit.is_called(number, function):
            return None
        if by_attributes.stage == "cs" and "DispatchMesh" in unit.parsed.chunks[number].identifiers:
            return _Evidence("as", "its call of DispatchMesh")
        return replace(by_attributes, is_weak=False)
    stage, semantic = signature.system_value()
    suffix = stage_of_suffix(unit.path)
    is_usual = function.name in USUAL_NAMES
    if not (signature.is_complete or (is_usual and suffix)) or "SV_TESSFACTOR" in signature.results:
        return None
    has_semantics = bool(signature.inputs or signature.results)
    if suffix and is_usual:
        return _Evidence(suffix, "the file's name")
    by_name = stage_of_words(function.name)
    if unit.is_called(number, function) and not (by_name and has_semantics and stage):
        return None
    if stage == "vs" and by_name in ("ds", "gs", "ms"):
        return _Evidence(by_name, f"the name `{function.name}`")
    if stage and semantic in signature.results:
        return _Evidence(stage, f"its result {_spelled(semantic)}")
    by_file = stage_of_file(unit.path)
    is_named = is_usual or bool(by_name) or function.name == stem_of(unit.path)
    if by_name and (has_semantics or not function.params):
        return _Evidence(by_name, f"the name `{function.name}`")
    if by_file and (has_semantics or is_named):
        return _Evidence(by_file, "the file's name", is_weak=True)
    if stage and has_semantics:
        return _Evidence(stage, f"its input {_spelled(semantic)}", is_weak=True)
    return None


def _spelled(semantic: str) -> str:
    return (
        semantic.replace("SV_TARGET", "SV_Target").replace("SV_POSITION", "SV_Position").replace("SV_DEPTH", "SV_Depth")
    )


def _by_attributes(function: ast.FunctionDecl) -> _Evidence | None:
    """Return the stage by `[shader("…")]`, `[numthreads(…)]` and the attributes of tessellation, geometry and mesh."""
    attributes = {attribute.name.lower(): attribute for attribute in function.attributes}
    shader = attributes.get("shader")
    if shader is not None and shader.args and isinstance(shader.args[0], ast.String):
        kind = shader.args[0].value
        return _Evidence(SHADER_NAMES.get(kind, LIBRARY), f'`[shader("{kind}")]`')
    for stage, name in _telling(function, attributes.keys()):
        return _Evidence(stage, f"`[{attributes[name].name}]`", is_weak=True)
    return None


def _telling(function: ast.FunctionDecl, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield (stage, attribute) for the attributes that only one stage has."""
    if "maxvertexcount" in names:
        yield "gs", "maxvertexcount"
    for name in ("patchconstantfunc", "outputcontrolpoints", "partitioning"):
        if name in names:
            yield "hs", name
    if "domain" in names:
        yield "ds", "domain"
    if "nodelaunch" in names:
        yield LIBRARY, "nodelaunch"
    if "outputtopology" in names:
        yield ("ms" if "numthreads" in names else "hs"), "outputtopology"
    if "numthreads" in names:
        is_mesh = any({"vertices", "indices"} & set(parameter.quals) for parameter in function.params)
        yield ("ms" if is_mesh else "cs"), "numthreads"
    if "earlydepthstencil" in names:
        yield "ps", "earlydepthstencil"


def _patch_functions(unit: Unit) -> frozenset[str]:
    """Return the names of the functions that `[patchconstantfunc("…")]` names."""
    return frozenset(
        argument.value
        for _, function in unit.functions
        for attribute in function.attributes
        if attribute.name.lower() == "patchconstantfunc"
        for argument in attribute.args
        if isinstance(argument, ast.String)
    )


def _by_text(unit: Unit) -> Iterator[EntryPoint]:
    """Yield entry points by names only, where the parser does not take the text."""
    by_file = stage_of_file(unit.path)
    for name in unit.unparsed:
        stage = by_file if name in USUAL_NAMES else stage_of_words(name)
        is_main = name in USUAL_NAMES or "main" in name.lower() or has_abbreviation(name)
        if stage and is_main:
            yield EntryPoint(name, stage, f"the name `{name}`; the text has errors")
