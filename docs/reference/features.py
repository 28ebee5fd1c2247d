"""docs/reference/features.md: what of DXC's manual works, by trying it.

    python docs/reference/features.py            # writes docs/reference/features.md
    python docs/reference/features.py --check    # ends with 1 where the page differs from what the compiler does

A row is a feature, a shader that uses it, and what its SPIR-V must say.  The shader is compiled twice, as it is
(`-fcgl`) and with legalisation, optimisation and validation; *yes* is what passes both and says what it must.
"""

from __future__ import annotations

import re
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import intrinsics  # noqa: E402  (beside this file)

PAGE = ROOT / "docs" / "reference" / "features.md"


@dataclass(slots=True)
class Row:
    feature: str
    shader: str
    wanted: str = ""
    """What the disassembly has to contain, all of the words."""
    options: str = ""
    profile: str = "ps_6_0"
    error: str = ""
    """Words of the message with which the manual, too, wants the shader refused."""
    key: str = ""
    """What to look for in the tests; the feature's last identifier where empty."""
    finished: bool = False
    """Tried without ``-fcgl`` only, which refuses what DXC refuses."""


SECTIONS: list[tuple[str, list[Row]]] = []


def section(title: str) -> list[Row]:
    SECTIONS.append((title, []))
    return SECTIONS[-1][1]


def ps(body: str, decls: str = "") -> str:
    """A pixel shader with inputs `a`, `u`, `i` (float4, uint4, int4) and a result `r`."""
    return (
        f"{decls}\nfloat4 main(float4 a : A, nointerpolation uint4 u : U, nointerpolation int4 i : I) : SV_Target\n"
        f"{{ float4 r = a; {body}; return r; }}\n"
    )


def cs(body: str, decls: str = "") -> str:
    """A compute shader with a result buffer `o` and the thread's index `t`."""
    return (
        f"RWStructuredBuffer<float4> o; groupshared uint gu; groupshared int gi;\n{decls}\n"
        f"[numthreads(8, 8, 1)] void main(uint3 id : SV_DispatchThreadID, uint t : SV_GroupIndex)\n"
        f"{{ float4 r = 0; {body}; o[t] = r; }}\n"
    )


def vs(body: str, decls: str = "", params: str = "") -> str:
    more = f", {params}" if params else ""
    return f"{decls}\nfloat4 main(float4 a : A{more}) : SV_Position {{ {body}; return a; }}\n"


# ---------------------------------------------------------------- Vulkan specifics

s = section("Vulkan semantics: attributes")
ATTRIBUTES = (
    ("vk::location", ps("", "").replace("float4 a : A", "[[vk::location(3)]] float4 a : A")
     .replace("nointerpolation uint4", "[[vk::location(4)]] nointerpolation uint4")
     .replace("nointerpolation int4", "[[vk::location(5)]] nointerpolation int4"), "Location 3"),
    ("vk::binding", ps("r = b[0]", "[[vk::binding(5, 2)]] StructuredBuffer<float4> b;"), "Binding 5|DescriptorSet 2"),
    ("vk::counter_binding",
     cs("c.Append(r)", "[[vk::binding(1), vk::counter_binding(9)]] AppendStructuredBuffer<float4> c;"), "Binding 9"),
    ("vk::push_constant", ps("r = p.v", "struct P { float4 v; }; [[vk::push_constant]] P p;"), "PushConstant"),
    ("vk::offset", ps("r = p.v", "struct P { [[vk::offset(32)]] float4 v; }; [[vk::push_constant]] P p;"), "Offset 32"),
    ("vk::constant_id", ps("r *= k", "[[vk::constant_id(7)]] const float k = 2;"), "SpecId 7"),
    ("vk::input_attachment_index",
     ps("r = p.SubpassLoad()", "[[vk::input_attachment_index(1)]] SubpassInput p;"), "InputAttachmentIndex 1"),
    ("vk::builtin", ps("").replace("float4 a : A", 'float4 a : A, [[vk::builtin("HelperInvocation")]] bool q : Q'),
     "OpIsHelperInvocationEXT"),
    ("vk::index", ("struct O { [[vk::location(0), vk::index(1)]] float4 b : SV_Target1;"
     " [[vk::location(0), vk::index(0)]] float4 a : SV_Target0; }; O main() { O o; o.a = 1; o.b = 2; return o; }"),
     "Index 1"),
    ("vk::post_depth_coverage", "[[vk::post_depth_coverage]] " + ps("r.x = c").replace(
        "float4 a : A", "float4 a : A, uint c : SV_Coverage").lstrip(), "PostDepthCoverage"),
    ("vk::early_and_late_tests", "[[vk::early_and_late_tests]] " + ps("").lstrip(), "EarlyAndLateFragmentTestsAMD"),
    ("vk::image_format", cs("x[id.xy] = 1", '[[vk::image_format("rgba8")]] RWTexture2D<float4> x;'), "Rgba8"),
    ("vk::combinedImageSampler", ps("r = x.Sample(y, a.xy)", "[[vk::combinedImageSampler]][[vk::binding(2)]]"
     " Texture2D x; [[vk::combinedImageSampler]][[vk::binding(2)]] SamplerState y;"), "OpTypeSampledImage"),
    ("vk::aliased_pointer", cs("", "").replace("RWStr", "[[vk::aliased_pointer]] RWStr"), ""),
)
for name, shader, wanted in ATTRIBUTES:
    profile = "cs_6_0" if "numthreads" in shader else "ps_6_0"
    s.append(Row(f"`[[{name}]]`", shader, wanted, profile=profile, key=name))
s.append(Row("`[[vk::constant_id]]` of 16 and 64 bits", ps("r *= k", "[[vk::constant_id(7)]] const double k = 2;"),
             "SpecId 7", key="constant_id", finished=True))

s = section("Vulkan semantics: builtins by `vk::builtin` and by semantic")
for name in ("HelperInvocation", "DeviceIndex"):
    kind = "bool" if name == "HelperInvocation" else "int"
    s.append(Row(name, f'float4 main([[vk::builtin("{name}")]] {kind} x : X) : SV_Target {{ return x; }}'
                 if kind == "bool" else
                 f'float4 main([[vk::builtin("{name}")]] nointerpolation int x : X) : SV_Target {{ return x; }}',
                 f"BuiltIn {name}", f"-fspv-target-env=vulkan{'1.3' if kind == 'bool' else '1.1'}"))
for name in ("BaseVertex", "BaseInstance", "DrawIndex"):
    s.append(Row(name, vs("a.x = x", "", f'[[vk::builtin("{name}")]] int x : X'), f"BuiltIn {name}",
                 "-fspv-target-env=vulkan1.1", "vs_6_0"))
s.append(Row("PointSize", 'struct V { float4 p : SV_Position; [[vk::builtin("PointSize")]] float s : PSIZE; };'
             " V main() { V v; v.p = 0; v.s = 1; return v; }", "BuiltIn PointSize", profile="vs_6_0"))
s.append(Row("ViewIndex (`SV_ViewID`)", vs("a.x = x", "", "uint x : SV_ViewID"), "BuiltIn ViewIndex",
             "-fspv-target-env=vulkan1.1", "vs_6_1", key="SV_ViewID"))
s.append(Row("BaryCoord (`SV_Barycentrics`)", "float4 main(float3 b : SV_Barycentrics) : SV_Target"
             " { return b.xyzz; }", "BuiltIn BaryCoord", profile="ps_6_1", key="SV_Barycentrics"))

s = section("Target environments and extensions")
for name in ("vulkan1.0", "vulkan1.1", "vulkan1.1spirv1.4", "vulkan1.2", "vulkan1.3", "vulkan1.4", "universal1.5"):
    s.append(Row(f"`-fspv-target-env={name}`", ps(""), "", f"-fspv-target-env={name}", key=name))
s.append(Row("`-fspv-extension=`: what is not named is refused", vs("a.x = x", "", "uint x : SV_ViewID"),
             options="-fspv-extension=SPV_EXT_descriptor_indexing", profile="vs_6_1", error="not permitted",
             key="fspv-extension"))
s.append(Row("Vulkan memory model", cs("InterlockedAdd(gu, 1)"), "Vulkan",
             "-fspv-use-vulkan-memory-model -fspv-target-env=vulkan1.2", "cs_6_0", key="vulkan_memory_model"))

s = section("Legalisation, optimisation, validation")
s.append(Row("resources in structs", ps("S s; s.t = x; s.p = y; r = s.t.Sample(s.p, a.xy)",
             "Texture2D x; SamplerState y; struct S { Texture2D t; SamplerState p; };"), "", key="resources"))
s.append(Row("aliases of resources", ps("Texture2D z = x; r = z.Load(0)", "Texture2D x;"), ""))
s.append(Row("aliases under control flow", ps("Texture2D z; if (1 > 0) z = x; else z = x; r = z.Load(0)",
             "Texture2D x;"), ""))
for name in ("-fcgl", "-Od", "-O0", "-O1", "-O2", "-O3", "-Os", "-Oconfig=-O,--loop-unroll", "-Vd"):
    s.append(Row(f"`{name}`", ps(""), "", name, key=name.split("=")[0]))
s.append(Row("libraries: `export`ed functions", "static float s = 2; export float f(float x) { return x * s; }",
             'LinkageAttributes "f" Export', "", "lib_6_3", key="test_linked"))
s.append(Row("libraries: functions without a body", "float f(float x); export float g(float x) { return f(x); }",
             'LinkageAttributes "f" Import', "", "lib_6_3", key="test_linked"))

s = section("Debugging and reflection")
s.append(Row("`-Zi`", ps(""), "OpLine|OpSource", "-Zi -Od"))
for name, wanted in (
    ("file", "OpSource"), ("source", "OpSource"), ("line", "OpLine"), ("tool", "OpModuleProcessed"),
    ("rich", "DebugInfo"), ("rich-with-source", "DebugInfo"), ("vulkan-with-source", "NonSemantic.Shader"),
):
    s.append(Row(f"`-fspv-debug={name}`", ps(""), wanted, f"-fspv-debug={name} -fspv-target-env=vulkan1.1",
                 key=f"fspv-debug={name}"))
s.append(Row("`-fspv-reflect`: semantics", ps(""), "UserSemantic", "-fspv-reflect"))
s.append(Row("`-fspv-reflect`: counter buffers", cs("o.IncrementCounter()"), "CounterBuffer", "-fspv-reflect",
             "cs_6_0"))

# ---------------------------------------------------------------- types

s = section("Scalar, vector and matrix types")
WIDE = "-enable-16bit-types"
for names, wanted, options in (
    ("bool", "OpTypeBool", ""), ("int", "OpTypeInt 32 1", ""), ("int32_t", "OpTypeInt 32 1", ""),
    ("int16_t", "OpTypeInt 16 1", WIDE), ("uint", "OpTypeInt 32 0", ""), ("dword", "OpTypeInt 32 0", ""),
    ("uint32_t", "OpTypeInt 32 0", ""), ("uint16_t", "OpTypeInt 16 0", WIDE), ("int64_t", "OpTypeInt 64 1", ""),
    ("uint64_t", "OpTypeInt 64 0", ""), ("half", "OpTypeFloat 32", ""), ("half", "OpTypeFloat 16", WIDE),
    ("float16_t", "OpTypeFloat 16", WIDE), ("float", "OpTypeFloat 32", ""), ("float32_t", "OpTypeFloat 32", ""),
    ("snorm float", "OpTypeFloat 32", ""), ("unorm float", "OpTypeFloat 32", ""), ("double", "OpTypeFloat 64", ""),
    ("float64_t", "OpTypeFloat 64", ""), ("min16float", "RelaxedPrecision", ""),
    ("min10float", "RelaxedPrecision", ""), ("min16int", "RelaxedPrecision", ""), ("min12int", "RelaxedPrecision", ""),
    ("min16uint", "RelaxedPrecision", ""), ("min16float", "OpTypeFloat 16", WIDE),
    ("min16int", "OpTypeInt 16 1", WIDE), ("min16uint", "OpTypeInt 16 0", WIDE),
    ("float3", "OpTypeVector %float 3", ""), ("vector<float, 2>", "OpTypeVector %float 2", ""),
    ("float1", "OpTypeFloat 32", ""),
):
    title = f"`{names}`" + (f" with `{options}`" if options else "")
    s.append(Row(title, ps(f"{names} x = ({names.split()[-1] if ' ' in names and '<' not in names else names})a.x;"
                           " x = x; r += (float4)(x ? 1 : 0)" if names == "bool" else
                           f"{names} x = ({names.split()[-1] if '<' not in names else names})a"
                           f"{'.xy' if '2>' in names else '.xyz' if names == 'float3' else '.x'};"
                           " x = x + x; r.x += (float)x" + (".x" if names[-1] in "3>" else "")),
                 wanted, options, "ps_6_2", key=names))
BYTES = "-enable-8bit-types"
s.append(Row("`int8_t4`, arithmetic of 8 bits", cs("int8_t4 x = int8_t4((int4)t); x = x * x + (int8_t)1; r = x"),
             "OpTypeInt 8 1|OpIMul %v4char", BYTES, "cs_6_2", key="int8_t4"))
s.append(Row("`uint8_t` in structured and constant buffers", cs("S y = x[t]; y.a += k; x[0] = y",
             "struct S { uint8_t a; uint8_t3 b; }; RWStructuredBuffer<S> x; cbuffer C { uint8_t k; }"),
             "Capability UniformAndStorageBuffer8BitAccess", BYTES, "cs_6_2", key="test_bytes"))
s.append(Row("`RWByteAddressBuffer`: `Store<uint8_t>`, without a race", cs("x.Store<uint8_t>(t, (uint8_t)t)",
             "RWByteAddressBuffer x;"), "OpTypeRuntimeArray %uchar", BYTES, "cs_6_2", key="test_bytes", finished=True))
s.append(Row("`uint8_t` between stages: refused", "uint8_t main(float4 a : A) : SV_Target { return 1; }", "", BYTES,
             "ps_6_2", error="components of 8 bits", key="HLSL1811"))
UNTYPED = "-fspv-target-env=vulkan1.2 -fspv-extension=SPV_KHR_untyped_pointers"
s.append(Row("`Load<T>` and `Store<T>` with `-fspv-extension=SPV_KHR_untyped_pointers`",
             cs("S y = x.Load<S>(t); x.Store(0, y)", "struct S { float4 a; float3x3 b; }; RWByteAddressBuffer x;"),
             "OpUntypedAccessChainKHR %_ptr_StorageBuffer %_runtimearr_float %x", UNTYPED, "cs_6_6",
             key="test_untyped_pointers", finished=True))
LONG = "vector<float, 16> v = x.Load<vector<float, 16> >(t); v = sin(v) * v + dot(v, v); r = (float4)v + v[t]"
s.append(Row("`vector<float, 16>` of shader model 6.9: an array", cs(LONG, "ByteAddressBuffer x;"),
             "OpTypeArray %float %uint_16", "", "cs_6_9", key="test_long_vectors"))
s.append(Row("`vector<float, 16>` with `-fspv-extension=SPV_EXT_long_vector`", cs(LONG, "ByteAddressBuffer x;"),
             "OpTypeVectorIdEXT %float %uint_16", "-fspv-extension=SPV_EXT_long_vector", "cs_6_9", key="long-vectors"))
s.append(Row("`StructuredBuffer<vector<int, 6> >`", cs("x[0] = x[t] + 1", "RWStructuredBuffer<vector<int, 6> > x;"),
             "OpTypeArray %int %uint_6", "", "cs_6_9", key="test_long_vectors"))
SMALL = "#include <vk/khr/bfloat16.h>\n#include <vk/ext/float8.h>\n"
s.append(Row("`vk::khr::bfloat16_t` (`vk/khr/bfloat16.h`)", SMALL + cs("r = vk::khr::ToFloat(x[t]); x[0] ="
             " vk::khr::ToBFloat16(r.x)", "RWStructuredBuffer<vk::khr::bfloat16_t> x;"),
             "OpTypeFloat 16 BFloat16KHR|Capability BFloat16TypeKHR", "", "cs_6_6", key="small-floats"))
s.append(Row("`vk::ext::float8_e4m3_t`, `float8_e5m2_t` (`vk/ext/float8.h`)", SMALL + cs(
             "r = vk::ext::ToFloat(x[t]); x[0] = vk::ext::ToFloat8E4M3(r)",
             "RWStructuredBuffer<vk::ext::float8_e4m3_t4> x;"),
             "OpTypeFloat 8 Float8E4M3EXT|Capability Float8EXT", "", "cs_6_6", key="small-floats"))
