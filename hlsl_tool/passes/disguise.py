"""Hide from spirv-opt what it is too old to know, and bring it back afterwards.

``hide``: before, a module that is to be legalised or optimised; after, one with the same meaning to a tool that knows
neither cooperative matrices, nor quad control, nor the newer extensions: each matrix type is an integer of a width that
nothing else has, each instruction that works on one or that the tool does not know is a call of a function that is not
to be inlined, its literals kept here; capabilities and execution modes are taken away.
Loads, stores and whatever else only moves values stay as they are, so that variables can be promoted.

``restore``: before, what the tool made of that; after, the matrices and instructions are themselves again, and each
entry point has its execution modes back, by its name.

Debian 12 has spirv-opt 2023.1, which gives up at an unknown opcode and switches passes off at an unknown extension.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.grammar.tables import id_flags
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module, Operand

EXTENSIONS = frozenset(
    (
        "SPV_KHR_cooperative_matrix",
        "SPV_KHR_compute_shader_derivatives",
        "SPV_NV_shader_subgroup_partitioned",
        "SPV_KHR_quad_control",
        "SPV_KHR_maximal_reconvergence",
        "SPV_EXT_mesh_shader",
    )
)
"""Extensions under which the passes are right, though old ones stop at them.

SPV_KHR_physical_storage_buffer is not one: what 2023.1 promotes to values mixes up a pointer that was loaded with what
it points to.
"""

_CAPABILITIES = frozenset((e.Capability.QuadControlKHR,))
_MATRIX_CAPABILITIES = frozenset((e.Capability.CooperativeMatrixKHR,))
_MODES = frozenset(
    (
        e.ExecutionMode.QuadDerivativesKHR,
        e.ExecutionMode.RequireFullQuadsKHR,
        e.ExecutionMode.MaximallyReconvergesKHR,
    )
)
_INSTRUCTIONS = frozenset((op.OpGroupNonUniformQuadAllKHR, op.OpGroupNonUniformQuadAnyKHR))
_MATRIX_INSTRUCTIONS = frozenset(
    (
        op.OpCooperativeMatrixLoadKHR,
        op.OpCooperativeMatrixStoreKHR,
        op.OpCooperativeMatrixMulAddKHR,
        op.OpCooperativeMatrixLengthKHR,
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
"""What may be done with a value whatever its type."""

_FIRST_WIDTH = 0x1000
_PREFIX = "!hidden."


@dataclass(slots=True, frozen=True)
class _TypeOf:
    """An operand that is a hidden type."""

    width: int


@dataclass(slots=True, frozen=True)
class _Matrix:
    """A cooperative matrix type by what it is, as ids do not survive."""

    component: tuple[int, tuple[Operand, ...]]
    numbers: tuple[int, ...]
    """Scope, rows, columns, use: 32-bit unsigned constants."""


@dataclass(slots=True, frozen=True)
class _Hidden:
    """An instruction without its ids: ``None`` stands for each."""

    op: int
    has_result: bool
    operands: tuple[Operand | _TypeOf | None, ...]


@dataclass(slots=True)
class Disguise:
    """What was hidden."""

    capabilities: list[Instruction] = field(default_factory=list)
    extensions: list[Instruction] = field(default_factory=list)
    modes: list[tuple[tuple[Operand, Operand], list[Operand]]] = field(default_factory=list)
    """(execution model and name of an entry point, the mode with its operands)"""
    matrices: dict[int, _Matrix] = field(default_factory=dict)
    """Width of the integer that stands for it → the matrix."""
    instructions: list[_Hidden] = field(default_factory=list)


def hide(module: Module) -> Disguise:
    """See above; changes ``module``."""
    disguise = Disguise()
    disguise.extensions = [inst for inst in module.extensions if inst.text(0) in EXTENSIONS]
    module.extensions = [inst for inst in module.extensions if inst.text(0) not in EXTENSIONS]
    widths = _hide_types(module, disguise)
    capabilities, instructions = _CAPABILITIES, _INSTRUCTIONS
    if widths:
        capabilities, instructions = capabilities | _MATRIX_CAPABILITIES, instructions | _MATRIX_INSTRUCTIONS
    disguise.capabilities = [inst for inst in module.capabilities if inst.id(0) in capabilities]
    module.capabilities = [inst for inst in module.capabilities if inst.id(0) not in capabilities]
    _hide_modes(module, disguise)
    if widths or any(inst.op in instructions for f in module.functions for inst in f.instructions()):
        _Hider(module, disguise, widths, instructions).run()
    return disguise


def _hide_modes(module: Module, disguise: Disguise) -> None:
    entries = {inst.id(1): (inst.operands[0], inst.operands[2]) for inst in module.entry_points}
    hidden = [inst for inst in module.execution_modes if inst.op == op.OpExecutionMode and inst.id(1) in _MODES]
    disguise.modes = [(entries[inst.id(0)], inst.operands[1:]) for inst in hidden]
    module.execution_modes = [inst for inst in module.execution_modes if inst not in hidden]


def _hide_types(module: Module, disguise: Disguise) -> dict[int, int]:
    """Type → the width of its integer; empty where there is no matrix, or one that cannot be written down."""
    known = module.definitions()
    found: dict[int, int] = {}
    for inst in module.globals:
        if inst.op != op.OpTypeCooperativeMatrixKHR:
            continue
        component, *numbers = inst.ints()
        constants = [known[n] for n in numbers]
        if any(c.op != op.OpConstant for c in constants):
            disguise.matrices.clear()
            return {}
        width = found[inst.result_id] = _FIRST_WIDTH + len(found)
        scalar = known[component]
        matrix = _Matrix((scalar.op, tuple(scalar.operands)), tuple(c.id(0) for c in constants))
        disguise.matrices[width] = matrix
    module.globals = [
        Instruction(op.OpTypeInt, 0, inst.result_id, [found[inst.result_id], 0]) if inst.result_id in found else inst
        for inst in module.globals
    ]
    return found


class _Hider:
    """One run of ``hide`` over the functions."""

    def __init__(
        self, module: Module, disguise: Disguise, widths: dict[int, int], instructions: frozenset[int]
    ) -> None:
        self.module, self.disguise, self.widths, self.unknown = module, disguise, widths, instructions
        self.types: dict[int, int] = {inst.result_id: inst.type_id for inst in module.globals if inst.type_id}
        self.pointees = {inst.result_id: inst.id(1) for inst in module.globals if inst.op == op.OpTypePointer}
        self.void = next((inst.result_id for inst in module.globals if inst.op == op.OpTypeVoid), 0)
        self.functions: dict[tuple[object, ...], int] = {}
        self.made: list[Function] = []

    def run(self) -> None:
        for function in self.module.functions:
            self.types.update((inst.result_id, inst.type_id) for inst in function.parameters)
            self.types.update((inst.result_id, inst.type_id) for inst in function.instructions() if inst.type_id)
        for function in self.module.functions:
            for block in function.blocks:
                block.instructions = [
                    self._call(inst) if self._is_hidden(inst) else inst for inst in block.instructions
                ]
        self.module.functions = self.made + self.module.functions

    def _is_hidden(self, inst: Instruction) -> bool:
        if inst.op in self.unknown:
            return True
        if inst.op in _MOVES:
            return False
        if inst.type_id in self.widths:
            return True
        flags = id_flags(inst.op, inst.operands)
        used = [x for x, is_id in zip(inst.operands, flags, strict=True) if is_id and isinstance(x, int)]
        if inst.op in (op.OpAccessChain, op.OpInBoundsAccessChain):
            return self.pointees.get(self.types[used[0]], 0) in self.widths
        if inst.op == op.OpCompositeConstruct:
            return False  # of a struct: that of a matrix has its type
        return any(self.types.get(x, 0) in self.widths for x in used)

    def _fresh(self) -> int:
        self.module.bound += 1
        return self.module.bound - 1

    def _call(self, inst: Instruction) -> Instruction:
        flags = id_flags(inst.op, inst.operands)
        arguments: list[int] = []
        pattern: list[Operand | _TypeOf | None] = []
        for x, is_id in zip(inst.operands, flags, strict=True):
            if is_id and isinstance(x, int) and x in self.widths:
                pattern.append(_TypeOf(self.widths[x]))
            elif is_id and isinstance(x, int):
                pattern.append(None)
                arguments.append(x)
            else:
                pattern.append(x)
        result = inst.type_id or self.void
        hidden = _Hidden(inst.op, bool(inst.type_id), tuple(pattern))
        function = self._function(hidden, result, [self.types[x] for x in arguments])
        operands: list[Operand] = [function, *arguments]
        return Instruction(op.OpFunctionCall, result, inst.result_id or self._fresh(), operands, inst.line)

    def _function(self, hidden: _Hidden, result: int, params: list[int]) -> int:
        key = (hidden, result, *params)
        if key not in self.functions:
            number = self.functions[key] = self._fresh()
            name = f"{_PREFIX}{len(self.disguise.instructions)}"
            self.disguise.instructions.append(hidden)
            signature = Instruction(op.OpTypeFunction, 0, self._fresh(), [result, *params])
            self.module.globals.append(signature)
            self.module.names.append(Instruction(op.OpName, 0, 0, [number, name]))
            control = e.FunctionControl.DontInline
            function = Function(Instruction(op.OpFunction, result, number, [control, signature.result_id]))
            function.parameters = [Instruction(op.OpFunctionParameter, t, self._fresh(), []) for t in params]
            function.blocks = [Block(self._fresh(), self._body(result))]
            self.made.append(function)
        return self.functions[key]

    def _body(self, result: int) -> list[Instruction]:
        """Some value: no pass looks into a function that is not to be inlined, though some fall over an empty one."""
        if result == self.void:
            return [Instruction(op.OpReturn, 0, 0, [])]
        value = Instruction(op.OpUndef, result, self._fresh(), [])
        return [value, Instruction(op.OpReturnValue, 0, 0, [value.result_id])]


# -------------------------------------------------------------------------------------------------------------- back


def restore(module: Module, disguise: Disguise) -> None:
    """See above; changes ``module``."""
    known = {inst.text(0) for inst in module.extensions}
    module.extensions = [inst for inst in disguise.extensions if inst.text(0) not in known] + module.extensions
    module.capabilities = disguise.capabilities + module.capabilities
    entries = {(inst.operands[0], inst.operands[2]): inst.id(1) for inst in module.entry_points}
    module.execution_modes += [
        Instruction(op.OpExecutionMode, 0, 0, [entries[entry], *mode]) for entry, mode in disguise.modes
    ]
    if not disguise.instructions and not disguise.matrices:
        return
    types = _restore_types(module, disguise)
    functions: dict[int, _Hidden] = {}
    for inst in module.names:
        text = inst.operands[1]
        if inst.op == op.OpName and isinstance(text, str) and text.startswith(_PREFIX):
            functions[inst.id(0)] = disguise.instructions[int(text[len(_PREFIX) :])]
    for function in module.functions:
        for block in function.blocks:
            block.instructions = [
                _restored(inst, functions[inst.id(0)], types)
                if inst.op == op.OpFunctionCall and inst.id(0) in functions
                else inst
                for inst in block.instructions
            ]
    _drop(module, functions)


def _restored(call: Instruction, hidden: _Hidden, types: dict[int, int]) -> Instruction:
    arguments = iter(call.operands[1:])
    operands: list[Operand] = []
    for x in hidden.operands:
        operands.append(next(arguments) if x is None else types[x.width] if isinstance(x, _TypeOf) else x)
    if hidden.has_result:
        return Instruction(hidden.op, call.type_id, call.result_id, operands, call.line)
    return Instruction(hidden.op, 0, 0, operands, call.line)


def _restore_types(module: Module, disguise: Disguise) -> dict[int, int]:
    """Width → the matrix type; what it is made of comes before it, where need be from behind or anew."""
    missing = set(disguise.matrices) - {inst.id(0) for inst in module.globals if inst.op == op.OpTypeInt}
    used = {x.width for hidden in disguise.instructions for x in hidden.operands if isinstance(x, _TypeOf)}
    for width in sorted(missing & used):
        module.globals.append(Instruction(op.OpTypeInt, 0, module.bound, [width, 0]))
        module.bound += 1
    rest = {inst.result_id: inst for inst in module.globals if inst.result_id}
    out: list[Instruction] = []
    types: dict[int, int] = {}

    def need(opcode: int, type_id: int, operands: list[Operand]) -> int:
        for inst in (*out, *rest.values()):
            if (inst.op, inst.type_id, inst.operands) == (opcode, type_id, operands):
                if rest.pop(inst.result_id, None) is not None:
                    out.append(inst)
                return inst.result_id
        out.append(Instruction(opcode, type_id, module.bound, operands))
        module.bound += 1
        return out[-1].result_id

    for inst in module.globals:
        if inst.result_id and inst.result_id not in rest:
            continue  # was needed earlier
        rest.pop(inst.result_id, None)
        matrix = disguise.matrices.get(inst.id(0)) if inst.op == op.OpTypeInt else None
        if matrix is None:
            out.append(inst)
            continue
        types[inst.id(0)] = inst.result_id
        component = need(matrix.component[0], 0, list(matrix.component[1]))
        uint = need(op.OpTypeInt, 0, [32, 0])
        numbers: list[Operand] = [need(op.OpConstant, uint, [n]) for n in matrix.numbers]
        out.append(Instruction(op.OpTypeCooperativeMatrixKHR, 0, inst.result_id, [component, *numbers]))
    module.globals = out
    return types


def _drop(module: Module, functions: dict[int, _Hidden]) -> None:
    """Remove the functions that stood for instructions, with their names and types."""
    hidden = [f for f in module.functions if f.id in functions]
    module.functions = [f for f in module.functions if f.id not in functions]
    signatures = {f.definition.id(1) for f in hidden} - {f.definition.id(1) for f in module.functions}
    gone = set(functions) | signatures | {p.result_id for f in hidden for p in f.parameters}
    gone |= {block.label for f in hidden for block in f.blocks}
    module.globals = [inst for inst in module.globals if inst.result_id not in signatures]
    module.names = [inst for inst in module.names if inst.operands[0] not in gone]
    module.annotations = [inst for inst in module.annotations if inst.operands[0] not in gone]
