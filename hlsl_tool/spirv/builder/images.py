"""Emit image instructions, choosing opcode and operands from the arguments."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass

from .. import enums as e
from .. import op
from ..ir import Operand
from .code import CodeBuilder
from .type_info import Member


@dataclass(slots=True)
class ImageOperands:
    """Optional image operands (ids), written in the order of their mask bits."""

    bias: int | None = None
    lod: int | None = None
    grad: tuple[int, int] | None = None
    const_offset: int | None = None
    offset: int | None = None
    const_offsets: int | None = None
    sample: int | None = None
    min_lod: int | None = None

    def words(self) -> list[Operand]:
        """Return the mask followed by the operands; as in DXC, the mask is written even if it is 0."""
        mask = 0
        out: list[Operand] = []
        bits = e.ImageOperands
        for bit, value in (
            (bits.Bias, self.bias),
            (bits.Lod, self.lod),
            (bits.Grad, self.grad),
            (bits.ConstOffset, self.const_offset),
            (bits.Offset, self.offset),
            (bits.ConstOffsets, self.const_offsets),
            (bits.Sample, self.sample),
            (bits.MinLod, self.min_lod),
        ):
            if value is not None:
                mask |= bit
                out += value if isinstance(value, tuple) else (value,)
        return [mask, *out]

    @property
    def explicit_lod(self) -> bool:
        """Return whether sampling with these operands needs an ExplicitLod opcode."""
        return self.lod is not None or self.grad is not None


_SAMPLE = {
    # (dref, explicit, sparse): opcode
    (False, False, False): op.OpImageSampleImplicitLod,
    (False, True, False): op.OpImageSampleExplicitLod,
    (True, False, False): op.OpImageSampleDrefImplicitLod,
    (True, True, False): op.OpImageSampleDrefExplicitLod,
    (False, False, True): op.OpImageSparseSampleImplicitLod,
    (False, True, True): op.OpImageSparseSampleExplicitLod,
    (True, False, True): op.OpImageSparseSampleDrefImplicitLod,
    (True, True, True): op.OpImageSparseSampleDrefExplicitLod,
}


class ImageBuilder(CodeBuilder):
    """The methods of ``ModuleBuilder`` for image instructions.

    With ``residency``, a pointer to a uint for the residency code, the instruction is a sparse one. The texel is
    returned in any case.
    """

    def combine(self, image: int, sampler: int) -> int:
        """Emit ``OpSampledImage``."""
        return self.emit(op.OpSampledImage, self.sampled_image(self.type_id_of(image)), image, sampler)

    def _image_op(self, opcode: int, texel_type: int, operands: list[Operand], residency: int | None) -> int:
        if residency is None:
            return self.emit(opcode, texel_type, *operands)
        both = self.struct(
            "SparseResidencyStruct", (Member(self.u32(), "Residency.Code"), Member(texel_type, "Result.Type"))
        )
        result = self.emit(opcode, both, *operands)
        self.store(residency, self.extract(result, 0))
        return self.extract(result, 1)

    def image_sample(
        self,
        texel_type: int,
        image: int,
        sampler: int | None,
        coordinate: int,
        operands: ImageOperands,
        *,
        dref: int | None = None,
        residency: int | None = None,
    ) -> int:
        """Emit a sampling instruction; without a sampler, ``image`` is already a sampled image."""
        opcode = _SAMPLE[dref is not None, operands.explicit_lod, residency is not None]
        sampled = image if sampler is None else self.combine(image, sampler)
        head: list[Operand] = [sampled, coordinate] if dref is None else [sampled, coordinate, dref]
        return self._image_op(opcode, texel_type, head + operands.words(), residency)

    def image_fetch(
        self, texel_type: int, image: int, coordinate: int, operands: ImageOperands, *, residency: int | None = None
    ) -> int:
        """Emit ``OpImageFetch`` from a sampled image."""
        opcode = op.OpImageFetch if residency is None else op.OpImageSparseFetch
        return self._image_op(opcode, texel_type, [image, coordinate, *operands.words()], residency)

    def image_read(
        self, texel_type: int, image: int, coordinate: int, operands: ImageOperands, *, residency: int | None = None
    ) -> int:
        """Emit ``OpImageRead`` from a storage image."""
        opcode = op.OpImageRead if residency is None else op.OpImageSparseRead
        return self._image_op(opcode, texel_type, [image, coordinate, *operands.words()], residency)

    def image_write(self, image: int, coordinate: int, texel: int, operands: ImageOperands | None = None) -> None:
        """Emit ``OpImageWrite``."""
        self.emit_void(op.OpImageWrite, image, coordinate, texel, *(operands or ImageOperands()).words())

    def image_gather(
        self,
        texel_type: int,
        image: int,
        sampler: int | None,
        coordinate: int,
        operands: ImageOperands,
        *,
        component: int | None = None,
        dref: int | None = None,
        residency: int | None = None,
    ) -> int:
        """Emit ``OpImageGather`` for a component; with ``dref`` ``OpImageDrefGather``."""
        sparse = residency is not None
        if dref is not None:
            opcode, last = (op.OpImageSparseDrefGather if sparse else op.OpImageDrefGather), dref
        else:
            assert component is not None
            opcode, last = (op.OpImageSparseGather if sparse else op.OpImageGather), component
        sampled = image if sampler is None else self.combine(image, sampler)
        return self._image_op(opcode, texel_type, [sampled, coordinate, last, *operands.words()], residency)

    def image_query(self, opcode: int, type_id: int, image: int, extra: int | None = None) -> int:
        """Emit an ``OpImageQuery…``; ``extra`` is the lod or the coordinate."""
        return self.emit(opcode, type_id, image) if extra is None else self.emit(opcode, type_id, image, extra)

    def sparse_texels_resident(self, code: int) -> int:
        """Emit ``OpImageSparseTexelsResident``."""
        return self.emit(op.OpImageSparseTexelsResident, self.bool_type(), code)

    def image_texel_pointer(self, element_type: int, image: int, coordinate: int, sample: int) -> int:
        """Emit ``OpImageTexelPointer`` to a texel of ``element_type``; ``image`` is a pointer."""
        pointer = self.pointer(e.StorageClass.Image, element_type)
        return self.emit(op.OpImageTexelPointer, pointer, image, coordinate, sample)
