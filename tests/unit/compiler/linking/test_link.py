"""``link``: programs and libraries from modules, and the diagnostics of modules that do not fit."""

from __future__ import annotations

import itertools
import pathlib

import pytest

from hlsl_tool import CompileOptions, CompileResult, Memory, compile_shader, link
from hlsl_tool.base.source import MemoryFileSystem, SourceFile
from hlsl_tool.cli.__main__ import run
from hlsl_tool.spirv.text import disassemble

MAIN = """
struct Light { float3 at; float power; };
float shade(Light l, float3 p);
Texture2D<float4> image : register(t1);
cbuffer View : register(b0) { Light light; };
[shader("pixel")] float4 main(float3 p : P) : SV_Target { return shade(light, p) * image.Load(0); }
[shader("pixel")] float4 flat(float3 p : P) : SV_Target { return shade(light, p); }
"""
LIBRARY = """
struct Light { float3 at; float power; };
Texture2D<float4> image : register(t1);
static float gain = image.Load(0).x;
export float shade(Light l, float3 p) { return l.power * gain * distance(l.at, p); }
"""


def linked(*texts: str, entry: str = "", options: CompileOptions | None = None) -> CompileResult:
    """Link libraries by their texts: HLSL, called a.hlsl, b.hlsl, and so on."""
    files = {f"/{letter}.hlsl": text for letter, text in zip("abcdef", texts, strict=False)}
    return link(sorted(files), entry=entry, options=options, fs=MemoryFileSystem(files))


def module(text: str, *debug: str) -> bytes:
    options = CompileOptions(debug=debug)
    result = compile_shader(text, entry="", profile="lib_6_3", options=options, name="lib.hlsl")
    assert result.ok, [d.message for d in result.diagnostics]
    return result.spirv


def lines(result: CompileResult) -> list[str]:
    assert result.ok, [d.message for d in result.diagnostics]
    assert result.module is not None
    return disassemble(result.module).splitlines()


def messages(result: CompileResult) -> list[tuple[str, str, str]]:
    """Return (code, message, place) of all errors."""
    assert not result.ok
    return [
        (d.code.id, d.message, f"{d.location.file}:{d.location.line}" if d.location else "")
        for d in result.diagnostics
        if d.severity in ("error", "fatal")
    ]


# ---- programs


def test_a_program_has_the_entry_points_and_no_linkage() -> None:
    text = lines(linked(MAIN, LIBRARY))
    assert [line.split('"')[1] for line in text if "OpEntryPoint" in line] == ["main", "flat"]
    assert not [line for line in text if "Linkage" in line or "OpFunctionCall" in line]
    assert sum("%image = OpVariable" in line for line in text) == 1


def test_an_entry_point_is_chosen() -> None:
    text = lines(linked(MAIN, LIBRARY, entry="flat"))
    assert [line.split('"')[1] for line in text if "OpEntryPoint" in line] == ["flat"]


def test_the_order_of_modules_does_not_matter_for_resolution() -> None:
    both = [lines(linked(*texts)) for texts in itertools.permutations((MAIN, LIBRARY))]
    assert len(both[0]) == len(both[1])


def test_modules_and_sources_give_the_same() -> None:
    options = CompileOptions(profile="lib_6_3")
    sources = linked(MAIN, LIBRARY, options=options)
    assert link([module(MAIN), module(LIBRARY)], options=options).spirv == sources.spirv


def test_functions_that_nothing_calls_are_left_out() -> None:
    library = LIBRARY + "float inner() { return 1; } export float unused() { return inner(); }"
    options = CompileOptions(codegen_only=True)
    text = "\n".join(lines(linked(MAIN, library, options=options)))
    assert "%shade = OpFunction" in text
    assert "%unused" not in text
    assert "%inner" not in text


def test_functions_that_nothing_calls_may_need_undefined_ones() -> None:
    main = 'float f(float x); [shader("pixel")] float4 main(float x : X) : SV_Target { return f(x); }'
    library = "float g(float x); export float h(float x) { return g(x); } export float f(float x) { return x; }"
    assert not any("%g" in line or "%h" in line for line in lines(linked(main, library)))
    ((code, text, place),) = messages(linked(main, library.replace("return x;", "return h(x);")))
    assert (code, text, place) == ("HLSL0890", "'g' is called in /b.hlsl, and no module defines it", "/b.hlsl:1")