for shape, wanted in (("2x3", "OpTypeMatrix %v3float 2"), ("4x4", "OpTypeMatrix %v4float 4"),
                      ("3x1", "OpTypeVector %float 3"), ("1x4", "OpTypeVector %float 4"), ("1x1", "OpTypeFloat 32")):
    s.append(Row(f"`float{shape}`", ps(f"float{shape} m = (float{shape})a.x; m = m; r.x += m[0][0]"), wanted,
                 key=f"float{shape}"))
s.append(Row("`int2x3` (an array of vectors)", ps("int2x3 m = (int2x3)i.x; m = m * 2; r.x += m[1][2]"), "OpTypeArray",
             key="int2x3"))
s.append(Row("`row_major`, `column_major`, `#pragma pack_matrix`", ps(
    "r.xy += mul(m, a.xyz) + mul(n, a.xyz)", "row_major float2x3 m; column_major float2x3 n;"), "RowMajor|ColMajor",
    key="row_major"))

s = section("Structs, arrays, typedefs, interpolation")
for modifier, wanted in (("linear", ""), ("centroid", "Centroid"), ("nointerpolation", "Flat"),
                         ("noperspective", "NoPerspective"), ("sample", "Sample")):
    s.append(Row(f"`{modifier}`", f"float4 main({modifier} float4 x : X) : SV_Target {{ return x; }}", wanted,
                 key=modifier))
s.append(Row("structs, also nested and empty", ps("T t; t.s.v = a; r = t.s.v", "struct S { float4 v; };"
             " struct E {}; struct T { S s; E e; };"), "OpTypeStruct", key="struct"))
s.append(Row("member functions, inheritance", ps("B b; b.v = a; r = b.get()",
             "struct A { float4 v; float4 get() { return v * 2; } }; struct B : A { float w; };"), "", key="get"))
s.append(Row("bit-fields", ps("F f; f.a = u.x; f.b = 3; r.x += f.a", "struct F { uint a : 7; uint b : 3; };"), "",
             key="bit"))
s.append(Row("sized arrays", ps("float x[3] = { 1, 2, 3 }; r.x += x[u.x]"), "OpTypeArray"))
s.append(Row("unsized arrays of resources", ps("r = x[u.x].Load(0)", "Texture2D x[];"), "OpTypeRuntimeArray",
             key="NonUniform"))
s.append(Row("`typedef`, `using`", ps("V v = a; r = v", "typedef float4 W; using V = W;"), "", "-HV 2021",
             key="typedef"))
s.append(Row("templates", ps("r = twice(a)", "template<typename T> T twice(T x) { return x + x; }"), "", "-HV 2021",
             key="template"))
s.append(Row("members of struct templates that are defined outside", ps("T<float4> t = { a }; r = t.get() + t.k",
             "template<typename V> struct T { V v; V get(); static V k; }; template<typename V> V T<V>::get()"
             " { return v; } template<typename V> V T<V>::k = 1;"), "", "-HV 2021", key="test_functions"))
s.append(Row("conversion operators: refused", ps("r.x = 1", "struct N { float4 v; operator float4() { return v; } };"),
             "", "-HV 2021", error="not allowed", key="conversion operator"))
s.append(Row("methods of `const` objects", ps("const N n = { a }; r = n.get()",
             "struct N { float4 v; float4 get() { return v; } };"), "", key="test_functions"))
s.append(Row("operator overloading", ps("N n = { a }; r = (n + n).v",
             "struct N { float4 v; N operator+(N x) { N y = { v + x.v }; return y; } };"), "", "-HV 2021",
             key="operator+"))
s.append(Row("`min`, `max` and `asuint` in constant expressions", ps("float x[max(2, 3)]; x[2] = r.x; r.y = x[2]"), "",
             key="test_scalars"))
s.append(Row("literals: `1.#INF`, `0x1p4`, `1.5f32`", ps("r.x = 1.#INF; r.y = 0x1p4; r.z = 1.5f32"), "", key="1.#INF"))
s.append(Row("`unsigned int2`, `matrix<float, 4>`", ps("unsigned int2 n = u.xy; matrix<float, 4> m = a.x; r = m[n.x]"),
             "", key="unsigned"))
s.append(Row("`select` of structs", ps("N m = { a }, n = { -a }; r = select(a.x > 0, m, n).v",
             "struct N { float4 v; };"), "", "-HV 2021", key="test_functions"))
s.append(Row("`enum`, `enum class`", ps("E e = E::B; r.x += (int)e", "enum class E { A, B = 3 };"), "", key="enum"))
s.append(Row("namespaces", ps("r = n::f(a)", "namespace n { float4 f(float4 x) { return -x; } }"), "",
             key="namespace"))

s = section("Samplers and textures")
for name in ("SamplerState", "SamplerComparisonState"):
    cmp = "Comparison" in name
    s.append(Row(f"`{name}`", ps("r.x += x.SampleCmp(y, a.xy, 1)" if cmp else "r = x.Sample(y, a.xy)",
                                 f"Texture2D x; {name} y;"), "OpTypeSampler", key=name))
TEXTURES = {
    "Texture1D": ("Load(u.xy)", "1D 2 0 0 1"), "Texture2D": ("Load(u.xyz)", "2D 2 0 0 1"),
    "Texture3D": ("Load(u)", "3D 2 0 0 1"), "TextureCube": ("Sample(y, a.xyz)", "Cube 2 0 0 1"),
    "Texture1DArray": ("Load(u.xyz)", "1D 2 1 0 1"), "Texture2DArray": ("Load(u)", "2D 2 1 0 1"),
    "Texture2DMS": ("Load(u.xy, 0)", "2D 2 0 1 1"), "Texture2DMSArray": ("Load(u.xyz, 0)", "2D 2 1 1 1"),
    "TextureCubeArray": ("Sample(y, a)", "Cube 2 1 0 1"),
}
for name, (use, wanted) in TEXTURES.items():
    s.append(Row(f"`{name}`", ps(f"r = x.{use}", f"{name}<float4> x; SamplerState y;"), wanted, key=name))
for name, index in (("RWTexture1D", "id.x"), ("RWTexture2D", "id.xy"), ("RWTexture3D", "id"),
                    ("RWTexture1DArray", "id.xy"), ("RWTexture2DArray", "id")):
    s.append(Row(f"`{name}`", cs(f"x[{index}] = x[{index}] + 1", f"{name}<float4> x;"), "OpImageWrite", "", "cs_6_0",
                 key=name))
for name in ("Buffer", "RWBuffer"):
    s.append(Row(f"`{name}`", cs("r = x[t]" + ("; x[t] = r" if name[0] == "R" else ""), f"{name}<float4> x;"),
                 "OpTypeImage %float Buffer", "", "cs_6_0", key=name))
for name, kind in (("half4", "%float"), ("int16_t2", "%int"), ("uint16_t", "%uint")):
    s.append(Row(f"textures and texel buffers of `{name}` with `{WIDE}`: images of 32 bits, converted",
                 cs("y[t] = x[t] + y[t]", f"Buffer<{name}> x; RWBuffer<{name}> y;"), f"OpTypeImage {kind} Buffer",
                 WIDE, "cs_6_2", key="test_small_texels", finished=True))
s.append(Row("textures and texel buffers of `double`: refused", cs("r.x = (float)x[t]", "Buffer<double> x;"), "", "",
             "cs_6_0", error="cannot be accessed", key="numbers[1]", finished=True))
s.append(Row("`SubpassInput`", ps("r = x.SubpassLoad()", "[[vk::input_attachment_index(0)]] SubpassInput x;"),
             "SubpassData", key="SubpassInput"))
s.append(Row("`SubpassInputMS`", ps("r = x.SubpassLoad(1)", "[[vk::input_attachment_index(0)]] SubpassInputMS x;"),
             "SubpassData", key="SubpassInputMS"))
s.append(Row("`vk::SampledTexture2D`", ps("r = x.Sample(a.xy)", "vk::SampledTexture2D<float4> x;"),
             "OpTypeSampledImage", key="SampledTexture2D"))
FORMATS = [
    "unknown", "rgba32f", "rgba16f", "r32f", "rgba8", "rgba8snorm", "rg32f", "rg16f", "r11g11b10f", "r16f", "rgba16",
    "rgb10a2", "rg16", "rg8", "r16", "r8", "rgba16snorm", "rg16snorm", "rg8snorm", "r16snorm", "r8snorm", "rgba32i",
    "rgba16i", "rgba8i", "r32i", "rg32i", "rg16i", "rg8i", "r16i", "r8i", "rgba32ui", "rgba16ui", "rgba8ui", "r32ui",
    "rgb10a2ui", "rg32ui", "rg16ui", "rg8ui", "r16ui", "r8ui", "r64ui", "r64i",
]
for name in FORMATS:
    kind = ("uint64_t" if name == "r64ui" else "int64_t" if name == "r64i" else "uint4" if name.endswith("ui") else
            "int4" if name.endswith("i") else "float4")
    wanted = name[0].upper() + name[1:]
    s.append(Row(f'`[[vk::image_format("{name}")]]`', cs("x[t] = x[t + 1]",
                 f'[[vk::image_format("{name}")]] RWBuffer<{kind}> x;'), {
                     "r11g11b10f": "R11fG11fB10f", "rgba8snorm": "Rgba8Snorm", "rgb10a2": "Rgb10A2",
                     "rgba16snorm": "Rgba16Snorm", "rg16snorm": "Rg16Snorm", "rg8snorm": "Rg8Snorm",
                     "r16snorm": "R16Snorm", "r8snorm": "R8Snorm"}.get(name, wanted), "", "cs_6_0",
                 key=f'image_format("{name}")'))

s = section("Constant, texture and structured buffers")
BUFFERS = (
    ("cbuffer", "cbuffer X { float4 v; }", "r = v", "Block"),
    ("ConstantBuffer", "struct S { float4 v; }; ConstantBuffer<S> x;", "r = x.v", "Block"),
    ("tbuffer", "tbuffer X { float4 v; }", "r = v", "BufferBlock"),
    ("TextureBuffer", "struct S { float4 v; }; TextureBuffer<S> x;", "r = x.v", "BufferBlock"),
    ("StructuredBuffer", "StructuredBuffer<float4> x;", "r = x[t]", "NonWritable"),
    ("RWStructuredBuffer", "RWStructuredBuffer<float4> x;", "x[t] = x[t + 1]", "BufferBlock"),
    ("AppendStructuredBuffer", "AppendStructuredBuffer<float4> x;", "x.Append(r)", "OpAtomicIAdd"),
    ("ConsumeStructuredBuffer", "ConsumeStructuredBuffer<float4> x;", "r = x.Consume()", "OpAtomicISub"),
    ("ByteAddressBuffer", "ByteAddressBuffer x;", "r.x = x.Load(4)", "OpTypeRuntimeArray %uint"),
    ("RWByteAddressBuffer", "RWByteAddressBuffer x;", "x.Store(4, t)", "OpTypeRuntimeArray %uint"),
    ("RasterizerOrderedBuffer", "RasterizerOrderedBuffer<float4> x;", "", ""),
)
for name, decl, body, wanted in BUFFERS:
    if name.startswith("Raster"):
        s.append(Row("`RasterizerOrderedTexture2D` and the like", ps("x[u.xy] = r",
                     "RasterizerOrderedTexture2D<float4> x;"), "OpBeginInvocationInterlockEXT",
                     key="RasterizerOrdered"))
    else:
        s.append(Row(f"`{name}`", cs(body, decl), wanted, "", "cs_6_0", key=name))
s.append(Row("`packoffset` with a component", ps("r = v.xyxy", "cbuffer X { float2 v : packoffset(c2.b); }"),
             "Offset 40", key="packoffset"))
s.append(Row("`packoffset`", ps("r = v", "cbuffer X { float4 v : packoffset(c2); }"), "Offset 32", key="packoffset"))
for flag, name in (("", "Vulkan"), ("-fvk-use-dx-layout", "DirectX"), ("-fvk-use-gl-layout", "OpenGL"),
                   ("-fvk-use-scalar-layout", "scalar")):
    s.append(Row(f"{name} layout" + (f" (`{flag}`)" if flag else ""),
                 ps("r.x += x + y.x", "cbuffer C { float x; float3 y; }"), "Offset", flag,
                 key=flag or "test_layouts"))

s.append(Row("column-major matrices of integers and booleans",
             ps("r.x += m[1][2] + b[0][1]", "cbuffer C { int2x3 m; bool2x2 b; }"), "ArrayStride 16",
             key="test_matrices", finished=True))
s.append(Row("global structs with buffers, and with resources and numbers",
             cs("s.b[t] = s.x", "struct S { RWStructuredBuffer<float4> b; float4 x; }; S s;"), "s_b",
             profile="cs_6_0", key="test_objects_in_memory", finished=True))
s.append(Row("local arrays of buffers, element by element",
             cs("RWStructuredBuffer<float4> l[2]; l[0] = x; l[1] = y; l[t & 1][0] = r",
                "RWStructuredBuffer<float4> x, y;"), "OpSwitch", profile="cs_6_0",
             key="test_objects_in_memory", finished=True))
s.append(Row("arrays of arrays of resources", ps("r = x[u.x][u.y].Load(0)", "Texture2D x[2][3];"), "OpIMul",
             key="test_objects_in_memory", finished=True))
s.append(Row("a choice between elements of one array of resources",
             ps("Texture2D l = x[0]; if (u.x > 3) l = x[u.y]; r = l.Load(0)", "Texture2D x[4];"), "",
             key="test_descriptors", finished=True))

s = section("Variables and their storage")
s.append(Row("`$Globals`", ps("r = g", "float4 g;"), ["type_$Globals", "type__Globals"][1], key="Globals"))
for modifier, decl, wanted in (
    ("static", "static float4 x = 1;", "Private"), ("uniform", "uniform float4 x;", "Uniform"),
    ("extern", "extern float4 x;", "Uniform"), ("shared", "shared float4 x;", "Uniform"),
    ("precise", "static precise float4 x = 1;", "Private"),
):
    s.append(Row(f"global `{modifier}`", ps("r += x", decl), wanted, key=modifier))
s.append(Row("`groupshared`", cs("gu = t; r = gu"), "Workgroup", "", "cs_6_0", key="groupshared"))
s.append(Row("local `static`", ps("static float n = 0; n += 1; r *= n"), "Private", key="static"))

# ---------------------------------------------------------------- stage interface

s = section("Semantics (vertex, pixel, compute)")


def pin(semantic: str, kind: str, wanted: str, options: str = "", profile: str = "ps_6_1") -> None:
    use = {"bool": "x ? 1 : 0", "float4": "x"}.get(kind, "x" if not kind[-1].isdigit() else "x.xyxy")
    s.append(Row(f"`{semantic}` (pixel input)", f"float4 main({kind} x : {semantic}) : SV_Target {{ return {use}; }}",
                 wanted, options, profile, key=semantic))


def out(semantic: str, kind: str, wanted: str, stage: str = "ps") -> None:
    extra = ", out float4 p : SV_Position" if stage == "vs" and semantic != "SV_Position" else ""
    init = "p = 0;" if extra else ""
    params = f"float4 a : A{extra}"
    s.append(Row(f"`{semantic}` ({'pixel' if stage == 'ps' else 'vertex'} output)",
                 f"{kind} main({params}) : {semantic} {{ {init} return ({kind})a.x; }}", wanted,
                 "-fspv-target-env=vulkan1.2", f"{stage}_6_0", key=semantic))


out("SV_Position", "float4", "BuiltIn Position", "vs")
pin("SV_Position", "float4", "BuiltIn FragCoord")
out("SV_ClipDistance", "float", "BuiltIn ClipDistance", "vs")
pin("SV_ClipDistance", "float", "BuiltIn ClipDistance")
out("SV_CullDistance", "float", "BuiltIn CullDistance", "vs")
pin("SV_CullDistance", "float", "BuiltIn CullDistance")
s.append(Row("`SV_VertexID`", vs("a.x = x", "", "uint x : SV_VertexID"), "BuiltIn VertexIndex", "", "vs_6_0",
             key="SV_VertexID"))
s.append(Row("`SV_InstanceID`", vs("a.x = x", "", "uint x : SV_InstanceID"), "BuiltIn InstanceIndex", "", "vs_6_0",
             key="SV_InstanceID"))
s.append(Row("`SV_InstanceID` with `-fvk-support-nonzero-base-instance`", vs("a.x = x", "", "uint x : SV_InstanceID"),
             "BuiltIn BaseInstance", "-fvk-support-nonzero-base-instance", "vs_6_0",
             key="support_nonzero_base_instance"))
