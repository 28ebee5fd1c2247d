"""Friendly names for ids: ``%v4float``, ``%float_1``, ``%_ptr_Input_v4float``, ``%gl_Position``.

The rules are those of SPIRV-Tools, so that texts compare: OpName wins, then BuiltIn decorations, then a name made from
what defines the id; characters outside of ``[A-Za-z0-9_]`` become underscores, a name in use gets a number.
"""

from __future__ import annotations

from . import enums as e
from . import op
from .encode import function_instructions
from .grammar import tables
from .ir import Instruction, Module
from .numbers import format_number

_GL_NAMES = {
    # built-ins whose GLSL name is not gl_ and the SPIR-V name
    e.BuiltIn.VertexId: "gl_VertexID",
    e.BuiltIn.InstanceId: "gl_InstanceID",
    e.BuiltIn.PrimitiveId: "gl_PrimitiveID",
    e.BuiltIn.InvocationId: "gl_InvocationID",
    e.BuiltIn.SampleId: "gl_SampleID",
    e.BuiltIn.NumWorkgroups: "gl_NumWorkGroups",
    e.BuiltIn.WorkgroupSize: "gl_WorkGroupSize",
    e.BuiltIn.WorkgroupId: "gl_WorkGroupID",
    e.BuiltIn.LocalInvocationId: "gl_LocalInvocationID",
    e.BuiltIn.GlobalInvocationId: "gl_GlobalInvocationID",
}
_GL_SAME = (
    "Position", "PointSize", "ClipDistance", "CullDistance", "Layer", "ViewportIndex", "TessLevelOuter",
    "TessLevelInner", "TessCoord", "PatchVertices", "FragCoord", "PointCoord", "FrontFacing", "SamplePosition",
    "SampleMask", "FragDepth", "HelperInvocation", "LocalInvocationIndex", "VertexIndex", "InstanceIndex",
    "BaseInstance",
)  # fmt: skip
_PLAIN = (
    "WorkDim", "GlobalSize", "EnqueuedWorkgroupSize", "GlobalOffset", "GlobalLinearId", "SubgroupSize",
    "SubgroupMaxSize", "NumSubgroups", "NumEnqueuedSubgroups", "SubgroupId", "SubgroupLocalInvocationId",
    "SubgroupEqMaskKHR", "SubgroupGeMaskKHR", "SubgroupGtMaskKHR", "SubgroupLeMaskKHR", "SubgroupLtMaskKHR",
)  # fmt: skip
_BUILTIN_NAMES: dict[int, str] = (
    _GL_NAMES
    | {getattr(e.BuiltIn, name): f"gl_{name}" for name in _GL_SAME}
    | {getattr(e.BuiltIn, name): name for name in _PLAIN}
)

_INTS = {8: "char", 16: "short", 32: "int", 64: "long"}
_FLOATS = {16: "half", 32: "float", 64: "double"}
_FIXED = {
    op.OpTypeVoid: "void",
    op.OpTypeBool: "bool",
    op.OpTypeEvent: "Event",
    op.OpTypeDeviceEvent: "DeviceEvent",
    op.OpTypeReserveId: "ReserveId",
    op.OpTypeQueue: "Queue",
    op.OpTypePipeStorage: "PipeStorage",
    op.OpTypeNamedBarrier: "NamedBarrier",
    op.OpConstantTrue: "true",
    op.OpConstantFalse: "false",
}
_VALID = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def sanitize(name: str) -> str:
    """A name that the assembler can read; a character of several bytes gives as many underscores."""
    if name.isascii() and name.isidentifier():
        return name
    if not name:
        return "_"
    return "".join(char if char in _VALID else "_" * len(char.encode("utf-8", "surrogateescape")) for char in name)


class Names:
    """The names of the ids of one module; ``names[id]`` has no percent sign."""

    def __init__(self, module: Module) -> None:
        self.by_id: dict[int, str] = {}
        self._used: set[str] = set()
        self._next: dict[str, int] = {}
        self.types: dict[int, Instruction] = {}
        """Result id → its OpType…, for numbers."""
        for inst in module.preamble():
            self._visit(inst)
        for function in module.functions:
            for inst in function_instructions(function):
                if inst.result_id and inst.result_id not in self.by_id:
                    self._save(inst.result_id, str(inst.result_id))

    def __getitem__(self, number: int) -> str:
        return self.by_id.get(number) or str(number)

    def _save(self, number: int, suggested: str) -> None:
        if number in self.by_id:
            return
        base = name = sanitize(suggested)
        if name in self._used:
            index = self._next.get(base, 0)
            while (name := f"{base}_{index}") in self._used:
                index += 1
            self._next[base] = index + 1
        self._used.add(name)
        self.by_id[number] = name

    def _visit(self, inst: Instruction) -> None:
        number = inst.op
        if number == op.OpName:
            self._save(inst.id(0), inst.text(1))
        elif number == op.OpDecorate:
            if inst.operands[1] == e.Decoration.BuiltIn and len(inst.operands) > 2:
                builtin = _BUILTIN_NAMES.get(inst.id(2))
                if builtin is not None:
                    self._save(inst.id(0), builtin)
        elif inst.result_id:
            if not inst.type_id:
                self.types[inst.result_id] = inst
            self._save(inst.result_id, self._suggest(inst))

    def _suggest(self, inst: Instruction) -> str:
        number = inst.op
        if number in _FIXED:
            return _FIXED[number]
        if number == op.OpTypeInt:
            width, signed = inst.id(0), inst.id(1)
            sign = "" if signed else "u"
            return sign + _INTS[width] if width in _INTS else f"{sign or 'i'}{width}"
        if number == op.OpTypeFloat:
            return _FLOATS.get(inst.id(0), f"fp{inst.operands[0]}")
        if number == op.OpTypeVector:
            return f"v{inst.operands[1]}{self[inst.id(0)]}"
        if number == op.OpTypeMatrix:
            return f"mat{inst.operands[1]}{self[inst.id(0)]}"
        if number == op.OpTypeArray:
            return f"_arr_{self[inst.id(0)]}_{self[inst.id(1)]}"
        if number == op.OpTypeRuntimeArray:
            return f"_runtimearr_{self[inst.id(0)]}"
        if number == op.OpTypeNodePayloadArrayAMDX:
            return f"_payloadarr_{self[inst.id(0)]}"
        if number == op.OpTypePointer:
            return f"_ptr_{tables.enum_name('StorageClass', inst.id(0)) or 'Unknown'}_{self[inst.id(1)]}"
        if number == op.OpTypeUntypedPointerKHR:
            return f"_ptr_{tables.enum_name('StorageClass', inst.id(0)) or 'Unknown'}"
        if number == op.OpTypePipe:
            return f"Pipe{tables.enum_name('AccessQualifier', inst.id(0)) or 'Unknown'}"
        if number == op.OpTypeOpaque:
            return f"Opaque_{sanitize(inst.text(0))}"
        if number == op.OpTypeStruct:
            return f"_struct_{inst.result_id}"
        if number == op.OpConstant:
            value = format_number(self.types.get(inst.type_id), inst.operands)
            return f"{self[inst.type_id]}_{value.replace('-', 'n')}"
        return str(inst.result_id)