def test_memory_does_not_change_the_result() -> None:
    memory, files = Memory(), {"/a.hlsl": MAIN, "/b.hlsl": LIBRARY}
    results = [link(sorted(files), fs=MemoryFileSystem(files), memory=memory).spirv for _ in range(3)]
    assert set(results) == {linked(MAIN, LIBRARY).spirv}


def test_the_interface_is_that_of_all_modules() -> None:
    reflection = linked(MAIN, LIBRARY + "cbuffer More : register(b7) { float more; } export float m() { return more; }")
    assert {resource.name for resource in reflection.interface.resources} >= {"image", "View", "More"}


@pytest.mark.parametrize("debug", ["line", "rich", "vulkan-with-source"])
def test_debug_information_survives(debug: str) -> None:
    options = CompileOptions(debug=(debug,))
    from_sources = linked(MAIN, LIBRARY, options=options)
    text = "\n".join(lines(from_sources))
    assert "a.hlsl" in text
    assert "b.hlsl" in text
    modules = [module(MAIN, debug), module(LIBRARY, debug)]
    from_modules = link(modules, options=CompileOptions(profile="lib_6_3"))
    assert any("DebugFunction " in line for line in lines(from_modules)) == (debug != "line")
    assert not [d for r in (from_sources, from_modules) for d in r.diagnostics if d.code.name == "debug-info-reduced"]


def test_built_ins_of_libraries_are_inputs_of_the_entry_point() -> None:
    main = 'float f(); [shader("pixel")] float4 main() : SV_Target { return f(); }'
    library = "export float f() { return WaveGetLaneIndex(); }"
    options = CompileOptions(target_env="vulkan1.3")
    entry = next(line for line in lines(linked(main, library, options=options)) if "OpEntryPoint" in line)
    assert "%SubgroupLocalInvocationId" in entry


LIST = "struct Node; typedef vk::BufferPointer<Node> Link; struct Node { float v; Link next; };"


def test_pointers_to_structs_that_contain_them() -> None:
    """Both modules declare the pointer before its struct; it is one type in the program."""
    main = (
        LIST
        + """
        float sum(Link l); struct Head { Link first; }; [[vk::push_constant]] Head head;
        [shader("pixel")] float main() : SV_Target { return sum(head.first); }
    """
    )
    library = LIST + "export float sum(Link l) { return l.Get().v + l.Get().next.Get().v; }"
    options = CompileOptions(target_env="vulkan1.3")
    text = lines(linked(main, library, options=options))
    assert sum("OpTypeForwardPointer" in line for line in text) == 1
    ((code, _, _),) = messages(
        linked(main, library.replace("float v", "float4 v").replace(".v", ".v.x"), options=options)
    )
    assert code == "HLSL0893"


COMPUTE = """
float f(float x);
RWBuffer<float> o : register(u0);
[shader("compute")] [numthreads({})] void main() {{ o[0] = f(1); }}
"""
PIXEL = 'float f(float x); [shader("pixel")] float main() : SV_Target { return f(1); }'
SECTION = "RasterizerOrderedBuffer<float> r; export float f(float x) { r[0] = x; return r[1]; }"
MODES = {
    "DerivativeGroupQuadsKHR": (COMPUTE.format("8, 8, 1"), "export float f(float x) { return ddx(x); }"),
    "DerivativeGroupLinearKHR": (COMPUTE.format("4, 1, 1"), "export float f(float x) { return ddx(x); }"),
    "PixelInterlockOrderedEXT": (PIXEL, SECTION),
}


@pytest.mark.parametrize("mode", MODES)
def test_functions_of_libraries_need_execution_modes(mode: str) -> None:
    text = "\n".join(lines(linked(*MODES[mode], options=CompileOptions(target_env="vulkan1.3"))))
    assert f"OpExecutionMode %main {mode}" in text
    assert text.count('OpExtension "SPV_') == 1