for semantic, wanted in (("SV_Depth", "FragDepth"), ("SV_DepthGreaterEqual", "DepthGreater"),
                         ("SV_DepthLessEqual", "DepthLess")):
    out(semantic, "float", wanted)
out("SV_Target1", "float4", "Location 1")
out("SV_StencilRef", "uint", "FragStencilRefEXT")
out("SV_Coverage", "uint", "BuiltIn SampleMask")
out("SV_RenderTargetArrayIndex", "uint", "BuiltIn Layer", "vs")
out("SV_ViewportArrayIndex", "uint", "BuiltIn ViewportIndex", "vs")
out("SV_ShadingRate", "uint", "BuiltIn PrimitiveShadingRateKHR", "vs")
pin("SV_IsFrontFace", "bool", "BuiltIn FrontFacing")
for semantic, wanted in (("SV_PrimitiveID", "PrimitiveId"), ("SV_SampleIndex", "SampleId"),
                         ("SV_RenderTargetArrayIndex", "Layer"), ("SV_ViewportArrayIndex", "ViewportIndex"),
                         ("SV_Coverage", "SampleMask"), ("SV_InnerCoverage", "FullyCoveredEXT"),
                         ("SV_ViewID", "ViewIndex"), ("SV_ShadingRate", "ShadingRateKHR")):
    pin(semantic, "nointerpolation uint", f"BuiltIn {wanted}", "-fspv-target-env=vulkan1.1", "ps_6_4")
pin("SV_Barycentrics", "float3", "BuiltIn BaryCoord")
for semantic, wanted in (("SV_DispatchThreadID", "GlobalInvocationId"), ("SV_GroupID", "WorkgroupId"),
                         ("SV_GroupThreadID", "LocalInvocationId"), ("SV_GroupIndex", "LocalInvocationIndex")):
    kind = "uint" if semantic == "SV_GroupIndex" else "uint3"
    s.append(Row(f"`{semantic}`", f"RWBuffer<uint> o; [numthreads(8, 1, 1)] void main({kind} x : {semantic})"
                 f" {{ o[0] = x{'' if kind == 'uint' else '.x'}; }}", f"BuiltIn {wanted}", "", "cs_6_0", key=semantic))
s.append(Row("locations in order of declaration", ps(""), "Location 2", "", key="Location"))
s.append(Row("locations in alphabetical order", ps(""), "Location 2", "-fvk-stage-io-order=alpha",
             key="stage_io_order"))

s = section("Descriptors")
s.append(Row("`[[vk::binding]]`, `register` and neither", ps("r = x.Load(0) + y.Load(0) + z.Load(0)",
             "[[vk::binding(3)]] Texture2D x; Texture2D y : register(t1, space2); Texture2D z;"),
             "Binding 3|DescriptorSet 2", key="vk::binding"))
REGISTERS = (
    "t: Texture1D Texture1DArray Texture2D Texture2DArray Texture3D TextureCube TextureCubeArray Texture2DMS"
    " Texture2DMSArray StructuredBuffer ByteAddressBuffer Buffer TextureBuffer;"
    "s: SamplerState SamplerComparisonState;"
    "u: RWByteAddressBuffer RWStructuredBuffer AppendStructuredBuffer ConsumeStructuredBuffer RWBuffer RWTexture1D"
    " RWTexture1DArray RWTexture2D RWTexture2DArray RWTexture3D;"
    "b: ConstantBuffer"
)
for group in REGISTERS.split(";"):
    letter, names = group.split(": ")
    for name in names.split():
        arg = "" if name in ("ByteAddressBuffer", "RWByteAddressBuffer") or name.startswith("Sampler") else (
            "<S>" if name in ("ConstantBuffer", "TextureBuffer") else "<float4>")
        s.append(Row(f"`register({letter}#)` on `{name}`", ps("", f"struct S {{ float4 v; }}; {name}{arg} x :"
                     f" register({letter}3);"), "Binding 13", f"-fvk-{letter}-shift 10 0 -fspv-preserve-bindings",
                     key=name))
s.append(Row("several `register`s: the last that fits the stage and the kind", ps(
    "r = x.Load(0)", "Texture2D x : register(vs, t5) : register(ps, t6) : register(s7);"), "Binding 6",
    key="register(ps"))
s.append(Row("`cbuffer`, `tbuffer` with `register`", ps("r = v + w", "cbuffer C : register(b1) { float4 v; }"
             " tbuffer T : register(t2) { float4 w; }"), "Binding 1|Binding 2", key="register(b1)"))
s.append(Row("`-fvk-bind-globals`", ps("r = g", "float4 g;"), "Binding 2|DescriptorSet 1", "-fvk-bind-globals 2 1",
             key="bind-globals"))
s.append(Row("`-fvk-bind-register`", ps("r = x.Load(0)", "Texture2D x : register(t1);"), "Binding 5|DescriptorSet 4",
             "-fvk-bind-register t1 0 5 4", key="registers"))
s.append(Row("`-fvk-auto-shift-bindings`", ps("r = x.Load(0)", "Texture2D x;"), "Binding 9",
             "-fvk-auto-shift-bindings -fvk-t-shift 9 0", key="auto_shift"))
s.append(Row("`-fspv-flatten-resource-arrays`", ps("r = x[1].Load(0)", "Texture2D x[2];"), "",
             "-fspv-flatten-resource-arrays", key="flatten"))
s.append(Row("`-fspv-preserve-bindings`", ps("", "Texture2D x;"), "Binding 0", "-fspv-preserve-bindings",
             key="preserve_bindings"))
s.append(Row("`-fspv-preserve-interface`", ps(""), "", "-fspv-preserve-interface", key="preserve_interface"))

# ---------------------------------------------------------------- expressions and statements

s = section("Operators and casts")
for sign, word in zip("+-*/%", ("Add", "Sub", "Mul", "Div", "Rem"), strict=True):
    ops = {"/": "OpSDiv|OpUDiv|OpFDiv", "%": "OpSRem|OpUMod|OpFRem"}.get(sign, f"OpI{word}|OpF{word}")
    s.append(Row(f"`{sign}`", ps(f"int4 x = i {sign} i.yzwx; uint4 y = u {sign} u.yzwx; r = a {sign} a.yzwx + x + y"),
                 ops, key="test_scalars"))
for sign, op in (("~", "OpNot"), ("&", "OpBitwiseAnd"), ("|", "OpBitwiseOr"), ("^", "OpBitwiseXor"),
                 ("<<", "OpShiftLeftLogical"), (">>", "OpShiftRightArithmetic|OpShiftRightLogical")):
    use = "~i + ~u" if sign == "~" else f"(i {sign} i.x) + (u {sign} u.x)"
    s.append(Row(f"`{sign}`".replace("|", "\\|"), ps(f"r += {use}"), op, key="test_scalars"))
for sign, op in (("<", "LessThan"), ("<=", "LessThanEqual"), (">", "GreaterThan"), (">=", "GreaterThanEqual")):
    s.append(Row(f"`{sign}`", ps(f"r += (i {sign} i.x) + (u {sign} u.x) + (a {sign} a.x)"),
                 f"OpS{op}|OpU{op}|OpFOrd{op}", key="test_scalars"))
s.append(Row("`==`, `!=`", ps("r += (i == i.x) + (a == a.x) + (i != i.y) + (a != a.y)"),
             "OpIEqual|OpFOrdEqual|OpINotEqual|OpFOrdNotEqual", key="test_scalars"))
s.append(Row("`&&`, `\\|\\|`, `?:` (short-circuit from HLSL 2021)", ps("r.x = a.x > 0 && a.y > 0 || a.z > 0 ? 1 : 2"),
             "OpSelectionMerge", "-HV 2021", key="-HV"))
s.append(Row("`&&`, `\\|\\|`, `?:` on vectors (HLSL 2018)", ps("r = (a > 0 && a < 1 || a > 2) ? a : 2 * a"),
             "OpLogicalAnd|OpLogicalOr|OpSelect", "-HV 2018", key="-HV"))
s.append(Row("`!`, unary `-`, `++`, `--`", ps("r += !(a > 0); r = -r; ++r; r.x--; i = -i; r += i"),
             "OpLogicalNot|OpFNegate|OpSNegate", key="test_scalars"))
s.append(Row("casts between bool, int, uint, float", ps(
    "bool4 b = (bool4)i; r += b; u += (uint4)i; i = (int4)a; u += (uint4)a; r += i; r += u"),
    "OpINotEqual|OpSelect|OpBitcast|OpConvertFToS|OpConvertFToU|OpConvertSToF|OpConvertUToF", key="test_scalars"))
s.append(Row("casts of vectors, matrices, structs, arrays", ps(
    "float4x4 m = (float4x4)a.x; r = (float4)(float2x2)m + ((S)a).v; float y[4] = (float[4])a; r.x += y[2]",
    "struct S { float4 v; };"), "", key="test_matrices"))
s.append(Row("swizzles, also of matrices, also assigned",
             ps("r.zx = a.yy; float2x2 m = a; m._m01_m10 = a.xy; r += m._11"),
             "OpVectorShuffle", key="test_matrices"))
s.append(Row("matrix initialiser lists", ps("float3x4 m = { 1,2,3,4, 5,6,7,8, a }; r = m[2]"), "OpTypeMatrix",
             key="test_matrices"))

s = section("Control flow")
for name, body, wanted in (
    ("if, else", "if (a.x > 0) r = 1; else r = 2", "OpBranchConditional"),
    ("for", "for (int k = 0; k < u.x; ++k) r += a", "OpLoopMerge"),
    ("while, do", "while (r.x < 9) r += 1; do r -= 1; while (r.y > 3)", "OpLoopMerge"),
    ("switch", "switch (i.x) { case 0: r = 1; break; case 2: r = 2; default: r += 3; }", "OpSwitch"),
    ("break, continue, return, discard",
     ("for (int k = 0; k < 9; ++k) { if (k == i.x) continue; if (k == i.y) break; } if (a.x < 0) discard;"
      " if (a.y < 0) return 0"), "OpKill"),
    ("[unroll(4)]", "[unroll(4)] for (int k = 0; k < 4; ++k) r += a", "Unroll"),
    ("[loop]", "[loop] for (int k = 0; k < 4; ++k) r += a", "DontUnroll"),
    ("[fastopt]", "[fastopt] for (int k = 0; k < 4; ++k) r += a", "DontUnroll"),
    ("[branch]", "[branch] if (a.x > 0) r = 1", "DontFlatten"),
    ("[flatten]", "[flatten] if (a.x > 0) r = 1", "Flatten"),
    ("[forcecase]", "[forcecase] switch (i.x) { case 0: r = 1; break; case 2: r = 2; break; }", ""),
):
    s.append(Row(f"`{name}`", ps(body), wanted, key=name.strip("[]").split("(")[0].split(",")[0]))
s.append(Row("`[allow_uav_condition]` (ignored, as in DXC)", ps("[allow_uav_condition] for (int k = 0; k < 4; ++k)"
             " r += a"), "", key="allow_uav_condition"))
s.append(Row("functions: `in`, `out`, `inout`, default arguments, overloads", ps(
    "float q; f(a.x, q, r); r.x += q + g(1) + g(1u)",
    "void f(in float x, out float y, inout float4 z) { y = x; z += x; } float g(float x, float k = 2) { return x * k; }"
    " uint g(uint x) { return x; }"), "OpFunctionCall", key="test_functions"))

# ---------------------------------------------------------------- intrinsics

s = section("Intrinsic functions with an opcode of their own")
for name, op in (
    ("AllMemoryBarrier", "OpMemoryBarrier"), ("AllMemoryBarrierWithGroupSync", "OpControlBarrier"),
    ("DeviceMemoryBarrier", "OpMemoryBarrier"), ("DeviceMemoryBarrierWithGroupSync", "OpControlBarrier"),
    ("GroupMemoryBarrier", "OpMemoryBarrier"), ("GroupMemoryBarrierWithGroupSync", "OpControlBarrier"),
):
    s.append(Row(f"`{name}`", cs(f"gu = t; {name}(); r = gu"), op, "", "cs_6_0", key=name))
for name, args, op in (
    ("countbits", "u", "OpBitCount"), ("ddx", "a", "OpDPdx"), ("ddy", "a", "OpDPdy"),
    ("ddx_coarse", "a", "OpDPdxCoarse"), ("ddy_coarse", "a", "OpDPdyCoarse"), ("ddx_fine", "a", "OpDPdxFine"),
    ("ddy_fine", "a", "OpDPdyFine"), ("fmod", "a, a.yzwx", "OpFRem"), ("fwidth", "a", "OpFwidth"),
    ("isnan", "a", "OpIsNan"), ("isinf", "a", "OpIsInf"), ("isfinite", "a", ""), ("reversebits", "u", "OpBitReverse"),
):
    s.append(Row(f"`{name}`", ps(f"r += {name}({args})"), op, key=name))
s.append(Row("`transpose`", ps("float4x4 m = float4x4(a, a, a, r); r = transpose(m)[1]"), "OpTranspose",
             key="transpose"))
s.append(Row("`CheckAccessFullyMapped`", ps("uint st; r = x.Load(0, 0, st); r.x += CheckAccessFullyMapped(st)",
             "Texture2D x;"), "OpImageSparseTexelsResident", key="CheckAccessFullyMapped"))
ATOMICS = (
    ("InterlockedAdd", "OpAtomicIAdd"), ("InterlockedAnd", "OpAtomicAnd"), ("InterlockedOr", "OpAtomicOr"),
    ("InterlockedXor", "OpAtomicXor"), ("InterlockedMin", "OpAtomicUMin|OpAtomicSMin"),
    ("InterlockedMax", "OpAtomicUMax|OpAtomicSMax"), ("InterlockedExchange", "OpAtomicExchange"),
    ("InterlockedCompareExchange", "OpAtomicCompareExchange"), ("InterlockedCompareStore", "OpAtomicCompareExchange"),
)
for name, op in ATOMICS:
    tail = {"InterlockedExchange": "1, q", "InterlockedCompareExchange": "1, 2, q", "InterlockedCompareStore": "1, 2"}
    arguments = tail.get(name, "1")
    body = f"uint q; {name}(gu, {arguments})" + (f"; {name}(gi, {arguments})" if "|" in op else "")
    s.append(Row(f"`{name}`", cs(body), op, "", "cs_6_0", key=name))

s = section("Intrinsic functions of GLSL.std.450")
MATH = (
    "abs:a:FAbs acos:a:Acos asin:a:Asin atan:a:Atan atan2:a,a.yzwx:Atan2 ceil:a:Ceil clamp:a,0,1:FClamp|NClamp"
    " cos:a:Cos cosh:a:Cosh degrees:a:Degrees distance:a,a.yzwx:Distance radians:a:Radians exp:a:Exp exp2:a:Exp2"
    " f16tof32:u:UnpackHalf2x16 f32tof16:a:PackHalf2x16 faceforward:a,a.yzwx,a.zwxy:FaceForward"
    " firstbithigh:u:FindUMsb firstbitlow:u:FindILsb floor:a:Floor frac:a:Fract ldexp:a,a.y:Exp2 length:a:Length"
    " lerp:a,a.yzwx,a.x:FMix log:a:Log log10:a:Log2 log2:a:Log2 mad:a,a.yzwx,a.x:Fma max:a,a.yzwx:Max"
    " min:a,a.yzwx:Min normalize:a:Normalize pow:a,a.yzwx:Pow reflect:a,a.yzwx:Reflect refract:a,a.yzwx,a.x:Refract"
    " round:a:Round rsqrt:a:InverseSqrt saturate:a:Clamp sign:a:FSign sin:a:Sin sinh:a:Sinh"
    " smoothstep:0,1,a:SmoothStep sqrt:a:Sqrt step:a.x,a:Step tan:a:Tan tanh:a:Tanh trunc:a:Trunc"
)
for item in MATH.split():
    name, args, op = item.split(":")
    op = {"FClamp|NClamp": "Clamp"}.get(op, op)
    s.append(Row(f"`{name}`", ps(f"r += {name}({args.replace(',', ', ')})"), op, key=name))
