"""Wrong, broken or malicious sources end soon with a message, never with a traceback."""

from __future__ import annotations

import pathlib

import pytest

from hlsl_tool.base.system.deep_stack import with_deep_stack
from hlsl_tool.cli.dxc import run

GOOD = "float4 main() : SV_Target { return 1; }\n"
DEEP = 10_000


def body(text: str, before: str = "") -> str:
    return f"{before}\nfloat4 main(float4 c : C, nointerpolation int i : I) : SV_Target {{\n{text}\n}}\n"


def compile_bytes(folder: pathlib.Path, source: str | bytes, profile: str = "ps_6_0") -> tuple[int, str]:
    """Return (exit status, messages) of a compilation; an internal exception would be raised here."""
    (folder / "x.hlsl").write_bytes(source if isinstance(source, bytes) else source.encode())
    arguments = ["-T", profile, "-E", "main", "-fcgl", "x.hlsl", "-Fo", "x.spv"]
    status, _, err = with_deep_stack(lambda: run(arguments, str(folder)))
    assert (folder / "x.spv").exists() == (status == 0)
    assert "Traceback" not in err and "internal" not in err
    assert not list(folder.glob("*~"))
    return status, err


def bomb(separator: str) -> str:
    lines = [f"#define A0 {separator.join(['1'] * 10)}"]
    lines += [f"#define A{i} {separator.join([f'A{i - 1}'] * 10)}" for i in range(1, 12)]
    return "\n".join(lines) + "\n"


NESTED = {
    "parentheses": body("return " + "(" * DEEP + "c" + ")" * DEEP + ";"),
    "open parentheses": body("return " + "(" * DEEP + "c;"),
    "braces": body("{" * DEEP + "}" * DEEP + "return c;"),
    "brackets": body("float a[2]; return a" + "[a" * DEEP + "]" * DEEP + ";"),
    "lists": body("float a[1] = " + "{" * DEEP + "1" + "}" * DEEP + "; return c;"),
    "calls": body("return " + "abs(" * DEEP + "c" + ")" * DEEP + ";"),
    "minus": body("return " + "- " * DEEP + "c;"),
    "casts": body("return " + "(float4)" * DEEP + "c;"),
    "members": body("return c" + ".xyzw" * DEEP + ";"),
    "conditionals": body("return " + "i>0?c:" * DEEP + "c;"),
    "assignments": body("return " + "c=" * DEEP + "c;"),
    "if": body("if(i>1) " * DEEP + "c=1; return c;"),
    "structs": "struct S{" * DEEP + "float x;" + "} m;" * DEEP + GOOD,
    "namespaces": "namespace N{" * DEEP + "float x;" + "}" * DEEP + GOOD,
}


@pytest.mark.parametrize("name", NESTED)
def test_deep_nesting(tmp_path: pathlib.Path, name: str) -> None:
    status, err = compile_bytes(tmp_path, NESTED[name])
    assert status == 1
    assert err.startswith("x.hlsl:")
    assert "[HLSL0230]" in err or "[HLSL0231]" in err


