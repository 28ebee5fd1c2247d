"""Convert textures with atomics to storage buffers, by option.

WGSL has atomics in buffers only. Before: atomics on texels of images. After: each such image is a storage buffer

    struct AtomicTexture { size: vec3u, texels: array<u32> }

that the host fills: the width, height and depth (or layers; 1 for dimensions that the texture lacks), a word for
accesses outside of the texture, and from byte 16 on the texels, row by row and layer by layer.
"""

from __future__ import annotations

from typing import NamedTuple

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, ARRAYS
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import Decoration, Dim, StorageClass
from hlsl_tool.spirv.ir import Block, Function, Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.uses import root_of
from hlsl_tool.wgsl.module.view import View
from hlsl_tool.wgsl.rewrites.additions import Additions

DIMENSIONS = {Dim.Dim1D: 1, Dim.Dim2D: 2, Dim.Dim3D: 3}


class _Texture(NamedTuple):
    """A texture that is converted to a buffer."""

    image: Instruction
    """The type of the image."""
    buffer: int
    """The id of the struct that replaces it."""

    @property
    def dimensions(self) -> int:
        """The number of components of the texture's coordinates, including the layer."""
        return DIMENSIONS[self.image.id(1)] + self.image.id(3)


def textures_as_buffers(view: View, functions: list[Function]) -> None:
    """Convert the textures with atomics; ``functions`` are those that entry points call, and gain a helper function."""
    variables = {
        root.result_id: root
        for function in functions
        for inst in function.instructions()
        if inst.op == op.OpImageTexelPointer and (root := root_of(view, inst.id(0))[0]).op == op.OpVariable
    }
    if not variables:
        return
    rewriting = _Rewriting(view)
    for variable in variables.values():
        rewriting.declare(variable)
    if not rewriting.pointers:
        return
    for function in functions:
        rewriting.rewrite(function)
    functions.insert(0, rewriting.texel_index)


