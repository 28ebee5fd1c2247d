"""Mask instructions that an old spirv-opt does not support, and unmask them afterwards.

Debian 12 has spirv-opt 2023.1, which stops at an unknown opcode and disables passes at an unknown extension.

``mask``: before, a module to legalise or optimise; after, an equivalent module for a tool that supports neither
cooperative matrices, nor quad control, nor newer extensions. Each cooperative matrix type becomes a matrix of floats of
a unique width: unlike a scalar, it is promoted, but spirv-opt does not replace its branches by ``OpSelect``.
Each instruction that is unknown or operates on a matrix becomes a call of a function that must not be inlined; ``Mask``
stores its literals. ``Mask`` also stores the capabilities and execution modes, which are removed. Loads, stores and
other instructions that only move values are not masked, so that variables can be promoted.

``unmask``: before, the output of the tool; after, matrices and instructions are restored, and the entry points have
their execution modes, by name.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, DEBUG_SETS, EXT_INSTS
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import Capability, ExecutionMode, FunctionControl
from hlsl_tool.spirv.grammar.tables import id_flags
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module, Operand

EXTENSIONS = frozenset(
    (
        "SPV_KHR_cooperative_matrix",
        "SPV_KHR_compute_shader_derivatives",
        "SPV_EXT_shader_subgroup_partitioned",
        "SPV_NV_shader_subgroup_partitioned",
        "SPV_KHR_quad_control",
        "SPV_KHR_maximal_reconvergence",
        "SPV_EXT_mesh_shader",
        "SPV_NV_cooperative_vector",
        "SPV_NV_cooperative_matrix2",
        "SPV_KHR_fma",
        "SPV_VALVE_mixed_float_dot_product",
    )
)
"""Extensions that do not affect the passes, although old versions of them stop there.