for name, body, op in (
    ("cross", "r.xyz += cross(a.xyz, a.yzw)", "Cross"),
    ("determinant", "float3x3 m = float3x3(a.xyz, a.yzw, a.zwx); r += determinant(m)", "Determinant"),
    ("fma", "double d = a.x; r.x += (float)fma(d, d, d)", "Fma"),
    ("frexp", "float4 e; r = frexp(a, e) + e", "Frexp"),
    ("modf", "float4 e; r = modf(a, e) + e", "Modf"),
    ("sincos", "float4 x, y; sincos(a, x, y); r = x + y", "Sin|Cos"),
):
    s.append(Row(f"`{name}`", ps(body), op, key=name))

s = section("Intrinsic functions made of several instructions")
for name, body in (
    ("all, any", "r.x += all(a > 0) + any(u)"), ("asfloat, asint, asuint", "r += asfloat(u) + asint(a) + asuint(a)"),
    ("asdouble", "double d = asdouble(u.x, u.y); r.x += (float)d"),
    ("asuint (of a double)", "double d = a.x; uint x, y; asuint(d, x, y); r.x += x + y"),
    ("clip", "clip(a)"), ("dot", "r += dot(a, a.yzwx) + dot(i, i.yzwx)"), ("dst", "r = dst(a, a.yzwx)"),
    ("lit", "r = lit(a.x, a.y, a.z)"), ("msad4", "r += msad4(u.x, u.yz, u)"),
    ("mul", "float4x4 m = float4x4(a, a, a, a); r = mul(m, a) + mul(a, m) + mul(m, m)[0] + mul(a, a) + mul(2, a)"),
    ("rcp", "r = rcp(a)"), ("D3DCOLORtoUBYTE4", "r += D3DCOLORtoUBYTE4(a)"),
    ("EvaluateAttributeAtSample, …Centroid, …Snapped",
     "r = EvaluateAttributeAtSample(a, u.x) + EvaluateAttributeCentroid(a) + EvaluateAttributeSnapped(a, i.xy)"),
    ("NonUniformResourceIndex", "r = xs[NonUniformResourceIndex(u.x)].Load(0)"),
    ("select, and, or", "r = select(a > 0, a, r); r += and(a > 0, a < 1) + or(a > 0, a < 1)"),
    ("IsHelperLane", "r.x += IsHelperLane()"), ("printf", 'printf("%f", a.x)'),
    ("dot4add_u8packed, dot4add_i8packed", "r.x += dot4add_u8packed(u.x, u.y, 1) + dot4add_i8packed(u.x, u.y, 1)"),
    ("dot2add", "half2 h = (half2)a.xy; r.x += dot2add(h, h, a.x)"),
    ("pack_u8, unpack_u8u32 and the like",
     "r += unpack_u8u32(pack_u8(u)) + unpack_s8s32(pack_clamp_s8(i))"),
):
    option = WIDE if name == "dot2add" else ""
    s.append(Row(f"`{name}`", ps(body, "Texture2D xs[4];" if "xs[" in body else ""), "",
                 f"{option} -fspv-target-env=vulkan1.1", "ps_6_6", key=name.split(",")[0].split(" ")[0]))
s.append(Row("`GetAttributeAtVertex`", "float4 main(nointerpolation float4 x : X) : SV_Target"
             " { return GetAttributeAtVertex(x, 1); }", "PerVertex", "-fspv-target-env=vulkan1.1", "ps_6_1",
             key="GetAttributeAtVertex"))

s.append(Row("`InterlockedCompareExchangeFloatBitwise`", cs(
    "gf[t] = r.x; float old; InterlockedCompareExchangeFloatBitwise(gf[t], 1, 2, old); r.x += old",
    "groupshared float gf[64];"), "OpAtomicCompareExchange", "", "cs_6_6", key="InterlockedCompareExchangeFloatBitwise",
    finished=True))

s = section("Wave and quad intrinsics")
for name, use, op in (
    ("WaveGetLaneCount", "()", "SubgroupSize"), ("WaveGetLaneIndex", "()", "SubgroupLocalInvocationId"),
    ("WaveIsFirstLane", "()", "OpGroupNonUniformElect"), ("WaveActiveAnyTrue", "(t > 3)", "OpGroupNonUniformAny"),
    ("WaveActiveAllTrue", "(t > 3)", "OpGroupNonUniformAll"),
    ("WaveActiveBallot", "(t > 3)", "OpGroupNonUniformBallot"),
    ("WaveActiveAllEqual", "(t)", "OpGroupNonUniformAllEqual"),
    ("WaveActiveCountBits", "(t > 3)", "OpGroupNonUniformBallotBitCount"),
    ("WaveActiveSum", "(t)", "OpGroupNonUniformIAdd"), ("WaveActiveProduct", "(t)", "OpGroupNonUniformIMul"),
    ("WaveActiveBitAnd", "(t)", "OpGroupNonUniformBitwiseAnd"),
    ("WaveActiveBitOr", "(t)", "OpGroupNonUniformBitwiseOr"),
    ("WaveActiveBitXor", "(t)", "OpGroupNonUniformBitwiseXor"), ("WaveActiveMin", "(t)", "OpGroupNonUniformUMin"),
    ("WaveActiveMax", "(t)", "OpGroupNonUniformUMax"), ("WavePrefixSum", "(t)", "ExclusiveScan"),
    ("WavePrefixProduct", "(t)", "ExclusiveScan"), ("WavePrefixCountBits", "(t > 3)", "ExclusiveScan"),
    ("WaveReadLaneAt", "(t, 2)", "OpGroupNonUniform"), ("WaveReadLaneFirst", "(t)", "OpGroupNonUniformBroadcastFirst"),
    ("QuadReadAcrossX", "(t)", "OpGroupNonUniformQuadSwap"), ("QuadReadAcrossY", "(t)", "OpGroupNonUniformQuadSwap"),
    ("QuadReadAcrossDiagonal", "(t)", "OpGroupNonUniformQuadSwap"),
    ("QuadReadLaneAt", "(t, 1)", "OpGroupNonUniformQuadBroadcast"),
    ("QuadAny", "(t > 3)", ""), ("QuadAll", "(t > 3)", ""),
    ("WaveMultiPrefixCountBits", "(t > 3, uint4(1, 0, 0, 0))", "OpGroupNonUniformBallotBitCount"),
    ("WaveMatch", "(t)", "OpGroupNonUniformPartition"), ("WaveMultiPrefixSum", "(t, uint4(1, 0, 0, 0))", "Partitioned"),
):
    s.append(Row(f"`{name}`", cs(f"r += {name}{use}"), op, "-fspv-target-env=vulkan1.1", "cs_6_7", key=name,
                 finished=name == "WaveMultiPrefixCountBits"))

s = section("The `vk` namespace")
for name in ("CrossDeviceScope", "DeviceScope", "WorkgroupScope", "SubgroupScope", "InvocationScope",
             "QueueFamilyScope"):
    s.append(Row(f"`vk::{name}`", ps(f"r += vk::{name}"), "", key=name))
s.append(Row("`vk::ReadClock`", ps("r.x += (uint)vk::ReadClock(vk::SubgroupScope)"), "OpReadClockKHR",
             "-fspv-target-env=vulkan1.1", key="ReadClock"))
s.append(Row("`vk::RawBufferLoad`", ps("r = vk::RawBufferLoad<float4>(a64)", "uint64_t a64;"), "PhysicalStorageBuffer",
             "-fspv-target-env=vulkan1.2", key="RawBufferLoad"))
s.append(Row("`vk::RawBufferStore`", ps("vk::RawBufferStore<float4>(a64, r)", "uint64_t a64;"), "PhysicalStorageBuffer",
             "-fspv-target-env=vulkan1.2", key="RawBufferStore"))
s.append(Row("`vk::BufferPointer`", ps("r = p.Get().v", "struct S { float4 v; }; typedef vk::BufferPointer<S> P;"
             " struct Q { P p; }; [[vk::push_constant]] Q q;").replace("p.Get()", "q.p.Get()"), "PhysicalStorageBuffer",
             "-fspv-target-env=vulkan1.3 -HV 2021", key="BufferPointer"))
s.append(Row("`vk::ext_instruction`",
             ps("r = sq(a)", '[[vk::ext_instruction(31, "GLSL.std.450")]] float4 sq(float4 x);'),
             "Sqrt", key="ext_instruction"))
s.append(Row("`vk::ext_execution_mode`", ps("vk::ext_execution_mode(9)"), "EarlyFragmentTests",
             key="ext_execution_mode"))
s.append(Row("`vk::ext_capability`, `vk::ext_extension`", ps("f()", '[[vk::ext_capability(5055), vk::ext_extension('
             '"SPV_KHR_shader_clock"), vk::ext_instruction(5056)]] uint64_t f(uint s);').replace("f()", "f(3)"),
             "SPV_KHR_shader_clock", key="ext_capability"))
s.append(Row("`vk::SpirvType`, `vk::SpirvOpaqueType`", ps("I x = (I)i.x; r.x += (int)x",
             "typedef vk::SpirvType<21, 4, 4, vk::Literal<vk::integral_constant<uint, 32> >,"
             " vk::Literal<vk::integral_constant<uint, 1> > > I;").replace("I x = (I)i.x; r.x += (int)x", "I x"), "",
             "-HV 2021", key="SpirvType"))
LOAD = "[[vk::ext_instruction(61)]] {} load([[vk::ext_reference]] float4 p, [[vk::ext_literal]] int access);"
s.append(Row("`vk::ext_reference`, `vk::ext_literal`", ps("r = load(r, 1)", LOAD.format("float4")), "",
             key="ext_reference"))
s.append(Row("`vk::ext_result_id`", ps("vk::ext_result_id<float4> v = load(r, 0)",
             LOAD.format("vk::ext_result_id<float4>")), "", key="ext_result_id"))
s.append(Row("`vk::ext_type_def`, `vk::ext_type`", ps("make(16, 1); vk::ext_type<1> x",
             "[[vk::ext_type_def(1, 21)]] void make([[vk::ext_literal]] int n, [[vk::ext_literal]] int s);"),
             "", key="ext_type_def"))
s.append(Row("`vk::ext_decorate`", ps("r.x = f(r.x)", "[[vk::ext_decorate(0)]] [noinline] float f(float x)"
             " { return x * 2; }"), "RelaxedPrecision", key="ext_decorate"))
s.append(Row("`vk::ext_builtin_input`", ps("r += n", "[[vk::ext_builtin_input(18)]] static const int n;"), "SampleId",
             key="ext_builtin_input"))
s.append(Row("`vk::ext_builtin_output`", ps("n = 1", '[[vk::ext_extension("SPV_EXT_shader_stencil_export"),'
             " vk::ext_capability(5013), vk::ext_builtin_output(5014)]] static int n;").replace("r = a;", "r = a;"
             " vk::ext_execution_mode(5027);"), "FragStencilRefEXT", key="ext_builtin_output"))
for name in ("vk/spirv.h", "vk/opcode_selector.h", "vk/khr/cooperative_matrix.h"):
    s.append(Row(f"`#include <{name}>`", ps("", f"#include <{name}>"), "", "-fspv-target-env=vulkan1.3", key=name))
LINALG = """#include <dx/linalg.h>
using namespace dx::linalg;
ByteAddressBuffer model;
RWByteAddressBuffer sums;
[numthreads(1, 1, 1)] void main() {
  InterpretedVector<half, 8, DATA_TYPE_FLOAT16> v = {model.Load<vector<half, 8> >(512)};
  MatrixRef<DATA_TYPE_FLOAT16, 4, 8, MATRIX_LAYOUT_ROW_MAJOR> m = {model, 0, 16};
  VectorRef<DATA_TYPE_FLOAT16> bias = {model, 256};
  RWMatrixRef<DATA_TYPE_FLOAT16, 4, 8, MATRIX_LAYOUT_OUTER_PRODUCT_OPTIMAL> products = {sums, 64, 0};
  vector<half, 4> r = 1;
  BODY;
  sums.Store(0, r);
}"""
for name, body, wanted in (
    ("Mul", "r = Mul<half>(m, v)", "OpCooperativeVectorMatrixMulNV"),
    ("MulAdd", "r = MulAdd<half>(m, v, bias)", "OpCooperativeVectorMatrixMulAddNV"),
    ("OuterProductAccumulate", "OuterProductAccumulate(r, v.Data, products)",
     "OpCooperativeVectorOuterProductAccumulateNV"),
    ("VectorAccumulate", "VectorAccumulate(r, sums, 64)", "OpCooperativeVectorReduceSumAccumulateNV"),
):
    s.append(Row(f"`dx::linalg::{name}` (`dx/linalg.h`)", LINALG.replace("BODY", body), wanted,
                 "-fspv-target-env=vulkan1.3 -enable-16bit-types", "cs_6_9", key=name))
MATRIX = """#include <dx/linalg.h>
using namespace dx::linalg;
ByteAddressBuffer model;
RWByteAddressBuffer sums;
[numthreads(1, 1, 1)] void main() {
  using M = Matrix<ComponentType::F16, 4, 8, MatrixUse::A, MatrixScope::Thread>;
  M m = M::Load<MatrixLayout::RowMajor>(model, 0, 16);
  vector<half, 8> v = model.Load<vector<half, 8> >(512);
  VectorRef<ComponentType::F16, 4> bias = {model, 256};
  vector<half, 4> r = 1;
  BODY;
  sums.Store(0, r);
}"""
for name, body, wanted in (
    ("Multiply", "r = Multiply<half>(m, v)", "OpCooperativeVectorMatrixMulNV"),
    ("MultiplyAdd", "r = MultiplyAdd<half>(m, v, bias)", "OpCooperativeVectorMatrixMulAddNV"),
    ("OuterProduct", "OuterProduct<ComponentType::F16>(r, v).InterlockedAccumulate(sums, 64)",
     "OpCooperativeVectorOuterProductAccumulateNV"),
    ("InterlockedAccumulate", "InterlockedAccumulate(sums, 64, r)", "OpCooperativeVectorReduceSumAccumulateNV"),
):
    s.append(Row(f"`dx::linalg::{name}` (shader model 6.10)", MATRIX.replace("BODY", body), wanted,
                 "-fspv-target-env=vulkan1.3 -enable-16bit-types", "cs_6_10", key=name, finished=True))

COOPERATIVE = """#include <dx/linalg.h>
using namespace dx::linalg;
using A = Matrix<ComponentType::F16, 16, 16, MatrixUse::A, MatrixScope::Wave>;
using B = Matrix<ComponentType::F16, 16, 16, MatrixUse::B, MatrixScope::Wave>;
using C = Matrix<ComponentType::F32, 16, 16, MatrixUse::Accumulator, MatrixScope::Wave>;
groupshared float cells[256];
ByteAddressBuffer given;
RWByteAddressBuffer sums;
[numthreads(32, 1, 1)] void main() {
  A a = A::Load(given, 0, 32, MatrixLayout::RowMajor);
  B b = B::Load(given, 512, 32, MatrixLayout::RowMajor);
  C c = Multiply<ComponentType::F32>(a, b);
  BODY;
  c.Store(sums, 0, 64, MatrixLayout::RowMajor);
}"""
for name, body, wanted in (
    ("Splat", "c = C::Splat(1)", "OpCooperativeMatrixStoreKHR"),
    ("Load`, `Store", "c.Store(cells, 0, 16, MatrixLayout::ColMajor)", "OpCooperativeMatrixStoreKHR"),
    ("Cast", "a = c.Cast<ComponentType::F16, MatrixUse::A>(); c.MultiplyAccumulate(a, b)",
     "OpCooperativeMatrixConvertUseEXT"),
    ("Length`, `Get`, `Set", "for (uint i = 0; i < c.Length(); ++i) c.Set(i, c.Get(i) + 1)",
     "OpCooperativeMatrixLengthKHR"),
    ("GetCoordinate", "c.Set(0, c.GetCoordinate(0).x)", "matrix_indices"),
    ("Accumulate", "c.Accumulate(a); c.Accumulate(b)", "matrix_identity"),
    ("MultiplyAccumulate", "c.MultiplyAccumulate(a, b)", "OpCooperativeMatrixMulAddKHR"),
    ("InterlockedAccumulate", "c.InterlockedAccumulate(sums, 0, 64, MatrixLayout::RowMajor)", "OpAtomicFAddEXT"),
):
    extensions = " -fspv-extension=KHR -fspv-extension=SPV_NV_cooperative_matrix2" if name == "Cast" else ""
    s.append(Row(f"`{name}` of matrices of a wave or a thread group", COOPERATIVE.replace("BODY", body), wanted,
                 f"-fspv-target-env=vulkan1.3 -enable-16bit-types{extensions}", "cs_6_10",
                 key={"Splat": "C::Splat", "Load`, `Store": "C::Load"}.get(name, f"c.{name.partition('`')[0]}"),
                 finished=True))
