"""Descriptor heaps, and counters of buffers that are accessed through aliases."""

from __future__ import annotations

from tests.execute.tables import Runner, as_words, words
from tests.execute.vulkan import storage


def test_counters_through_aliases(run: Runner) -> None:
    source = """
[[vk::binding(0), vk::counter_binding(1)]] RWStructuredBuffer<uint> a;
[[vk::binding(2), vk::counter_binding(3)]] RWStructuredBuffer<uint> b;
struct Queue {
    RWStructuredBuffer<uint> items;
    void push(uint x) { items[items.IncrementCounter()] = x; }
};
struct Queues { Queue first, second; };
RWStructuredBuffer<uint> pick() { return b; }
void push(RWStructuredBuffer<uint> to, uint x) { to[to.IncrementCounter()] = x; }
[numthreads(1, 1, 1)] void main() {
    Queues q;
    q.first.items = a;
    q.second.items = pick();
    q.first.push(10); q.first.push(11);
    q.second.push(20);
    push(a, 12);
    push(q.second.items, 21);
    RWStructuredBuffer<uint> local = q.first.items;
    local[local.DecrementCounter()] += 100;
    local = b;
    local[local.IncrementCounter()] = 22;
    Queue copy = q.second;
    copy.push(23);
}"""
    out = run(source, {(0, n): storage(size) for n, size in enumerate((16, 4, 20, 4))})
    assert as_words(out[0, 0]) == (10, 11, 112, 0)
    assert as_words(out[0, 1]) == (2,)
    assert as_words(out[0, 2]) == (20, 21, 22, 23, 0)
    assert as_words(out[0, 3]) == (4,)


def test_a_buffer_out_of_the_heap(run: Runner) -> None:
    run.needs("runtimeDescriptorArray")
    source = """
RWStructuredBuffer<uint> open(uint i) { return ResourceDescriptorHeap[i]; }
[[vk::binding(0)]] ByteAddressBuffer first;
[numthreads(1, 1, 1)] void main() {
    RWStructuredBuffer<uint> o = ResourceDescriptorHeap[first.Load(0)];
    o[o.IncrementCounter()] = first.Load(4);
    RWStructuredBuffer<uint> again = open(0);
    again[again.IncrementCounter()] = first.Load(8) + o[1];
}"""
    resources = {(0, 0): storage(words(0, 7, 8)), (0, 1): storage(12), (0, 2): storage(words(1))}
    out = run(source, resources, profile="cs_6_6")
    assert as_words(out[0, 1]) == (0, 7, 15)
    assert as_words(out[0, 2]) == (3,)
