"""Convert long vectors to the type of SPV_EXT_long_vector, for devices that support it.

Before: ``OpTypeVector`` with up to 1024 components. After: ``OpTypeVectorIdEXT``, whose component count is a constant;
the module declares the capability and the extension. Instructions are not changed.
"""

from __future__ import annotations

from hlsl_tool.codegen.passes.long_vectors.vector_values import Values
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Capability
from hlsl_tool.spirv.ir import Instruction, Module

EXTENSION = "SPV_EXT_long_vector"


def declare_long_vectors(module: Module) -> bool:
    """Change the types of vectors with more than four components, in place; return whether there were any."""
    values = Values(module)
    values.declare(op.OpTypeVectorIdEXT)
    if not values.long_types:
        return False
    module.capabilities.append(Instruction(op.OpCapability, 0, 0, [Capability.LongVectorEXT]))
    module.extensions.append(Instruction(op.OpExtension, 0, 0, [EXTENSION]))
    return True