s.append(Row("`Cast` with transposition, but from an accumulator to `B`",
             COOPERATIVE.replace("BODY", "a = a.Cast<ComponentType::F16, MatrixUse::A, true>()"), "",
             "-fspv-target-env=vulkan1.3 -enable-16bit-types", "cs_6_10", "SPIR-V does not have a cast", "Cast"))

# ---------------------------------------------------------------- methods

s = section("Descriptor heaps")
for what, body, wanted, options in (
    ("texture", "Texture2D<float4> x = ResourceDescriptorHeap[1]; r = x.Load(0)",
     "OpCapability RuntimeDescriptorArray", ""),
    ("sampler", "SamplerState y = SamplerDescriptorHeap[2]; r = z.SampleLevel(y, 0, 0)", "OpTypeRuntimeArray", ""),
    ("buffer", "RWStructuredBuffer<float4> x = ResourceDescriptorHeap[t]; r = x[0]", "OpTypeRuntimeArray", ""),
    ("counter", "RWStructuredBuffer<float4> x = ResourceDescriptorHeap[1]; r = x.IncrementCounter()",
     "%counter_var_ResourceDescriptorHeap = OpVariable", ""),
    ("constant buffer", "ConstantBuffer<S> x = ResourceDescriptorHeap[1]; r = x.v", "OpTypeRuntimeArray", ""),
    ("`-fvk-bind-resource-heap`", "Buffer<float4> x = ResourceDescriptorHeap[1]; r = x[t]",
     "%ResourceDescriptorHeap Binding 7", "-fvk-bind-resource-heap 7 2"),
    ("`-fvk-bind-sampler-heap`", "SamplerState y = SamplerDescriptorHeap[2]; r = z.SampleLevel(y, 0, 0)",
     "%SamplerDescriptorHeap Binding 7", "-fvk-bind-sampler-heap 7 2"),
    ("`-fvk-bind-counter-heap`", "RWStructuredBuffer<float4> x = ResourceDescriptorHeap[1]; r = x.IncrementCounter()",
     "%counter_var_ResourceDescriptorHeap Binding 7", "-fvk-bind-counter-heap 7 2"),
):
    s.append(Row(f"Heaps: {what}", cs(body, "struct S { float4 v; }; Texture2D<float4> z;"), wanted, options, "cs_6_6",
                 key=what.strip("`") if what[0] == "`" else "SamplerDescriptorHeap" if what == "sampler"
                 else "ResourceDescriptorHeap"))
TRACED = (
    "RaytracingAccelerationStructure x = ResourceDescriptorHeap[1]; RayQuery<0> q;"
    " q.TraceRayInline(x, 0, 1, (RayDesc)0); q.Proceed()"
)
EXT_HEAP = "-fspv-target-env=vulkan1.3 -fspv-use-descriptor-heap"
for what, body, wanted in (
    ("textures", "Texture2D<float4> x = ResourceDescriptorHeap[1]; r = x.Load(0)", "BuiltIn ResourceHeapEXT"),
    ("texel buffers", "RWBuffer<float4> x = ResourceDescriptorHeap[1]; r = x[2]", "OpUntypedAccessChainKHR"),
    ("samplers", "SamplerState y = SamplerDescriptorHeap[2]; r = z.SampleLevel(y, 0, 0)", "BuiltIn SamplerHeapEXT"),
    ("structured buffers", "RWStructuredBuffer<float4> x = ResourceDescriptorHeap[t]; r = x[0]", "OpBufferPointerEXT"),
    ("byte-address buffers", "RWByteAddressBuffer x = ResourceDescriptorHeap[t]; r = x.Load(4)",
     "OpTypeBufferEXT StorageBuffer"),
    ("constant buffers", "ConstantBuffer<S> x = ResourceDescriptorHeap[1]; r = x.v", "OpTypeBufferEXT Uniform"),
    ("acceleration structures", TRACED, "OpConstantSizeOfEXT %uint %accelerationStructureNV"),
    ("atomics on texels", "RWTexture2D<uint> x = ResourceDescriptorHeap[1]; InterlockedAdd(x[id.xy], 1)",
     "OpUntypedImageTexelPointerEXT"),
    ("sizes of buffers", "ByteAddressBuffer x = ResourceDescriptorHeap[1]; uint n; x.GetDimensions(n); r = n",
     "OpArrayLength"),
    ("counters, by a binding", "RWStructuredBuffer<float4> x = ResourceDescriptorHeap[1]; r = x.IncrementCounter()",
     "%counter_var_ResourceDescriptorHeap Binding"),
):
    s.append(Row(f"`SPV_EXT_descriptor_heap`: {what}", cs(body, "struct S { float4 v; }; Texture2D<float4> z;"), wanted,
                 EXT_HEAP, "cs_6_6", key="-fspv-use-descriptor-heap", finished=True))
for option, body in (
    ("-fvk-resource-heap-stride", "Texture2D<float4> x = ResourceDescriptorHeap[1]; r = x.Load(0)"),
    ("-fvk-sampler-heap-stride", "SamplerState y = SamplerDescriptorHeap[2]; r = z.SampleLevel(y, 0, 0)"),
):
    s.append(Row(f"`{option}`", cs(body, "Texture2D<float4> z;"), "ArrayStride 48", f"{EXT_HEAP} {option} 48", "cs_6_6",
                 key=option, finished=True))
s.append(Row("Counters through aliases", cs("RWStructuredBuffer<float4> x = o; r = x.IncrementCounter()"),
             "OpAtomicIAdd", "", "cs_6_0", key="IncrementCounter"))

s = section("Methods of buffers")
for owner, method, body, op in (
    ("Buffer", "Load", "r = x.Load(t)", "OpImageFetch"), ("Buffer", "operator[]", "r = x[t]", "OpImageFetch"),
    ("Buffer", "GetDimensions", "uint n; x.GetDimensions(n); r = n", "OpImageQuerySize"),
    ("RWBuffer", "Load", "r = x.Load(t)", "OpImageRead"), ("RWBuffer", "operator[]", "x[t] = r", "OpImageWrite"),
    ("RWBuffer", "GetDimensions", "uint n; x.GetDimensions(n); r = n", "OpImageQuerySize"),
    ("StructuredBuffer", "Load", "r = x.Load(t)", "OpAccessChain"),
    ("StructuredBuffer", "GetDimensions", "uint n, m; x.GetDimensions(n, m); r = n + m", "OpArrayLength"),
    ("RWStructuredBuffer", "Load", "r = x.Load(t)", "OpAccessChain"),
    ("RWStructuredBuffer", "GetDimensions", "uint n, m; x.GetDimensions(n, m); r = n + m", "OpArrayLength"),
    ("RWStructuredBuffer", "IncrementCounter", "r = x.IncrementCounter()", "OpAtomicIAdd"),
    ("RWStructuredBuffer", "DecrementCounter", "r = x.DecrementCounter()", "OpAtomicISub"),
    ("AppendStructuredBuffer", "Append", "x.Append(r)", "OpAtomicIAdd"),
    ("AppendStructuredBuffer", "GetDimensions", "uint n, m; x.GetDimensions(n, m); r = n + m", "OpArrayLength"),
    ("ConsumeStructuredBuffer", "Consume", "r = x.Consume()", "OpAtomicISub"),
    ("ConsumeStructuredBuffer", "GetDimensions", "uint n, m; x.GetDimensions(n, m); r = n + m", "OpArrayLength"),
):
    s.append(Row(f"`{owner}`: `{method}`", cs(body, f"{owner}<float4> x;"), op, "", "cs_6_0",
                 key=f"{owner}&{method.replace('operator', '')}"))
for owner in ("ByteAddressBuffer", "RWByteAddressBuffer"):
    for n in ("", "2", "3", "4"):
        use = {"": "r.x = x.Load(t)", "2": "r.xy = x.Load2(t)", "3": "r.xyz = x.Load3(t)", "4": "r = x.Load4(t)"}[n]
        s.append(Row(f"`{owner}`: `Load{n}`", cs(use, f"{owner} x;"), "OpShiftRightLogical", "", "cs_6_0",
                     key=f"{owner}&Load{n}("))
    s.append(Row(f"`{owner}`: `Load<T>`", cs("r = x.Load<S>(t * 16).v", f"struct S {{ float4 v; }}; {owner} x;"), "",
                 "", "cs_6_2", key=f"{owner}&Load<"))
    s.append(Row(f"`{owner}`: `GetDimensions`", cs("uint n; x.GetDimensions(n); r = n", f"{owner} x;"), "OpArrayLength",
                 "", "cs_6_0", key=f"{owner}&GetDimensions"))
for n in ("", "2", "3", "4"):
    value = f"uint{n}({', '.join('t' * int(n or 1))})"
    s.append(Row(f"`RWByteAddressBuffer`: `Store{n}`", cs(f"x.Store{n}(t, {value})", "RWByteAddressBuffer x;"),
                 "OpStore", "", "cs_6_0", key=f"RWByteAddressBuffer&Store{n}("))
s.append(Row("`RWByteAddressBuffer`: `Store<T>`", cs("x.Store<float4>(t * 16, r)", "RWByteAddressBuffer x;"),
             "OpStore", "", "cs_6_2", key="RWByteAddressBuffer&Store<"))
for name, op in ATOMICS:
    op = op.split("|")[0]
    arguments = {"InterlockedExchange": "1, q", "InterlockedCompareExchange": "1, 2, q",
                 "InterlockedCompareStore": "1, 2"}.get(name, "1")
    s.append(Row(f"`RWByteAddressBuffer`: `{name}`", cs(f"uint q; x.{name}(t, {arguments})", "RWByteAddressBuffer x;"),
                 op, "", "cs_6_0", key=f"RWByteAddressBuffer&{name}"))

for name, _ in ATOMICS:
    arguments = {"InterlockedExchange": "1, q", "InterlockedCompareExchange": "1, 2, q",
                 "InterlockedCompareStore": "1, 2"}.get(name, "1")
    s.append(Row(f"`RWByteAddressBuffer`: `{name}64`",
                 cs(f"uint64_t q; x.{name}64(t * 8, {arguments})", "RWByteAddressBuffer x;"), "OpAtomic",
                 profile="cs_6_6", key=f"RWByteAddressBuffer&{name}64", finished=True))
s.append(Row("`RWByteAddressBuffer`: `Store` of 16 bits, without a race",
             cs("x.Store<uint16_t>(t * 2, uint16_t(t))", "RWByteAddressBuffer x;"), "OpTypeRuntimeArray %ushort",
             "-enable-16bit-types", "cs_6_2", key="test_buffers", finished=True))

s = section("Newer features of Vulkan")
TEXTURES = "Texture2D<float4> x; Texture2D<uint> n; SamplerState y;"
s.append(Row("offsets of `Sample` and `Load` that are not constant", ps(
    "r = x.Sample(y, a.xy, i.xy) + x.Load(i.xyz, i.yx)", TEXTURES), "OpImageSampleImplicitLod|Offset",
    "-fvk-variable-offsets", key="test_newer_features", finished=True))
s.append(Row("the same without the option", ps("r = x.Sample(y, a.xy, i.xy)", TEXTURES), "",
             error="must be a constant", key="texture.offset.variable", finished=True))
s.append(Row("`GatherRaw`", ps("r = n.GatherRaw(y, a.xy)", TEXTURES), "OpImageGather %v4uint", "", "ps_6_7",
             key="test_newer_features"))
s.append(Row("`Barrier` with memory and scope", cs(
    "Barrier(UAV_MEMORY | GROUP_SHARED_MEMORY, GROUP_SCOPE | GROUP_SYNC)"), "OpControlBarrier", "", "cs_6_8",
    key="test_newer_features"))
MULTISAMPLED = "RWTexture2DMS<float4, 4> x; RWTexture2DMSArray<float4, 4> y;"
s.append(Row("`RWTexture2DMS`, `RWTexture2DMSArray`: `sample[][]`, `operator[]`", ps(
    "x.sample[1][u.xy] = a; y.sample[2][u.xyz] = x.sample[0][u.yx]; r = x[u.xy] + y[u.xyz]", MULTISAMPLED),
    "Capability StorageImageMultisample|Capability ImageMSArray|Sample %", "", "ps_6_7", key="RWTexture2DMS"))
s.append(Row("`mad` and `fma` as `OpFmaKHR`", ps("r = mad(a, a, a)"), "OpFmaKHR", "-fspv-extension=SPV_KHR_fma",
             key="intrinsics.fused"))
s.append(Row("`dot2add` as one instruction", ps("r = dot2add((half2)a.xy, (half2)a.zw, a.x)"), "OpFDot2MixAcc32VALVE",
             "-enable-16bit-types -fspv-extension=SPV_VALVE_mixed_float_dot_product", "ps_6_4", key="intrinsics.fused"))
s.append(Row("`OpAbortKHR` by inline SPIR-V", ps("stop(i.x)", "[[vk::ext_instruction(5121)]] void stop(uint m);"),
             "OpAbortKHR %uint", key="inline.abort"))
s.append(Row("maximal reconvergence", cs("r = WaveActiveCountBits(t < 3)"), "MaximallyReconvergesKHR",
             "-fspv-enable-maximal-reconvergence -fspv-target-env=vulkan1.1", "cs_6_0", key="test_newer_features"))
s.append(Row("`[WaveOpsIncludeHelperLanes]`, `QuadAny`, `QuadAll`", "[WaveOpsIncludeHelperLanes]"
             " float4 main(float4 a : A) : SV_Target { return QuadAny(a.x > 1) && QuadAll(a.y > 1) ? 1 : 0; }",
             "RequireFullQuadsKHR|OpGroupNonUniformQuadAnyKHR|OpGroupNonUniformQuadAllKHR",
             "-fspv-target-env=vulkan1.1", "ps_6_7", key="QuadAny"))
s.append(Row("sampler feedback: refused", ps("x.WriteSamplerFeedback(z, y, a.xy)", "FeedbackTexture2D"
             "<SAMPLER_FEEDBACK_MIN_MIP> x; Texture2D<float4> z; SamplerState y;"), "", "", "ps_6_5",
             error="not supported with -spirv", key="Feedback"))

s = section("Methods of textures")
T2 = "Texture2D<float4> x; SamplerState y; SamplerComparisonState z;"
for method, use, op in (
    ("Sample", "r = x.Sample(y, a.xy)", "OpImageSampleImplicitLod"),
    ("Sample with offset, clamp and status", "uint st; r = x.Sample(y, a.xy, 1, 0.5, st) + st",
     "OpImageSparseSampleImplicitLod"),
    ("SampleLevel", "r = x.SampleLevel(y, a.xy, 1)", "OpImageSampleExplicitLod"),
    ("SampleGrad", "r = x.SampleGrad(y, a.xy, a.zw, a.wz)", "OpImageSampleExplicitLod"),
    ("SampleBias", "r = x.SampleBias(y, a.xy, 1)", "OpImageSampleImplicitLod"),
    ("SampleCmp", "r = x.SampleCmp(z, a.xy, 1)", "OpImageSampleDrefImplicitLod"),
    ("SampleCmpLevelZero", "r = x.SampleCmpLevelZero(z, a.xy, 1)", "OpImageSampleDrefExplicitLod"),
    ("SampleCmpLevel", "r = x.SampleCmpLevel(z, a.xy, 1, 2)", "OpImageSampleDrefExplicitLod"),
    ("SampleCmpBias", "r = x.SampleCmpBias(z, a.xy, 1, 2)", "OpImageSampleDrefImplicitLod"),
    ("SampleCmpGrad", "r = x.SampleCmpGrad(z, a.xy, 1, a.zw, a.wz)", "OpImageSampleDrefExplicitLod"),
    ("Gather", "r = x.Gather(y, a.xy)", "OpImageGather"), ("GatherRed", "r = x.GatherRed(y, a.xy)", "OpImageGather"),
    ("GatherGreen", "r = x.GatherGreen(y, a.xy)", "OpImageGather"),
    ("GatherBlue", "r = x.GatherBlue(y, a.xy)", "OpImageGather"),
    ("GatherAlpha", "r = x.GatherAlpha(y, a.xy)", "OpImageGather"),
    ("GatherRed with four offsets", "r = x.GatherRed(y, a.xy, int2(0, 1), int2(1, 0), int2(1, 1), int2(0, 0))",
     "ConstOffsets"),
    ("GatherCmp", "r = x.GatherCmp(z, a.xy, 1)", "OpImageDrefGather"),
    ("GatherCmpRed", "r = x.GatherCmpRed(z, a.xy, 1)", "OpImageDrefGather"),
    ("Load", "r = x.Load(u.xyz)", "OpImageFetch"), ("operator[]", "r = x[u.xy]", "OpImageFetch"),
    ("mips[][]", "r = x.mips[1][u.xy]", "OpImageFetch"),
    ("CalculateLevelOfDetail", "r = x.CalculateLevelOfDetail(y, a.xy)", "OpImageQueryLod"),
    ("CalculateLevelOfDetailUnclamped", "r = x.CalculateLevelOfDetailUnclamped(y, a.xy)", "OpImageQueryLod"),
):
    s.append(Row(f"`{method}`", ps(use, T2), op, "", "ps_6_8" if method.startswith("SampleCmp") else "ps_6_0",
                 key="." + method.split()[0].replace("operator[]", "").replace("mips[][]", "mips[") if method[0] != "o"
                 else "test_textures"))