BROKEN: list[tuple[str, str | bytes, str]] = [
    ("missing include", '#include "nope.h"\n' + GOOD, "x.hlsl:1:10: fatal error: 'nope.h' file not found"),
    ("include cycle", '#include "x.hlsl"\n' + GOOD, "includes itself"),
    ("macro bomb", bomb(",") + "static float y[] = {A11};\n" + GOOD, "x.hlsl:13:21: fatal error: macro expansion"),
    ("comment", GOOD + "/* foo\n", "x.hlsl:2:1: error: unterminated /* comment"),
    ("string", GOOD + 'string s = "abc\n', "x.hlsl:2:12: error: missing terminating"),
    ("if", "#if 1\n" + GOOD, "x.hlsl:1:2: error: unterminated conditional directive"),
    ("parenthesis", body("return (c;"), "x.hlsl:3:10: error: expected ')'"),
    ("brace", "float4 main() : SV_Target { return 1;\n", "x.hlsl:1:37: error: expected '}'"),
    ("macro call", "#define F(x) x\n" + GOOD + "float y = F(1;\n", "x.hlsl:3:11: error: unterminated function-like"),
    ("binary", bytes(range(256)) * 20, "x.hlsl:1:1: fatal error: `x.hlsl` is not a text file"),
    ("NUL", GOOD.encode() + b"\0", "`x.hlsl` is not a text file"),
    ("empty", "", "x.hlsl: error: missing entry point definition"),
    ("only comments", "// a\n/* b */\n", "x.hlsl: error: missing entry point definition"),
    ("Latin-1", "float \xe9;\n".encode("latin-1") + GOOD.encode(), "x.hlsl:1:7: error: non-ASCII characters"),
    ("struct template", "template<int N> struct A { A<N+1> x; };\nA<0> a;\n" + GOOD, "x.hlsl:1:28: error: recursive"),
    (
        "function template",
        "template<int N> float f() { return f<N+1>(); }" + body("return f<0>();"),
        "x.hlsl:1:36: error: recursive template instantiation exceeded maximum depth of 256 [HLSL0322]",
    ),
    (
        "growing template",
        "template<typename T> struct P{T a;};\ntemplate<typename T> float f(T x) { P<T> y; y.a = x; return f(y); }"
        + body("return f(c);"),
        "error: 'P' has structs and arrays that are nested deeper than 250 levels [HLSL0537]",
    ),
    (
        "exponential template",
        "template<int N, int M> float f() { return f<N-1, M*2>() + f<N-1, M*2+1>(); }" + body("return f<40, 1>();"),
        "error: 'f' has more than 4096 template instantiations [HLSL0324]",
    ),
    ("huge array", body("float a[1000000000]; return c;"), "x.hlsl:3:9: error: 'a' has more than 268435456 elements"),
    ("huge arrays", body("float a[65536][65536][65536]; return c;"), "error: 'a' has more than 268435456 elements"),
    ("huge number", body("float a[99999999999999999999]; return c;"), "x.hlsl:3:9: error: integer literal is too"),
    ("negative size", body("float a[-1]; return c;"), "x.hlsl:3:9: error: 'a' declared as an array with a negative"),
    ("empty array", body("float a[0]; return c;"), "x.hlsl:3:9: error: zero-length arrays are not permitted"),
    ("variable size", body("float a[i]; return c;"), "x.hlsl:3:9: error: array size is not a constant expression"),
    (
        "exponential structs",
        "struct S0{int x;};\n" + "\n".join(f"struct S{i}{{S{i - 1} a,b,c,d,e,f,g,h;}};" for i in range(1, 30)) + GOOD,
        "x.hlsl:7:8: error: 'S6' has more than 65536 elements",
    ),
    ("string member", "struct S{string s;};\n" + GOOD, "x.hlsl:1:17: error: member 's' cannot have the type 'string'"),
    ("string in a cbuffer", "cbuffer B{string s;};\n" + GOOD, "x.hlsl:1:18: error: member 's' cannot have the type"),
    ("bit-field", "struct S{uint4 f:3;};\n" + GOOD, "x.hlsl:1:16: error: bit-field 'f' has non-integral type 'uint4'"),
    ("wide bit-field", "struct S{uint f:33;};\n" + GOOD, "size of bit-field 'f' (33 bits) exceeds size of its type"),
    ("negative bit-field", "struct S{uint f:-1;};\n" + GOOD, "error: bit-field 'f' has negative width (-1)"),
    (
        "texture of matrices",
        "Texture2D<float2x2> t;\n" + GOOD,
        "elements of typed buffers and textures must be scalars or",
    ),
    ("buffer of strings", "StructuredBuffer<string> t;\n" + GOOD, "'string' cannot be used as a type parameter of"),
    ("constant buffer of float", "ConstantBuffer<float> t;\n" + GOOD, "'float' cannot be used as a type parameter of"),
    ("out argument", body("int x; uint2x2 y; asuint(double2x2(c), x, y); return x;"), "x.hlsl:3:19: error: no match"),
    ("recursion", "float f(float x) { return f(x); }" + body("return f(c.x);"), "recursive functions are not allowed"),
    ("undeclared", body("return foo;"), "x.hlsl:3:8: error: use of undeclared identifier 'foo'"),
    ("swizzle", body("float2 x = c.xy; return x.z;"), "x.hlsl:3:27: error: vector component access exceeds size"),
    ("semicolon", body("float4 x = c\nreturn x;"), "x.hlsl:3:13: error: expected ';'"),
    ("constant", body("const float4 x = 1; x = c; return x;"), "x.hlsl:3:"),
    ("buffer member", body("g.x = 1; return g;", "cbuffer B { float4 g; };"), "x.hlsl:3:"),
    ("old sampling", body("return tex2D(S, c.xy);", "sampler2D S;"), "x.hlsl:3:8: error: deprecated tex2D intrinsic"),
    (
        "struct and function",
        "struct T { float4 a; }\nfloat4 main(float2 c : C) : SV_Target { return 1; }\n",
        "expected ';' after struct",
    ),
    ("register", body("return t.Load(0);", "Texture2D t : register(q7);"), "error: register type is unsupported"),
    (
        "register number",
        body("return t.Load(0);", "Texture2D t : register(t1x);"),
        "x.hlsl:1:24: error: register number should be an integral numeric string",
    ),
    ("template of nothing", body("return c;", "template<typename T> T;"), "declaration does not declare anything"),
    ("array of void", body("return c;", "struct V { void v[2]; };"), "error: "),
    ("patch of a type", body("return c;", "void f(InputPatch<float4, uint> p) {}"), "error: "),
    ("texels too large", body("return c;", "Buffer<float2x3> b;"), "error: "),
    ("duplicate case", body("switch(i){case 1: break; case 1: break;} return c;"), "error: duplicate case value '1'"),
    ("index", body("float a[2] = {1,2}; return a[2];"), "error: array index 2 is out of bounds"),
    ("goto", body("goto x; x: return c;"), "x.hlsl:3:1: error: 'goto' is a reserved keyword in HLSL"),
    ("no semantic", "float4 main() { return 1; }", "x.hlsl:1:8: error: semantic string missing"),
    ("semantic twice", "float4 main(float4 a:A,float4 b:A):SV_Target{return a+b;}", "'A' used more than once"),
    ("unknown semantic", "float4 main(float4 a:SV_Foo):SV_Target{return a;}", "x.hlsl:1:20: error: invalid usage of"),
]


