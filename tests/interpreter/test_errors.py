"""Errors: each has a stable code, and is raised before anything runs where that is possible."""

from __future__ import annotations

import numpy as np
import pytest

from hlsl_tool.interpreter import (
    Buffer,
    ExecutionError,
    NotInterpretedError,
    Program,
    Resources,
    Settings,
    dispatch,
)
from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.ir import Instruction
from tests.interpreter.shaders import program

ENDLESS = """
RWStructuredBuffer<uint> o : register(u0);
[numthreads(1, 1, 1)] void main() { while (o[0] == 0) o[1] = o[2]; }
"""


def test_an_instruction_that_is_not_interpreted_is_named() -> None:
    module = program(ENDLESS).module
    module.functions[0].blocks[0].instructions.insert(0, Instruction(op.OpGetKernelWorkGroupSize, 1, 2, [1, 1, 1, 1]))
    with pytest.raises(NotInterpretedError) as error:
        Program(module)
    assert str(error.value) == "not interpreted: OpGetKernelWorkGroupSize [HLSL1890]"


def test_an_endless_loop_ends_at_the_limit() -> None:
    resources = Resources({(0, 0): [Buffer(np.zeros(4, np.uint32))]})
    with pytest.raises(ExecutionError) as error:
        dispatch(program(ENDLESS), (1, 1, 1), resources, Settings(limit=1000))
    assert error.value.code == "HLSL1891"
    assert "the loop at `main` exceeds the limit of 1000 blocks" in error.value.message


def test_a_missing_entry_point_is_named() -> None:
    module = program(ENDLESS).module
    with pytest.raises(ExecutionError, match="there is no entry point `other`"):
        Program(decode(encode(module)), "other")


def test_a_buffer_that_is_not_bound_reads_as_zero() -> None:
    source = """
    StructuredBuffer<uint> a : register(t1); RWStructuredBuffer<uint> o : register(u0);
    [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { o[i] = a[i] + 1; }
    """
    buffer = Buffer(np.zeros(4, np.uint32))
    dispatch(program(source), (1, 1, 1), Resources({(0, 0): [buffer]}))
    assert buffer.bytes.view(np.uint32).tolist() == [1, 1, 1, 1]
