"""Replace vectors of more than four components, which SPIR-V lacks, by arrays.

Before: the lowering has written ``OpTypeVector`` with up to 1024 components, and instructions on such vectors. After:
the type is an array of scalars, and each arithmetic instruction is repeated for each component. Loads, stores, phis,
calls and composite instructions are not changed, since they apply to arrays as well.
"""

from __future__ import annotations

from hlsl_tool.codegen.passes.long_vectors.rewriting import Rewriter
from hlsl_tool.codegen.passes.long_vectors.vector_values import Values
from hlsl_tool.spirv.ir import Module

__all__ = ["replace_long_vectors"]


def replace_long_vectors(module: Module) -> None:
    """Replace vectors of more than four components by arrays of scalars, in place."""
    values = Values(module)
    if values.long_types:
        Rewriter(values).run()
