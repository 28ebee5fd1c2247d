"""The sixteen combinations of matrix conventions in host and shader (`codegen.layout.matrices`), executed.

The host's matrix takes vectors of ``inputs`` numbers to ``outputs``. It is uploaded into constant buffers, where every
row or column takes 16 bytes. The shader's result must equal the host's if the table lists the combination as agreeing;
for others, the host transposes the matrix first.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hlsl_tool.codegen.layout.matrices import COMBINATIONS, Combination
from tests.execute.tables import Runner, as_floats, floats
from tests.execute.vulkan import storage, uniform

Grid = list[list[float]]


def transposed(m: Grid) -> Grid:
    return [list(column) for column in zip(*m, strict=True)]


def host_matrix(c: Combination, inputs: int, outputs: int) -> Grid:
    """Return some transformation as the host writes it; for row vectors it has one row for each input."""
    by_inputs = [[float((3 * i * i + 5 * o * (i + 2) + 1) % 13 - 6) for o in range(outputs)] for i in range(inputs)]
    return by_inputs if c.host_vectors == "row" else transposed(by_inputs)


def host_result(c: Combination, m: Grid, vector: Sequence[float]) -> list[float]:
    by_outputs = transposed(m) if c.host_vectors == "row" else m
    return [sum(x * y for x, y in zip(row, vector, strict=True)) for row in by_outputs]


def in_memory(c: Combination, m: Grid) -> bytes:
    parts = m if c.host_memory == "row" else transposed(m)
    return b"".join(floats(*part).ljust(16, b"\0") for part in parts)


def shader(c: Combination, inputs: int, outputs: int) -> str:
    rows, columns = (inputs, outputs) if c.shader_vectors == "row" else (outputs, inputs)
    names = "xyzw"[:outputs]
    stores = "\n".join(f"    result.Store({4 * n}, asuint(r.{name}));" for n, name in enumerate(names))
    return f"""
cbuffer Host : register(b0) {{ {c.shader_memory}_major float{rows}x{columns} m; }};
ByteAddressBuffer given : register(t1);
RWByteAddressBuffer result : register(u2);
[numthreads(1, 1, 1)]
void main()
{{
    float{inputs} v = asfloat(given.Load{inputs}(0));
    float{outputs} r = {c.mul};
{stores}
}}"""


def execute(run: Runner, c: Combination, data: bytes, vector: Sequence[float], outputs: int) -> list[float]:
    source = shader(c, len(vector), outputs)
    places = {(0, 0): uniform(data.ljust(64, b"\0")), (0, 1): storage(floats(*vector)), (0, 2): storage(4 * outputs)}
    return list(as_floats(run(source, places)[0, 2]))


@pytest.mark.parametrize(("inputs", "outputs"), [(4, 4), (3, 3), (4, 3), (2, 4)])
@pytest.mark.parametrize("c", COMBINATIONS, ids=lambda c: f"{c.host_memory}s {c.product} {c.shader_memory} {c.mul}")
def test_the_shader_and_the_host_agree_where_the_table_has_it(
    run: Runner, c: Combination, inputs: int, outputs: int
) -> None:
    vector = [2.0, -3.0, 5.0, 7.0][:inputs]
    m = host_matrix(c, inputs, outputs)
    wanted = host_result(c, m, vector)
    uploaded = m if c.agrees else transposed(m)
    assert execute(run, c, in_memory(c, uploaded), vector, outputs) == wanted
    if not c.agrees and inputs == outputs:
        assert execute(run, c, in_memory(c, m), vector, outputs) == host_result(c, transposed(m), vector) != wanted


def test_eight_agree_and_every_other_does_with_the_other_mul() -> None:
    assert len(COMBINATIONS) == 16 and sum(c.agrees for c in COMBINATIONS) == 8
    for c in COMBINATIONS:
        other = Combination(
            c.host_memory, c.host_vectors, c.shader_memory, "column" if c.shader_vectors == "row" else "row"
        )
        assert c.agrees != other.agrees
