"""Products of matrices and vectors with dx/linalg.h; skipped if the device lacks cooperative vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.execute.tables import Runner
from tests.execute.vulkan import storage

SOURCE = """
#include <dx/linalg.h>
using namespace dx::linalg;
ByteAddressBuffer model : register(t0);
ByteAddressBuffer given : register(t1);
RWByteAddressBuffer result : register(u2);
[numthreads(32, 1, 1)] void main(uint i : SV_DispatchThreadID) {
  MatrixRef<DATA_TYPE_FLOAT16, 8, 16, LAYOUT> m = {model, 64, STRIDE};
  VectorRef<DATA_TYPE_FLOAT16> bias = {model, 1024};
  InterpretedVector<half, 16, DATA_TYPE_FLOAT16> v = {given.Load<vector<half, 16> >(i * 32)};
  result.Store(i * 16, PRODUCT);
}"""
MATRIX = """
#include <dx/linalg.h>
using namespace dx::linalg;
ByteAddressBuffer model : register(t0);
ByteAddressBuffer given : register(t1);
RWByteAddressBuffer result : register(u2);
[numthreads(32, 1, 1)] void main(uint i : SV_DispatchThreadID) {
  using M = Matrix<ComponentType::F16, 8, 16, MatrixUse::A, MatrixScope::Thread>;
  M m = M::Load<MatrixLayout::LAYOUT>(model, 64, STRIDE);
  VectorRef<ComponentType::F16, 8> bias = {model, 1024};
  vector<half, 16> v = given.Load<vector<half, 16> >(i * 32);
  result.Store(i * 16, PRODUCT);
}"""
ACCUMULATE = """
#include <dx/linalg.h>
RWByteAddressBuffer sums : register(u0);
[numthreads(32, 1, 1)] void main(uint i : SV_DispatchThreadID) {
  vector<half, 8> v = (half)i;
  v[1] = 1;
  dx::linalg::VectorAccumulate(v, sums, 16);
}"""
FACTORS = """
  vector<half, 8> a = 0;
  vector<half, 16> b = 0;
  for (uint row = 0; row < 8; ++row) a[row] = (half)(int)(i % (row + 2)) - 1;
  for (uint column = 0; column < 16; ++column) b[column] = (half)(int)((i + column) % 3);
