"""The stages of the conversion from SPIR-V to WGSL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv.decode import DecodeError, decode
from hlsl_tool.spirv.enums import Capability, Decoration
from hlsl_tool.spirv.ir import Module
from hlsl_tool.wgsl.arrays.elements import split_arrays
from hlsl_tool.wgsl.instructions.constant_operations import constant_operation
from hlsl_tool.wgsl.interface.bind_group_layouts import VISIBILITY, Binding
from hlsl_tool.wgsl.interface.globals import declare_globals
from hlsl_tool.wgsl.interface.limits import required_limits
from hlsl_tool.wgsl.module.checking import check
from hlsl_tool.wgsl.module.demands import check_demands
from hlsl_tool.wgsl.module.promotion import promote
from hlsl_tool.wgsl.module.purity import find_pure
from hlsl_tool.wgsl.module.source_places import Places
from hlsl_tool.wgsl.module.specialise import Specialiser
from hlsl_tool.wgsl.module.statics import find_statics
from hlsl_tool.wgsl.module.usage import Usage
from hlsl_tool.wgsl.module.view import View
from hlsl_tool.wgsl.module_text import module_text
from hlsl_tool.wgsl.options import Options
from hlsl_tool.wgsl.rewrites.atomic_textures import textures_as_buffers
from hlsl_tool.wgsl.rewrites.depth_textures import split_depth_textures
from hlsl_tool.wgsl.rewrites.entry_bodies import inline_entry_bodies
from hlsl_tool.wgsl.rewrites.quads import expand_quads
from hlsl_tool.wgsl.rewrites.replacements import load_subpass_inputs, zero_draw_parameters
from hlsl_tool.wgsl.writer.context import Context

from .errors import Unsupported, WgslError


@dataclass(slots=True)
class Conversion:
    """The WGSL of a shader, its bindings, and the features and limits that it needs, by WebGPU's names."""

    text: str
    bindings: list[Binding]
    features: tuple[str, ...] = ()
    limits: dict[str, int] = field(default_factory=dict)
    language_features: tuple[str, ...] = ()
    """Features of WGSL, which belong to the browser, not to the device."""


def convert(spirv: bytes, options: Mapping[str, Any] | None = None) -> str:
    """Return the WGSL of a SPIR-V module.

    Options: ``validate`` (True) runs spirv-val before the conversion instead of only after an error; ``spirv_val`` is
    the program's path; ``comments`` (False) begins the text with a table of the names in HLSL; the others are the keys
    below `wgsl` of a configuration, except `optimized`. Raises `WgslError` for a module that is not valid or that WGSL
    cannot express.
    """
    return convert_module(spirv, options).text


_LACKING = {
    Capability.Kernel: "this is a kernel for OpenCL, and WGSL has shaders only",
    Capability.DescriptorHeapEXT: "WGSL has no descriptor heaps: leave out -fspv-use-descriptor-heap",
    Capability.ShaderInvocationReorderEXT: "WGSL has no hit objects",
    Capability.ShaderInvocationReorderNV: "WGSL has no hit objects",
    Capability.UntypedPointersKHR: "WGSL has no untyped pointers: leave out -fspv-extension=SPV_KHR_untyped_pointers",
    Capability.LongVectorEXT: "WGSL has no long vectors: leave out -fspv-extension=SPV_EXT_long_vector",
}
"""Capability → the reason to give for refusing a module; spirv-val may not know the capability."""


def convert_module(spirv: bytes, options: Mapping[str, Any] | None = None) -> Conversion:
    """Return the WGSL with its bindings (see `bindings_json`); options and errors as for `convert`."""
    chosen = Options.read(options)
    try:
        module = decode(spirv)
    except DecodeError as error:
        raise WgslError(f"this is no SPIR-V module: {str(error).removeprefix('this is no SPIR-V: ')}") from error
    for inst in module.capabilities:
        if inst.operands[0] in _LACKING:
            raise WgslError(_LACKING[inst.id(0)])
    if chosen.validate:
        check(spirv, module, chosen.spirv_val)
        return _converted(module, chosen)
    try:
        return _converted(module, chosen)
    except WgslError:
        raise
    except Exception:
        check(spirv, decode(spirv), chosen.spirv_val)  # an exception for an invalid module is not a bug
        raise


def _converted(module: Module, chosen: Options) -> Conversion:
    view, options = View(module), chosen.compilation
    context = Context(view, options, constant_operation, chosen.comments)
    places = Places(view)
    try:
        for inst, model, _ in view.entry_points():
            if model not in VISIBILITY:
                raise places.error(Unsupported("WGSL has vertex, fragment and compute shaders only"), inst)
        if options.wgsl_draw_parameters == "zero":
            zero_draw_parameters(view)
        if options.wgsl_subpass_inputs == "textures":
            load_subpass_inputs(view)
        expand_quads(view)
        functions = Specialiser(view).run()
        inline_entry_bodies(view, functions)
        if options.wgsl_depth_textures == "split":
            split_depth_textures(view, functions)
        if options.wgsl_atomic_textures == "buffers":
            textures_as_buffers(view, functions)
        promote(view, functions)
        find_statics(view, functions)
        find_pure(view, functions)
        usage = Usage(view, functions)
        if split_arrays(view, functions, usage.fragment_only(), options):
            usage = Usage(view, functions)
        check_demands(view, usage, functions, drops_early_tests=options.wgsl_early_fragment_tests == "drop")
        context.handles.collect(functions)
        declare_globals(context, usage)
        text = module_text(context, usage, functions, places)
    except Unsupported as problem:
        raise places.error(problem, view.defs.get(problem.result)) from problem
    bindings = [_source(binding, view, usage) for binding in context.handles.bindings]
    limits = required_limits(view, usage, bindings)
    return Conversion(text, bindings, context.needs.device_features(), limits, tuple(sorted(context.needs.requires)))


def _source(binding: Binding, view: View, usage: Usage) -> Binding:
    """Set a binding's SPIR-V resource and the stages that use it, and return the binding."""
    number = binding.variable
    stages = usage.stages()
    models = {model for function in usage.users.get(number, ()) for model in stages.get(function, ())}
    binding.visibility = sum(VISIBILITY.get(model, 0) for model in models)
    element = view.elements.get(number)
    declared = element.array if element is not None else number
    source: dict[str, Any] = {"name": view.names.get(view.origins.get(declared, declared), "")}
    for key, decoration in (("set", Decoration.DescriptorSet), ("binding", Decoration.Binding)):
        place = view.literal(number, decoration)
        if place is not None:
            source[key] = place
    if element is not None:
        source["element"] = element.place
    binding.source = source
    return binding