s.append(Row("`GatherCmpGreen`, `GatherCmpBlue`, `GatherCmpAlpha`", ps("r = x.GatherCmpGreen(z, a.xy, 1)", T2),
             error="GatherCmpGreen", key="GatherCmpGreen"))
for name, arguments in (
    ("Texture1D", "n; x.GetDimensions(n); x.GetDimensions(0, n, n)"),
    ("Texture1DArray", "n; x.GetDimensions(n, n); x.GetDimensions(0, n, n, n)"),
    ("Texture2D", "n; x.GetDimensions(n, n); x.GetDimensions(0, n, n, n)"),
    ("Texture2DArray", "n; x.GetDimensions(n, n, n); x.GetDimensions(0, n, n, n, n)"),
    ("Texture3D", "n; x.GetDimensions(n, n, n); x.GetDimensions(0, n, n, n, n)"),
    ("TextureCube", "n; x.GetDimensions(n, n); x.GetDimensions(0, n, n, n)"),
    ("TextureCubeArray", "n; x.GetDimensions(n, n, n); x.GetDimensions(0, n, n, n, n)"),
    ("Texture2DMS", "n; x.GetDimensions(n, n, n)"), ("Texture2DMSArray", "n; x.GetDimensions(n, n, n, n)"),
    ("RWTexture1D", "n; x.GetDimensions(n)"), ("RWTexture1DArray", "n; x.GetDimensions(n, n)"),
    ("RWTexture2D", "n; x.GetDimensions(n, n)"), ("RWTexture2DArray", "n; x.GetDimensions(n, n, n)"),
    ("RWTexture3D", "n; x.GetDimensions(n, n, n)"),
):
    s.append(Row(f"`{name}`: `GetDimensions`", ps(f"uint {arguments}; r += n", f"{name}<float4> x;"),
                 "OpImageQuerySize", key=f"{name}&GetDimensions"))
for name, at in (("Texture2DMS", "u.xy"), ("Texture2DMSArray", "u.xyz")):
    s.append(Row(f"`{name}`: `sample[][]`", ps(f"r = x.sample[1][{at}] + x[{at}]", f"{name}<float4> x;"),
                 "OpImageFetch", key=f"{name}&.sample["))
    s.append(Row(f"`{name}`: `GetSamplePosition`", ps("r.xy += x.GetSamplePosition(u.x)", f"{name}<float4> x;"), "",
                 key=f"{name}&GetSamplePosition"))
for name, at in (("RWTexture1D", "id.x"), ("RWTexture2D", "id.xy"), ("RWTexture3D", "id"),
                 ("RWTexture1DArray", "id.xy"), ("RWTexture2DArray", "id")):
    s.append(Row(f"`{name}`: `Load`, `operator[]`", cs(f"r = x.Load({at}); x[{at}] = r; x[{at}].x = 1",
                 f"{name}<float4> x;"), "OpImageRead|OpImageWrite", "", "cs_6_0", key=name))
s.append(Row("atomics on storage images", cs("InterlockedAdd(x[id.xy], 1)", "RWTexture2D<uint> x;"),
             "OpImageTexelPointer", "", "cs_6_0", key="test_groups"))

# ---------------------------------------------------------------- other stages

STAGES = "-fspv-target-env=vulkan1.2"
s = section("Hull, domain and geometry shaders")
HULL = (
    'struct P {{ float4 p : SV_Position; }}; struct C {{ float e[{n}] : SV_TessFactor; {inside} }};'
    ' C pc(InputPatch<P, 3> x) {{ C c = (C)0; return c; }}'
    ' [domain("{domain}")] [partitioning("{part}")] [outputtopology("{top}")] [outputcontrolpoints(3)]'
    ' [patchconstantfunc("pc")] P main(InputPatch<P, 3> x, uint k : SV_OutputControlPointID) {{ return x[k]; }}'
)
for attribute, values in (("domain", ("quad", "tri", "isoline")),
                          ("partitioning", ("integer", "fractional_even", "fractional_odd")),
                          ("outputtopology", ("point", "line", "triangle_cw", "triangle_ccw"))):
    for value in values:
        domain = value if attribute == "domain" else "isoline" if value == "line" else "tri"
        n, inside = {"quad": (4, "float i[2] : SV_InsideTessFactor;"), "tri": (3, "float i : SV_InsideTessFactor;"),
                     "isoline": (2, "")}[domain]
        top = value if attribute == "outputtopology" else "line" if domain == "isoline" else "triangle_cw"
        s.append(Row(f'`[{attribute}("{value}")]`', HULL.format(
            n=n, inside=inside, domain=domain, top=top, part=value if attribute == "partitioning" else "integer"),
            "", STAGES, "hs_6_0", key=f"{attribute}("))
s.append(Row("`[outputcontrolpoints]`, `[patchconstantfunc]`, `InputPatch`, `OutputPatch`", HULL.format(
    n=3, inside="float i : SV_InsideTessFactor;", domain="tri", top="triangle_cw", part="integer"), "", STAGES,
    "hs_6_0", key="outputcontrolpoints"))
s.append(Row("Hull shaders without `SV_OutputControlPointID`", HULL.replace(
    ", uint k : SV_OutputControlPointID", "").replace("x[k]", "x[0]").format(
    n=3, inside="float i : SV_InsideTessFactor;", domain="tri", top="triangle_cw", part="integer"), "InvocationId",
    STAGES, "hs_6_0", key="InputPatch"))
s.append(Row("`ProcessIsolineTessFactors`, `ProcessTriTessFactors*`, `ProcessQuadTessFactors*`,"
             " `Process2DQuadTessFactors*`",
             HULL.replace("(C)0;", "(C)0; float3 e; float i, j; ProcessTriTessFactorsAvg(3, 1, e, i, j);").format(
    n=3, inside="float i : SV_InsideTessFactor;", domain="tri", top="triangle_cw", part="integer"), "", STAGES,
    "hs_6_0", key="ProcessTriTessFactorsAvg", finished=True))
s.append(Row("`SV_DomainLocation`, `SV_TessFactor`, `SV_InsideTessFactor`",
             'struct P { float4 p : SV_Position; }; struct C { float e[3] : SV_TessFactor; float i :'
             ' SV_InsideTessFactor; }; [domain("tri")] P main(C c, float3 l : SV_DomainLocation,'
             ' const OutputPatch<P, 3> x) { return x[0]; }', "", STAGES, "ds_6_0", key="SV_DomainLocation"))
for primitive, count in (("point", 1), ("line", 2), ("triangle", 3), ("lineadj", 4), ("triangleadj", 6)):
    s.append(Row(f"geometry shader, `{primitive}` input", f"struct P {{ float4 p : SV_Position; }};"
                 f" [maxvertexcount(3)] void main({primitive} P x[{count}], inout TriangleStream<P> o)"
                 " { o.Append(x[0]); o.RestartStrip(); }", "", STAGES, "gs_6_0", key="maxvertexcount"))
for stream in ("PointStream", "LineStream", "TriangleStream"):
    s.append(Row(f"`{stream}`", "struct P { float4 p : SV_Position; }; [maxvertexcount(3)] [instance(2)] void main("
                 f"point P x[1], inout {stream}<P> o, uint k : SV_GSInstanceID)"
                 f" {{ o.Append(x[0]); }}", "", STAGES, "gs_6_0",
                 key=stream))

s = section("Mesh and amplification shaders")
MESH = ('struct V { float4 p : SV_Position; }; [outputtopology("triangle")] [numthreads(32, 1, 1)] void main(uint t :'
        " SV_GroupIndex, out vertices V v[3], out indices uint3 x[1]) { SetMeshOutputCounts(3, 1); v[t].p = 0;"
        " x[0] = uint3(0, 1, 2); }")
s.append(Row("mesh shader: `outputtopology`, `numthreads`, `vertices`, `indices`, `SetMeshOutputCounts`", MESH, "",
             STAGES, "ms_6_5", key="SetMeshOutputCounts"))
MESH = MESH.replace("out indices", "in payload Q q, out primitives R r[1], out indices")
MESH = "struct Q { uint k; }; struct R { uint k : SV_PrimitiveID; }; " + MESH
s.append(Row("mesh shader: `primitives`, `payload`", MESH, "", STAGES, "ms_6_5", key="payload"))
s.append(Row("amplification shader: `DispatchMesh`", "struct Q { uint k; }; groupshared Q q; [numthreads(1, 1, 1)]"
             " void main() { q.k = 1; DispatchMesh(1, 1, 1, q); }", "", STAGES, "as_6_5", key="DispatchMesh"))

s = section("Ray tracing")
RAY = "RaytracingAccelerationStructure scene; struct P { float4 c; }; struct A { float2 b; };"
for stage, shader in (
    ("ray generation, `TraceRay`", ('[shader("raygeneration")] void main() { RayDesc d = (RayDesc)0; P p = (P)0;'
     " TraceRay(scene, 0, 0xff, 0, 0, 0, d, p); }")),
    ("closest hit", '[shader("closesthit")] void main(inout P p, in A a) { p.c = a.b.xyxy; }'),
    ("any hit, `IgnoreHit`, `AcceptHitAndEndSearch`",
     '[shader("anyhit")] void main(inout P p, in A a) { if (a.b.x > 0) IgnoreHit(); AcceptHitAndEndSearch(); }'),
    ("miss", '[shader("miss")] void main(inout P p) { p.c = 0; }'),
    ("intersection, `ReportHit`", '[shader("intersection")] void main() { A a = (A)0; ReportHit(1, 0, a); }'),
    ("callable, `CallShader`", '[shader("callable")] void main(inout P p) { CallShader(0, p); }'),
):
    s.append(Row(stage, f"{RAY} {shader}", "", STAGES, "lib_6_3", key="test_rays"))
for name in ("DispatchRaysIndex", "DispatchRaysDimensions", "WorldRayOrigin", "WorldRayDirection", "RayTMin",
             "RayTCurrent", "RayFlags", "InstanceIndex", "GeometryIndex", "InstanceID", "PrimitiveIndex",
             "ObjectRayOrigin", "ObjectRayDirection", "ObjectToWorld3x4", "ObjectToWorld4x3", "WorldToObject3x4",
             "WorldToObject4x3", "HitKind"):
    suffix = "[0].xyzz" if "To" in name and name.endswith("4x3") else "[0]" if "To" in name else ""
    suffix = suffix or (".xyzz" if name.startswith(("World", "Object")) else
                        ".xyzz" if name.startswith("Dispatch") else "")
    entry = f'[shader("closesthit")] void main(inout P p, in A a) {{ p.c = {name}(){suffix}; }}'
    s.append(Row(f"`{name}`", f"{RAY} {entry}", "", STAGES, "lib_6_5", key="test_ray_values"))
QUERY = "RaytracingAccelerationStructure scene;"
QUERIES = [
    "Abort", "CandidateType", "CandidateProceduralPrimitiveNonOpaque", "CandidateInstanceIndex",
    "CandidateInstanceID", "CandidateInstanceContributionToHitGroupIndex", "CandidateGeometryIndex",
    "CandidatePrimitiveIndex", "CandidateObjectRayOrigin", "CandidateObjectRayDirection", "CandidateObjectToWorld3x4",
    "CandidateObjectToWorld4x3", "CandidateWorldToObject3x4", "CandidateWorldToObject4x3",
    "CandidateTriangleBarycentrics", "CandidateTriangleFrontFace", "CandidateTriangleRayT", "CommittedStatus",
    "CommittedInstanceIndex", "CommittedInstanceID", "CommittedInstanceContributionToHitGroupIndex",
    "CommittedGeometryIndex", "CommittedPrimitiveIndex", "CommittedRayT", "CommittedObjectRayOrigin",
    "CommittedObjectRayDirection", "CommittedObjectToWorld3x4", "CommittedObjectToWorld4x3",
    "CommittedWorldToObject3x4", "CommittedWorldToObject4x3", "CommittedTriangleBarycentrics",
    "CommittedTriangleFrontFace", "CommitNonOpaqueTriangleHit", "CommitProceduralPrimitiveHit", "Proceed", "RayFlags",
    "RayTMin", "TraceRayInline", "WorldRayDirection", "WorldRayOrigin",
]
s = section("Work graphs")
NODE = "struct R { uint3 g : SV_DispatchGrid; uint v; }; struct I { uint v; }; RWBuffer<uint> r; "
NODE += "struct [NodeTrackRWInputSharing] T { uint v; }; "
NODE += '[Shader("node")] [NumThreads(32, 1, 1)] '
GRID = '[NodeLaunch("broadcasting")] [NodeDispatchGrid(2, 1, 1)]'
for text, body, wanted, key in (
    ("broadcasting launch, `NodeDispatchGrid`", f"{GRID} void main() {{}}", "StaticNumWorkgroupsAMDX %uint_2",
     "NodeDispatchGrid"),
    ("`NodeMaxDispatchGrid`, `SV_DispatchGrid`", ('[NodeLaunch("broadcasting")] [NodeMaxDispatchGrid(2, 1, 1)]'
     " void main(DispatchNodeInputRecord<R> i) {}"), "PayloadDispatchIndirectAMDX", "NodeMaxDispatchGrid"),
    ("coalescing launch, `GroupNodeInputRecords`: `Count`, `operator[]`", ('[NodeLaunch("coalescing")]'
     " void main([MaxRecords(4)] GroupNodeInputRecords<I> i) { r[0] = i.Count() + i[1].v; }"), "CoalescingAMDX",
     "GroupNodeInputRecords"),
    ("thread launch, `RWThreadNodeInputRecord`: `Get`", ('[NodeLaunch("thread")]'
     " void main(RWThreadNodeInputRecord<I> i) { i.Get().v = 1; }"), "NodePayloadAMDX", "NodeLaunch"),
    ("`NodeID`, `NodeShareInputOf`, `NodeMaxRecursionDepth`", (f'{GRID} [NodeID("n", 2)] [NodeShareInputOf("m")]'
     " [NodeMaxRecursionDepth(3)] void main() {}"), "SharesInputWithAMDX", "NodeShareInputOf"),
    ("`NodeOutput`: `GetThreadNodeOutputRecords`, `OutputComplete`", (f"{GRID} void main([MaxRecords(2)]"
     " NodeOutput<I> o) { ThreadNodeOutputRecords<I> t = o.GetThreadNodeOutputRecords(1); t.Get().v = 1;"
     " t.OutputComplete(); }"),
     "OpEnqueueNodePayloadsAMDX", "OutputComplete"),
    ("`NodeOutputArray`: `NodeArraySize`, `AllowSparseNodes`, `IsValid`", (f"{GRID} void main([NodeArraySize(4)]"
     " [AllowSparseNodes] NodeOutputArray<I> o) { r[0] = o[1].IsValid(); }"), "PayloadNodeSparseArrayAMDX",
     "NodeOutputArray"),
    ("`EmptyNodeOutput`: `GroupIncrementOutputCount`", (f"{GRID} void main(EmptyNodeOutput o)"
     " { o.GroupIncrementOutputCount(1); }"), "OpAllocateNodePayloadsAMDX", "EmptyNodeOutput"),
    ("`MaxRecordsSharedWith`", f"{GRID} void main(NodeOutput<I> a, [MaxRecordsSharedWith(a)] NodeOutput<I> b) {{}}",
     "NodeSharesPayloadLimitsWithAMDX", "MaxRecordsSharedWith"),
    ("`FinishedCrossGroupSharing`", (f"{GRID} void main(RWDispatchNodeInputRecord<T> i)"
     " { r[0] = i.FinishedCrossGroupSharing(); }"), "OpFinishWritingNodePayloadAMDX", "FinishedCrossGroupSharing"),
    ("`GetRemainingRecursionLevels`", f"{GRID} void main() {{ r[0] = GetRemainingRecursionLevels(); }}",
     "RemainingRecursionLevelsAMDX", "GetRemainingRecursionLevels"),
):
    head = NODE.replace("(32,", "(1,") if text.startswith("thread") else NODE
    s.append(Row(text, head + body, wanted, "-fspv-target-env=vulkan1.3 -Vd", "lib_6_8", key=key))
