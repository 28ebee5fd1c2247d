"""Edits that the key of a stored result might not reflect: stored results never differ from a fresh compilation.

Every row is an edit that changes the SPIR-V or the diagnostics. A key that does not change with it would give the
result from before the edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from hlsl_tool.base.options.compile_options import PLACES, PREPROCESSING, CompileOptions
from hlsl_tool.base.source import MemoryFileSystem, SourceFile
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult, Memory
from hlsl_tool.project.build.job import Job
from hlsl_tool.reflection.emit_json import reflection_json
from tests.unit.compiler.test_reuse import Results

OPTIONS = CompileOptions(optimize="none", validate="no", profile="ps_6_0")
PIXEL = "float4 main(float2 uv : TEXCOORD0) : SV_Target { return (%s).xxxx; }\n"


class Edit(NamedTuple):
    """A shader, a piece of its text, and the replacement."""

    text: str
    old: str
    new: str
    options: Mapping[str, Any] = MappingProxyType({})


def shader(declarations: str, value: str) -> str:
    return declarations + "\n" + PIXEL % value


S = "struct S { float v; float %s };\n"
EDITS = {
    # ---- functions that are called without their names
    "operator": Edit(shader(S % "operator+(float x) { return v + x; }", "(S)uv.x + 1.0"), "v + x", "v - x"),
    "call operator": Edit(shader(S % "operator()(float x) { return v + x; }", "((S)uv.x)(2.0)"), "v + x", "v - x"),
    "index operator": Edit(shader(S % "operator[](int x) { return v + x; }", "((S)uv.x)[2]"), "v + x", "v - x"),
    "operator behind another": Edit(
        shader("float help(float x) { return x; }" + S % "operator*(float x) { return help(x); }", "(S)uv.x * 2.0"),
        "return x;", "return x * 3;"),
    "default argument": Edit(shader("float f(float x, float y = 1) { return x + y; }", "f(uv.x)"), "y = 1", "y = 2"),
    "call in a default argument": Edit(
        shader("float g() { return 1; } float f(float x, float y = g()) { return x + y; }", "f(uv.x)"),
        "return 1", "return 2"),
    "initialiser of a global": Edit(
        shader("static float n = 0; float next() { n += 1; return n; } static float first = next();", "n + first"),
        "n += 1", "n += 2"),
    "patch constants": Edit(
        """struct P { float4 p : SV_Position; };
        struct C { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
        float factor() { return 2; }
        C constants(InputPatch<P, 3> p) { C c; c.e[0] = c.e[1] = c.e[2] = factor(); c.i = 1; return c; }
        [domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)]
        [patchconstantfunc("constants")]
        P main(InputPatch<P, 3> p, uint i : SV_OutputControlPointID) { return p[i]; }
        """, "return 2", "return 4", {"profile": "hs_6_0"}),
    # ---- methods
    "inherited method": Edit(
        shader("struct A { float v; float m() { return v * 2; } }; struct B : A { float w; };"
               " float t(float x) { B b; b.v = x; b.w = 0; return b.m(); }", "t(uv.x)"), "v * 2", "v * 3"),
    "override": Edit(
        shader("struct A { float v; float m() { return v * 2; } }; struct B : A { float w; /**/ };"
               " float t(float x) { B b; b.v = x; b.w = 0; return b.m(); }", "t(uv.x)"),
        "/**/", "float m() { return 9; }"),
    "interface": Edit(
        shader("interface I { float m(float x); }; struct A : I { float m(float x) { return x * 2; } };"
               " float t(float x) { A a; return a.m(x); }", "t(uv.x)"), "x * 2", "x * 3"),
    "static method": Edit(
        shader("struct A { static float m(float x) { return x * 2; } };", "A::m(uv.x)"), "x * 2", "x * 3"),
    "method of a method": Edit(
        shader("struct A { float v; float inner() { return v * 2; } float m() { return inner(); } };"
               " float t(float x) { A a; a.v = x; return a.m(); }", "t(uv.x)"), "v * 2", "v * 3"),
    "static member": Edit(
        shader("struct A { static const float k = 2; };", "A::k * uv.x"), "k = 2", "k = 3"),
    # ---- which function is meant
    "better overload": Edit(
        shader("float f(float x) { return x; }\n//\n", "f(int(uv.x))"),
        "//\n", "float f(int x) { return x * 5; }\n"),
    "overload behind another": Edit(
        shader("float f(float x) { return x; }\n//\n", "f(uv)"), "//\n", "float f(float2 x) { return 5; }\n"),
    "nearer namespace": Edit(
        shader("float f(float x) { return x; } namespace N { /**/ float g(float x) { return f(x); } }", "N::g(uv.x)"),
        "/**/", "float f(float x) { return x * 2; }"),
    "nearer variable": Edit(
        shader("static const float k = 2; namespace N { /**/ float g(float x) { return x * k; } }", "N::g(uv.x)"),
        "/**/", "static const float k = 3;"),
    "namespace opened again": Edit(
        shader("namespace N { float f(float x) { return x; } } namespace N { /**/ }"
               " namespace N { float g(int x) { return f(x); } }", "N::g(uv.x)"),
        "/**/", "float f(int x) { return x * 2; }"),
    "using of a type": Edit(shader("using T = float; T f(T x) { return x * 1.5; }", "f(uv.x)"), "= float", "= int"),
    "typedef": Edit(shader("typedef float T; T f(T x) { return x * 1.5; }", "f(uv.x)"), "typedef float", "typedef int"),
    "enumerator": Edit(shader("enum E { A, B = 4, C };", "uv.x * C"), "B = 4", "B = 5"),
    "enumerator before it": Edit(shader("enum class E { A, B };", "uv.x * (int)E::B"), "{ A,", "{ A, Z,"),
    "definition behind its use": Edit(
        shader("float f(float x); float g(float x) { return f(x); } float f(float x) { return x * 2; }", "g(uv.x)"),
        "x * 2", "x * 3"),
    "function in place of an intrinsic": Edit(
        shader("//\n", "saturate(uv.x, 3)"), "//\n", "float saturate(float x, float y) { return x * y; }\n"),
    "method in place of a function": Edit(
        shader("float f(float x) { return x; } struct A { /**/ float m(float x) { return f(x); } };"
               " float t(float x) { A a; return a.m(x); }", "t(uv.x)"),
        "/**/", "float f(float x) { return x * 2; }"),
    # ---- templates
    "template": Edit(shader("template<typename T> T f(T x) { return x * 2; }", "f<float>(uv.x)"), "x * 2", "x * 3"),
    "deduced template": Edit(shader("template<typename T> T f(T x) { return x * 2; }", "f(uv.x)"), "x * 2", "x * 3"),
    "no template is better": Edit(
        shader("template<typename T> T f(T x) { return x * 2; }\n//\n", "f(uv.x)"),
        "//\n", "float f(float x) { return x * 7; }\n"),
    "specialisation": Edit(
        shader("template<typename T> T f(T x) { return x * 2; }\n//\n", "f<float>(uv.x)"),
        "//\n", "template<> float f<float>(float x) { return x * 7; }\n"),
    "method of a class template": Edit(
        shader("template<typename T> struct A { T v; T m() { return v * 2; } };"
               " float t(float x) { A<float> a; a.v = x; return a.m(); }", "t(uv.x)"), "v * 2", "v * 3"),
    "what a template calls": Edit(
        shader("float h(float x) { return x + 1; } template<typename T> T f(T x) { return h(x); }", "f(uv.x)"),
        "x + 1", "x + 2"),
    "default template argument": Edit(
        shader("template<typename T, int N = 2> T f(T x) { return x * N; }", "f(uv.x)"), "N = 2", "N = 3"),
    # ---- macros and places
    "macro in a function": Edit(
        shader("#define K 2\nfloat f(float x) { return x * K; }", "f(uv.x)"), "K 2", "K 3"),
    "line": Edit(shader("//\nfloat f(float x) { return x * __LINE__; }", "f(uv.x)"), "//\n", "//\n//\n"),
    "line directive": Edit(
        shader("#line 7\nfloat f(float x) { return x * __LINE__; }", "f(uv.x)"), "#line 7", "#line 8"),
    "counter": Edit(
        shader("//\nfloat f(float x) { return x * __COUNTER__; }", "f(uv.x)"), "//\n",
        "static const int unused = __COUNTER__;\n"),
    "counter of what is not reached": Edit(
        shader("//\nfloat f(float x) { return x * __COUNTER__; }", "f(uv.x)"), "//\n",
        "int unused() { return __COUNTER__; }\n"),
    "include level": Edit(
        shader('#include "level.h"\n', "uv.x * LEVEL"), '#include "level.h"', '#define LEVEL __INCLUDE_LEVEL__'),
    "pasted name": Edit(
        shader("#define F(n) f##n\nfloat fa(float x) { return x; } float fb(float x) { return x * 2; }", "F(a)(uv.x)"),
        "F(a)", "F(b)"),
    "undefined": Edit(shader("#define K 2\n#ifdef K\n#define V 1.0\n#else\n#define V 2.0\n#endif\n", "V * uv.x"),
                      "#define K 2", "#undef K"),
    # ---- attributes, pragmas, strings
    "unroll": Edit(
        shader("float f(float x) { [unroll(4)] for (int i = 0; i < x; ++i) x += i; return x; }", "f(uv.x)"),
        "[unroll(4)]", "[loop]"),
    "binding attribute": Edit(
        shader("[[vk::binding(1, 2)]] Texture2D<float4> t;", "t.Load(0).x"), "(1, 2)", "(1, 3)"),
    "specialisation constant": Edit(
        shader("[[vk::constant_id(1)]] const int n = 1;", "uv.x * n"), "constant_id(1)", "constant_id(2)"),
    "instruction": Edit(
        shader('[[vk::ext_instruction(1, "GLSL.std.450")]] float r(float x);', "r(uv.x)"),
        "instruction(1,", "instruction(2,"),
    "set of instructions": Edit(
        shader('[[vk::ext_instruction(1, "GLSL.std.450")]] float r(float x);', "r(uv.x)"),
        "GLSL.std.450", "OpenCL.std"),
    "capability": Edit(
        shader('[[vk::ext_capability(5013)]] [[vk::ext_instruction(81, "GLSL.std.450")]] float r(float x);', "r(uv.x)"),
        "5013", "5015"),
    "format attribute": Edit(
        shader('[[vk::image_format("rgba8")]] RWTexture2D<float4> t;', "t[int2(uv)].x"), "rgba8", "rgba16f"),
    "matrix pragma": Edit(
        shader("//\ncbuffer C { float3x2 m; };", "m[0].x"), "//\n", "#pragma pack_matrix(row_major)\n"),
    "matrix pragma in a function that is not reached": Edit(
        shader("float u() { /**/ return 1; }\ncbuffer C { float3x2 m; };", "m[0].x"), "/**/",
        "\n#pragma pack_matrix(row_major)\n"),
    "matrix pragma moved": Edit(
        shader("cbuffer B { float3x2 n; };\n#pragma pack_matrix(row_major)\ncbuffer C { float3x2 m; };", "m[0].x"),
        "#pragma pack_matrix(row_major)\n", ""),
    "order of bindings": Edit(
        shader("Texture2D<float4> a; Texture2D<float4> b;", "b.Load(0).x"), "Texture2D<float4> a;", ""),
    "register": Edit(shader("cbuffer C : register(b1) { float k; };", "k"), "b1", "b2"),
    "offset": Edit(shader("cbuffer C { float k : packoffset(c0); };", "k"), "c0", "c1"),
    "counter of a buffer": Edit(
        shader("RWStructuredBuffer<float> r; uint n() { return /**/ 1; }", "r[n()]"), "/**/", "r.IncrementCounter() +"),
    "semantic": Edit(shader("", "uv.x"), "TEXCOORD0", "TEXCOORD1"),
    "interpolation": Edit(shader("", "uv.x"), "float2 uv", "nointerpolation float2 uv"),
    "precise": Edit(
        shader("float f(float x) { float y = x * 2 + 1; return y; }", "f(uv.x)"), "float y", "precise float y"),
    "out": Edit(
        shader("void f(float x, inout float y) { y += x; }"
               " float t(float x) { float y = 1; f(x, y); return y; }", "t(uv.x)"),
        "inout", ""),
    # ---- messages
    "assertion": Edit(shader('_Static_assert(1 < 2, "a");', "uv.x"), "1 < 2", "2 < 1"),
    "assertion in what is not reached": Edit(
        shader('void u() { _Static_assert(1 < 2, "a"); }', "uv.x"), "1 < 2", "2 < 1"),
    "warning in what is not reached": Edit(
        shader("float u(float2 x) { return x.x; }", "uv.x"), "x.x", "x"),
    "warning in what is not reached, an error": Edit(
        shader("float u(float2 x) { return x.x; }", "uv.x"), "x.x", "x", {"warnings_as_errors": True}),
    "warning switched off": Edit(
        shader("//\nfloat u(float2 x) { return x; }", "u(uv)"), "//\n",
        '#pragma dxc diagnostic ignored "-Wconversion"\n#pragma dxc diagnostic ignored "-Wvector-truncation"\n'),
    "warning switched off in what is not reached": Edit(
        shader("float n() { /**/ return 1; }\nfloat u(float2 x) { return x; }", "u(uv)"), "/**/",
        '\n#pragma dxc diagnostic ignored "-Wconversion"\n#pragma dxc diagnostic ignored "-Wvector-truncation"\n'),
    # ---- with debug information
    "line of a function": Edit(
        shader("//\nfloat f(float x) { return x * 2; }", "f(uv.x)"), "//\n", "//\n//\n", {"debug": ("line",)}),
    "comment": Edit(shader("// a\n", "uv.x"), "// a", "// b", {"debug": ("source",)}),
    "function that is not reached": Edit(
        shader("float u(float x) { return x * 2; }", "uv.x"), "x * 2", "x * 3", {"debug": ("source",)}),
    "name of a file": Edit(shader("#line 3 \"a.h\"\nfloat f(float x) { return x * 2; }", "f(uv.x)"), "a.h", "b.h",
                           {"debug": ("vulkan",), "extensions": ("SPV_KHR_non_semantic_info",)}),
}  # fmt: skip


class World:
    """A shader, its edits, and caches and results that all compilations share."""

    def __init__(self, edit: Edit) -> None:
        self.options = replace(OPTIONS, **edit.options)
        self.memory, self.results = Memory(), Results()

    def compile(self, text: str) -> CompileResult:
        """Compile a text; check that the result equals that of a compilation without any caches."""
        found, fresh = self.once(text, self.memory, self.results), self.once(text, Memory(), None)
        assert found.ok == fresh.ok
        assert found.spirv == fresh.spirv
        assert found.diagnostics == fresh.diagnostics
        if found.ok:
            assert reflection_json(found.spirv, found.interface) == reflection_json(fresh.spirv, fresh.interface)
        return found

    def once(self, text: str, memory: Memory, results: Results | None) -> CompileResult:
        fs = MemoryFileSystem({"/main.hlsl": text, "/level.h": "static const int LEVEL = __INCLUDE_LEVEL__;\n"})
        source = SourceFile.from_bytes("main.hlsl", "/main.hlsl", text.encode())
        return compile_shader(
            source, profile=self.options.profile, options=self.options, fs=fs, memory=memory, results=results
        )


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.parametrize("back", [False, True], ids=["there", "back"])
def test_an_edit_counts(name: str, back: bool) -> None:
    edit = EDITS[name]
    assert edit.text.count(edit.old) >= 1
    texts = [edit.text, edit.text.replace(edit.old, edit.new, 1)]
    if back:
        texts.reverse()
    world = World(edit)
    results = [world.compile(text) for text in (*texts, *texts)]
    assert any(found.ok for found in results), [d.message for d in results[0].diagnostics]
    told = [(found.ok, found.spirv, [d.message for d in found.diagnostics]) for found in results]
    assert told[0] != told[1], "the edit changes nothing"
    assert told[2:] == told[:2]


# ----------------------------------------------------------------------------------------------------------- options

OTHER: dict[str, Any] = {
    "profile": "ps_6_5", "entry": "other", "hlsl_version": 2018, "matrix_layout": "row_major",
    "payload_qualifiers": True, "flow_control": "avoid", "include_dirs": ("inc",), "defines": (("A", "1"),),
    "undefines": ("A",), "exports": ("main",), "default_linkage": "external", "libraries": ("x.hlsl",),
    "warnings": ("everything",),
    "error_limit": 5, "target_env": "vulkan1.1", "extensions": ("KHR",), "entry_point_name": "other", "max_id": 1 << 23,
    "denorm": "ftz", "signature_packing": "optimized", "layout": "scalar", "stage_io_order": "alpha",
    "shift_b": ((1, 0),), "shift_t": ((1, 0),), "shift_s": ((1, 0),), "shift_u": ((1, 0),), "auto_binding_space": 1,
    "shift_buffer": ((1, 0),), "binding_scheme": "glslang",
    "bind_registers": (("t0", 0, 1, 1),), "bind_globals": (1, 1), "bind_resource_heap": (1, 1),
    "bind_sampler_heap": (1, 1), "bind_counter_heap": (1, 1), "resource_heap_stride": 64, "sampler_heap_stride": 32,
    "debug": ("line",), "command_line": "-T ps_6_0",
    "optimize": "size", "validate": "required", "spirv_tools": "/tools",
    "wgsl_immediates": "uniform", "wgsl_bindings": "compact", "wgsl_unbounded_arrays": 4,
    "wgsl_arrays": "binding_array",
    "wgsl_texel_buffers": "expanded", "wgsl_point_size": "drop", "wgsl_storage_formats": "exact",
    "wgsl_texture_formats": "core",
    "wgsl_early_fragment_tests": "drop", "wgsl_subpass_inputs": "textures", "wgsl_draw_parameters": "zero",
    "wgsl_atomic_textures": "buffers", "wgsl_depth_textures": "split",
    "msl_version": "2.1", "msl_platform": "ios", "msl_bindings": "spirv", "msl_texel_buffers": "native",
    "glsl_version": "330", "glsl_depth": "opengl", "glsl_push_constants": "block", "glsl_sampler_bindings": "textures",
    "essl_version": "300", "essl_depth": "opengl", "essl_push_constants": "block", "essl_sampler_bindings": "textures",
    "essl_float_precision": "highp", "essl_int_precision": "mediump",
    "hlsl_shader_model": "5.1", "hlsl_storage_buffers": "uav",
}  # fmt: skip
"""Another value for every field; those that are False are True otherwise."""

TEXT = "float4 main() : SV_Target { return 1; }\nfloat4 other() : SV_Target { return 1; }\n"


class Asked(Results):
    """A store that records the requested keys."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[str] = []

    def get(self, key: str) -> tuple[Any, bytes] | None:
        self.keys.append(key)
        return super().get(key)


