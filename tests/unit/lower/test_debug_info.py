"""Debug information does not change the executed code, and survives legalisation and optimisation."""

from __future__ import annotations

import dataclasses
import pathlib

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.options.compile_options import DEBUG_EVERYTHING, CompileOptions
from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.plan import plan
from hlsl_tool.project.config.load import load
from hlsl_tool.spirv import op, opencl_debug, shader_debug
from hlsl_tool.spirv.analysis.kinds import EXT_INSTS
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.ir import Block, Instruction, Module
from tests.compact_ids import compact_ids

ROOT = pathlib.Path(__file__).parents[3]
JOBS = {job.source: job for job in reversed(plan(load(str(ROOT), ["config/shaders"], Sink())))}
"""One permutation of each sample shader."""
DEBUG_SETS = (opencl_debug.SET, shader_debug.SET)
SAMPLES = [
    "shaders/lit/pbr.hlsl",
    "shaders/lit/skinned.hlsl",
    "shaders/post/tonemap.hlsl",
    "shaders/compute/radix_sort.hlsl",
]


def compiled(job: Job, **changes: object) -> Module:
    fs = CachedFileSystem(OSFileSystem(str(ROOT)))
    data = fs.read(fs.resolve(job.source))
    assert data is not None
    options = dataclasses.replace(job.options, validate="required", **changes)  # type: ignore[arg-type]
    result = compile_shader(
        SourceFile.from_bytes(job.source, fs.resolve(job.source), data),
        entry=options.entry,
        profile=options.profile,
        options=options,
        fs=fs,
    )
    assert result.ok, result.diagnostics
    return decode(result.spirv)


def stripped(module: Module) -> bytes:
    """Return the module without debug information, with ids renumbered."""
    module.sources, module.processed, module.trailing = [], [], []
    sets = {inst.result_id for inst in module.ext_inst_imports if inst.text(0) in DEBUG_SETS}
    module.ext_inst_imports = [inst for inst in module.ext_inst_imports if inst.result_id not in sets]

    def stays(inst: Instruction) -> bool:
        return inst.op not in (op.OpLine, op.OpNoLine) and not (inst.op == op.OpExtInst and inst.id(0) in sets)

    module.globals = [inst for inst in module.globals if stays(inst)]
    for f in module.functions:
        f.prelude, f.header, f.epilogue = [], [], []
        for block in f.blocks:
            block.prelude = []
            block.instructions = [inst for inst in block.instructions if stays(inst)]
    compact_ids(module)
    return encode(module)


def line_count(module: Module) -> int:
    return sum(inst.op == op.OpLine for f in module.functions for inst in f.instructions())


@pytest.mark.parametrize("source", SAMPLES)
def test_the_code_is_the_same(source: str) -> None:
    plain = compiled(JOBS[source], codegen_only=True)
    debug = compiled(JOBS[source], codegen_only=True, debug=DEBUG_EVERYTHING)
    assert line_count(plain) == 0
    assert line_count(debug) > 10
    assert stripped(plain) == stripped(debug)


@pytest.mark.parametrize("source", SAMPLES)
def test_optimised_with_lines(source: str) -> None:
    module = compiled(JOBS[source], optimize="performance", debug=DEBUG_EVERYTHING)
    assert line_count(module) > 5


def test_paths_are_those_of_the_project() -> None:
    """Paths are relative, so that the module does not depend on the project's folder."""
    module = compiled(JOBS[SAMPLES[0]], codegen_only=True, debug=DEBUG_EVERYTHING)
    names = [inst.text(0) for inst in module.sources if inst.op == op.OpString]
    assert names[0] == SAMPLES[0]
    assert len(names) > 3
    assert not any(pathlib.Path(name).is_absolute() for name in names)


@pytest.mark.parametrize("source", SAMPLES)
@pytest.mark.parametrize("kind", ["rich-with-source", "vulkan-with-source"])
def test_optimised_with_scopes_and_variables(source: str, kind: str) -> None:
    """The module is also valid after legalisation and optimisation: ``compiled`` validates it."""
    module = compiled(JOBS[source], optimize="performance", debug=(kind,))
    numbers = [inst.id(1) for inst in module.globals if inst.op == op.OpExtInst]
    assert opencl_debug.DebugFunction in numbers
    assert opencl_debug.DebugGlobalVariable in numbers