s.append(Row("`Barrier` with flags", "[numthreads(32, 1, 1)] void main() { Barrier(UAV_MEMORY, DEVICE_SCOPE); }",
             "OpMemoryBarrier", STAGES, "cs_6_8", key="Barrier"))

s = section("Ray queries")
for name in QUERIES:
    call = "" if name == "TraceRayInline" else f"q.{name}({'1' if name == 'CommitProceduralPrimitiveHit' else ''});"
    s.append(Row(f"`RayQuery`: `{name}`", cs("RayQuery<RAY_FLAG_NONE> q; RayDesc d = (RayDesc)0;"
                 f" q.TraceRayInline(scene, 0, 0xff, d); {call}", QUERY), "OpRayQuery", STAGES, "cs_6_5",
                 key="test_ray_values"))

# ---------------------------------------------------------------- newer extensions

s = section("Atomics on floats")
MEMORIES = (
    ("float", "buffers", "RWStructuredBuffer<float> x;", "x[t]"), ("float", "groupshared", "groupshared float x;", "x"),
    ("float", "images", "RWTexture2D<float> x;", "x[id.xy]"), ("float", "texel buffers", "RWBuffer<float> x;", "x[t]"),
    ("double", "buffers", "RWStructuredBuffer<double> x;", "x[t]"),
    ("double", "groupshared", "groupshared double x;", "x"),
    ("float16_t", "buffers", "RWStructuredBuffer<float16_t> x;", "x[t]"),
    ("float16_t", "groupshared", "groupshared float16_t x;", "x"),
    ("float16_t2", "buffers", "RWStructuredBuffer<float16_t2> x;", "x[t]"),
    ("float16_t4", "groupshared", "groupshared float16_t4 x;", "x"),
    ("float16_t2", "images", "RWTexture2D<float16_t2> x;", "x[id.xy]"),
)
for kind, where, declaration, place in MEMORIES:
    short = "-enable-16bit-types " if "16" in kind else ""
    s.append(Row(f"`InterlockedAdd`, `Min`, `Max`, `Exchange` of `{kind}` in {where}",
                 cs(f"{kind} v = ({kind})1; InterlockedAdd({place}, v); InterlockedMin({place}, v); "
                    f"InterlockedMax({place}, v, v); InterlockedExchange({place}, v, v); r = (float)v" + (
                        ".x" if kind[-1] in "24" and "16_t" in kind and kind != "float16_t" else ""), declaration),
                 "OpAtomicFAddEXT|OpAtomicFMinEXT|OpAtomicFMaxEXT|OpAtomicExchange", short + STAGES, "cs_6_6",
                 key="test_float_atomics", finished="images" in where and "16" in kind))
for kind, suffix in (("float", "Float"), ("double", "Double"), ("float16_t", "Float16")):
    s.append(Row(f"`RWByteAddressBuffer`: `InterlockedAdd{suffix}`, `Min{suffix}`, `Max{suffix}`, `Exchange{suffix}`",
                 cs(f"{kind} v = ({kind})1; x.InterlockedAdd{suffix}(8, v); x.InterlockedMin{suffix}(8, v); "
                    f"x.InterlockedMax{suffix}(8, v, v); x.InterlockedExchange{suffix}(8, v, v)",
                    "RWByteAddressBuffer x;"), "OpAtomicFAddEXT|OpAtomicFMinEXT|OpAtomicFMaxEXT|OpAtomicExchange",
                 f"{'-enable-16bit-types ' if '16' in kind else ''}{STAGES}", "cs_6_6", key="test_float_atomics"))
s.append(Row("64-bit integers in buffers, groupshared, images and through `vk::BufferPointer`", cs(
    "InterlockedAdd(x[t], 1); InterlockedMax(g, 2); InterlockedMin(y[id.xy], 3); InterlockedXor(p.q.Get().v, 4)",
    "struct S { uint64_t v; }; RWStructuredBuffer<uint64_t> x; groupshared uint64_t g; RWTexture2D<uint64_t> y;"
    "[[vk::push_constant]] struct { vk::BufferPointer<S> q; } p;"),
    "OpCapability Int64Atomics|Int64ImageEXT|OpAtomicXor %ulong", STAGES, "cs_6_6", key="test_float_atomics"))

REORDER = "-fspv-target-env=vulkan1.3"
REORDER_NV = f"{REORDER} -fspv-extension=SPV_KHR_ray_tracing -fspv-extension=SPV_NV_shader_invocation_reorder"


def rays(body: str, stage: str = "raygeneration") -> str:
    """A ray tracing shader with a ray `d`, a payload `p`, a hit object `h`, and a number `r` that it writes."""
    given = "inout P q, in BuiltInTriangleIntersectionAttributes a" if stage == "closesthit" else ""
    hit = "dx::HitObject h = dx::HitObject::TraceRay(scene, 0, 0xff, 0, 1, 0, d, p);" if "h." in body or "h," in body \
        or "(h)" in body else ""
    return (
        "struct [raypayload] P { float v : write(caller, closesthit, miss) : read(caller); }; struct A { float2 w; };\n"
        "RaytracingAccelerationStructure scene; RWStructuredBuffer<float> o;\n"
        f'[shader("{stage}")] void main({given}) {{ RayDesc d = (RayDesc)0; P p = {{ 1 }}; float r = 0; {hit} {body};'
        " o[0] = r + p.v; }\n"
    )


s = section("Hit objects, micromaps, clusters, corners of triangles")
for name, body, wanted in (
    ("MakeNop", "dx::HitObject g = dx::HitObject::MakeNop(); r = g.IsNop()", "OpHitObjectRecordEmpty"),
    ("MakeMiss", "dx::HitObject g = dx::HitObject::MakeMiss(0, 1, d); r = g.IsMiss()", "OpHitObjectRecordMiss"),
    ("TraceRay", "r = h.IsHit()", "OpHitObjectTraceRay"),
    ("Invoke", "dx::HitObject::Invoke(h, p)", "OpHitObjectExecuteShader"),
    ("GetAttributes", "A a; h.GetAttributes(a); r = a.w.x", "OpHitObjectGetAttributes"),
    ("LoadLocalRootTableConstant", "r = h.LoadLocalRootTableConstant(4)", "OpHitObjectGetShaderRecordBufferHandle"),
    *((f"Get{name}", f"r = h.Get{name}(){part}", "OpHitObjectGet") for name, part in (
        ("RayTMin", ""), ("RayTCurrent", ""), ("WorldRayOrigin", ".x"), ("WorldRayDirection", ".x"),
        ("ObjectRayOrigin", ".x"), ("ObjectRayDirection", ".x"), ("ObjectToWorld3x4", "[0][1]"),
        ("ObjectToWorld4x3", "[0][1]"), ("WorldToObject3x4", "[0][1]"), ("WorldToObject4x3", "[0][1]"),
        ("GeometryIndex", ""), ("InstanceIndex", ""), ("InstanceID", ""), ("PrimitiveIndex", ""), ("HitKind", ""),
        ("ShaderTableIndex", ""))),
    ("MaybeReorderThread", "dx::MaybeReorderThread(h); dx::MaybeReorderThread(h, 1, 2); dx::MaybeReorderThread(1, 2)",
     "OpReorderThreadWithHitObject|OpReorderThreadWithHint"),
):
    owner = "dx" if name == "MaybeReorderThread" else "dx::HitObject"
    for variant, options in (("EXT", REORDER), ("NV", REORDER_NV)):
        more = " -fspv-extension=SPV_KHR_physical_storage_buffer" if "Root" in name and variant == "NV" else ""
        s.append(Row(f"`{owner}::{name}`, `SPV_{variant}_shader_invocation_reorder`", rays(body),
                     wanted.replace("|", f"{variant}|") + ("" if wanted.endswith("Get") else variant), options + more,
                     "lib_6_9", key="test_ray_extensions"))
QUERIED = "RayQuery<0> q; q.TraceRayInline(scene, 0, 0xff, d); q.Proceed(); A a = { d.Origin.xy }; dx::HitObject g = "
for name, body, wanted in (
    ("FromRayQuery(q)", QUERIED + "dx::HitObject::FromRayQuery(q); r = g.IsHit()", "OpHitObjectRecordFromQueryEXT"),
    ("FromRayQuery(q, kind, attributes)", QUERIED + "dx::HitObject::FromRayQuery(q, 5, a); r = g.IsHit()",
     "OpHitObjectRecordFromQueryEXT"),
    ("SetShaderTableIndex", "h.SetShaderTableIndex(3); r = h.IsHit()",
     "OpHitObjectSetShaderBindingTableRecordIndexEXT"),
    ("GetRayFlags", "r = h.GetRayFlags()", "OpHitObjectGetRayFlagsEXT"),
    ("TriangleObjectPositions", "r = h.TriangleObjectPositions().p1.x",
     "OpHitObjectGetIntersectionTriangleVertexPositionsEXT"),
):
    s.append(Row(f"`dx::HitObject::{name}`", rays(body), wanted, REORDER, "lib_6_10", key="test_ray_extensions"))
s.append(Row("`dx::HitObject::GetClusterID`", rays("r = h.GetClusterID()"), "OpHitObjectGetClusterIdNV",
             f"{REORDER_NV} -fspv-extension=SPV_NV_cluster_acceleration_structure", "lib_6_10",
             key="raytracing.extensions"))
for name, call, wanted in (
    ("ClusterID", "ClusterID()", "BuiltIn ClusterIDNV"),
    ("TriangleObjectPositions", "TriangleObjectPositions().p2.y", "BuiltIn HitTriangleVertexPositionsKHR"),
):
    s.append(Row(f"`{name}`", rays(f"r = {call}", "closesthit"), wanted, REORDER, "lib_6_10", key=name))
QUERY_9 = "RayQuery<RAY_FLAG_NONE, RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS> q; RayDesc d = (RayDesc)0;"
for name, call, wanted in (
    ("CandidateClusterID", "r = q.CandidateClusterID()", "OpRayQueryGetIntersectionClusterIdNV"),
    ("CommittedClusterID", "r = q.CommittedClusterID()", "OpRayQueryGetIntersectionClusterIdNV"),
    ("CandidateTriangleObjectPositions", "r.xyz = q.CandidateTriangleObjectPositions().p0",
     "OpRayQueryGetIntersectionTriangleVertexPositionsKHR"),
    ("CommittedTriangleObjectPositions", "r.xyz = q.CommittedTriangleObjectPositions().p0",
     "OpRayQueryGetIntersectionTriangleVertexPositionsKHR"),
):
    s.append(Row(f"`RayQuery`: `{name}`", cs(f"{QUERY_9} q.TraceRayInline(scene, 0, 0xff, d); {call}", QUERY), wanted,
                 STAGES, "cs_6_10", key=name))
for title, options, wanted in (
    ("`RAY_FLAG_FORCE_OMM_2_STATE`", STAGES, 'RayTracingOpacityMicromapKHR|"SPV_EXT_opacity_micromap"'),
    ("`RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS` with `SPV_KHR_opacity_micromap`",
     f"{STAGES} -fspv-extension=KHR", 'OpacityMicromapIdKHR|"SPV_KHR_opacity_micromap"'),
):
    s.append(Row(title, cs(f"{QUERY_9} q.TraceRayInline(scene, RAY_FLAG_FORCE_OMM_2_STATE, 0xff, d)", QUERY),
                 wanted, options, "cs_6_9", key=title.split("`")[1]))
s.append(Row("`reordercoherent`", rays("dx::MaybeReorderThread(1, 2); o[1] = 2").replace(
    "RWStructuredBuffer", "reordercoherent RWStructuredBuffer"), "%o Coherent", REORDER, "lib_6_9",
    key="reordercoherent"))

# ---------------------------------------------------------------- command line

s = section("Command line")
for name, wanted in (
    ("-T ps_6_0", ""), ("-E main", ""), ("-D X=1", ""), ("-I .", ""), (WIDE, ""), ("-Zpc", ""), ("-Zpr", ""),
    ("-Fc FILE", ""), ("-Fe FILE", ""), ("-Fo FILE", ""), ("-Fh FILE", ""), ("-Vn NAME -Fh FILE", ""), ("-Cc", ""),
    ("-No", ""), ("-H", ""), ("-Vi", ""), ("-WX", ""), ("-no-warnings", ""), ("-flegacy-macro-expansion", ""),
    ("-spirv", ""), ("-fvk-b-shift 1 0", ""), ("-fvk-t-shift 1 all", ""), ("-fvk-s-shift 1 0", ""),
    ("-fvk-u-shift 1 0", ""), ("-fvk-use-dx-position-w", ""), ("-fspv-entrypoint-name=other", '"other"'),
    ("-fspv-max-id 100000", ""), ("-fspv-print-all", ""),
    ("-fspv-enable-maximal-reconvergence", "MaximallyReconvergesKHR"),
    ("-Wno-vk-ignored-features", ""), ("-Wno-vk-emulated-features", ""), ("-fspv-fix-func-call-arguments", ""),
    ("-fspv-use-legacy-buffer-matrix-order", ""), ("-fvk-use-gl-layout", ""), ("-Gis", "SignedZeroInfNanPreserve 32"),
    ("-denorm preserve", "DenormPreserve 32"), ("-HV 2018", ""),
    ("-ftime-report", ""), ("-P -Fi FILE", ""), ("-M", ""), ("-ast-dump", ""),
):
    s.append(Row(f"`{name.replace('FILE', '<file>').replace('NAME', '<name>')}`", ps(""), wanted,
                 name.replace("FILE", "%FILE%").replace("NAME", "array"), "ps_6_2", key=name.split()[0].split("=")[0]))
s.append(Row("`-fvk-invert-y`", vs(""), "OpFNegate", "-fvk-invert-y", "vs_6_0", key="invert_y"))

s = section("What Vulkan lacks (the manual wants an error or a warning)")
for name, shader, words in (
    ("abort", ps("abort()"), "abort"),
    ("GetRenderTargetSampleCount", ps("r += GetRenderTargetSampleCount()"), "no equi"),
    ("GetRenderTargetSamplePosition", ps("r.xy += GetRenderTargetSamplePosition(0)"), "no equi"),
    ("tex2D and the like", ps("r = tex2D(x, a.xy)", "sampler2D x;"), "error"),
    ("`StructuredBuffer`: `Load` with status", ps("uint st; r = x.Load(0, st)", "StructuredBuffer<float4> x;"),
     "status"),
):
    s.append(Row(name if "`" in name else f"`{name}`", shader, error=words, key=name.split("`")[-1].split()[0]
                 if "`" not in name else "BUFFER_STATUS"))
s.append(Row("sampler state in the source: warning, ignored", ps("r = x.Sample(y, a.xy)",
             "Texture2D x; SamplerState y { Filter = MIN_MAG_MIP_LINEAR; };"), "OpTypeSampler", key="effect"))
s.append(Row("initialisers of cbuffer members: warning, ignored", ps("r = v", "cbuffer C { float4 v = 1; }"), "",
             key="initializer"))
for effect, declaration in (
    ("state objects", "BlendState b { BlendEnable[0] = TRUE; }; RasterizerState c;"),
    ("`sampler_state`", "sampler y = sampler_state { Filter = Linear; };"),
    ("annotations", 'float4 v <string s = "x";>;'),
    ("techniques", "technique11 T { pass P { SetBlendState(b); } }"),
):
    s.append(Row(f"effects: {effect}, ignored with a warning", ps("", declaration), key="effect"))
s.append(Row("subobjects, ignored with a warning", 'TriangleHitGroup h = { "a", "b" };\n' + ps(""),
             key="TriangleHitGroup"))
for attribute, declaration in (
    ("nodiscard", "[[nodiscard]] float f() { return 1; }"), ("maybe_unused", "[[maybe_unused]] static float f;"),
):
    s.append(Row(f"`[[{attribute}]]`", ps("", declaration), key=attribute))
s.append(Row("`[GroupSharedLimit(n)]`", "[GroupSharedLimit(64)] [numthreads(1, 1, 1)] void main() {}", profile="cs_6_0",
             key="GroupSharedLimit"))
