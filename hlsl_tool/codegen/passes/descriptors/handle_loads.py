"""Remove memory operands from loads of images, after the upgrade to the Vulkan memory model.

Before: spirv-opt has added memory operands to accesses of coherent variables, including loads of images. An image is a
handle in UniformConstant memory, where these operands are invalid. After: loads of images have none; the reads and
writes of their texels retain theirs.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import OPAQUE
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.ir import Module


def strip_handle_loads(module: Module, index: ModuleIndex) -> None:
    """Remove the (invalid) memory operands from loads of images, in place."""
    for function in module.functions:
        for inst in function.instructions():
            if inst.op == op.OpLoad and len(inst.operands) > 1 and index.definitions[inst.type_id].op in OPAQUE:
                del inst.operands[1:]