@pytest.mark.parametrize("kind", ["rich", "vulkan"])
def test_the_code_is_the_same_with_variables(kind: str) -> None:
    """With and without debug information, functions have the same instructions in each block.

    Other parts of the module differ, for example by constants that only debug instructions use.
    """
    plain, debug = (compiled(JOBS[SAMPLES[1]], codegen_only=True, debug=d) for d in ((), (kind,)))
    assert stripped(plain)
    assert stripped(debug)
    for a, b in zip(plain.functions, debug.functions, strict=True):
        assert [block_shape(x) for x in a.blocks] == [block_shape(x) for x in b.blocks]


def block_shape(block: Block) -> list[tuple[int, int]]:
    return [(inst.op, len(inst.operands)) for inst in block.instructions]


def test_a_parameter_that_inlining_replaces() -> None:
    """A module with debug information is valid if inlining replaces a parameter by an element of an array.

    An element is not a variable, so the debug information omits the parameter.
    """
    text = (
        "void inc(inout float x) { x += 1; }\nfloat4 main(float4 c : C) : SV_Target {\n"
        "  float a[3] = {c.x, c.y, c.z};\n  inc(a[1]);\n  return a[1];\n}\n"
    )
    for kind in ("rich", "vulkan"):
        for level in ("none", "performance"):
            options = CompileOptions(debug=(kind,), optimize=level, validate="required")
            result = compile_shader(text, profile="ps_6_0", options=options)
            assert result.ok, result.diagnostics


def lines_of(text: str, **options: object) -> list[tuple[str, int, int]]:
    """Return (file, line, column) of every OpLine."""
    made = CompileOptions(debug=("line",), codegen_only=True, **options)  # type: ignore[arg-type]
    result = compile_shader(text, profile="ps_6_0", options=made)
    assert result.module is not None, result.diagnostics
    names = {inst.result_id: inst.text(0) for inst in result.module.sources if inst.op == op.OpString}
    return [
        (names[inst.id(0)], inst.id(1), inst.id(2))
        for f in result.module.functions
        for inst in f.instructions()
        if inst.op == op.OpLine
    ]


def test_line_directives_count() -> None:
    text = 'float4 main(float4 c : C) : SV_Target {\n#line 70 "other.hlsl"\n  return c * 2;\n}\n'
    assert ("other.hlsl", 70, 11) in lines_of(text)


def test_macros_stand_where_they_are_used() -> None:
    text = "#define TWICE(x) ((x) +\\\n  (x))\nfloat4 main(float4 c : C) : SV_Target {\n  return TWICE(c);\n}\n"
    found = lines_of(text)
    assert ("shader.hlsl", 4, 15) in found  # the `+` in the preprocessed text
    assert not any(line < 3 for _, line, _ in found)


def test_columns_are_those_of_the_preprocessed_text() -> None:
    text = "float4 main(float4 c : C) : SV_Target {\n  float4 d   =  /* twice */ c   *   2;\n  return d;\n}\n"
    places = [(line, column) for _, line, column in lines_of(text)]
    assert (2, 14) in places  # float4 d = c * 2;
    assert (2, 16) in places


def test_a_statement_on_many_lines() -> None:
    text = "float4 main(float4 c : C, float4 d : D) : SV_Target {\n  return c\n    *\n    d;\n}\n"
    assert [(line, column) for _, line, column in lines_of(text)][-4:] == [(2, 10), (4, 5), (3, 5), (2, 3)]


DEFAULTS = """static const uint first = 7, second = 9; RWStructuredBuffer<float> o; Texture2D<float4> t; float scale;
float far(float a, float b = scale * 2 + second, float c = max(t[uint2(1, 2)].x, scale)) { return a + b + c; }
struct S { float v; float get(float k = scale + first) { return v * k; } };
template<typename T> T many(T a, T b = (T)scale * 3) { return a * b; }
[numthreads(1, 1, 1)] void main() { S s = { 2 }; o[0] = far(1) + s.get() + many(2.0); }
"""


@pytest.mark.parametrize("debug", [("rich",), DEBUG_EVERYTHING, ("vulkan-with-source",)], ids=str)
def test_default_arguments(debug: tuple[str, ...]) -> None:
    options = CompileOptions(codegen_only=True, debug=debug)
    result = compile_shader(DEFAULTS, profile="cs_6_0", options=options)
    assert result.ok, result.diagnostics