@pytest.mark.parametrize(("source", "words"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_broken_source(tmp_path: pathlib.Path, source: str | bytes, words: str) -> None:
    status, err = compile_bytes(tmp_path, source)
    assert status == 1
    assert words in err


@pytest.mark.parametrize(
    ("profile", "attribute"), [("gs_6_0", "maxvertexcount"), ("hs_6_0", "outputtopology"), ("cs_6_0", "numthreads")]
)
def test_attributes_that_a_stage_cannot_do_without(tmp_path: pathlib.Path, profile: str, attribute: str) -> None:
    status, err = compile_bytes(tmp_path, "void main() {}\n", profile)
    assert status == 1
    assert f"must have a valid {attribute} attribute" in err


def test_way_of_an_include_cycle_is_cut(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.h").write_text('#include "a.h"\n')
    _, err = compile_bytes(tmp_path, '#include "a.h"\n' + GOOD)
    lines = err.split("\n")
    assert "contexts in backtrace)" in lines[5]
    assert len([line for line in lines if line.startswith("In file included from")]) == 10


@pytest.mark.parametrize("profile", ["ps_9_9", "xx_6_0", "", "ps", "ps_6", "ps_6_x", "ps_6_0 "])
def test_profiles(tmp_path: pathlib.Path, profile: str) -> None:
    status, err = compile_bytes(tmp_path, GOOD, profile)
    assert status == 1
    assert err.startswith(("dxc failed : ", "error: "))


@pytest.mark.parametrize(
    "source",
    [
        GOOD.replace(" ", "\r\n").encode(),
        b"#define X 1\rfloat4 main() : SV_Target {\r return X;\r}\r",
        b"\xef\xbb\xbf" + GOOD.encode(),
        GOOD.encode("utf-16"),
        "// caf\xe9\n".encode("latin-1") + GOOD.encode(),
        (GOOD + "//\\").encode(),
        body("return " + "+".join(["1.5"] * 2000) + ";").encode(),
        body("for(;;) {} return c;").encode(),
    ],
    ids=["CRLF", "CR", "BOM", "UTF-16", "Latin-1", "backslash", "long sum", "endless loop"],
)
def test_odd_but_good(tmp_path: pathlib.Path, source: bytes) -> None:
    status, err = compile_bytes(tmp_path, source)
    assert status == 0, err
