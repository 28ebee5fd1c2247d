"""Textures and samplers: which variable a handle comes from, and what its uses make of it.

SPIR-V's image type says little: whether a texture is a depth texture, a sampler one for comparisons, a storage texture
read or written, follows from the instructions that use them.  Before: no function has a parameter that is a handle
(see `specialise`), so that every handle is traced to a variable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Function, Instruction

from .bindings import Binding, texture_layout
from .context import Context
from .errors import Unsupported
from .handle_tables import DIMS, FORMATS, OTHER_DIMS, READ_WRITE, UNKNOWN_FORMATS
from .uses import CHAINS, SAMPLING
from .view import HANDLES, View

COMPARING = frozenset(
    (
        op.OpImageSampleDrefImplicitLod, op.OpImageSampleDrefExplicitLod, op.OpImageSampleProjDrefImplicitLod,
        op.OpImageSampleProjDrefExplicitLod, op.OpImageDrefGather,
    )
)  # fmt: skip
WITH_SAMPLER = SAMPLING | frozenset((op.OpImageGather, op.OpImageDrefGather, op.OpImageQueryLod))


@dataclass(slots=True)
class Texture:
    """A variable that is, or contains, an image."""

    variable: int
    name: str
    image: Instruction
    """The OpTypeImage."""
    uses: set[str] = field(default_factory=set)
    """compare, sample, read, write, fetch, query."""
    spelled: str = ""

    @property
    def depth(self) -> bool:
        return "compare" in self.uses and self.image.id(5) != 2

    @property
    def multisampled(self) -> bool:
        return self.image.id(4) == 1

    @property
    def arrayed(self) -> bool:
        return self.image.id(3) == 1

    @property
    def storage(self) -> bool:
        return self.image.id(5) == 2

    @property
    def dimensions(self) -> int:
        return DIMS[self.image.id(1)][1]

    @property
    def cube(self) -> bool:
        return self.image.id(1) == e.Dim.Cube


@dataclass(slots=True)
class Sampler:
    """A variable that is a sampler or contains one: as a WGSL sampler and as one for comparisons."""

    plain: str = ""
    comparing: str = ""


class Handle(NamedTuple):
    """Where a handle is: a variable, or an element of one that is an array, which WGSL has as a variable of its own."""

    variable: int
    element: int = -1


NONE = Handle(0)


def trace(view: View, value: int) -> tuple[Handle, Handle]:
    """Where the (image, sampler) of a handle come from; `NONE` for what it has not."""
    inst = view.defs[value]
    if inst.op == op.OpSampledImage:
        return trace(view, inst.id(0))[0], trace(view, inst.id(1))[1]
    if inst.op in (op.OpImage, op.OpCopyObject):
        return trace(view, inst.id(0))
    if inst.op == op.OpLoad:
        handle = handle_of(view, inst.id(0))
        kind = view.type(inst.type_id).op
        return handle if kind != op.OpTypeSampler else NONE, handle if kind != op.OpTypeImage else NONE
    raise Unsupported("a texture or sampler does not come from a variable", value)


def handle_of(view: View, pointer: int) -> Handle:
    """What a pointer to a handle names."""
    inst = view.defs[pointer]
    if inst.op == op.OpVariable:
        return Handle(pointer)
    if inst.op == op.OpCopyObject:
        return handle_of(view, inst.id(0))
    if inst.op in CHAINS:
        base = handle_of(view, inst.id(0))
        index = view.constant(inst.id(1)) if len(inst.operands) == 2 else None
        kind = view.type(view.pointee(view.type_of(base.variable)))
        if index is None or base.element >= 0 or kind.op != op.OpTypeArray:
            raise Unsupported("WGSL has no arrays of textures or samplers that are indexed at run time", pointer)
        if not 0 <= index < view.length(kind.result_id):
            raise Unsupported("an index is beyond an array of textures or samplers", pointer)
        return Handle(base.variable, index)
    raise Unsupported("a texture or sampler does not come from a variable", pointer)


class Handles:
    """All textures and samplers of the module."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.view = context.view
        self.textures: dict[Handle, Texture] = {}
        self.samplers: dict[Handle, Sampler] = {}
        self.sampler_uses: dict[Handle, set[bool]] = {}
        self.declarations: list[str] = []
        self.bindings: list[Binding] = []
        self.next_binding: dict[int, int] = {}
        self.traced: dict[int, tuple[Handle, Handle]] = {}
        self.taken: dict[tuple[int, int], list[set[int]]] = {}
        """Binding → for each variable that has it the entry points that use it."""
        self.entries: dict[int, set[int]] = {}
        """Variable → the entry points that use it: two with one binding must not meet in any."""

    def resolve(self, value: int) -> tuple[Handle, Handle]:
        found = self.traced.get(value)
        if found is None:
            found = self.traced[value] = trace(self.view, value)
        return found

    def collect(self, functions: list[Function]) -> None:
        """Look at every instruction that uses an image."""
        for function in functions:
            for inst in function.instructions():
                use = _use_of(inst)
                if not use:
                    continue
                image, sampler = self.resolve(inst.id(0))
                if image not in self.textures:
                    self.textures[image] = self._texture(image)
                self.textures[image].uses.add(use)
                if inst.op in WITH_SAMPLER:
                    self.sampler_uses.setdefault(sampler, set()).add(inst.op in COMPARING)

    def _texture(self, handle: Handle) -> Texture:
        kind = self._kind(handle.variable)
        if kind.op == op.OpTypeSampledImage:
            kind = self.view.type(kind.id(0))
        return Texture(handle.variable, "", kind)

    # ------------------------------------------------------------------------------------------------- declarations

    def declare(self, variables: list[int]) -> None:
        """Write the variables, in the order of the module; those that nothing uses, too, if they are no arrays."""
        elements: dict[int, set[int]] = {}
        for handle in (*self.textures, *self.sampler_uses):
            if handle.element >= 0:
                elements.setdefault(handle.variable, set()).add(handle.element)
        for variable in variables:
            kind = self._kind(variable)
            if kind.op not in HANDLES:
                if self.entries.get(variable):
                    raise Unsupported("WGSL has no handles of this type", variable)
                continue
            hint = self.view.names.get(variable, "")
            if self.view.type(self.view.pointee(self.view.type_of(variable))).op in HANDLES:
                self._declare(Handle(variable), kind, hint)
            for element in sorted(elements.get(variable, ())):
                self._declare(Handle(variable, element), kind, f"{hint or 'texture'}_{element}")

    def _kind(self, variable: int) -> Instruction:
        """The type of a variable, or of its elements."""
        kind = self.view.type(self.view.pointee(self.view.type_of(variable)))
        while kind.op in (op.OpTypeArray, op.OpTypeRuntimeArray):
            kind = self.view.type(kind.id(0))
        return kind

    def _declare(self, handle: Handle, kind: Instruction, hint: str) -> None:
        if kind.op != op.OpTypeSampler:
            texture = self.textures.get(handle)
            if texture is None:
                if kind.op == op.OpTypeSampledImage:
                    return
                texture = self.textures[handle] = self._texture(handle)
            texture.name = self.context.names.unique(hint, "texture")
            texture.spelled = self._spell(texture)
            sampled = self.context.types.scalar(self.view.type(texture.image.id(0)))
            layout = texture_layout(texture.spelled, sampled, filtered="sample" in texture.uses)
            attributes = self.attributes(handle, texture.name, layout, new=handle.element > 0)
            self.declarations.append(f"{attributes}var {texture.name}: {texture.spelled};\n")
        if kind.op != op.OpTypeImage:
            self._sampler(handle, hint, split=kind.op == op.OpTypeSampledImage)

    def _sampler(self, handle: Handle, hint: str, *, split: bool) -> None:
        uses = self.sampler_uses.get(handle, set() if split or handle.element >= 0 else {False})
        sampler = self.samplers[handle] = Sampler()
        for comparing in sorted(uses):
            both = len(uses) > 1
            suffix = ("_sampler" if split else "") + ("_compare" if comparing and both else "")
            name = self.context.names.unique(hint + suffix, "sampler_")
            own = not split and not (comparing and both) and handle.element <= 0
            spelled = "sampler_comparison" if comparing else "sampler"
            layout = {"sampler": {"type": "comparison" if comparing else "filtering"}}
            attributes = self.attributes(handle, name, layout, new=not own)
            self.declarations.append(f"{attributes}var {name}: {spelled};\n")
            if comparing:
                sampler.comparing = name
            else:
                sampler.plain = name

    def count_bindings(self) -> None:
        """Find out which bindings are free."""
        for target, decorations in self.view.decorations.items():
            binding = decorations.get(e.Decoration.Binding)
            if binding is not None and isinstance(binding[0], int):
                group = self.view.literal(target, e.Decoration.DescriptorSet) or 0
                self.next_binding[group] = max(self.next_binding.get(group, 0), binding[0] + 1)

    def attributes(self, handle: Handle, name: str, layout: dict[str, Any], *, new: bool = False) -> str:
        """``@group(0) @binding(1) ``, or the next free binding of the group; the binding is noted."""
        variable = handle.variable
        group = self.view.literal(variable, e.Decoration.DescriptorSet) or 0
        binding = self.view.literal(variable, e.Decoration.Binding) or 0
        if (group, binding) in self.taken and not new:
            new = any(users & self.entries.get(variable, set()) for users in self.taken[group, binding])
        if not new:
            self.taken.setdefault((group, binding), []).append(self.entries.get(variable, set()))
        else:
            binding = self.next_binding.get(group, 0)
            self.next_binding[group] = binding + 1
        if max(group, binding) >= 1 << 31:
            raise Unsupported(f"a binding has the number {max(group, binding)}", variable)
        self.bindings.append(Binding(group, binding, name, variable, layout, element=handle.element))
        return f"@group({group}) @binding({binding}) "

    def _spell(self, texture: Texture) -> str:
        image = texture.image
        scalar = self.context.types.scalar(self.view.type(image.id(0)))
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
        name = UNKNOWN_FORMATS.get(scalar) if number == e.ImageFormat.Unknown else FORMATS.get(number)
        if name is None:
            raise Unsupported("WGSL has no storage textures of this format", texture.variable)
        read, write = "read" in texture.uses, "write" in texture.uses
        access = "read_write" if read and write else "read" if read else "write"
        if read and write and name not in READ_WRITE:
            raise Unsupported(f"WGSL cannot read and write textures of format {name}", texture.variable)
        if read:
            self.context.needs.requires.add("readonly_and_readwrite_storage_textures")
        return f"texture_storage_{dim}<{name}, {access}>"


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
}
