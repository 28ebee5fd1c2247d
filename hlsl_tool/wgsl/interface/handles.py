"""Textures and samplers: a WGSL variable for each, of the kind that its uses require.

SPIR-V's image type contains no information on depth comparison, on comparison samplers, or on the access of storage
textures: the instructions that use an image decide. Before: no function has a handle as a parameter (see `specialise`),
and there are no arrays of them (see `elements`), so that every handle can be traced to a variable.
"""

from __future__ import annotations

from typing import Any

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.enums import Decoration, ExecutionModel, ImageFormat
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.arrays.binding_arrays import GROUPS
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.interface.bind_group_layouts import Binding, texture_layout
from hlsl_tool.wgsl.interface.binding_arrays import array_features
from hlsl_tool.wgsl.interface.handle_tables import (
    DIMS,
    FORMATS,
    OTHER_DIMS,
    READ_WRITE,
    READ_WRITE_TIER2,
    UNKNOWN_FORMATS,
    WIDENED,
    feature_of_format,
)
from hlsl_tool.wgsl.interface.moved import Moved
from hlsl_tool.wgsl.interface.texel_buffers import declaration as texel_buffer
from hlsl_tool.wgsl.interface.texel_buffers import is_written
from hlsl_tool.wgsl.interface.texture import Texture
from hlsl_tool.wgsl.module.uses import COMPARING, SAMPLING, root_of
from hlsl_tool.wgsl.module.view import HANDLES, Element, View
from hlsl_tool.wgsl.writer.unique_names import Names
from hlsl_tool.wgsl.writer.wgsl_types import Requirements, WgslTypes

FIRST_FREE = {ExecutionModel.Vertex: 500, ExecutionModel.Fragment: 700}
"""Stage → first binding for additional variables: the stages of a pipeline share groups, with 1000 bindings each."""

WITH_SAMPLER = SAMPLING | frozenset((op.OpImageGather, op.OpImageDrefGather, op.OpImageQueryLod))


FILTERING, NON_FILTERING, COMPARISON = "filtering", "non-filtering", "comparison"
"""GPUSamplerBindingType, in the order of the bindings of one sampler's variables."""

SUFFIXES = {FILTERING: "", NON_FILTERING: "_unfiltered", COMPARISON: "_compare"}


def trace(view: View, value: int) -> tuple[int, int]:
    """Return the (image, sampler) variables that a handle was loaded from; 0 for one that it does not include.

    A parameter that is an image counts as a variable.
    """
    inst = view.defs[value]
    if inst.op == op.OpSampledImage:
        return trace(view, inst.id(0))[0], trace(view, inst.id(1))[1]
    if inst.op in (op.OpImage, op.OpCopyObject):
        return trace(view, inst.id(0))
    if inst.op == op.OpFunctionParameter:
        return value, 0
    if inst.op == op.OpLoad:
        handle = handle_of(view, inst.id(0))
        kind = view.type(inst.type_id).op
        return handle if kind != op.OpTypeSampler else 0, handle if kind != op.OpTypeImage else 0
    raise Unsupported("a texture or sampler does not come from a variable", value)


def handle_of(view: View, pointer: int) -> int:
    """Return the variable that a pointer to a texture or sampler points to.

    Raise `Unsupported` for any other pointer.
    """
    inst = view.defs[pointer]
    if inst.op == op.OpVariable:
        return pointer
    if inst.op == op.OpCopyObject or (inst.op in ACCESS_CHAINS and root_of(view, pointer)[0].op == op.OpVariable):
        return handle_of(view, inst.id(0))
    raise Unsupported("a texture or sampler does not come from a variable", pointer)


