"""Check that the module is valid in its own environment, on which the conversion relies.

Some faults are common in modules that were never validated for Vulkan, and do not change a module's meaning. They are
repaired in a copy, and the copy is validated.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy

from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ARRAYS
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.enums import Capability, Decoration, ExecutionMode, ExecutionModel, MemorySemantics, StorageClass
from hlsl_tool.spirv.ir import Block, Instruction, Module
from hlsl_tool.spirv.tools.locate import find_tool
from hlsl_tool.spirv.tools.validator import complaint
from hlsl_tool.wgsl.errors import WgslError
from hlsl_tool.wgsl.module.view import HANDLES

ENVIRONMENTS = {(1, 4): "vulkan1.1spirv1.4", (1, 5): "vulkan1.2", (1, 6): "vulkan1.3"}
"""Version of SPIR-V → first environment that accepts it; for earlier versions it is Vulkan 1.1."""

_LATER = re.compile(r"Capability \w+ is not allowed by Vulkan")
"""An error for capabilities of a later Vulkan, such as its memory model, which older versions of SPIR-V may have."""

_COMPUTED_OFFSET = "VUID-RuntimeSpirv-Offset-10213"
"""The rule against computed offsets, which -fvk-variable-offsets takes back for Vulkan."""

_TRIES = 6


def _declare_extension(module: Module, match: re.Match[str]) -> None:
    module.extensions = [*module.extensions, Instruction(op.OpExtension, 0, 0, [match[1]])]


def _shorten_interfaces(module: Module, _: re.Match[str]) -> None:
    """Remove variables other than inputs and outputs from the interfaces of entry points.

    Before SPIR-V 1.4, these are not allowed there.
    """
    listed = {
        inst.result_id
        for inst in module.globals
        if inst.op == op.OpVariable and inst.id(0) in (StorageClass.Input, StorageClass.Output)
    }
    module.entry_points = [
        Instruction(
            inst.op, 0, 0, [*inst.operands[:3], *[operand for operand in inst.operands[3:] if operand in listed]]
        )
        for inst in module.entry_points
    ]


def _set_origin(module: Module, _: re.Match[str]) -> None:
    """Add the execution mode OriginUpperLeft to fragment shaders without it; Vulkan and WebGPU have no other origin."""
    module.execution_modes = list(module.execution_modes)
    for inst in module.entry_points:
        if inst.id(0) == ExecutionModel.Fragment:
            mode = Instruction(op.OpExecutionMode, 0, 0, [inst.id(1), ExecutionMode.OriginUpperLeft])
            if mode not in module.execution_modes:
                module.execution_modes.append(mode)


def _allow_runtime_arrays(module: Module, _: re.Match[str]) -> None:
    """Declare the capability for unbounded arrays of resources."""
    capability = Instruction(op.OpCapability, 0, 0, [Capability.RuntimeDescriptorArray])
    if capability not in module.capabilities:
        module.capabilities = [*module.capabilities, capability]
        module.extensions = [*module.extensions, Instruction(op.OpExtension, 0, 0, ["SPV_EXT_descriptor_indexing"])]


def _without_strides(module: Module, _: re.Match[str]) -> None:
    """Remove ArrayStride from arrays of resources, which have no layout."""
    handles = {inst.result_id for inst in module.globals if inst.op in HANDLES}
    arrays = {inst.result_id for inst in module.globals if inst.op in ARRAYS and inst.id(0) in handles}
    module.annotations = [
        inst
        for inst in module.annotations
        if inst.op != op.OpDecorate or inst.id(0) not in arrays or inst.id(1) != Decoration.ArrayStride
    ]


def _add_blocks(module: Module, _: re.Match[str]) -> None:
    """Decorate the structs of storage buffers as blocks."""
    pointees = {
        inst.result_id: inst.id(1)
        for inst in module.globals
        if inst.op == op.OpTypePointer and inst.id(0) == StorageClass.StorageBuffer
    }
    variables = [inst for inst in module.globals if inst.op == op.OpVariable and inst.type_id in pointees]
    blocks = {pointees[inst.type_id] for inst in variables}
    others = [
        inst
        for inst in module.annotations
        if inst.op != op.OpDecorate
        or inst.id(0) not in blocks
        or inst.id(1) not in (Decoration.Block, Decoration.BufferBlock)
    ]
    added = [Instruction(op.OpDecorate, 0, 0, [number, Decoration.Block]) for number in sorted(blocks)]
    module.annotations = [*others, *added]


def _relax_barriers(module: Module, _: re.Match[str]) -> None:
    """Remove the memory semantics of barriers that name no kind of memory; they still wait."""
    values = {inst.result_id: inst for inst in module.globals if inst.op == op.OpConstant}
    module.globals, module.functions = list(module.globals), list(module.functions)
    for index, function in enumerate(module.functions):
        blocks: list[Block] = []
        for block in function.blocks:
            blocks.append(Block(block.label, list(block.instructions)))
            for place, inst in enumerate(block.instructions):
                constant = values.get(inst.id(2)) if inst.op == op.OpControlBarrier else None
                if constant is None or constant.id(0) & ~_ORDERS:
                    continue
                zero = Instruction(op.OpConstant, constant.type_id, module.take_id(), [0])
                module.globals.append(zero)
                operands = [*inst.operands[:2], zero.result_id]
                blocks[-1].instructions[place] = Instruction(inst.op, 0, 0, operands)
        module.functions[index] = replace(function, blocks=blocks)


_ORDERS = (
    MemorySemantics.Acquire
    | MemorySemantics.Release
    | MemorySemantics.AcquireRelease
    | MemorySemantics.SequentiallyConsistent
)

MENDERS: list[tuple[re.Pattern[str], Callable[[Module, re.Match[str]], None]]] = [
    (re.compile(r"requires one of these extensions: (\w+)"), _declare_extension),
    (re.compile(r"OpEntryPoint interfaces must be OpVariables with Storage Class of Input"), _shorten_interfaces),
    (re.compile(r"require either an OriginUpperLeft or OriginLowerLeft"), _set_origin),
    (re.compile(r"illegal type, OpTypeRuntimeArray"), _allow_runtime_arrays),
    (re.compile(r"the UniformConstant storage class has a explicit layout"), _without_strides),
    (re.compile(r"containing an OpTypeRuntimeArray must be decorated with Block"), _add_blocks),
    (re.compile(r"must have at least one Vulkan-supported storage class semantics bit"), _relax_barriers),
]


def check(data: bytes, module: Module, path: str | None = None) -> None:
    """Raise a `WgslError` with spirv-val's message if the module is not valid, even after repairs."""
    sink = Sink()
    tool = find_tool("spirv-val", path, sink=sink)
    if tool is None:
        raise WgslError(sink.diagnostics[0].message)
    if module.version_tuple > (1, 6):
        raise WgslError("the module has a version of SPIR-V that is newer than 1.6")
    environment = ENVIRONMENTS.get(module.version_tuple, "vulkan1.1")
    first = None
    for _ in range(_TRIES):
        problem = complaint(data, environment, tool=tool, sink=sink, layout="scalar")
        if sink.error_count:
            raise WgslError(sink.diagnostics[0].message)
        if problem is None:
            return
        if _COMPUTED_OFFSET in problem.text:
            raise WgslError("WGSL has constant offsets of texture accesses only: leave out -fvk-variable-offsets")
        first = first or problem
        if _LATER.search(problem.text) and environment != "vulkan1.3":
            environment = "vulkan1.3"
            continue
        mended = _mend(module, problem.text)
        if mended is None:
            break
        module, data = mended, encode(mended)
    assert first is not None
    raise WgslError(f"the module is not valid: {first.text}")


def _mend(module: Module, complaint_: str) -> Module | None:
    for pattern, mend in MENDERS:
        match = pattern.search(complaint_)
        if match is not None:
            module = copy(module)
            mend(module, match)
            return module
    return None
