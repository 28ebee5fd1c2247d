"""After ``using namespace vk;`` or ``using namespace dx;``, the names of that namespace need no qualification."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader

QUALIFIED = """
struct P { float x; };
float4 load(uint64_t a) { return vk::RawBufferLoad<float4>(a); }
[[vk::push_constant]] struct { vk::BufferPointer<P> p; uint64_t address; } constants;
typedef vk::SpirvOpaqueType<28, Texture2D, vk::integral_constant<uint, 4> > Textures;
Textures textures;
float4 main() : SV_Target {
  uint2 time = (uint2)vk::ReadClock(vk::DeviceScope);
  return load(constants.address) + time.x + constants.p.Get().x;
}
"""
PLAIN = QUALIFIED.replace("vk::", "").replace("[[push", "[[vk::push")
IN_FUNCTION = PLAIN.replace("(uint64_t a) {", "(uint64_t a) { using namespace vk;")


def compiled(text: str, profile: str = "ps_6_2") -> tuple[bytes, list[str]]:
    options = CompileOptions(codegen_only=True, validate="no", target_env="vulkan1.3")
    result = compile_shader(text, profile=profile, options=options)
    return result.spirv, [d.message for d in result.diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    "text",
    [
        "using namespace vk;" + PLAIN,
        "namespace vk { typedef float Own; } using namespace vk;" + PLAIN,
        "using vk::RawBufferLoad; using vk::BufferPointer; using vk::SpirvOpaqueType; using vk::integral_constant;"
        "using vk::ReadClock; using vk::DeviceScope;" + PLAIN,
    ],
)
def test_of_the_whole_file(text: str) -> None:
    expected, errors = compiled(QUALIFIED)
    assert errors == []
    spirv, errors = compiled(text)
    assert errors == []
    assert len(spirv) == len(expected)


def test_of_a_function() -> None:
    text = "float4 load(uint64_t a) { using namespace vk; return RawBufferLoad<float4>(a); }"
    main = "float4 main(nointerpolation uint2 a : A) : SV_Target { return load(0) %s; }"
    assert compiled(text + main % "")[1] == []
    assert compiled(text + main % "+ ReadClock(1).x")[1] == ["use of undeclared identifier 'ReadClock'"]


def test_of_a_namespace() -> None:
    text = "namespace N { using namespace vk; uint f() { return (uint)ReadClock(DeviceScope); } }"
    assert compiled(text + "float4 main() : SV_Target { return N::f(); }")[1] == []
    errors = compiled(text + "float4 main() : SV_Target { return DeviceScope; }")[1]
    assert errors == ["use of undeclared identifier 'DeviceScope'"]


def test_own_declarations_come_first() -> None:
    own = "float ReadClock(float x) { return x; }"
    for text in (
        f"{own} using namespace vk; float4 main() : SV_Target {{ return ReadClock(1.5); }}",
        f"{own} float4 main() : SV_Target {{ using namespace vk; return ReadClock(1.5); }}",
        f"using namespace vk; {own} float4 main() : SV_Target {{ return ReadClock(1.5); }}",
    ):
        spirv, errors = compiled(text)
        assert errors == [] and b"ReadClock" in spirv


def test_hit_objects() -> None:
    text = """
    using namespace dx;
    [shader("raygeneration")] void main() { HitObject hit = HitObject::MakeNop(); MaybeReorderThread(hit); }
    """
    assert compiled(text, "lib_6_9")[1] == []


def test_unknown_namespaces() -> None:
    assert compiled("using namespace nothing; float4 main() : SV_Target { return 0; }")[1] == [
        "use of undeclared identifier 'nothing'"
    ]
    assert compiled("using vk::Nothing; float4 main() : SV_Target { return 0; }")[1] == [
        "use of undeclared identifier 'Nothing'"
    ]