@pytest.mark.parametrize("debug", [(), DEBUG_EVERYTHING], ids=["plain", "lines"])
def test_message_about_a_default_argument(debug: tuple[str, ...]) -> None:
    """A message about a default argument names the line of the declaration."""
    source = """RWStructuredBuffer<uint> o;
uint much(uint a,
          uint b = GetRenderTargetSampleCount()) { return a + b; }
[numthreads(1, 1, 1)] void main() { o[0] = much(1); }
"""
    result = compile_shader(source, profile="cs_6_0", options=CompileOptions(codegen_only=True, debug=debug))
    places = [(d.location.line, d.location.col) for d in result.diagnostics if d.location is not None]
    assert places == [(3, 20)]


HEAP = """struct P { uint64_t a; }; [[vk::push_constant]] P pc; RWStructuredBuffer<float4> o;
[numthreads(1, 1, 1)] void main() {
    Texture2D t = ResourceDescriptorHeap[vk::RawBufferLoad<uint>(pc.a)];
    o[0] = t.Load(int3(0, 0, 0));
}
"""


@pytest.mark.parametrize("debug", [(), DEBUG_EVERYTHING, ("rich",), ("vulkan",)], ids=str)
def test_debug_information_does_not_decide_what_compiles(debug: tuple[str, ...]) -> None:
    """A shader with a local copy of a heap texture compiles with any debug option, and has line information."""
    result = compile_shader(HEAP, profile="cs_6_6", options=CompileOptions(debug=debug))
    assert result.ok, result.diagnostics
    assert {diagnostic.code.id for diagnostic in result.diagnostics} <= {"HLSL0752", "HLSL1156"}
    if debug:
        assert line_count(decode(result.spirv)) > 3 or not result.diagnostics


CHOSEN = """Texture2D a; Texture2D b; RWStructuredBuffer<float4> o;
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    Texture2D t = a;
    if (id.x) t = b;
    o[0] = t.Load(int3(0, 0, 0));
}
"""


@pytest.mark.parametrize("debug", [(), DEBUG_EVERYTHING, ("rich",), ("vulkan",)], ids=str)
def test_refusals_have_a_place(debug: tuple[str, ...]) -> None:
    result = compile_shader(CHOSEN, profile="cs_6_0", options=CompileOptions(debug=debug))
    errors = [d for d in result.diagnostics if d.severity == "error"]
    assert [d.code.name for d in errors] == ["resource-chosen"]
    assert errors[0].location is not None and errors[0].location.line == 5


METHODS = """struct S { float4 v; float get(int i) { return v[i]; } };
RWStructuredBuffer<S> b; StructuredBuffer<S> c; ConstantBuffer<S> d; RWStructuredBuffer<float> o;
float use(RWStructuredBuffer<S> p, int i) { return p[i].get(i); }
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    S s = b[id.x];
    o[0] = s.get(1) + b[1].get(2) + use(b, 3) + c[1].get(2) + d.get(1);
}
"""


@pytest.mark.parametrize("kind", ["rich", "rich-with-source", "vulkan", "vulkan-with-source"])
@pytest.mark.parametrize("level", ["none", "size", "performance"])
def test_methods_of_what_a_buffer_holds(kind: str, level: str) -> None:
    """Modules with debug information about methods of a buffer's elements are valid.

    With rich debug information they have no forward references, which old validators reject.
    """
    validate = "required" if kind.startswith("rich") else "yes"
    options = CompileOptions(debug=(kind,), optimize=level, validate=validate)
    result = compile_shader(METHODS, profile="cs_6_0", options=options)
    assert result.ok, result.diagnostics
    if kind.startswith("rich"):
        opcodes = {inst.op for inst in decode(result.spirv).globals}
        assert op.OpExtInstWithForwardRefsKHR not in opcodes


@pytest.mark.parametrize("debug", [("rich",), ("vulkan",)], ids=str)
def test_stream_of_an_empty_structure(debug: tuple[str, ...]) -> None:
    source = """struct I { float4 p : P; }; struct O { };
[maxvertexcount(1)] void main(point I i[1], inout PointStream<O> s) { O o = (O)0; s.Append(o); }
"""
    result = compile_shader(source, profile="gs_6_0", options=CompileOptions(debug=debug))
    assert result.ok, result.diagnostics