def asked(options: CompileOptions) -> set[str]:
    found = Asked()
    source = SourceFile.from_bytes("main.hlsl", "/main.hlsl", TEXT.encode())
    compile_shader(
        source, profile=options.profile, entry=options.entry, options=options, fs=MemoryFileSystem({}), results=found
    )
    return set(found.keys)


@pytest.mark.parametrize("name", [field.name for field in fields(CompileOptions)])
def test_every_option_is_in_every_key(name: str) -> None:
    """A change of any option changes every key, except for paths and for options whose effect is in the tokens."""
    default = getattr(OPTIONS, name)
    options = replace(OPTIONS, **{name: OTHER.get(name, not default)})
    assert type(getattr(options, name)) is type(default) or default is None, "OTHER has no value for it"
    assert getattr(options, name) != default
    one, other = (Job("a", "main.hlsl", o, {"spv": "a.spv"}) for o in (OPTIONS, options))
    assert (one.cache_key() == other.cache_key()) == (name in PLACES)
    if name in (
        "print_all",
        "print_steps",
        "libraries",
    ):  # neither what it prints nor what several sources give is kept
        assert asked(options) == set()
    elif name == "exports":  # of libraries
        lib = replace(OPTIONS, profile="lib_6_3")
        assert asked(lib).isdisjoint(asked(replace(lib, exports=("main",))))
    elif name in PREPROCESSING | PLACES:
        assert asked(OPTIONS) == asked(options)
    else:
        assert asked(OPTIONS).isdisjoint(asked(options))