SPV_KHR_physical_storage_buffer is not one: promotion in 2023.1 confuses a loaded pointer with the value it points to.
"""

_MATRIX_CAPABILITIES = frozenset((Capability.CooperativeMatrixKHR, Capability.CooperativeMatrixConversionsNV))
_CAPABILITIES = frozenset((Capability.QuadControlKHR, Capability.FMAKHR, Capability.DotProductFloat16AccFloat32VALVE))
_MODES = frozenset(
    (
        ExecutionMode.QuadDerivativesKHR,
        ExecutionMode.RequireFullQuadsKHR,
        ExecutionMode.MaximallyReconvergesKHR,
    )
)
_INSTRUCTIONS = frozenset(
    (
        op.OpGroupNonUniformQuadAllKHR,
        op.OpGroupNonUniformQuadAnyKHR,
        op.OpFmaKHR,
        op.OpFDot2MixAcc32VALVE,
        op.OpHitObjectRecordFromQueryEXT,  # 2025.5 does not know its hit kind, an operand of 2026
    )
)
_MATRIX_INSTRUCTIONS = frozenset(
    (
        op.OpCooperativeMatrixLoadKHR,
        op.OpCooperativeMatrixStoreKHR,
        op.OpCooperativeMatrixMulAddKHR,
        op.OpCooperativeMatrixLengthKHR,
        op.OpCooperativeMatrixConvertNV,
        op.OpCooperativeMatrixTransposeNV,
    )
)
_MOVES = frozenset(
    (
        op.OpLoad,
        op.OpStore,
        op.OpVariable,
        op.OpPhi,
        op.OpUndef,
        op.OpSelect,
        op.OpCopyObject,
        op.OpFunctionCall,
        op.OpFunctionParameter,
        op.OpReturnValue,
        op.OpCopyLogical,
    )
)
"""Instructions that work on values of any type."""

_FIRST_WIDTH = 0x1000
_PREFIX = "!masked."
"""Prefix of the names of functions that mask instructions."""


@dataclass(slots=True, frozen=True)
class _TypeOf:
    """An operand that refers to a masked type by the width of its floats."""

    width: int


@dataclass(slots=True, frozen=True)
class _Matrix:
    """A cooperative matrix type described without ids, because spirv-opt changes ids."""

    component: tuple[int, tuple[Operand, ...]]
    numbers: tuple[int, ...]
    """Scope, rows, columns, use: 32-bit unsigned constants."""


@dataclass(slots=True, frozen=True)
class _MaskedInstruction:
    """A masked instruction: literals are stored, ids are ``None`` because the call passes them."""

    op: int
    has_result: bool
    operands: tuple[Operand | _TypeOf | None, ...]


@dataclass(slots=True)
class Mask:
    """The data that ``unmask`` needs to restore a module."""

    capabilities: list[Instruction] = field(default_factory=list)
    extensions: list[Instruction] = field(default_factory=list)
    modes: list[tuple[tuple[Operand, Operand], list[Operand]]] = field(default_factory=list)
    """(execution model and name of an entry point, the mode with its operands)"""
    matrices: dict[int, _Matrix] = field(default_factory=dict)
    """Width of the floats that mask it → the matrix."""
    instructions: list[_MaskedInstruction] = field(default_factory=list)


def mask(module: Module, index: ModuleIndex) -> Mask:
    """Mask a module in place and return the data for ``unmask``; ``index`` is that of the module."""
    masked = Mask()
    masked.extensions = [inst for inst in module.extensions if inst.text(0) in EXTENSIONS]
    module.extensions = [inst for inst in module.extensions if inst.text(0) not in EXTENSIONS]
    widths = _mask_types(module, masked)
    capabilities, instructions = _CAPABILITIES, _INSTRUCTIONS
    if widths:
        capabilities, instructions = capabilities | _MATRIX_CAPABILITIES, instructions | _MATRIX_INSTRUCTIONS
    masked.capabilities = [inst for inst in module.capabilities if inst.id(0) in capabilities]
    module.capabilities = [inst for inst in module.capabilities if inst.id(0) not in capabilities]
    _mask_modes(module, masked)
    if widths or not instructions.isdisjoint(index.by_opcode):
        _Masker(module, masked, widths, instructions).run()
    return masked


def _mask_modes(module: Module, masked: Mask) -> None:
    entries = {inst.id(1): (inst.operands[0], inst.operands[2]) for inst in module.entry_points}
    modes = [inst for inst in module.execution_modes if inst.op == op.OpExecutionMode and inst.id(1) in _MODES]
    masked.modes = [(entries[inst.id(0)], inst.operands[1:]) for inst in modes]
    module.execution_modes = [inst for inst in module.execution_modes if inst not in modes]


def _mask_types(module: Module, masked: Mask) -> dict[int, int]:
    """Mask matrix types; return a mapping from type to the width of its floats.

    Nothing is masked, and the result is empty, if the size of a matrix depends on a specialisation constant.
    """
    definitions = module.definitions()
    widths: dict[int, int] = {}
    for inst in module.globals:
        if inst.op != op.OpTypeCooperativeMatrixKHR:
            continue
        component, *numbers = inst.ints()
        constants = [definitions[n] for n in numbers]
        if any(c.op != op.OpConstant for c in constants):
            masked.matrices.clear()
            return {}
        width = widths[inst.result_id] = _FIRST_WIDTH + len(widths)
        scalar = definitions[component]
        matrix = _Matrix((scalar.op, tuple(scalar.operands)), tuple(c.id(0) for c in constants))
        masked.matrices[width] = matrix
    module.globals = [
        replacement
        for inst in module.globals
        for replacement in (
            _floats(module, inst.result_id, widths[inst.result_id]) if inst.result_id in widths else [inst]
        )
    ]
    return widths


def _floats(module: Module, number: int, width: int) -> list[Instruction]:
    """Return a matrix type of 2 x 2 floats of a width, with the types that it consists of."""
    scalar, vector = module.take_id(), module.take_id()
    return [
        Instruction(op.OpTypeFloat, 0, scalar, [width]),
        Instruction(op.OpTypeVector, 0, vector, [scalar, 2]),
        Instruction(op.OpTypeMatrix, 0, number, [vector, 2]),
    ]


class _Masker:
    """Replaces instructions of a module by calls."""

    def __init__(self, module: Module, masked: Mask, widths: dict[int, int], instructions: frozenset[int]) -> None:
        self.module, self.masked, self.widths, self.unknown = module, masked, widths, instructions
        self.types: dict[int, int] = {inst.result_id: inst.type_id for inst in module.globals if inst.type_id}
        self.pointees = {inst.result_id: inst.id(1) for inst in module.globals if inst.op == op.OpTypePointer}
        self.void = next((inst.result_id for inst in module.globals if inst.op == op.OpTypeVoid), 0)
        self.debug_sets = {i.result_id for i in module.ext_inst_imports if i.text(0) in DEBUG_SETS}
        self.functions: dict[tuple[object, ...], int] = {}
        self.added: list[Function] = []

    def run(self) -> None:
        """Replace the instructions by calls, and add the functions that are called."""
        for function in self.module.functions:
            self.types.update((inst.result_id, inst.type_id) for inst in function.parameters)
            self.types.update((inst.result_id, inst.type_id) for inst in function.instructions() if inst.type_id)
        for function in self.module.functions:
            for block in function.blocks:
                block.instructions = [
                    self._call(inst) if self._is_masked(inst) else inst for inst in block.instructions
                ]
        self.module.functions = self.added + self.module.functions

    def _is_masked(self, inst: Instruction) -> bool:
        if inst.op in self.unknown:
            return True
        if inst.op in _MOVES or (inst.op in EXT_INSTS and inst.operands[0] in self.debug_sets):
            return False
        if inst.type_id in self.widths:
            return True
        used = used_ids(inst)
        if inst.op in ACCESS_CHAINS:
            return self.pointees.get(self.types[used[0]], 0) in self.widths
        if inst.op == op.OpCompositeConstruct:
            return False  # of a struct; one of a matrix has a masked type
        return any(self.types.get(x, 0) in self.widths for x in used)

    def _call(self, inst: Instruction) -> Instruction:
        flags = id_flags(inst.op, inst.operands)
        arguments: list[int] = []
        operands: list[Operand | _TypeOf | None] = []
        for x, is_id in zip(inst.operands, flags, strict=True):
            if is_id and isinstance(x, int) and x in self.widths:
                operands.append(_TypeOf(self.widths[x]))
            elif is_id and isinstance(x, int):
                operands.append(None)
                arguments.append(x)
            else:
                operands.append(x)
        result = inst.type_id or self.void
        pattern = _MaskedInstruction(inst.op, bool(inst.type_id), tuple(operands))
        function = self._function(pattern, result, [self.types[x] for x in arguments])
        return Instruction(
            op.OpFunctionCall, result, inst.result_id or self.module.take_id(), [function, *arguments], inst.line
        )

    def _function(self, pattern: _MaskedInstruction, result: int, params: list[int]) -> int:
        key = (pattern, result, *params)
        if key not in self.functions:
            number = self.functions[key] = self.module.take_id()
            name = f"{_PREFIX}{len(self.masked.instructions)}"
            self.masked.instructions.append(pattern)
            signature = Instruction(op.OpTypeFunction, 0, self.module.take_id(), [result, *params])
            self.module.globals.append(signature)
            self.module.names.append(Instruction(op.OpName, 0, 0, [number, name]))
            control = FunctionControl.DontInline
            function = Function(Instruction(op.OpFunction, result, number, [control, signature.result_id]))
            function.parameters = [Instruction(op.OpFunctionParameter, t, self.module.take_id(), []) for t in params]
            function.blocks = [Block(self.module.take_id(), self._body(result))]
            self.added.append(function)
        return self.functions[key]

    def _body(self, result: int) -> list[Instruction]:
        """Return a function body that returns an undefined value; some passes fail on an empty function."""
        if result == self.void:
            return [Instruction(op.OpReturn, 0, 0, [])]
        value = Instruction(op.OpUndef, result, self.module.take_id(), [])
        return [value, Instruction(op.OpReturnValue, 0, 0, [value.result_id])]


# ------------------------------------------------------------------------------------------------------------ unmask


def unmask(module: Module, masked: Mask) -> None:
    """Restore the instructions and types that ``mask`` replaced, in place."""
    present = {inst.text(0) for inst in module.extensions}
    module.extensions = [inst for inst in masked.extensions if inst.text(0) not in present] + module.extensions
    module.capabilities = masked.capabilities + module.capabilities
    entries = {(inst.operands[0], inst.operands[2]): inst.id(1) for inst in module.entry_points}
    module.execution_modes += [
        Instruction(op.OpExecutionMode, 0, 0, [entries[entry], *mode]) for entry, mode in masked.modes
    ]
    if not masked.instructions and not masked.matrices:
        return
    types = _unmask_types(module, masked)
    functions: dict[int, _MaskedInstruction] = {}
    for inst in module.names:
        text = inst.operands[1]
        if inst.op == op.OpName and isinstance(text, str) and text.startswith(_PREFIX):
            functions[inst.id(0)] = masked.instructions[int(text[len(_PREFIX) :])]
    for function in module.functions:
        for block in function.blocks:
            block.instructions = [
                _unmasked(inst, functions[inst.id(0)], types)
                if inst.op == op.OpFunctionCall and inst.id(0) in functions
                else inst
                for inst in block.instructions
            ]
    _drop(module, functions)


def _unmasked(call: Instruction, pattern: _MaskedInstruction, types: dict[int, int]) -> Instruction:
    arguments = iter(call.operands[1:])
    operands: list[Operand] = []
    for x in pattern.operands:
        operands.append(next(arguments) if x is None else types[x.width] if isinstance(x, _TypeOf) else x)
    if pattern.has_result:
        return Instruction(pattern.op, call.type_id, call.result_id, operands, call.line)
    return Instruction(pattern.op, 0, 0, operands, call.line)


def _unmask_types(module: Module, masked: Mask) -> dict[int, int]:
    """Restore matrix types from floats of unique widths; return a mapping from widths to types.

    The types and constants that a matrix type refers to are moved before it, or added.
    """
    missing = set(masked.matrices) - set(_widths(module, masked).values())
    used = {x.width for pattern in masked.instructions for x in pattern.operands if isinstance(x, _TypeOf)}
    for width in sorted(missing & used):
        module.globals += _floats(module, module.take_id(), width)
    widths = _widths(module, masked)
    rest = {inst.result_id: inst for inst in module.globals if inst.result_id}
    out: list[Instruction] = []
    types: dict[int, int] = {}

    def need(opcode: int, type_id: int, operands: list[Operand]) -> int:
        for inst in (*out, *rest.values()):
            if (inst.op, inst.type_id, inst.operands) == (opcode, type_id, operands):
                if rest.pop(inst.result_id, None) is not None:
                    out.append(inst)
                return inst.result_id
        out.append(Instruction(opcode, type_id, module.take_id(), operands))
        return out[-1].result_id

    for inst in module.globals:
        if inst.result_id and inst.result_id not in rest:
            continue  # was moved
        rest.pop(inst.result_id, None)
        width = widths.get(inst.result_id, 0)
        if not width:
            out.append(inst)
        if not width or inst.op != op.OpTypeMatrix:
            continue
        matrix = masked.matrices[width]
        types[width] = inst.result_id
        component = need(matrix.component[0], 0, list(matrix.component[1]))
        uint = need(op.OpTypeInt, 0, [32, 0])
        numbers: list[Operand] = [need(op.OpConstant, uint, [n]) for n in matrix.numbers]
        out.append(Instruction(op.OpTypeCooperativeMatrixKHR, 0, inst.result_id, [component, *numbers]))
    module.globals = out
    return types


def _widths(module: Module, masked: Mask) -> dict[int, int]:
    """Return a mapping from the types that mask cooperative matrices, and those they consist of, to the width."""
    widths: dict[int, int] = {}
    for inst in module.globals:
        if inst.op == op.OpTypeFloat and inst.id(0) in masked.matrices:
            widths[inst.result_id] = inst.id(0)
        elif inst.op in (op.OpTypeVector, op.OpTypeMatrix) and inst.id(0) in widths:
            widths[inst.result_id] = widths[inst.id(0)]
    return widths


def _drop(module: Module, functions: dict[int, _MaskedInstruction]) -> None:
    """Remove the functions that represented masked instructions, with their names and types."""
    masks = [f for f in module.functions if f.id in functions]
    module.functions = [f for f in module.functions if f.id not in functions]
    signatures = {f.definition.id(1) for f in masks} - {f.definition.id(1) for f in module.functions}
    gone = set(functions) | signatures | {p.result_id for f in masks for p in f.parameters}
    gone |= {block.label for f in masks for block in f.blocks}
    module.globals = [inst for inst in module.globals if inst.result_id not in signatures]
    module.names = [inst for inst in module.names if inst.operands[0] not in gone]
    module.annotations = [inst for inst in module.annotations if inst.operands[0] not in gone]
