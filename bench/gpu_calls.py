"""Measure the overhead of a call of the same kernel by ``hlsl_tool.gpu``, by wgpu-py alone and by slangpy.

The kernel multiplies 1024 floats by a constant, so nearly all of the time is that of the call: copies to the device, a
dispatch, and a copy back.  ``python bench/gpu_calls.py [--slangpy PYTHON] [--rounds N]``; PYTHON is the interpreter of
an environment with slangpy (and numpy), by default this one.  Microseconds of CPU time and of real time a call,
medians of rounds that alternate between the candidates.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

COUNT, CALLS = 1024, 300
HLSL = """
StructuredBuffer<float> source;
RWStructuredBuffer<float> target;
float factor;
[numthreads(64, 1, 1)]
void main(uint3 i : SV_DispatchThreadID) { target[i.x] = source[i.x] * factor; }
"""
WGSL = """
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> result: array<f32>;
@group(0) @binding(2) var<uniform> factor: f32;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) i: vec3u) { result[i.x] = source[i.x] * factor; }
"""
SLANG = """
[shader("compute")] [numthreads(64, 1, 1)]
void main(uint3 i : SV_DispatchThreadID, uniform StructuredBuffer<float> source,
          uniform RWStructuredBuffer<float> result, uniform float factor)
{ result[i.x] = source[i.x] * factor; }
"""


def ours(library: str, *, resident: bool) -> Callable[[], None]:
    """Return calls of a kernel on numpy arrays, or on arrays that remain on the device."""
    import numpy as np

    from hlsl_tool import gpu

    kernel = gpu.compile(HLSL, device=library)
    source = np.arange(COUNT, dtype=np.float32)
    target = np.zeros_like(source)
    if resident:
        a, b = gpu.array(source, device=library), gpu.array(target, device=library)
        return lambda: kernel(a, b, factor=2.0, groups=COUNT // 64)
    kernel(source, target, factor=2.0, groups=COUNT // 64)
    assert (target == source * 2).all()
    return lambda: kernel(source, target, factor=2.0, groups=COUNT // 64)


def wgpu_alone() -> Callable[[], None]:
    """Return equivalent calls of wgpu-py, with buffers and bind groups that are created once."""
    import numpy as np
    import wgpu

    device = wgpu.gpu.enumerate_adapters_sync()[0].request_device_sync()
    source = np.arange(COUNT, dtype=np.float32)
    target = np.zeros_like(source)
    usage = wgpu.BufferUsage
    flags = usage.STORAGE | usage.COPY_DST | usage.COPY_SRC
    given, result = (device.create_buffer(size=source.nbytes, usage=flags) for _ in range(2))
    factor = device.create_buffer_with_data(data=np.array([2, 0, 0, 0], np.float32), usage=usage.UNIFORM)
    pipeline = device.create_compute_pipeline(
        layout="auto", compute={"module": device.create_shader_module(code=WGSL), "entry_point": "main"}
    )
    entries = [{"binding": k, "resource": {"buffer": b}} for k, b in enumerate((given, result, factor))]
    group = device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)

    def call() -> None:
        device.queue.write_buffer(given, 0, source)
        device.queue.write_buffer(result, 0, target)
        encoder = device.create_command_encoder()
        work = encoder.begin_compute_pass()
        work.set_pipeline(pipeline)
        work.set_bind_group(0, group)
        work.dispatch_workgroups(COUNT // 64)
        work.end()
        device.queue.submit([encoder.finish()])
        target[:] = np.frombuffer(device.queue.read_buffer(result), np.float32)

    call()
    assert (target == source * 2).all()
    return call


def slangpy_kernel() -> Callable[[], None]:
    """Return calls of a slangpy compute kernel, with buffers that are created once."""
    import numpy as np
    import slangpy as spy

    device = spy.Device(type=spy.DeviceType.vulkan)
    module = device.load_module_from_source("bench_gpu_calls", SLANG)
    kernel = device.create_compute_kernel(device.link_program([module], [module.entry_point("main")]))
    source = np.arange(COUNT, dtype=np.float32)
    target = np.zeros_like(source)
    usage = spy.BufferUsage.shader_resource | spy.BufferUsage.unordered_access
    given, result = (device.create_buffer(element_count=COUNT, struct_size=4, usage=usage) for _ in range(2))

    def call(device: object = device) -> None:  # slangpy crashes where the device is gone
        given.copy_from_numpy(source)
        result.copy_from_numpy(target)
        kernel.dispatch(thread_count=[COUNT, 1, 1], source=given, result=result, factor=2.0)
        target[:] = result.to_numpy().view(np.float32)

    call()
    assert (target == source * 2).all()
    return call


CANDIDATES: dict[str, Callable[[], Callable[[], None]]] = {
    "hlsl_tool, Vulkan": lambda: ours("vulkan", resident=False),
    "hlsl_tool, Vulkan, gpu.array": lambda: ours("vulkan", resident=True),
    "hlsl_tool, wgpu": lambda: ours("wgpu", resident=False),
    "hlsl_tool, wgpu, gpu.array": lambda: ours("wgpu", resident=True),
    "wgpu-py alone": wgpu_alone,
    "slangpy": slangpy_kernel,
}


def child(name: str) -> None:
    """Measure one candidate for each line of standard input."""
    call = CANDIDATES[name]()
    for _ in range(20):
        call()
    print("ready", flush=True)
    for _ in sys.stdin:
        cpu, real = time.process_time(), time.perf_counter()
        for _ in range(CALLS):
            call()
        spent = [(time.process_time() - cpu) / CALLS * 1e6, (time.perf_counter() - real) / CALLS * 1e6]
        print(json.dumps(spent), flush=True)


class Candidate:
    """A process that measures one candidate."""

    def __init__(self, python: str, name: str) -> None:
        self.name = name
        self.times: list[tuple[float, float]] = []
        self.process = subprocess.Popen(
            [python, __file__, "--child", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.works = self.process.stdout.readline() == "ready\n"

    def problem(self) -> str:
        assert self.process.stderr is not None
        return (self.process.stderr.read().strip().splitlines() or ["it ended"])[-1]

    def measure(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.times.append(tuple(json.loads(self.process.stdout.readline())))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slangpy", default=sys.executable, metavar="PYTHON", help="an interpreter with slangpy")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--child", choices=CANDIDATES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child)
        return
    made = [Candidate(arguments.slangpy if name == "slangpy" else sys.executable, name) for name in CANDIDATES]
    running = [candidate for candidate in made if candidate.works]
    for _ in range(arguments.rounds):
        for candidate in running:
            candidate.measure()
    medians = {c.name: [statistics.median(column) for column in zip(*c.times, strict=True)] for c in running}
    base = medians.get("wgpu-py alone", next(iter(medians.values())))
    print(f"{'µs a call':30} {'CPU':>8} {'real':>8} {'of wgpu-py':>11}")
    for candidate in made:
        if candidate.works:
            cpu, real = medians[candidate.name]
            print(f"{candidate.name:30} {cpu:8.0f} {real:8.0f} {real / base[1]:11.2f}")
        else:
            print(f"{candidate.name:30} {candidate.problem()}")
        assert candidate.process.stdin is not None
        candidate.process.stdin.close()


if __name__ == "__main__":
    main()
