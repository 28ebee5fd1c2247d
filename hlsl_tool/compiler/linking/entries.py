"""Complete the entry points of a joined module: variables of libraries are initialised and listed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import Capability, Decoration, ExecutionMode, ExecutionModel, StorageClass
from hlsl_tool.spirv.grammar.tables import ENUMERANTS
from hlsl_tool.spirv.ir import Function, Instruction, Module

_LISTED = frozenset((StorageClass.Input, StorageClass.Output))
"""Storage classes of the variables that entry points list before SPIR-V 1.4."""
_LISTS_ALL = (1, 4)
DERIVATIVES = frozenset(
    (
        *range(op.OpDPdx, op.OpFwidthCoarse + 1),
        op.OpImageSampleImplicitLod,
        op.OpImageSampleDrefImplicitLod,
        op.OpImageSparseSampleImplicitLod,
        op.OpImageSparseSampleDrefImplicitLod,
        op.OpImageQueryLod,
    )
)
_GROUPS = frozenset((ExecutionMode.DerivativeGroupQuadsKHR, ExecutionMode.DerivativeGroupLinearKHR))
_INTERLOCKS = frozenset(
    range(ExecutionMode.PixelInterlockOrderedEXT, ExecutionMode.ShadingRateInterlockUnorderedEXT + 1)
)


def call_initializers(module: Module, inits: Mapping[int, Collection[int]]) -> None:
    """Let each entry point first initialise the variables of other modules whose functions it reaches.

    ``inits`` maps the id of a module's initialisation to the ids of the module's functions.
    """
    functions = {function.id: function for function in module.functions}
    for entry in sorted({inst.id(1) for inst in module.entry_points}):
        wrapper = functions[entry]
        needed: dict[int, None] = {}
        _add_needed(wrapper, functions, inits, needed)
        own_init = {init for init, own in inits.items() if entry in own}
        _call(module, wrapper, [init for init in needed if init not in own_init])


def _add_needed(
    function: Function,
    functions: Mapping[int, Function],
    inits: Mapping[int, Collection[int]],
    needed: dict[int, None],
    seen: frozenset[int] = frozenset(),
) -> None:
    """Add the initialisations that a function needs, each after those that it needs itself."""
    reaches = reached(function, functions)
    for init, own in inits.items():
        if init not in needed and init not in seen and not reaches.isdisjoint(own):
            _add_needed(functions[init], functions, inits, needed, seen | {init})
            needed[init] = None


def join_initializers(module: Module, inits: Sequence[int]) -> None:
    """Let the first initialisation that a library exports call the others, which are exported no longer."""
    if len(inits) < 2:
        return
    first, *others = inits
    module.annotations = [
        inst
        for inst in module.annotations
        if inst.operands[0] not in others or inst.operands[1] != Decoration.LinkageAttributes
    ]
    _call(module, next(function for function in module.functions if function.id == first), others)


def _call(module: Module, function: Function, callees: Sequence[int]) -> None:
    """Call functions without parameters and results at the beginning of a function."""
    if not callees:
        return
    void = next(inst.result_id for inst in module.globals if inst.op == op.OpTypeVoid)
    body = function.blocks[0].instructions
    at = next(place for place, inst in enumerate(body) if inst.op != op.OpVariable)
    body[at:at] = [Instruction(op.OpFunctionCall, void, module.take_id(), [callee]) for callee in callees]


def complete_interfaces(module: Module) -> None:
    """Add to each entry point the variables that functions of other modules use."""
    lists_all = module.version_tuple >= _LISTS_ALL
    listed = {
        inst.result_id: None
        for inst in module.globals
        if inst.op == op.OpVariable and (lists_all or inst.operands[0] in _LISTED)
    }
    functions = {function.id: function for function in module.functions}
    for entry in module.entry_points:
        mentioned = {
            number
            for function in reached(functions[entry.id(1)], functions)
            for inst in functions[function].instructions()
            for number in used_ids(inst)
            if number in listed
        }
        entry.operands += [number for number in listed if number in mentioned.difference(entry.operands[3:])]
    _add_flat(module)


def _add_flat(module: Module) -> None:
    """Decorate the integer built-ins that pixel shaders read in libraries, which do not know their stage, with Flat."""
    index = ModuleIndex(module)
    for entry in module.entry_points:
        for number in entry.ints()[3:] if entry.operands[0] == ExecutionModel.Fragment else ():
            variable, decorations = index.definitions[number], index.decorations.get(number, {})
            is_integer = index.without_arrays(index.pointee(variable)).op == op.OpTypeInt
            is_input = variable.operands[0] == StorageClass.Input and Decoration.BuiltIn in decorations
            if is_input and is_integer and Decoration.Flat not in decorations:
                module.annotations.append(Instruction(op.OpDecorate, 0, 0, [number, Decoration.Flat]))
                decorations[Decoration.Flat] = []


def complete_modes(module: Module) -> None:
    """Give entry points the execution modes that functions of other modules need.

    These are derivatives in compute shaders, which threads form quads for, and critical sections of pixel shaders.
    """
    functions = {function.id: function for function in module.functions}
    for entry in module.entry_points:
        modes = {inst.id(1): inst.operands[2:] for inst in module.execution_modes if inst.operands[0] == entry.id(1)}
        reaches = reached(functions[entry.id(1)], functions)
        opcodes = {inst.op for number in reaches for inst in functions[number].instructions()}
        has_derivatives = entry.operands[0] == ExecutionModel.GLCompute and not opcodes.isdisjoint(DERIVATIVES)
        if has_derivatives and modes.keys().isdisjoint(_GROUPS):
            x, y, z = (int(size) for size in modes.get(ExecutionMode.LocalSize, (1, 1, 1)))
            if x % 2 == 0 and y % 2 == 0:
                _add_mode(module, entry.id(1), ExecutionMode.DerivativeGroupQuadsKHR)
            elif x * y * z % 4 == 0:
                _add_mode(module, entry.id(1), ExecutionMode.DerivativeGroupLinearKHR)
        if op.OpBeginInvocationInterlockEXT in opcodes and modes.keys().isdisjoint(_INTERLOCKS):
            _add_mode(module, entry.id(1), ExecutionMode.PixelInterlockOrderedEXT)


def _add_mode(module: Module, entry: int, mode: int) -> None:
    """Add an execution mode to an entry point, with its capability and extension."""
    module.execution_modes.append(Instruction(op.OpExecutionMode, 0, 0, [entry, mode]))
    _, _, capabilities, extensions, _ = ENUMERANTS["ExecutionMode"][mode]
    for opcode, section, names in (
        (op.OpCapability, module.capabilities, [getattr(Capability, name) for name in capabilities[-1:]]),
        (op.OpExtension, module.extensions, extensions[-1:]),
    ):
        declared = {inst.operands[0] for inst in section}
        section += [Instruction(opcode, 0, 0, [name]) for name in names if name not in declared]


def reached(function: Function, functions: Mapping[int, Function]) -> set[int]:
    """Return the ids of a function and of all that it calls."""
    numbers: set[int] = set()
    todo = [function.id]
    while todo:
        number = todo.pop()
        if number not in numbers:
            numbers.add(number)
            calls = (inst.id(0) for inst in functions[number].instructions() if inst.op == op.OpFunctionCall)
            todo += calls
    return numbers
