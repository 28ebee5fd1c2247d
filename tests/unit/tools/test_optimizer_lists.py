"""The lists of spirv-opt's passes for modules in SSA form."""

from __future__ import annotations

from hlsl_tool.compiler.compile import compile_shader

CHAINS = """
RWStructuredBuffer<float> first(uint i) { return ResourceDescriptorHeap[i]; }
[numthreads(1, 1, 1)] void main() { first(1).IncrementCounter(); }
"""


def test_access_chains_are_combined() -> None:
    """As with -O, an access chain on an access chain becomes one instruction."""
    result = compile_shader(CHAINS, profile="cs_6_6")
    assert result.ok and result.module is not None
    chains = [inst for function in result.module.functions for inst in function.instructions() if inst.op == 65]
    ids = {inst.result_id for inst in chains}
    assert chains
    assert not [inst for inst in chains if inst.operands[0] in ids]