class _Rewriting:
    """Rewrites the texture accesses of one module."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.additions = Additions(view)
        self.uint = self.additions.uint
        self.uint3 = self.additions.type(op.OpTypeVector, self.uint, 3)
        self.structs: dict[int, int] = {}
        """Type of texel → struct."""
        self.pointers: dict[int, _Texture] = {}
        """Pointer to an image, or to an array of images → the texture."""
        self.images: dict[int, int] = {}
        """Loaded image → pointer to it."""
        self._texel_index: Function | None = None

    # ------------------------------------------------------------------------------------------------- declarations

    def declare(self, variable: Instruction) -> None:
        """Convert a variable to a buffer if it has texels of integers and coordinates of one to three components."""
        view = self.view
        kind = view.type(view.pointee(variable.type_id))
        while kind.op in ARRAYS:
            kind = view.type(kind.id(0))
        if kind.id(1) not in DIMENSIONS or kind.id(4) or view.type(kind.id(0)).op != op.OpTypeInt:
            return
        texture = _Texture(kind, self._struct(kind.id(0)))
        variable.type_id = self._pointer(variable.type_id, texture)
        variable.operands[0] = StorageClass.StorageBuffer
        self.pointers[variable.result_id] = texture

    def _struct(self, texel: int) -> int:
        """Return the id of the struct type for a buffer with texels of a type."""
        if texel not in self.structs:
            view, array = self.view, self.additions.add(op.OpTypeRuntimeArray, 0, texel)
            view.decorations[array] = {Decoration.ArrayStride: [4]}
            struct = self.structs[texel] = self.additions.add(op.OpTypeStruct, 0, self.uint3, array)
            view.decorations[struct] = {Decoration.Block: []}
            view.names[struct] = "AtomicTexture"
            for index, (name, offset) in enumerate((("size", 0), ("texels", 12))):
                view.member_decorations[struct, index] = {Decoration.Offset: [offset]}
                view.member_names[struct, index] = name
        return self.structs[texel]

    def _pointer(self, pointer_type: int, texture: _Texture) -> int:
        """Return the id of the pointer type to a buffer (or array of buffers) that replaces one to images."""
        return self.additions.pointer(
            StorageClass.StorageBuffer, self._replaced(self.view.pointee(pointer_type), texture)
        )

    def _replaced(self, type_id: int, texture: _Texture) -> int:
        kind = self.view.type(type_id)
        if kind.op not in ARRAYS:
            return texture.buffer
        return self.additions.type(kind.op, self._replaced(kind.id(0), texture), *kind.ints()[1:])

    # ------------------------------------------------------------------------------------------------- instructions

    def rewrite(self, function: Function) -> None:
        """Rewrite the uses of converted textures in one function."""
        for block in function.blocks:
            self.additions.out = []
            for inst in block.instructions:
                self._instruction(inst)
            block.instructions = self.additions.out

    def _instruction(self, inst: Instruction) -> None:
        texture = self.pointers.get(inst.id(0)) if inst.operands and isinstance(inst.operands[0], int) else None
        if inst.op == op.OpLoad and texture is not None:
            self.images[inst.result_id] = inst.id(0)
        elif texture is not None and (inst.op in ACCESS_CHAINS or inst.op == op.OpCopyObject):
            self.pointers[inst.result_id] = texture
            inst.type_id = self._pointer(inst.type_id, texture)
            self.additions.out.append(inst)
        elif texture is not None and inst.op == op.OpImageTexelPointer:
            self._texel(inst.id(0), inst.id(1), texture, instead=inst)
        elif any(operand in self.images or operand in self.pointers for operand in used_ids(inst)):
            self._use(inst)
        else:
            self.additions.out.append(inst)

    def _use(self, inst: Instruction) -> None:
        """Rewrite an instruction that uses a loaded image."""
        pointer = self.images.get(inst.id(0))
        if inst.op == op.OpCopyObject and pointer is not None:
            self.images[inst.result_id] = pointer
        elif inst.op == op.OpImageRead and pointer is not None:
            self._read(inst, pointer)
        elif inst.op == op.OpImageWrite and pointer is not None:
            self._write(inst, pointer)
        elif inst.op == op.OpImageQuerySize and pointer is not None:
            self._size(inst, pointer)
        else:
            raise Unsupported("a texture with atomics is used in a way that a buffer cannot be", inst.result_id)

    def _read(self, inst: Instruction, pointer: int) -> None:
        """Emit a read of a texel, which gives zero outside of the texture."""
        emit, texture = self.additions.emit, self.pointers[pointer]
        texel_type = texture.image.id(0)
        place, index = self._texel(pointer, inst.id(1), texture)
        boolean = self.additions.type(op.OpTypeBool)
        inside = emit(op.OpINotEqual, boolean, index, self.additions.constant(0))
        texel = emit(op.OpLoad, texel_type, place)
        count = self.view.components(inst.type_id)
        zero = self.additions.add(op.OpConstantNull, texel_type)
        texel = emit(op.OpSelect, texel_type, inside, texel, zero, instead=inst if count == 1 else None)
        if count > 1:
            one = self.additions.add(op.OpConstant, texel_type, 1)
            rest = [zero, zero, one][: count - 1]
            emit(op.OpCompositeConstruct, inst.type_id, texel, *rest, instead=inst)

    def _write(self, inst: Instruction, pointer: int) -> None:
        texture = self.pointers[pointer]
        place, _ = self._texel(pointer, inst.id(1), texture)
        texel = inst.id(2)
        if self.view.components(self.view.type_of(texel)) > 1:
            texel = self.additions.emit(op.OpCompositeExtract, texture.image.id(0), texel, 0)
        self.additions.out.append(Instruction(op.OpStore, 0, 0, [place, texel]))

    def _size(self, inst: Instruction, pointer: int) -> None:
        emit, count = self.additions.emit, self.view.components(inst.type_id)
        size = self._load_size(pointer)
        signed = self.view.is_signed(inst.type_id)
        if count == 1:
            size = emit(op.OpCompositeExtract, self.uint, size, 0, instead=None if signed else inst)
        else:
            type_id = self.additions.type(op.OpTypeVector, self.uint, count)
            size = emit(op.OpVectorShuffle, type_id, size, size, *range(count), instead=None if signed else inst)
        if signed:
            emit(op.OpBitcast, inst.type_id, size, instead=inst)

    def _load_size(self, pointer: int) -> int:
        target = self.additions.pointer(StorageClass.StorageBuffer, self.uint3)
        place = self.additions.emit(op.OpAccessChain, target, pointer, self.additions.constant(0))
        return self.additions.emit(op.OpLoad, self.uint3, place)

    def _texel(
        self, pointer: int, coordinate: int, texture: _Texture, instead: Instruction | None = None
    ) -> tuple[int, int]:
        """Emit the computation of a texel's position; return (pointer to the texel, its index)."""
        emit = self.additions.emit
        size = self._load_size(pointer)
        arguments = [size, self._coordinate(coordinate, texture.dimensions)]
        index = emit(op.OpFunctionCall, self.uint, self.texel_index.id, *arguments)
        target = self.additions.pointer(StorageClass.StorageBuffer, texture.image.id(0))
        one = self.additions.constant(1)
        return emit(op.OpAccessChain, target, pointer, one, index, instead=instead), index

    def _coordinate(self, coordinate: int, dimensions: int) -> int:
        """Emit the conversion of a coordinate to three unsigned components."""
        emit, view = self.additions.emit, self.view
        given = view.components(view.type_of(coordinate))
        if view.is_signed(view.type_of(coordinate)):
            kind = self.uint if given == 1 else self.additions.type(op.OpTypeVector, self.uint, given)
            coordinate = emit(op.OpBitcast, kind, coordinate)
        if given == dimensions == 3:
            return coordinate
        parts = [coordinate]
        if given > 1:
            parts = [emit(op.OpCompositeExtract, self.uint, coordinate, index) for index in range(dimensions)]
        zeros = [self.additions.constant(0)] * (3 - dimensions)
        return emit(op.OpCompositeConstruct, self.uint3, *parts, *zeros)

    @property
    def texel_index(self) -> Function:
        """The helper function that returns the index of a texel; 0 for a coordinate outside of the texture."""
        if self._texel_index is None:
            self._texel_index = self._write_texel_index()
        return self._texel_index

    def _write_texel_index(self) -> Function:
        view, additions, uint = self.view, self.additions, self.uint
        emit = additions.emit
        outer, additions.out = additions.out, []
        parameters = [Instruction(op.OpFunctionParameter, self.uint3, view.fresh(), []) for _ in range(2)]
        size, coordinate = (parameter.result_id for parameter in parameters)
        view.names[size], view.names[coordinate] = "size", "coordinate"
        x, y, z = (emit(op.OpCompositeExtract, uint, coordinate, index) for index in range(3))
        width, height = (emit(op.OpCompositeExtract, uint, size, index) for index in range(2))
        row = emit(op.OpIAdd, uint, emit(op.OpIMul, uint, z, height), y)
        index = emit(op.OpIAdd, uint, emit(op.OpIMul, uint, row, width), x)
        boolean = additions.type(op.OpTypeBool)
        less = emit(op.OpULessThan, additions.type(op.OpTypeVector, boolean, 3), coordinate, size)
        inside = emit(op.OpAll, boolean, less)
        behind = emit(op.OpIAdd, uint, index, additions.constant(1))
        result = emit(op.OpSelect, uint, inside, behind, additions.constant(0))
        additions.out.append(Instruction(op.OpReturnValue, 0, 0, [result]))
        body, additions.out = additions.out, outer
        signature = additions.type(op.OpTypeFunction, uint, self.uint3, self.uint3)
        number = view.fresh()
        view.names[number] = "texel_index"
        function = Function(
            Instruction(op.OpFunction, uint, number, [0, signature]), parameters, [Block(view.fresh(), body)]
        )
        view.add_function(function)
        view.module.functions.append(function)
        return function