class Handles:
    """All textures and samplers of the module, with their uses and their WGSL declarations."""

    def __init__(
        self, view: View, names: Names, types: WgslTypes, needs: Requirements, options: CompileOptions
    ) -> None:
        self.options = options
        self.moved = Moved(view, compact=options.wgsl_bindings == "compact")
        self.view = view
        self.names = names
        self.types = types
        self.needs = needs
        self.textures: dict[int, Texture] = {}
        self.samplers: dict[int, dict[str, str]] = {}
        """Sampler → kind → name of the WGSL sampler."""
        self.sampled: dict[int, set[tuple[int, bool]]] = {}
        """Sampler → (image that it samples, whether it compares)."""
        self.declarations: list[str] = []
        self.bindings: list[Binding] = []
        self.next_binding: dict[int, int] = {}
        self.first_free = 0
        self.traced: dict[int, tuple[int, int]] = {}
        self.behind: dict[int, int] = {}
        """Array → the binding of its second element."""
        self.taken: dict[tuple[int, int], list[set[int]]] = {}
        """Binding → entry points of each of its variables."""
        self.entries: dict[int, set[int]] = {}
        """Variable → entry points that use it; variables with the same binding must not share one."""
        self.vertex: set[int] = set()
        """Variables that vertex shaders use."""

    def resolve(self, value: int) -> tuple[int, int]:
        variables = self.traced.get(value)
        if variables is None:
            variables = self.traced[value] = trace(self.view, value)
        return variables

    def collect(self, functions: list[Function]) -> None:
        """Record how instructions use each image."""
        for function in functions:
            for inst in function.instructions():
                if inst.op == op.OpFunctionCall:
                    self._lend(inst)
                use = _use_of(inst)
                if not use:
                    continue
                if inst.op == op.OpImageTexelPointer:
                    image, sampler = handle_of(self.view, inst.id(0)), 0
                else:
                    image, sampler = self.resolve(inst.id(0))
                if image not in self.textures:
                    self.textures[image] = self._texture(image)
                self.textures[image].uses.add(use)
                if inst.op == op.OpImageWrite:
                    count = self.view.components(self.view.type_of(inst.id(2)))
                    self.textures[image].written = max(self.textures[image].written, count)
                if inst.op in WITH_SAMPLER:
                    self.sampled.setdefault(sampler, set()).add((image, inst.op in COMPARING))

    def _lend(self, call: Instruction) -> None:
        """Record that a call's textures have the uses of its parameters, whose function comes before the call."""
        parameters = self.view.functions[call.id(0)].parameters
        for parameter, argument in zip(parameters, call.ints()[1:], strict=True):
            if self.view.type(parameter.type_id).op == op.OpTypeImage:
                image, _ = self.resolve(argument)
                texture = self.textures.setdefault(image, self._texture(image))
                texture.uses |= self.textures[parameter.result_id].uses

    def texel_buffer(self, pointer: int) -> Texture | None:
        """Return the texel buffer that a pointer points to; ``None`` for other textures."""
        texture = self.textures[handle_of(self.view, pointer)]
        return texture if texture.texel_buffer else None

    def _texture(self, variable: int) -> Texture:
        kind = self._kind(variable)
        if kind.op == op.OpTypeSampledImage:
            kind = self.view.type(kind.id(0))
        return Texture(variable, "", kind, expanded=self.options.wgsl_texel_buffers == "expanded")

    # ------------------------------------------------------------------------------------------------- declarations

    def declare(self, variables: list[int]) -> None:
        """Write the declarations of the textures and samplers that an entry point uses, in the module's order."""
        for variable in variables:
            if not self.entries.get(variable):
                continue
            kind = self._kind(variable)
            if kind.op in HANDLES:
                self._declare(variable, kind, self.view.names.get(variable, ""))
            else:
                raise Unsupported("WGSL has no handles of this type", variable)

    def _kind(self, variable: int) -> Instruction:
        return self.view.type(self.view.resource_type(variable))

    def parameter(self, number: int, name: str) -> str:
        """Set the name of a texture that is a parameter, and return its type."""
        texture = self.textures[number]
        texture.name, texture.spelled = name, self._spell(texture)
        return texture.spelled

    def _declare(self, variable: int, kind: Instruction, hint: str) -> None:
        if kind.op != op.OpTypeSampler:
            texture = self.textures.get(variable)
            if texture is None:
                texture = self.textures[variable] = self._texture(variable)
            texture.name = self.names.unique(hint, "texture")
            if texture.texel_buffer:
                if is_written(texture) and variable in self.vertex:
                    raise Unsupported("WebGPU's vertex shaders cannot write to buffers", variable)
                layout, access, spelled = texel_buffer(self.types, texture)
                if variable in self.view.binding_arrays:
                    members = [("", "texels", spelled)]
                    spelled = self.types.declare(0, members, name=f"{texture.name}_texels").name
                attributes = self.attributes(variable, texture.name, layout)
                spelled = self.declared(variable, spelled)
                self.declarations.append(f"{attributes}var<storage, {access}> {texture.name}: {spelled};\n")
                return
            texture.spelled = self._spell(texture)
            sampled = self.types.scalar(self.view.type(texture.image.id(0)))
            layout = texture_layout(texture.spelled, sampled, filtered="sample" in texture.uses)
            attributes = self.attributes(variable, texture.name, layout)
            spelled = self.declared(variable, texture.spelled)
            self.declarations.append(f"{attributes}var {texture.name}: {spelled};\n")
        if kind.op != op.OpTypeImage:
            self._sampler(variable, hint, split=kind.op == op.OpTypeSampledImage)

    def declared(self, variable: int, spelled: str) -> str:
        """Return the type of a resource's declaration; ``spelled`` is that of an element if it is an array."""
        count = self.view.binding_arrays.get(variable)
        if not count:
            return spelled
        if self.options.wgsl_naga:
            self.needs.enables.add("wgpu_binding_array")
            self.needs.features.update(array_features(self.bindings[-1]))
        else:
            self.needs.requires.add("sized_binding_array")
        return f"binding_array<{spelled}, {count}>"

    def sampler_kind(self, image: int, *, comparing: bool) -> str:
        """Return the kind of sampler that an image needs: WebGPU does not filter depths and integers."""
        if comparing:
            return COMPARISON
        texture = self.textures[image]
        integers = self.view.type(texture.image.id(0)).op == op.OpTypeInt
        return NON_FILTERING if texture.depth or integers else FILTERING

    def _sampler(self, variable: int, hint: str, *, split: bool) -> None:
        """Declare a WGSL sampler for each kind of use of a SPIR-V sampler.

        The first has the binding of the SPIR-V sampler, the others new ones. With ``split`` all have new bindings.
        """
        uses = self.sampled.get(variable)
        kinds = {self.sampler_kind(image, comparing=comparing) for image, comparing in uses or ()}
        if uses is None and not split:
            kinds = {FILTERING}
        names = self.samplers[variable] = {}
        for kind in [kind for kind in SUFFIXES if kind in kinds]:
            new = split or bool(names)
            name = self.names.unique(
                hint + ("_sampler" if split else "") + (SUFFIXES[kind] if names else ""), "sampler_"
            )
            names[kind] = name
            spelled = "sampler_comparison" if kind == COMPARISON else "sampler"
            attributes = self.attributes(variable, name, {"sampler": {"type": kind}}, new=new)
            self.declarations.append(f"{attributes}var {name}: {self.declared(variable, spelled)};\n")

    def count_bindings(self) -> None:
        """Find the lowest binding numbers that are free in this stage and in the other stages of a pipeline."""
        models = {model for _, model, _ in self.view.entry_points()}
        self.first_free = next((first for model, first in FIRST_FREE.items() if model in models), 0)
        for target, decorations in self.view.decorations.items():
            binding = decorations.get(Decoration.Binding)
            if binding is not None and isinstance(binding[0], int):
                group = self.view.literal(target, Decoration.DescriptorSet) or 0
                self.next_binding[group] = max(self.next_binding.get(group, 0), binding[0] + 1)

    def attributes(self, variable: int, name: str, layout: dict[str, Any], *, new: bool = False) -> str:
        """Record a variable's binding and return ``@group(0) @binding(1) ``.

        With ``new`` choose the next free binding.
        """
        element = self.view.elements.get(variable)
        group = self.view.literal(variable, Decoration.DescriptorSet) or 0
        binding = self.view.literal(variable, Decoration.Binding) or 0
        mine = self.entries.get(variable, set())
        count = self.view.binding_arrays.get(variable, 1)
        numbers = 1 if self.options.wgsl_naga else count
        new = new or (numbers > 1 and self._is_crowded(group, binding, numbers))
        if element is not None and element.place and not new:
            binding = self._element(group, element)
        elif new or any(users & mine for users in self.taken.get((group, binding), ())):
            binding = self._free(group, numbers)
        else:
            self.taken.setdefault((group, binding), []).append(mine)
        group, binding = self.moved.place(variable, group, binding, numbers)
        if max(group, binding) >= 1 << 31:
            raise Unsupported(f"a binding has the number {max(group, binding)}", variable)
        size = "" if count == 1 else "count" if self.options.wgsl_naga else "bindingArraySize"
        self.bindings.append(Binding(group, binding, name, variable, layout, count, size))
        return f"@group({group}) @binding({binding}) "

    def groups_without_uniforms(self) -> set[int]:
        """Return the groups that have arrays of resources in wgpu, which wants no uniform buffers beside them."""
        arrays = self.view.binding_arrays if self.options.wgsl_naga else ()
        groups = {self.view.literal(variable, Decoration.DescriptorSet) or 0 for variable in arrays}
        return {min(group, GROUPS - 1) for group in groups}

    def _free(self, group: int, count: int) -> int:
        first = max(self.next_binding.get(group, 0), self.first_free)
        self.next_binding[group] = first + count
        return first

    def _is_crowded(self, group: int, binding: int, count: int) -> bool:
        """Return whether some resource has a binding behind the first of the ``count`` that an array needs."""
        others = (
            decorations[Decoration.Binding][0]
            for decorations in self.view.decorations.values()
            if Decoration.Binding in decorations and (decorations.get(Decoration.DescriptorSet) or [0])[0] == group
        )
        return any(isinstance(other, int) and binding < other < binding + count for other in others)

    def _element(self, group: int, element: Element) -> int:
        """Return the binding of an array element other than the first.

        Elements have consecutive bindings, used or not.
        """
        if not element.count:
            return self._free(group, 1)
        if element.array not in self.behind:
            self.behind[element.array] = self._free(group, element.count - 1)
        return self.behind[element.array] + element.place - 1

    def _spell(self, texture: Texture) -> str:
        image = texture.image
        scalar = self.types.scalar(self.view.type(image.id(0)))
        if image.id(1) not in DIMS:
            what = OTHER_DIMS.get(image.id(1), "textures of this dimensionality")
            raise Unsupported(f"WGSL has no {what}", texture.variable)
        dim = DIMS[image.id(1)][0] + ("_array" if texture.arrayed else "")
        if texture.multisampled:
            if dim != "2d" or texture.storage:
                raise Unsupported("WGSL has only plain 2D textures with samples", texture.variable)
            return "texture_depth_multisampled_2d" if texture.depth else f"texture_multisampled_2d<{scalar}>"
        if dim == "1d_array":
            raise Unsupported("WGSL has no arrays of 1D textures", texture.variable)
        if texture.storage:
            if texture.uses & {"write"} and texture.variable in self.vertex:
                raise Unsupported("WebGPU's vertex shaders cannot write to textures", texture.variable)
            return self._spell_storage(texture, dim, scalar)
        if texture.depth:
            if dim in ("1d", "3d"):
                raise Unsupported(f"WGSL has no depth textures of dimension {dim}", texture.variable)
            return f"texture_depth_{dim}"
        return f"texture_{dim}<{scalar}>"

    def _spell_storage(self, texture: Texture, dim: str, scalar: str) -> str:
        if dim.startswith("cube"):
            raise Unsupported("WGSL has no storage textures that are cubes", texture.variable)
        number = texture.image.id(6)
        name = UNKNOWN_FORMATS.get(scalar) if number == ImageFormat.Unknown else FORMATS.get(number)
        if name is None:
            raise Unsupported("WGSL has no storage textures of this format", texture.variable)
        read, write = "read" in texture.uses, "write" in texture.uses
        access = "read_write" if read and write else "read" if read else "write"
        if read and write and number == ImageFormat.Unknown and texture.written == 1:
            name = name.replace("rgba", "r")
        if read and write and name in WIDENED and self.options.wgsl_storage_formats == "widened":
            name, texture.widened = WIDENED[name]
        if read and write and name not in READ_WRITE | READ_WRITE_TIER2:
            raise Unsupported(f"WGSL cannot read and write textures of format {name}", texture.variable)
        self._require_feature(feature_of_format(name, access), name, access, texture.variable)
        if read:
            self.needs.requires.add("readonly_and_readwrite_storage_textures")
        return f"texture_storage_{dim}<{name}, {access}>"

    def _require_feature(self, feature: str, name: str, access: str, variable: int) -> None:
        """Record that the shader needs a device feature; raise `Unsupported` if the options do not allow it."""
        if not feature:
            return
        if self.options.wgsl_texture_formats == "core":
            verbs = {"read": "read", "write": "write", "read_write": "read and write"}[access]
            raise Unsupported(f"only devices with `{feature}` can {verbs} textures of format {name}", variable)
        self.needs.features.add(feature)


def _use_of(inst: Instruction) -> str:
    if inst.op in COMPARING:
        return "compare"
    if inst.op in SAMPLING or inst.op in (op.OpImageGather, op.OpImageQueryLod):
        return "sample"
    return _USES.get(inst.op, "")


_USES = {
    op.OpImageRead: "read",
    op.OpImageWrite: "write",
    op.OpImageFetch: "fetch",
    op.OpImageQuerySize: "query",
    op.OpImageQuerySizeLod: "query",
    op.OpImageQueryLevels: "query",
    op.OpImageQuerySamples: "query",
    op.OpImageTexelPointer: "atomic",
}
