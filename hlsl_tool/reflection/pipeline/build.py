"""Merge the reflections of a pipeline's stages into the values for its create infos."""

from __future__ import annotations

import struct
from collections.abc import Collection, Sequence

from hlsl_tool.reflection.pipeline.pipeline_stages import GRAPHICS, RAYS, STAGES, PipelineError, stage_bit
from hlsl_tool.reflection.pipeline.pipeline_tables import MapEntry, PipelineTables, Stage
from hlsl_tool.reflection.reflection import EntryPoint, Reflection, SpecConstant

from .heaps import descriptor_heaps
from .interface import color_attachments, vertex_input
from .resources import Shader, push_constants, set_layouts, shader_record_size


def pipeline_of(
    reflections: Sequence[Reflection], names: Sequence[str] = (), entries: Collection[str] = ()
) -> PipelineTables:
    """Return the values for the pipeline of these modules; raise `PipelineError` if their stages do not fit together.

    ``names`` are the names of the modules.  The pipeline includes all entry points, or only those in ``entries``.
    """
    shaders = _shaders(reflections, names, entries)
    models = [entry.model for _, entry, _ in shaders]
    tables = PipelineTables([_stage(shader, models) for shader in shaders])
    tables.set_layouts = set_layouts(shaders)
    tables.push_constants = push_constants(shaders)
    tables.descriptor_heaps = descriptor_heaps(shaders)
    if tables.descriptor_heaps:
        tables.create_flags.append("VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT")
        for stage in tables.stages:
            stage.create_flags.append("VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT")
    for _, entry, _ in shaders:
        if entry.model == "Vertex":
            tables.vertex_input = vertex_input(entry)
        elif entry.model == "TessellationControl":
            tables.patch_control_points = _patch_size(entry)
        elif entry.model == "Fragment":
            tables.color_attachments = list(color_attachments(entry))
            builtins = {variable.builtin for variable in entry.outputs}
            tables.writes_depth = "FragDepth" in builtins
            tables.writes_stencil = "FragStencilRefEXT" in builtins
    return tables


def pipelines_of_module(reflection: Reflection) -> list[tuple[str, ...]]:
    """Return the names of the entry points of each pipeline that a module forms.

    All ray tracing stages form one pipeline. All graphics stages form one if each stage occurs once. Every other entry
    point forms one by itself. An empty tuple means that a single pipeline has all entry points; a library without entry
    points gives an empty list.
    """
    groups: dict[str, list[str]] = {}
    models = [entry.model for entry in reflection.entry_points]
    is_one = all(models.count(model) == 1 for model in models if model in GRAPHICS)
    is_one = is_one and not ("MeshEXT" in models and "Vertex" in models)
    for entry in reflection.entry_points:
        kind = "graphics" if is_one and entry.model in GRAPHICS else "rays" if entry.model in RAYS else entry.name
        groups.setdefault(kind, []).append(entry.name)
    return [()] if len(groups) == 1 else [tuple(names) for names in groups.values()]


def _shaders(reflections: Sequence[Reflection], names: Sequence[str], entries: Collection[str]) -> list[Shader]:
    """Return the selected entry points in the order of their stages.

    Raise `PipelineError` if they cannot be combined.
    """
    modules = list(zip(reflections, [*names, *[""] * len(reflections)], strict=False))
    shaders = [(reflection, entry, name) for reflection, name in modules for entry in reflection.entry_points]
    for name in entries:
        if not any(entry.name == name for _, entry, _ in shaders):
            present = ", ".join(f"`{entry.name}`" for _, entry, _ in shaders)
            raise PipelineError(f"there is no entry point `{name}`; there are {present}")
    shaders = [shader for shader in shaders if not entries or shader[1].name in entries]
    unknown = next((entry for _, entry, _ in shaders if entry.model not in STAGES), None)
    if unknown is not None:
        raise PipelineError(f"Vulkan has no pipeline stage for the execution model {unknown.model} of `{unknown.name}`")
    if not shaders:
        raise PipelineError("there is no entry point")
    order = list(STAGES)
    shaders.sort(key=lambda shader: order.index(shader[1].model))
    _check_stages([entry for _, entry, _ in shaders])
    return shaders