# ---- libraries


def test_without_entry_points_the_result_is_a_library() -> None:
    inner = "float f(float x) ; export float g(float x) { return f(x); } static float s = 2; float h(float x);"
    outer = "static float t = 3; export float f(float x) { return x * t; }"
    text = lines(linked(inner + "export float k(float x) { return h(x) + s; }", outer))
    linkage = sorted(line.split("LinkageAttributes ")[1] for line in text if "LinkageAttributes" in line)
    assert linkage == ['"$init" Export', '"f" Export', '"g" Export', '"h" Import', '"k" Export']


def test_a_joined_library_links_like_its_parts() -> None:
    first = "static float t = 3; export float f(float x) { return x * t; }"
    second = "float f(float x); static float s = 2; export float g(float x) { return f(x) * s; }"
    main = 'float g(float x); [shader("pixel")] float4 main(float x : X) : SV_Target { return g(x); }'
    options = CompileOptions(profile="lib_6_3")
    library = link([module(first), module(second)], options=options)
    assert library.ok
    joined = link([module(main), library.spirv], options=options)
    assert len(lines(joined)) == len(lines(link([module(main), module(first), module(second)], options=options)))


def test_equal_imports_of_a_library_are_one() -> None:
    text = lines(linked(*(f"float h(float x); export float {name}() {{ return h(1); }}" for name in "ab")))
    assert sum('"h" Import' in line for line in text) == 1


def test_a_library_is_not_optimised() -> None:
    text = lines(compile_shader(LIBRARY, entry="", profile="lib_6_3"))
    assert any("%gain = OpVariable" in line and "Private" in line for line in text)


# ---- errors