REDUCED = {
    "a constant buffer of the heap": (
        "ps_6_6",
        """struct K { uint info; }; [[vk::push_constant]] K k; struct Info { uint64_t address; float4 q; };
void main(out uint t : SV_Target0) {
    ConstantBuffer<Info> i = ResourceDescriptorHeap[k.info];
    t = vk::RawBufferLoad<uint>(i.address) + i.q.x;
}
""",
    ),
    "a static struct of buffers": (
        "cs_6_6",
        """struct C { StructuredBuffer<float4> b; uint k; float4 g(uint i) { return b[i + k]; } };
StructuredBuffer<float4> a; RWStructuredBuffer<float4> o; static C c;
[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) { c.b = a; c.k = 1; o[0] = c.g(i); }
""",
    ),
    "an inout argument with a variable index": (
        "cs_6_2",
        """RWStructuredBuffer<int> o; struct B { int v; void swap(inout B x) { } };
[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) {
    B b[2]; b[0].v = 1; b[1].v = 2; B c; c.v = 3;
    c.swap(b[i & 1]);
    o[0] = b[0].v;
}
""",
    ),
}


@pytest.mark.parametrize("debug", [("vulkan-with-source",), ("rich",)], ids=str)
@pytest.mark.parametrize("name", REDUCED)
def test_debug_information_remains_where_spirv_opt_fails(name: str, debug: tuple[str, ...]) -> None:
    """That for Vulkan is complete, since our own promotion preserves it; the other is reduced to lines."""
    profile, source = REDUCED[name]
    options = CompileOptions(debug=debug, target_env="vulkan1.3", validate="required")
    result = compile_shader(source, profile=profile, options=options)
    assert result.ok, result.diagnostics
    is_reduced = debug == ("rich",)
    codes = {diagnostic.code.id for diagnostic in result.diagnostics}
    assert codes <= {"HLSL0752", "HLSL1156"} if is_reduced else not codes
    module = decode(result.spirv)
    numbers = {inst.id(1) for f in module.functions for inst in f.instructions() if inst.op in EXT_INSTS}
    assert line_count(module) >= 1 if is_reduced else shader_debug.DebugLine in numbers


PATCH = """struct P { float4 p : P; }; struct K { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
K constants(InputPatch<P, 3> x) { return (K)0; }
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)]
[patchconstantfunc("constants")]
P main(InputPatch<P, 3> x, uint i : SV_OutputControlPointID) { return x[i]; }
"""


def test_control_points_of_a_patch_have_their_members() -> None:
    options = CompileOptions(debug=("rich",), optimize="none", validate="required")
    result = compile_shader(PATCH, profile="hs_6_0", options=options)
    assert result.ok, result.diagnostics
    module = decode(result.spirv)
    names = {inst.result_id: inst.text(0) for inst in module.sources if inst.op == op.OpString}
    instructions = [inst for inst in module.globals if inst.op == op.OpExtInst]
    described = {names[i.id(2)] for i in instructions if i.id(1) == opencl_debug.DebugTypeComposite}
    members = {names[i.id(2)] for i in instructions if i.id(1) == opencl_debug.DebugTypeMember}
    assert (described, members) == ({"P", "K"}, {"p", "e", "i"})


@pytest.mark.parametrize("codegen_only", [True, False])
def test_positions_in_headers_of_the_compiler(codegen_only: bool) -> None:
    """Such a header is no source of the module, so positions mention its name first."""
    source = """
#include <vk/khr/cooperative_matrix.h>
using C = vk::khr::CooperativeMatrixAccumulator<float, vk::ScopeSubgroup, 16, 16>;
RWStructuredBuffer<float> data;
[numthreads(32, 1, 1)] void main() {
  C c = C::Splat(2);
  c.Store<vk::CooperativeMatrixLayoutRowMajorKHR>(data, 512, 16);
}"""
    options = CompileOptions(target_env="vulkan1.3", debug=("rich-with-source",), codegen_only=codegen_only)
    module = decode(compile_shader(source, profile="cs_6_6", options=options).spirv)
    instructions = [inst for function in module.functions for inst in function.instructions()]
    names = {inst.result_id: inst.text(0) for inst in module.sources if inst.op == op.OpString}
    places = {names[inst.id(0)] for inst in instructions if inst.op == op.OpLine}
    assert "<built-in:hlsl>/vk/khr/cooperative_matrix.h" in places