def _check_stages(entries: Sequence[EntryPoint]) -> None:
    """Raise `PipelineError` if no pipeline can contain all these entry points."""
    first: dict[str, EntryPoint] = {}
    for entry in entries:
        other = first.setdefault(_kind(entry), entry)
        if other is not entry and _kind(entry) != "ray tracing":
            raise PipelineError(
                f"`{other.name}` and `{entry.name}` are both {_stage_word(entry)} stages;"
                " name those of one pipeline with --entry"
            )
    kinds = {"graphics" if entry.model in GRAPHICS else _kind(entry): entry for entry in entries}
    if len(kinds) > 1:
        (one, a), (two, b), *_ = kinds.items()
        raise PipelineError(
            f"`{a.name}` is for {one} and `{b.name}` for {two} pipelines; name those of one pipeline with --entry"
        )
    mesh = next((entry for entry in entries if entry.model in ("TaskEXT", "MeshEXT")), None)
    if mesh is not None and entries[0].model in GRAPHICS[:4]:
        words = [f"{_stage_word(entry)} stage (`{entry.name}`)" for entry in (entries[0], mesh)]
        raise PipelineError(f"a pipeline has no {' beside a '.join(words)}")


def _stage_word(entry: EntryPoint) -> str:
    return STAGES[entry.model].lower().replace("_", " ")


def _kind(entry: EntryPoint) -> str:
    return "ray tracing" if entry.model in RAYS else "compute" if entry.model == "GLCompute" else entry.model


# ---------------------------------------------------------------------------------------------------------- stages


def _stage(shader: Shader, present: list[str]) -> Stage:
    reflection, entry, name = shader
    model = entry.model
    out = Stage(stage_bit(model), entry.name, name, workgroup_size=entry.workgroup_size)
    if entry.wave_size:
        low, high, *preferred = entry.wave_size if len(entry.wave_size) > 1 else entry.wave_size * 2
        out.subgroup_size = low if low == high else next(iter(preferred), None)
        out.subgroup_sizes = [low, high] if low != high else []
    if model in GRAPHICS:
        later = [other for other in GRAPHICS[GRAPHICS.index(model) + 1 :] if other in present]
        out.next_stages = [stage_bit(later[0])] if later else []
        if model == "MeshEXT" and "TaskEXT" not in present:
            out.create_flags.append("VK_SHADER_CREATE_NO_TASK_SHADER_BIT_EXT")
    data = b""
    for constant in reflection.specialization_constants:
        value = _bytes(constant)
        data += bytes(-len(data) % len(value))
        out.specialization.append(MapEntry(constant.id, len(data), len(value), constant.name, constant.default))
        data += value
    out.specialization_data = data.hex()
    out.shader_record_size = shader_record_size(reflection, entry)
    return out


def _bytes(constant: SpecConstant) -> bytes:
    """Return the default value of a constant as bytes; a boolean is a ``VkBool32``."""
    default, bits = constant.default, constant.type.bits or 32
    if constant.type.kind == "bool":
        return struct.pack("<I", bool(default))
    if constant.type.kind == "float":
        return struct.pack({16: "<e", 32: "<f", 64: "<d"}[bits], float(default))
    return (int(default) & ((1 << bits) - 1)).to_bytes(bits // 8, "little")


def _patch_size(entry: EntryPoint) -> int | None:
    """Return the number of input control points of a tessellation control stage; `None` if no input is an array."""
    sizes = [v.type.count for v in entry.inputs if v.type.kind == "array" and "patch" not in v.decorations]
    return next(iter(sizes), None)
