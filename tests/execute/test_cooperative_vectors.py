"""Products of matrices and vectors by dx/linalg.h; skipped where the device lacks cooperative vectors."""

from __future__ import annotations

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
OPTIONS = {"profile": "cs_6_9", "target_env": "vulkan1.3", "enable_16bit_types": True}
NEEDED = ("cooperativeVector", "shaderFloat16", "storageBuffer16BitAccess", "vulkanMemoryModel")
LAYOUTS = {"RowMajor": 32, "ColMajor": 16}
"""Layout → bytes from row to row or from column to column."""
NAMES = {"RowMajor": "MATRIX_LAYOUT_ROW_MAJOR", "ColMajor": "MATRIX_LAYOUT_COLUMN_MAJOR"}
"""Name of a layout in shader model 6.10 → in 6.9."""


def check(run: Runner, source: str, layout: str, profile: str, *, biased: bool) -> None:
    """Compare 32 products with those of the model."""
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
