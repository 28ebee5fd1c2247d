"""Friendly names for ids: ``%v4float``, ``%float_1``, ``%_ptr_Input_v4float``, ``%gl_Position``.

The rules are those of SPIRV-Tools, so that texts can be compared: OpName has precedence, then BuiltIn decorations, then
a name derived from the definition. Characters outside of ``[A-Za-z0-9_]`` become underscores; a name that is in use
gets a number.
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.spirv import op
from hlsl_tool.spirv.encode import function_instructions
from hlsl_tool.spirv.enums import BuiltIn, Decoration
from hlsl_tool.spirv.grammar import tables
from hlsl_tool.spirv.ir import Instruction, Module
from hlsl_tool.spirv.numbers import format_number

_GL_NAMES = {
    # built-ins whose GLSL name is not gl_ and the SPIR-V name
    BuiltIn.VertexId: "gl_VertexID",
    BuiltIn.InstanceId: "gl_InstanceID",
    BuiltIn.PrimitiveId: "gl_PrimitiveID",
    BuiltIn.InvocationId: "gl_InvocationID",
    BuiltIn.SampleId: "gl_SampleID",
    BuiltIn.NumWorkgroups: "gl_NumWorkGroups",
    BuiltIn.WorkgroupSize: "gl_WorkGroupSize",
    BuiltIn.WorkgroupId: "gl_WorkGroupID",
    BuiltIn.LocalInvocationId: "gl_LocalInvocationID",
    BuiltIn.GlobalInvocationId: "gl_GlobalInvocationID",
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
    | {getattr(BuiltIn, name): f"gl_{name}" for name in _GL_SAME}
    | {getattr(BuiltIn, name): name for name in _PLAIN}
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
    """Return a name that the assembler accepts; each byte of other characters becomes an underscore."""
    if name.isascii() and name.isidentifier():
        return name
    if not name:
        return "_"
    return "".join(char if char in _VALID else "_" * len(char.encode("utf-8", "surrogateescape")) for char in name)


class Names:
    """The friendly names of one module's ids; ``names[id]`` is without the percent sign."""

    def __init__(self, module: Module) -> None:
        self.by_id: dict[int, str] = {}
        self._used: set[str] = set()
        self._next: dict[str, int] = {}
        self.types: dict[int, Instruction] = {}
        """Result id → its OpType…, to format numbers."""
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
            if inst.operands[1] == Decoration.BuiltIn and len(inst.operands) > 2:
                builtin = _BUILTIN_NAMES.get(inst.id(2))
                if builtin is not None:
                    self._save(inst.id(0), builtin)
        elif inst.result_id:
            if not inst.type_id:
                self.types[inst.result_id] = inst
            self._save(inst.result_id, self._suggest(inst))

    def _suggest(self, inst: Instruction) -> str:
        """Return the name derived from the instruction that defines an id."""
        name = _FIXED.get(inst.op)
        if name is not None:
            return name
        suggest = _SUGGESTIONS.get(inst.op)
        return suggest(self, inst) if suggest is not None else str(inst.result_id)

    def _int(self, inst: Instruction) -> str:
        width, signed = inst.id(0), inst.id(1)
        sign = "" if signed else "u"
        return sign + _INTS[width] if width in _INTS else f"{sign or 'i'}{width}"

    def _float(self, inst: Instruction) -> str:
        return _FLOATS.get(inst.id(0), f"fp{inst.operands[0]}")

    def _constant(self, inst: Instruction) -> str:
        value = format_number(self.types.get(inst.type_id), inst.operands)
        return f"{self[inst.type_id]}_{value.replace('-', 'n')}"


def _enumerant(kind: str, value: int) -> str:
    return tables.enum_name(kind, value) or "Unknown"


_SUGGESTIONS: dict[int, Callable[[Names, Instruction], str]] = {
    op.OpTypeInt: Names._int,
    op.OpTypeFloat: Names._float,
    op.OpTypeVector: lambda names, inst: f"v{inst.operands[1]}{names[inst.id(0)]}",
    op.OpTypeMatrix: lambda names, inst: f"mat{inst.operands[1]}{names[inst.id(0)]}",
    op.OpTypeArray: lambda names, inst: f"_arr_{names[inst.id(0)]}_{names[inst.id(1)]}",
    op.OpTypeRuntimeArray: lambda names, inst: f"_runtimearr_{names[inst.id(0)]}",
    op.OpTypeNodePayloadArrayAMDX: lambda names, inst: f"_payloadarr_{names[inst.id(0)]}",
    op.OpTypePointer: lambda names, inst: f"_ptr_{_enumerant('StorageClass', inst.id(0))}_{names[inst.id(1)]}",
    op.OpTypeUntypedPointerKHR: lambda names, inst: f"_ptr_{_enumerant('StorageClass', inst.id(0))}",
    op.OpTypeHitObjectNV: lambda names, inst: "hitObjectNV",
    op.OpTypeHitObjectEXT: lambda names, inst: "hitObjectEXT",
    op.OpTypePipe: lambda names, inst: f"Pipe{_enumerant('AccessQualifier', inst.id(0))}",
    op.OpTypeOpaque: lambda names, inst: f"Opaque_{sanitize(inst.text(0))}",
    op.OpTypeStruct: lambda names, inst: f"_struct_{inst.result_id}",
    op.OpConstant: Names._constant,
}
"""Opcode → function that returns the name for an instruction's result."""