FAULTS = {
    "undefined": (
        ('float f(); [shader("pixel")] float4 main() : SV_Target { return f(); }',),
        [("HLSL0890", "'f' is called in a.hlsl, and no module defines it", "a.hlsl:1")],
        "add the module that has its body",
    ),
    "misspelt": (
        (
            'float shdae(); [shader("pixel")] float4 main() : SV_Target { return shdae(); }',
            "export float shade() { return 1; }",
        ),
        [("HLSL0890", "'shdae' is called in a.hlsl, and no module defines it", "a.hlsl:1")],
        "shade",
    ),
    "not exported": (
        (
            'float f(); [shader("pixel")] float4 main() : SV_Target { return f(); }',
            "float f() { return 1; } export float g() { return 1; }",
        ),
        [("HLSL0890", "'f' is called in a.hlsl, and no module defines it", "a.hlsl:1")],
        "/b.hlsl has a function of this name: declare it `export` there",
    ),
    "defined twice": (
        ("export float f() { return 1; }", "\nexport float f() { return 2; }"),
        [("HLSL0891", "'f' is defined in a.hlsl and in b.hlsl", "b.hlsl:2")],
        "define it in one module",
    ),
    "entry points": (
        ('[shader("pixel")] float4 main() : SV_Target { return 1; }',) * 2,
        [("HLSL0891", "'main' is defined in a.hlsl and in b.hlsl", "b.hlsl:1")],
        "",
    ),
    "parameters": (
        (
            'float f(float a, int2 b); [shader("pixel")] float4 main() : SV_Target { return f(1, 2); }',
            "export float f(float a, float3x2 b[2]) { return a; }",
        ),
        [("HLSL0892", "'f' is float(float, int2) in a.hlsl, but float(float, float3x2[2]) in b.hlsl", "a.hlsl:1")],
        "header",
    ),
    "directions of parameters": (
        (
            'void f(out float a); [shader("pixel")] float4 main() : SV_Target { float a; f(a); return a; }',
            "export void f(inout float a) { a += 1; }",
        ),
        [("HLSL0892", "'f' is void(out float) in a.hlsl, but void(inout float) in b.hlsl", "a.hlsl:1")],
        "header",
    ),
    "structs": (
        (MAIN, LIBRARY.replace("float power", "float2 power").replace("l.power", "l.power.x")),
        [("HLSL0893", "'shade' takes or returns a struct that differs between a.hlsl and b.hlsl", "a.hlsl:3")],
        "the struct 'Light' has the member `float power` in one, `float2 power` in the other",
    ),
    "types of resources": (
        (MAIN, LIBRARY.replace("<float4>", "<uint4>")),
        [("HLSL0894", "'image' is Texture2D<float> in a.hlsl, but Texture2D<uint> in b.hlsl", "b.hlsl:3")],
        "header",
    ),
    "bindings": (
        (MAIN, LIBRARY.replace("t1", "t2")),
        [("HLSL0894", "'image' is at binding 1 of set 0 in a.hlsl, but at binding 2 of set 0 in b.hlsl", "b.hlsl:3")],
        "give it a register",
    ),
    "layouts": (
        (MAIN, LIBRARY + "cbuffer View : register(b0) { float4 x; Light light; }; export float4 g() { return x; }"),
        [("HLSL0894", "'View' is of one struct in a.hlsl, but of another one of the same name in b.hlsl", "b.hlsl:6")],
        "the struct 'View' has 1 members in one, 2 in the other",
    ),
    "shared bindings": (
        (MAIN, LIBRARY + "Texture2D other : register(t1); export float4 g() { return other.Load(0); }"),
        [
            (
                "HLSL0895",
                "'other' of b.hlsl has binding 1 of set 0, which 'image' of a.hlsl has, too",
                "b.hlsl:6",
            )
        ],
        "another register",
    ),
    "specialisation constants": (
        (
            "[[vk::constant_id(3)]] const int a = 1; export int f() { return a; }",
            "[[vk::constant_id(3)]] const int a = 2; export int g() { return a; }",
        ),
        [
            (
                "HLSL0894",
                "'a' is another specialisation constant 3 in a.hlsl, but specialisation constant 3 in b.hlsl",
                "b.hlsl:1",
            )
        ],
        "the same default",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_modules_that_do_not_fit(fault: str) -> None:
    texts, expected, hint = FAULTS[fault]
    result = linked(*texts)
    assert [(code, text.replace("/", ""), place.strip("/")) for code, text, place in messages(result)] == expected
    error = next(d for d in result.diagnostics if d.severity == "error")
    assert hint in (error.hint or "")
    notes = [note for note in error.notes if note.code.id == "HLSL0899"]
    assert all(note.location is not None for note in notes)
    assert bool(notes) == (error.code.id not in ("HLSL0890", "HLSL0895"))


STAGES = {
    "discard": ("vertex", "if (x < 0) discard;", "a pixel to discard"),
    "clip": ("compute", "clip(x);", "a pixel to discard"),
    "ddx": ("vertex", "x = ddx(x);", "derivatives"),
    "Sample": ("vertex", "x = image.Sample(sampling, x).x;", "derivatives"),
    "barrier": ("pixel", "GroupMemoryBarrierWithGroupSync();", "a group of threads to synchronise"),
    "groupshared": ("pixel", "memory = x; x += memory;", "groupshared memory"),
    "ordered": ("compute", "ordered[0] += x;", "ordered accesses to pixels"),
}


@pytest.mark.parametrize("name", STAGES)
def test_stages_that_cannot_call_a_function(name: str) -> None:
    stage, statement, need = STAGES[name]
    head = "groupshared float memory; Texture2D image : register(t1); SamplerState sampling : register(s2);"
    head += "RasterizerOrderedBuffer<float> ordered : register(u3);"
    library = f"{head}\nvoid inner(inout float x) {{ {statement} }}\nexport float f(float x) {{ inner(x); return x; }}"
    main = {
        "vertex": "float4 main(float x : X) : SV_Position { return f(x); }",
        "pixel": "float4 main(float x : X) : SV_Target { return f(x); }",
        "compute": "[numthreads(4, 1, 1)] void main() { data[0] = f(data[1]); }",
    }
    declared = "float f(float x); RWBuffer<float> data : register(u0);"
    result = linked(f'{declared}\n[shader("{stage}")] {main[stage]}', library)
    text = f"'inner' of /b.hlsl needs {need}, which {stage} shaders such as 'main' do not have"
    assert messages(result) == [("HLSL0877", text, "/b.hlsl:2")]
    (note,) = result.diagnostics[0].notes
    assert note.location is not None
    assert note.location.line == 2
    able = "pixel" if stage != "pixel" else "compute"
    assert linked(f'{declared}\n[shader("{able}")] {main[able]}', library).ok


RAYS = """
struct Payload { float4 colour; };
struct Attributes { float2 at; };
RaytracingAccelerationStructure scene : register(t1);
export float4 trace(float3 origin) {
  Payload p = (Payload)0;
  RayDesc ray = { origin, 0, float3(0, 0, 1), 1 };
  TraceRay(scene, 0, 255, 0, 1, 0, ray, p);
  return p.colour;
}
export float4 call(uint shader) { Payload p = (Payload)0; CallShader(shader, p); return p.colour; }
export bool report(float t) { Attributes a = (Attributes)0; return ReportHit(t, 0, a); }
export float distance_of() { return RayTCurrent(); }
export uint3 place() { return DispatchRaysIndex(); }
"""
_ALL_RAYS = ("raygeneration", "intersection", "miss", "callable")
RAY_STAGES = {
    "trace": ("float4 trace(float3 origin);", "o[0] = trace(1);", "TraceRay", ("raygeneration", "miss")),
    "call": ("float4 call(uint shader);", "o[0] = call(1);", "CallShader", ("raygeneration", "miss", "callable")),
    "report": ("bool report(float t);", "o[0] = report(1);", "ReportHit", ("intersection",)),
    "distance_of": ("float distance_of();", "o[0] = distance_of();", "RayTCurrent", ("miss", "intersection")),
    "place": ("uint3 place();", "o[0] = place().xyzx;", "DispatchRaysIndex", _ALL_RAYS),
}
RAY_ENTRIES = {
    **dict.fromkeys(("raygeneration", "intersection"), "void main()"),
    **dict.fromkeys(("miss", "callable"), "struct Data { float a; };\nvoid main(inout Data data)"),
    "compute": "[numthreads(1, 1, 1)] void main()",
}


@pytest.mark.parametrize("in_front", [False, True])
@pytest.mark.parametrize("stage", RAY_ENTRIES)
@pytest.mark.parametrize("name", RAY_STAGES)
def test_functions_of_ray_tracing_stages(name: str, stage: str, in_front: bool) -> None:
    """A library may use them; the link checks which stages call its functions."""
    declaration, statement, need, stages = RAY_STAGES[name]
    struct, _, entry = RAY_ENTRIES[stage].rpartition("\n")
    program = (
        f'{struct}\n{declaration} RWBuffer<float4> o : register(u2);\n[shader("{stage}")] {entry} {{ {statement} }}'
    )
    texts = (program, RAYS) if not in_front else (RAYS, program)
    result = linked(*texts, options=CompileOptions(target_env="vulkan1.2"))
    if stage in stages:
        assert result.ok, [d.message for d in result.diagnostics]
        return
    library = "/a.hlsl" if in_front else "/b.hlsl"
    text = f"'{name}' of {library} needs {need}, which {stage} shaders such as 'main' do not have"
    assert (("HLSL0877", text)) == messages(result)[0][:2]


@pytest.mark.parametrize("stage", ["pixel", "vertex", "compute"])
def test_input_attachments_as_arguments(stage: str) -> None:
    head = "[[vk::input_attachment_index(0)]] SubpassInput<float4> s : register(t0); RWBuffer<float4> o : register(u1);"
    library = "export float4 read(SubpassInput<float4> s) { return s.SubpassLoad(); }"
    main = {
        "pixel": "float4 main() : SV_Target { return read(s); }",
        "vertex": "float4 main() : SV_Position { return read(s); }",
        "compute": "[numthreads(1, 1, 1)] void main() { o[0] = read(s); }",
    }
    result = linked(f'float4 read(SubpassInput<float4> s); {head}\n[shader("{stage}")] {main[stage]}', library)
    if stage == "pixel":
        assert result.ok, [d.message for d in result.diagnostics]
    else:
        text = f"'read' of /b.hlsl needs input attachments, which {stage} shaders such as 'main' do not have"
        assert messages(result) == [("HLSL0877", text, "/b.hlsl:1")]


def test_input_attachment_that_another_stage_passes_on() -> None:
    source = """[[vk::input_attachment_index(0)]] SubpassInput<float4> s; RWBuffer<float4> o;
float4 read(SubpassInput<float4> q) { return 1; }
[numthreads(1, 1, 1)] void main() { o[0] = read(s); }"""
    assert messages(compile_shader(source, profile="cs_6_0")) == [
        ("HLSL0641", "SubpassInput(MS) only allowed in pixel shader", "shader.hlsl:3")
    ]


@pytest.mark.parametrize(
    ("parameter", "t"),
    [
        ("inout TriangleStream<Vertex> p", "TriangleStream<Vertex>"),
        ("out vertices Vertex p[3]", "Vertex[3]"),
        ("ThreadNodeOutputRecords<Vertex> p", "ThreadNodeOutputRecords<Vertex>"),
    ],
)
def test_parameters_that_belong_to_an_entry_point(parameter: str, t: str) -> None:
    source = f"struct Vertex {{ float4 at : SV_Position; }};\nexport void f({parameter}) {{ }}"
    result = compile_shader(source, profile="lib_6_8", entry="", options=CompileOptions(target_env="vulkan1.3"))
    text = f"parameter 'p' of an exported function cannot have the type '{t}': it belongs to an entry point"
    assert messages(result) == [("HLSL0698", text, "shader.hlsl:2")]


def test_stream_of_a_function_of_another_module() -> None:
    source = """struct V { float4 at : SV_Position; };
void emit(inout TriangleStream<V> output, float4 at);
[maxvertexcount(3)] void main(triangle V v[3], inout TriangleStream<V> output) { emit(output, v[0].at); }"""
    options = CompileOptions(libraries=("/library.hlsl",))
    files = MemoryFileSystem({"/library.hlsl": "export float f() { return 1; }"})
    result = compile_shader(source, profile="gs_6_0", options=options, fs=files)
    text = (
        "parameter 'output' of a function of another module cannot have the type 'TriangleStream<V>':"
        " it belongs to an entry point"
    )
    assert messages(result) == [("HLSL0698", text, "shader.hlsl:2")]


@pytest.mark.parametrize("exported", ["in", "out", "inout"])
@pytest.mark.parametrize("imported", ["in", "out", "inout"])
def test_directions_of_parameters_in_modules(imported: str, exported: str) -> None:
    """All parameters are pointers in SPIR-V; modules have their directions as strings."""
    main = f"void f({imported} float x, float y); RWBuffer<float> o;"
    main += '\n[shader("compute")] [numthreads(1, 1, 1)] void main() { float x = o[0]; f(x, 1); o[0] = x; }'
    library = f"export void f({exported} float x, float y) {{ x = y; }}"
    for texts in ([module(main), module(library)], [module(library), module(main)]):
        result = link(texts)
        if imported == exported:
            assert result.ok
            assert not any("hlsl_tool.function" in line for line in lines(result))
            continue
        (error,) = messages(result)
        assert error[0] == "HLSL0892"
        for direction in (imported, exported):
            assert f"void({direction} float, float)".replace("(in ", "(") in error[1]


def test_recursion_through_modules() -> None:
    parts = [
        f"float {b}(float x); export float {a}(float x) {{ return x > 0 ? {b}(x - 1) : 0; }}" for a, b in ("fg", "gf")
    ]
    ((code, message, _),) = messages(linked(*parts))
    assert code == "HLSL0381"
    assert "'f'" in message


def test_no_such_entry_point() -> None:
    result = linked(MAIN, LIBRARY, entry="mian")
    assert messages(result) == [("HLSL0896", "no module has the entry point 'mian'", "")]
    assert result.diagnostics[0].hint == "the modules have `flat`, `main`"


def test_memory_models_differ() -> None:
    options = CompileOptions(target_env="vulkan1.1", vulkan_memory_model=True)
    other = compile_shader("export void f() {}", entry="", profile="lib_6_3", options=options).spirv
    result = link([module("export void g() {}"), other], options=CompileOptions(target_env="vulkan1.1"))
    assert messages(result) == [("HLSL0897", "module 1 and module 2 have different memory models", "")]
    assert result.diagnostics[0].hint == "compile both with `-fspv-use-vulkan-memory-model`"


@pytest.mark.parametrize(
    ("one", "reason"),
    [("/none.hlsl", "no such file or directory"), (b"\3\2#\7", "it is no SPIR-V module"), (b"text", "no SPIR-V")],
)
def test_inputs_that_cannot_be_read(one: str | bytes, reason: str) -> None:
    ((code, message, _),) = messages(link([one], fs=MemoryFileSystem({})))
    assert code == "HLSL0898"
    assert reason in message


@pytest.mark.parametrize("descriptor_heap", [False, True])
def test_heaps_hold_resources_of_several_types(descriptor_heap: bool) -> None:
    """Modules take different types from a heap, in different orders; variables of equal types are one."""
    texts = [
        f"""export float {name}(uint i) {{
            Texture2D<{types[0]}> a = ResourceDescriptorHeap[i]; Texture2D<{types[1]}> b = ResourceDescriptorHeap[i];
            return a.Load(0).x + b.Load(0).x; }}"""
        for name, types in (("f", ("float4", "uint4")), ("g", ("uint4", "int4")))
    ]
    main = 'float f(uint i); float g(uint i); [shader("pixel")] float4 main(nointerpolation uint i : I) : SV_Target'
    main += " { return f(i) + g(i); }"
    options = CompileOptions(target_env="vulkan1.3", descriptor_heap=descriptor_heap, bind_resource_heap=(0, 1))
    result = linked(main, *texts, options=options)
    if descriptor_heap:
        assert result.ok, [d.message for d in result.diagnostics]
    else:
        assert sum("%ResourceDescriptorHeap" in line and "OpVariable" in line for line in lines(result)) == 3


def test_push_constants_are_one_block() -> None:
    struct = "struct Constants { float a; float b; }; [[vk::push_constant]] Constants "
    main = 'float f(); [shader("pixel")] float4 main() : SV_Target { return f() + constants.b; }'
    library = "export float f() { return others.a; }"
    text = lines(linked(f"{struct} constants; {main}", f"{struct} others; {library}"))
    assert sum("OpVariable" in line and "PushConstant" in line for line in text) == 1
    ((code, message, _),) = messages(
        linked(f"{struct} constants; {main}", f"{struct} others; {library}".replace("b;", "b, c;"))
    )
    assert (code, message) == (
        "HLSL0894",
        "'others' is of one struct in /a.hlsl, but of another one of the same name in /b.hlsl",
    )


@pytest.mark.parametrize(
    ("library", "hint"),
    [
        ("float4 loose; export float f() { return loose.x; }", "-fvk-bind-globals"),
        ("export float f() { ByteAddressBuffer b = ResourceDescriptorHeap[0]; return b.Load(0); }", "-resource-heap"),
        (
            "ConsumeStructuredBuffer<float> b : register(u9); export float f() { return b.Consume(); }",
            "counter_binding",
        ),
        ("Buffer<float> b; export float f() { return b[0]; }", "register"),
    ],
)
def test_hints_name_what_gives_a_binding(library: str, hint: str) -> None:
    main = 'Buffer<float> first : register(t0); float f(); [shader("pixel")] float4 main() : SV_Target'
    result = linked(main + " { return f() + first[0]; }", library)
    assert [(code, place) for code, _, place in messages(result)] == [("HLSL0895", "/b.hlsl:1")]
    assert hint in (result.diagnostics[0].hint or "")


def test_a_file_takes_part_once() -> None:
    """A level of a configuration may name the libraries of all its shaders, also for these libraries themselves."""
    files = {"/main.hlsl": MAIN, "/library.hlsl": LIBRARY}
    fs = MemoryFileSystem(files)
    options = CompileOptions(libraries=("library.hlsl", "/x/../library.hlsl", "main.hlsl"))
    once = link(["/main.hlsl", "/library.hlsl"], fs=fs)
    assert link(["/main.hlsl", "main.hlsl"], options=options, fs=fs).spirv == once.spirv
    for name, profile in (("/main.hlsl", "ps_6_0"), ("/library.hlsl", "lib_6_3")):
        source = SourceFile.from_bytes(name, name, files[name].encode())
        entry = "main" if profile == "ps_6_0" else ""
        assert compile_shader(source, entry=entry, profile=profile, options=options, fs=fs).ok


def test_a_shader_has_no_entry_points_of_its_libraries() -> None:
    library = LIBRARY + '[shader("compute")] [numthreads(1, 1, 1)] void side() {} ' + MAIN.split("\n")[-2]
    options = CompileOptions(libraries=("/library.hlsl",))
    fs = MemoryFileSystem({"/library.hlsl": library.replace("light", "(Light)0")})
    result = compile_shader(MAIN, entry="flat", profile="ps_6_0", options=options, fs=fs)
    assert [line.split('"')[1] for line in lines(result) if "OpEntryPoint" in line] == ["flat"]
    assert all(variable.name.startswith(("in.", "out.")) for variable in result.interface.stage_variables)


def test_a_misspelt_file() -> None:
    result = link(["/nosie.hlsl"], fs=MemoryFileSystem({"/noise.hlsl": ""}))
    assert result.diagnostics[0].hint == "did you mean `noise.hlsl`?"


@pytest.mark.parametrize("text", ["", "float f() { return 1; }"])
def test_a_damaged_module_is_not_read_as_text(text: str) -> None:
    ((code, message, _),) = messages(link(["/f.spv"], fs=MemoryFileSystem({"/f.spv": text})))
    assert code == "HLSL0898"
    assert message.startswith("'/f.spv' cannot be linked: it is no SPIR-V module: ")


def test_a_module_that_is_not_valid() -> None:
    data = module("export float f(float x) { return x; }")
    at = data.rindex((254 | 2 << 16).to_bytes(4, "little"))  # OpReturnValue
    broken = data[: at + 4] + (1).to_bytes(4, "little") + data[at + 8 :]
    ((code, message, _),) = messages(link([broken]))
    assert code == "HLSL0898"
    assert message.startswith("'module 1' cannot be linked: it is not valid: ")


@pytest.mark.parametrize("debug", ["line", "vulkan-with-source"])
def test_places_come_from_debug_information(debug: str) -> None:
    main = '\n\nfloat f();\n[shader("pixel")] float4 main() : SV_Target {\n return f();\n}'
    assert messages(link([module(main, debug)])) == [
        ("HLSL0890", "'f' is called in module 1, and no module defines it", "lib.hlsl:5")
    ]


def test_only_libraries_import(tmp_path: pathlib.Path) -> None:
    result = compile_shader("float f(); float4 main() : SV_Target { return f(); }", profile="ps_6_0")
    assert messages(result) == [("HLSL0602", "found undefined function", "shader.hlsl:1")]
    statics = compile_shader("static float f(); export float g() { return f(); }", entry="", profile="lib_6_3")
    assert messages(statics)[0][0] == "HLSL0602"


def test_the_verb(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [str(tmp_path / name) for name in ("main.hlsl", "library.hlsl", "out.spv")]
    pathlib.Path(names[0]).write_text(MAIN)
    pathlib.Path(names[1]).write_text(LIBRARY)
    assert run(["link", *names[:2], "-o", names[2], "-O0", "--entry", "main"]) == 0
    assert pathlib.Path(names[2]).read_bytes()[:4] == b"\3\2#\7"
    assert run(["link", *names[:2]]) == 0
    assert "OpEntryPoint" in capsys.readouterr().out
    assert run(["link", *names[:2], "-Fc", "x.txt"]) == 2
    assert run(["link", names[0]]) == 1
    assert "HLSL0890" in capsys.readouterr().err
