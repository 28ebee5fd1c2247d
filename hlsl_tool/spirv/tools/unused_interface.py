"""Remove unused variables, which the program `spirv-opt` retains since 2025.

The library removes them, as does DXC. The program retains the variables of an interface, which from SPIR-V 1.4 on lists
resources and private variables as well as inputs, and those that it removes from the interface last.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.decode import DecodeError, decode
from hlsl_tool.spirv.encode import encode, function_instructions
from hlsl_tool.spirv.enums import Decoration, StorageClass

_DEAD_CODE = "--eliminate-dead-code-aggressive"
_REMOVE_UNUSED = {"-O", "-Os", "--legalize-hlsl", _DEAD_CODE}
_COMMON = {"--skip-validation", "--target-env", "--preserve-bindings", "--max-id-bound"}


def removal(arguments: Sequence[str], output: bytes) -> tuple[list[str], bytes] | None:
    """Return (arguments, input) for a second run of the program that removes what the library removes in one run.

    ``arguments`` and ``output`` are those of the first run. Returns `None` if there is nothing to remove.
    """
    if _REMOVE_UNUSED.isdisjoint(arguments) or "--preserve-interface" in arguments:
        return None
    data = without_unused(output, keep_bound="--preserve-bindings" in arguments)
    if data is None:
        return None
    flags = [argument for argument in arguments if argument.partition("=")[0] in _COMMON]
    compact = ["--compact-ids"] if "--compact-ids" in arguments else []
    return [*flags, _DEAD_CODE, *compact, "-", "-o", "-"], data


def without_unused(data: bytes, *, keep_bound: bool = False) -> bytes | None:
    """Return the module with unused variables removed from entry points; `None` if it has no unused variables.

    Outputs stay: Vulkan lets the next stage read them. Variables with a binding stay if `keep_bound` is true.
    """
    try:
        module = decode(data)
    except DecodeError:
        return None
    unused = {
        inst.result_id
        for inst in module.globals
        if inst.op == op.OpVariable and inst.operands[0] != StorageClass.Output
    }
    if keep_bound:
        unused -= {inst.operands[0] for inst in module.annotations if inst.operands[1:2] == [Decoration.Binding]}
    for inst in chain(module.globals, *map(function_instructions, module.functions)):
        unused.difference_update(used_ids(inst))
    if not unused:
        return None
    for entry in module.entry_points:
        entry.operands[3:] = [operand for operand in entry.operands[3:] if operand not in unused]
    return encode(module)