s.append(Row("`<type_traits>`, `<enable_if>`, `<vector_utils>`", ps(
    "_Static_assert(hlsl::is_same<float4, vector<float, 4> >::value, \"\"); r.xy = hlsl::slice<1, 2>(a)",
    "#include <type_traits>\n#include <vector_utils>"), key="type_traits"))
s.append(Row("`row_major` on a local: no effect", ps("row_major float2x2 m = a; r.xy = m[1]"), "", key="row_major"))


# ---------------------------------------------------------------- HLSL 202x and 202y

X, Y = "-HV 202x", "-HV 202y"
MODERN, MESSAGES = "test_modern_language", "tests/diagnostics/language_202x.hlsl"
UNION = "union U { float f; uint u; };"
SUM = "struct V { int a; };\nV operator+(V x, V y) { V r = { x.a + y.a }; return r; }"
MADE = "struct V { int a = 1; V(int n) : a(n) { a++; } ~V() { } };"
SETS = "struct V { int a; void set() { a = 1; } }; static const V shared_v = { 1 };"
NODE = "struct R { uint3 g : SV_DispatchGrid; uint x; };\n"
BIG = "groupshared float big[9000];"
LAUNCH = '[Shader("node")][NodeLaunch("{}")][NumThreads(1, 1, 1)]'

s = section("Proposals of the HLSL specification")
for number, feature, shader, wanted, options, profile, key in (
    ("0001", "the namespace `hlsl`", cs("r = hlsl::max(t, 3)"), "UMax", X, "cs_6_0", MODERN),
    ("0001", "a function hides what is built in", ps("r = saturate(2)", "int saturate(int x) { return x; }"), "", Y,
     "ps_6_0", MODERN),
    ("0002", "`[[hlsl::system_value]]`, `user_value`, `binding`", ps("r = b[0]",
     "StructuredBuffer<float4> b [[hlsl::binding(5, 2)]];"), "Binding 5|DescriptorSet 2", X, "ps_6_0",
     "tests/cases/bindings/attributes.hlsl"),
    ("0003", "`hlsl::numeric_limits`", cs("r = hlsl::numeric_limits<float>::max()"), "", X, "cs_6_0", MODERN),
    ("0004", "unions", cs("U x; x.f = t; r.y = x.u", UNION), "OpBitcast", X, "cs_6_0", MODERN),
    ("0005", "initialiser lists as in C++", cs("int m[2][2] = { { 1 }, { 3, 4 } }; r = m[0][1]"), "", Y, "cs_6_0",
     MODERN),
    ("0006", "references", cs("float &x = r.y; x = 2"), "", X, "cs_6_0", MODERN),
    ("0007", "methods by `const`", cs("V v; r = v.get()", "struct V { int get() const { return 1; } };"), "", X,
     "cs_6_0", MODERN),
    ("0008", "operators outside of structs", cs("V a = { t }; r = (a + a).a", SUM), "OpIAdd", X, "cs_6_0", MODERN),
    ("0009", "math modes, `[[hlsl::strict]]`", cs("r = [[hlsl::strict]](r * 2 + 1)"), "NoContraction", X, "cs_6_0",
     "tests/cases/functions/math-modes.hlsl"),
    ("0010", "`vk::BufferPointer`", ps("r = p.q.Get().v", "struct S { float4 v; };"
     " struct P { vk::BufferPointer<S> q; }; [[vk::push_constant]] P p;"), "PhysicalStorageBuffer",
     "-fspv-target-env=vulkan1.2", "ps_6_0", "BufferPointer"),
    ("0011", "inline SPIR-V", ps("r.x = sum(a.x, a.y)", "[[vk::ext_instruction(129)]] float sum(float x, float y);"),
     "OpFAdd", "", "ps_6_0", "test_inline_spirv"),
    ("0013", "ranges of `[WaveSize]`", "[WaveSize(8, 64, 32)] [numthreads(1, 1, 1)] void main() {}", "", "", "cs_6_8",
     "tests/cases/entry/attribute.wavesize.hlsl"),
    ("0014", "`SampleCmpBias`, `SampleCmpGrad`", ps("r = x.SampleCmpGrad(y, a.xy, 1, a.xy, a.yx)",
     "Texture2D<float> x; SamplerComparisonState y;"), "OpImageSampleDrefExplicitLod", "", "ps_6_8", "SampleCmpGrad"),
    ("0015", "`SV_StartVertexLocation`", vs("a.x = x", "", "uint x : SV_StartVertexLocation"), "BuiltIn BaseVertex", "",
     "vs_6_8", "SV_StartVertexLocation"),
    ("0017", "literals of C++", cs("r = 0xffffffff / 2 + 1.0l"), "", X, "cs_6_0", "test_scalars"),
    ("0018", "work graphs", NODE + LAUNCH.format("thread") + " void main(ThreadNodeInputRecord<R> r) { r.Get(); }",
     "", "-fspv-target-env=vulkan1.3", "lib_6_8", "tests/cases/stages/stage.node.hlsl"),
    ("0021", "`vk::khr::CooperativeMatrix`", "#include <vk/khr/cooperative_matrix.h>\n" + cs(
     "vk::khr::CooperativeMatrixA<float, vk::ScopeSubgroup, 16, 16> m = vk::khr::CooperativeMatrixA<float,"
     " vk::ScopeSubgroup, 16, 16>::Splat(1); r = m.Get(0)"), "OpTypeCooperativeMatrixKHR", "-fspv-target-env=vulkan1.3",
     "cs_6_2", "test_cooperative_matrices"),
    ("0022", "`[unroll(n)]`", cs("[unroll(4)] for (int i = 0; i < 4; i++) r += i"), "", "", "cs_6_0", "unroll"),
    ("0023", "lambda expressions, packs, `constexpr`, `auto`", cs("constexpr int k = 2; auto f = [=](int a)"
     " { return a * k; }; r = f(t)"), "OpIMul", X, "cs_6_0", MODERN),
    ("0023", "loops over arrays", cs("int v[2] = { 1, 2 }; for (int x : v) r += x"), "", X, "cs_6_0", MODERN),
    ("0024", "opacity micromaps", cs("RayQuery<RAY_FLAG_FORCE_OMM_2_STATE, RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS> q"),
     "", "-fspv-target-env=vulkan1.3", "cs_6_9", "test_ray_extensions"),
    ("0025", "`[MaxRecordsPerNode]`", "struct R { uint x; };\n" + LAUNCH.format("broadcasting")
     + "[NodeDispatchGrid(1, 1, 1)] void main([MaxRecords(4)][MaxRecordsPerNode(1)][NodeArraySize(4)]"
     " NodeOutputArray<R> o) { ThreadNodeOutputRecords<R> r = o[1].GetThreadNodeOutputRecords(1); r.OutputComplete();"
     " }", "", "-fspv-target-env=vulkan1.3", "lib_6_8", "MaxRecordsPerNode"),
    ("0026", "long vectors, `slice`", cs("vector<float, 8> v = (vector<float, 8>)t; r = slice<2, 4>(v)"),
     "", X, "cs_6_9", MODERN),
    ("0027", "shader execution reordering", rays("dx::MaybeReorderThread(h)"), "OpReorderThreadWithHitObjectEXT",
     REORDER, "lib_6_9", "test_ray_extensions"),
    ("0032", "constructors, destructors, default values", cs("V v(t); r = v.a", MADE), "", X, "cs_6_0", MODERN),
    ("0034", "`vk::SampledTexture2D`", ps("r = x.Sample(a.xy)", "vk::SampledTexture2D<float4> x;"),
     "OpTypeSampledImage", "", "ps_6_0", "tests/cases/buffers/array.sampled-texture.hlsl"),
    ("0035", "`dx::linalg`, matrices of a thread", "#include <dx/linalg.h>\n" + cs(
     "using namespace dx::linalg; typedef Matrix<ComponentType::F16, 16, 16, MatrixUse::A, MatrixScope::Thread> M;"
     " vector<float16_t, 16> v = (vector<float16_t, 16>)t; v = Multiply<float16_t>("
     "M::Load<MatrixLayout::RowMajor>(x, 0, 64), v); r = v[0]", "ByteAddressBuffer x;"),
     "OpCooperativeVectorMatrixMulNV", f"{WIDE} -fspv-target-env=vulkan1.3", "cs_6_10", "test_cooperative_vectors"),
    ("0038", "`isnan` and the like of 16 bits", ps("r = isnan((half4)a)"), "OpIsNan", WIDE, "ps_6_2",
     "test_long_vectors"),
    ("0039", "`DebugBreak`", cs("DebugBreak()"), "NonSemantic.DebugBreak", "", "cs_6_10", "DebugBreak"),
    ("0040", "`select` of structs", cs("V x = { 1 }, y = { 2 }; r = select(t > 1, x, y).a", "struct V { int a; };"),
     "", "", "cs_6_6", "test_aggregates"),
    ("0041", "corners of triangles", rays("r = h.TriangleObjectPositions().p1.x"), "OpHitObjectGet", REORDER,
     "lib_6_10", "test_ray_extensions"),
    ("0043", "`groupshared` parameters", cs("put(gu)", "void put(groupshared uint x) { x = 1; }"), "", X, "cs_6_0",
     "test_groups"),
    ("0045", "clustered geometry", rays("r = ClusterID() == CLUSTER_ID_INVALID", "closesthit"), "ClusterIDNV",
     REORDER, "lib_6_10", "test_ray_extensions"),
    ("0048", "`GetGroupWaveIndex`, `GetGroupWaveCount`", cs("r = GetGroupWaveIndex() + GetGroupWaveCount()"),
     "BuiltIn SubgroupId", "-fspv-target-env=vulkan1.1", "cs_6_10", "GetGroupWaveIndex"),
    ("0049", "`[GroupSharedLimit]`", cs("big[t] = t", BIG).replace("[num", "[GroupSharedLimit(65536)] [num"), "", X,
     "cs_6_10", MESSAGES),
    ("0050", "coherence of memory", cs("x[t] = 1; DeviceMemoryBarrier(); r = x[0]",
     "globallycoherent RWStructuredBuffer<uint> x;"), "OpMemoryBarrier", "", "cs_6_0", "test_coherent"),
):
    s.append(Row(f"{number}: {feature}", shader, wanted, options, profile, key=key, finished=True))
for number, feature, shader, options, words in (
    ("0007", "a method without `const` on a constant", cs("shared_v.set()", SETS), Y, "not marked const"),
    ("0036", "effects", ps("r = y.Sample(x, a.xy)",
     "SamplerState x { Filter = MIN_MAG_MIP_LINEAR; }; Texture2D y;"), X, "expected expression"),
    ("0037", "namespaces in constant buffers", ps("", "cbuffer B { float4 v; namespace N { } }"), X, "cannot contain"),
    ("0042", "parameters that are arrays of unknown size", ps("", "float4 f(Texture2D x[]) { return 1; }"), X,
     "unknown size"),
    ("0047", "conversions as l-values", ps("f((float4)u)", "void f(inout float4 x) { x = 1; }"), X, "no matching"),
    ("0049", "more groupshared memory than the limit", cs("big[t] = 1; r = big[t + 1]", BIG),
     X, "exceeding"),
):
    s.append(Row(f"{number}: {feature}, refused", shader, "", options, "cs_6_0" if "numthreads" in shader else "ps_6_0",
                 error=words, key=MESSAGES))

# ---------------------------------------------------------------- trying


def attempt(row: Row) -> tuple[str, str]:
    """(status, why) of a row."""
    from hlsl_tool.cli.dxc import run

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "x.hlsl").write_text(row.shader)
        common = ["-T", row.profile, "-E", "main", *row.options.replace("%FILE%", "out.tmp").split(), "x.hlsl"]
        text = unjudged = ""
        ways = (["-Fo", "y.spv"], []) if row.finished else (["-fcgl", "-Fo", "x.spv"], ["-Fo", "y.spv"], ["-fcgl"])
        for extra in ways:
            try:
                status, out, err = run([*extra, *common], folder)
            except Exception as problem:  # noqa: BLE001  a crash is a row of the table
                return "no", f"internal error: {type(problem).__name__}: {problem}"
            message = next((line for line in err.splitlines() if "error" in line), "")
            message = re.sub(r"^\S+?:(\d+:\d+:)? *", "", message)
            if row.error:
                return ("yes", "an error, as wanted") if row.error in err and status else ("no", "no error")
            if status:
                return "no", message or err.strip()[:120]
            text += out
            if "HLSL0737" in err or "HLSL0741" in err:
                unjudged = "not judged, or not optimised: the installed SPIRV-Tools are older than it"
        lost = [word for word in row.wanted.split("|") if word and word not in text]
        return ("no", "the module lacks " + ", ".join(f"`{word}`" for word in lost)) if lost else ("yes", unjudged)


_LISTS = ("tests/execute/intrinsics/others.py", "tests/execute/intrinsics/rows.py")
"""Files of tests that only list names."""


@cache
def _texts() -> list[tuple[str, str]]:
    places = ("tests/execute/*.py", "shaders/**/*.hlsl*", "config/shaders/*.yaml", "tests/**/*.hlsl", "tests/**/*.py")
    seen: dict[str, str] = {}
    for pattern in places:
        for path in sorted(ROOT.glob(pattern)):
            if "diagnostics" not in path.parts and "docs" not in path.parts[len(ROOT.parts) :]:
                seen.setdefault(path.relative_to(ROOT).as_posix(), path.read_text())
    return [(name, text) for name, text in seen.items() if name not in _LISTS]


def shown_by(row: Row) -> str:
    """Return the first test or sample shader that uses the feature."""
    keys = (row.key or row.feature.strip("`")).split("&")
    if keys[0].startswith("tests/"):
        return f"`{keys[0]}`"
    if keys[0].startswith("test_"):
        return f"`tests/execute/{keys[0]}.py`"
    patterns = [re.compile(rf"(?<!\w){re.escape(key)}" + (r"(?!\w)" if key[-1:].isalnum() else "")) for key in keys]
    for name, text in _texts():
        if all(pattern.search(text) for pattern in patterns):
            return f"`{name}`"
    return ""


HEAD = """\
# Features

<!-- generated by `python docs/reference/features.py`; do not edit -->

The features of DXC's manual ([HLSL to SPIR-V Feature Mapping Manual][manual]), section by section, and newer ones: the
proposals of the HLSL specification among them, by their numbers. Each row was tried: a shader of one line that uses the
feature compiles, `spirv-val` accepts the module, and the module contains the instruction or decoration that the manual
requires. A row has a remark if the installed `spirv-val` does not know the feature, and *no* comes with the compiler's
message. The last column names the first test or sample shader that uses the feature; where it is empty, only the row's
own shader (in `docs/reference/features.py`) does.

[manual]: https://github.com/microsoft/DirectXShaderCompiler/blob/main/docs/SPIR-V.rst

"""


def page() -> str:
    rows = [row for _, rows in SECTIONS for row in rows]
    with ProcessPoolExecutor() as pool:
        results = dict(zip(map(id, rows), pool.map(attempt, rows, chunksize=4), strict=True))
    lines = [HEAD]
    yes = sum(status == "yes" for status, _ in results.values())
    lines += [f"{yes} of {len(rows)} rows work.", "", "| Section | yes | no |", "|---|---:|---:|"]
    for title, own in SECTIONS:
        good = sum(results[id(row)][0] == "yes" for row in own)
        lines.append(f"| {title} | {good} | {len(own) - good} |")
    for title, own in SECTIONS:
        lines += ["", f"## {title}", "", "| Feature | | Shown by |", "|---|---|---|"]
        for row in own:
            status, why = results[id(row)]
            why = why.replace("|", "\\|").replace("<", "&lt;")
            lines.append(f"| {row.feature} | {status}{': ' + why if why else ''} | {shown_by(row)} |")
    lines += ["", *intrinsics.section(), "", *dxc_tests()]
    return "\n".join(lines) + "\n"


def dxc_tests() -> list[str]:
    """Return the tests of DXC's own suite with other results, by reason."""
    groups = yaml.safe_load((ROOT / "docs" / "reference" / "dxc_tests.yaml").read_text())
    count = sum(len(group["tests"]) for group in groups)
    lines = [
        "## Tests of DXC's own suite",
        "",
        f"Of 1169 files of DXC's CodeGenSPIRV tests of August 2026, {count} give something else here:",
        "",
    ]
    for group in groups:
        names = ", ".join(f"`{name}`" for name in group["tests"])
        lines.append(f"- {group['reason'].strip()}  \n  {names}")
    return lines


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        return int(PAGE.read_text() != text)
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
