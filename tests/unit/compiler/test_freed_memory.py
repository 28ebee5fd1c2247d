"""After a compilation nothing remains in the process: no user types in caches, and few reference cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from hlsl_tool import compile_shader
from hlsl_tool.frontend.sema.model.hir import Function, Variable
from hlsl_tool.frontend.sema.model.types import Struct
from hlsl_tool.frontend.syntax.ast import Binary

pytestmark = pytest.mark.usefixtures("frozen")

SHADER = """
struct Item { float4 a[3]; float f() { return a[0].x + a[1].y; } };
struct Pair { Item items[2]; };
StructuredBuffer<Pair> pairs[4];
RWStructuredBuffer<Item> results;
float sum(Item item) { float total = item.f() + 1; Item copies[2] = { item, item }; return total + copies[1].f(); }
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID)
{
    Item item = pairs[id.x].Load(id.y).items[id.z & 1];
    item.a[2] = sum(item) + 2;
    results[id.x] = item;
}
"""


@pytest.fixture(autouse=True)
def own_objects() -> Iterator[None]:
    """Hide the objects of other tests from the collector."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def compile_once() -> None:
    assert compile_shader(SHADER, profile="cs_6_0").ok


def count(*classes: type) -> int:
    return sum(isinstance(item, classes) for item in gc.get_objects())


def test_types_of_users_are_freed() -> None:
    compile_once()
    gc.collect()
    before = count(Struct, Function, Variable)
    compile_once()
    gc.collect()
    assert count(Struct, Function, Variable) <= before  # objects of other tests may be freed meanwhile


@pytest.mark.parametrize("item", [Binary, Variable])
def test_bodies_are_freed_without_the_collector(item: type) -> None:
    compile_once()
    gc.collect()
    before = count(item)
    gc.disable()
    try:
        compile_once()
        assert count(item) <= before + 2  # those of the struct: its methods are part of a cycle
    finally:
        gc.enable()