"""
"""The columns and rows whose products invocation ``i`` adds, as `factors` has them."""
OUTER_PRODUCTS = {
    "cs_6_9": (
        "RWMatrixRef<DATA_TYPE_FLOAT16, 8, 16, MATRIX_LAYOUT_OUTER_PRODUCT_OPTIMAL> m = {sums, 256, 0};"
        "OuterProductAccumulate(a, b, m);",
        "MatrixRef<DATA_TYPE_FLOAT16, 8, 16, MATRIX_LAYOUT_OUTER_PRODUCT_OPTIMAL> m = {model, 256, 0};"
        "result.Store(i * 16, Mul<half>(m, MakeInterpretedVector<DATA_TYPE_FLOAT16>(v)));",
    ),
    "cs_6_10": (
        "OuterProduct<ComponentType::F16>(a, b).InterlockedAccumulate(sums, 256);",
        "using M = Matrix<ComponentType::F16, 8, 16, MatrixUse::A, MatrixScope::Thread>;"
        "M m = M::Load<MatrixLayout::OuterProductOptimal>(model, 256, 0);"
        "result.Store(i * 16, Multiply<half>(m, v));",
    ),
}
"""Profile → (statements that add outer products to a matrix, statements that multiply a vector by it)."""
WRITER = """
#include <dx/linalg.h>
using namespace dx::linalg;
RWByteAddressBuffer sums : register(u0);
[numthreads(32, 1, 1)] void main(uint i : SV_DispatchThreadID) { FACTORS STATEMENTS }"""
READER = """
#include <dx/linalg.h>
using namespace dx::linalg;
ByteAddressBuffer model : register(t0);
RWByteAddressBuffer result : register(u1);
[numthreads(16, 1, 1)] void main(uint i : SV_DispatchThreadID) {
  vector<half, 16> v = 0;
  v[i] = 1;
  STATEMENTS
}"""
OPTIONS = {"profile": "cs_6_9", "target_env": "vulkan1.3", "enable_16bit_types": True}
NEEDED = ("cooperativeVector", "shaderFloat16", "storageBuffer16BitAccess", "vulkanMemoryModel")
LAYOUTS = {"RowMajor": 32, "ColMajor": 16}
"""Layout → bytes from row to row or from column to column."""
NAMES = {"RowMajor": "MATRIX_LAYOUT_ROW_MAJOR", "ColMajor": "MATRIX_LAYOUT_COLUMN_MAJOR"}
"""Name of a layout in shader model 6.10 → in 6.9."""


def check(run: Runner, source: str, layout: str, profile: str, *, biased: bool) -> None:
    """Compare the products that 32 invocations compute with those that numpy computes."""
    run.needs(*NEEDED)
    random = np.random.default_rng(5)
    matrix = random.integers(-4, 5, (8, 16)).astype(np.float16)
    bias = random.integers(-9, 10, 8).astype(np.float16)
    vectors = random.integers(-4, 5, (32, 16)).astype(np.float16)
    model = bytes(64) + (matrix if layout == "RowMajor" else matrix.T).tobytes()
    model += bytes(1024 - len(model)) + bias.tobytes()
    given = {(0, 0): storage(model), (0, 1): storage(vectors.tobytes()), (0, 2): storage(32 * 16)}
    source = source.replace("STRIDE", str(LAYOUTS[layout]))
    out = run(source, given, **{**OPTIONS, "profile": profile})[0, 2]
    wanted = vectors @ matrix.T + (bias if biased else 0)
    np.testing.assert_array_equal(np.frombuffer(out, np.float16).reshape(32, 8), wanted)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("product", ["Mul<half>(m, v)", "MulAdd<half>(m, v, bias)"])
def test_products(run: Runner, product: str, layout: str) -> None:
    source = SOURCE.replace("PRODUCT", product).replace("LAYOUT", NAMES[layout])
    check(run, source, layout, "cs_6_9", biased="bias" in product)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "product",
    [
        "Multiply<half>(m, v)",
        "MultiplyAdd<half>(m, v, bias)",
        "MultiplyAdd<half>(m, MakeInterpretedVector<ComponentType::F16>(v), model.Load<vector<half, 8> >(1024))",
    ],
)
def test_matrices(run: Runner, product: str, layout: str) -> None:
    source = MATRIX.replace("PRODUCT", product).replace("LAYOUT", layout)
    check(run, source, layout, "cs_6_10", biased="Add" in product)


def test_sums(run: Runner) -> None:
    run.needs("cooperativeVectorTraining", *NEEDED)
    start = np.arange(16, dtype=np.float16)
    out = run(ACCUMULATE, {(0, 0): storage(start.tobytes())}, **OPTIONS)[0, 0]
    added = np.full(8, sum(range(32)))
    added[1] = 32
    wanted = start + np.concatenate([np.zeros(8), added])
    np.testing.assert_array_equal(np.frombuffer(out, np.float16), wanted)


def factors() -> tuple[Any, Any]:
    """Return the (columns, rows) that the 32 invocations of `FACTORS` use."""
    i = np.arange(32)[:, None]
    return i % (np.arange(8) + 2) - 1, (i + np.arange(16)) % 3


@pytest.mark.parametrize("profile", OUTER_PRODUCTS)
def test_outer_products(run: Runner, profile: str) -> None:
    """32 invocations add to a matrix whose layout is opaque; products with unit vectors read it back."""
    run.needs("cooperativeVectorTraining", *NEEDED)
    adding, reading = OUTER_PRODUCTS[profile]
    options = {**OPTIONS, "profile": profile}
    writer = WRITER.replace("FACTORS", FACTORS).replace("STATEMENTS", adding)
    sums = run(writer, {(0, 0): storage(16384)}, **options)[0, 0]
    assert not any(sums[:256]) and any(sums)
    reader = READER.replace("STATEMENTS", reading)
    out = run(reader, {(0, 0): storage(sums), (0, 1): storage(16 * 16)}, **options)[0, 1]
    columns, rows = factors()
    np.testing.assert_array_equal(np.frombuffer(out, np.float16).reshape(16, 8), rows.T @ columns)
