"""Measure the time and memory for inputs that are long, deeply nested, or full of errors.

    python bench/pathological.py [--only WORD]... [--growth] [--dxc COMMAND] [--seconds N] [--memory GIB] [-- OPTION...]

Each input is compiled in a process of its own.  A row shows CPU time and peak memory, children included, and the first
error.  `--dxc` names a command that takes dxc's command line, and adds its numbers to the row.  `--growth` compiles
each input in three sizes, n/4, n/2 and n: times that double are linear, times that quadruple are quadratic.  Both
compilers get the arguments behind `--`.
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
OURS = [sys.executable, "-c", "from hlsl_tool.cli.dxc import main; main()"]

Files = dict[str, str]
"""Texts by file name; the shader is `main.hlsl`."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of input: a function that writes it in a given size, and the sizes to measure."""

    name: str
    write: Callable[[int], str | Files]
    sizes: tuple[int, ...]
    options: tuple[str, ...] = ("-T", "ps_6_0", "-E", "main")


SHAPES: list[Shape] = []


def shape(name: str, *sizes: int, options: str = "-T ps_6_0 -E main") -> Callable[..., Callable[[int], str | Files]]:
    def register(write: Callable[[int], str | Files]) -> Callable[[int], str | Files]:
        SHAPES.append(Shape(name, write, sizes, tuple(options.split())))
        return write

    return register


def each(count: int, line: str, separator: str = "\n") -> str:
    """Return `line` once for each number below `count`, with `%` replaced by the number."""
    return separator.join(line.replace("%", str(number)) for number in range(count))


def pixel(body: str, before: str = "") -> str:
    """Return a pixel shader with an input `a` and a result `r`."""
    return f"{before}\nfloat4 main(float4 a : A) : SV_Target\n{{\nfloat4 r = a;\n{body}\nreturn r;\n}}\n"


# ---------------------------------------------------------------- statements and expressions


@shape("else-if chain", 1000, 10000)
def else_if_chain(n: int) -> str:
    return pixel("if (a.x == -1) r = 1;\n" + each(n, "else if (a.x == %) r = a.y * %;"))


@shape("else-if chain of calls", 1000)
def else_if_chain_of_calls(n: int) -> str:
    before = "float4 f(float4 a, float x) { if (a.y > x) return a * x; return a + x; }"
    return pixel("if (a.x == -1) r = 1;\n" + each(n, "else if (a.x == %) r = f(r, %);"), before)


@shape("else-if chain of returns", 1000)
def else_if_chain_of_returns(n: int) -> str:
    return pixel("if (a.x == -1) return 1;\n" + each(n, "else if (a.x == %) return a.y * %;"))


@shape("if statements in a row", 10000)
def ifs_in_a_row(n: int) -> str:
    return pixel(each(n, "if (a.x == %) r += a.y * %;"))


@shape("loops in a row", 2000)
def loops_in_a_row(n: int) -> str:
    return pixel(each(n, "for (int i% = 0; i% < a.x; ++i%) r += a.y * %;"))


@shape("ternary chain", 1000, 10000)
def ternary_chain(n: int) -> str:
    return pixel("r.x = " + each(n, "a.x == % ? a.y * %", "\n: ") + "\n: a.z;")


@shape("nested ternaries in brackets", 100, 10000)
def nested_ternaries(n: int) -> str:
    return pixel("r.x = " + each(n, "a.x == % ? (") + "a.z" + each(n, ") : a.y * %") + ";")


@shape("nested blocks", 200, 10000)
def nested_blocks(n: int) -> str:
    return pixel("{" * n + "r += 1;" + "}" * n)


@shape("nested ifs", 200, 10000)
def nested_ifs(n: int) -> str:
    return pixel(each(n, "if (a.x > %) {") + "r += 1;" + "}" * n)


@shape("nested loops", 100, 10000)
def nested_loops(n: int) -> str:
    return pixel(each(n, "for (int i% = 0; i% < a.x; ++i%) {") + "r += 1;" + "}" * n)


@shape("long sum", 10000, 100000)
def long_sum(n: int) -> str:
    return pixel("r = " + each(n, "a * %.5", "\n+ ") + ";")


@shape("sum of one value", 100000)
def sum_of_one_value(n: int) -> str:
    return pixel("r = " + "\n+ ".join(["a"] * n) + ";")


@shape("parentheses", 200, 100000)
def parentheses(n: int) -> str:
    return pixel("r = " + "(" * n + "a" + ")" * n + ";")


@shape("nested calls", 200, 100000)
def nested_calls(n: int) -> str:
    return pixel("r = " + "f(" * n + "a" + ")" * n + ";", "float4 f(float4 x) { return x * 2; }")


@shape("&& chain", 1000, 20000)
def and_chain(n: int) -> str:
    return pixel("if (" + each(n, "a.x != %", "\n&& ") + ") r = 1;")


@shape("&& and || chain, short-circuit", 1000, 10000, options="-T ps_6_0 -E main -HV 2021")
def and_or_chain(n: int) -> str:
    return pixel("if (" + each(n, "a.x > % && a.y < %", "\n|| ") + ") r = 1;")


@shape("comma chain", 20000)
def comma_chain(n: int) -> str:
    return pixel(each(n, "r.x += a.y * %", ",\n") + ";")


@shape("unary operators", 200, 100000)
def unary_operators(n: int) -> str:
    return pixel("r = " + "- " * n + "a;")


@shape("assignment chain", 200, 10000)
def assignment_chain(n: int) -> str:
    return pixel("r = " * n + "a;")


@shape("used locals", 10000, 100000)
def used_locals(n: int) -> str:
    return pixel(each(n, "float v% = a.x * %; r.x += v%;"))


@shape("locals used at the end", 20000)
def locals_used_at_the_end(n: int) -> str:
    return pixel(each(n, "float v% = a.x * %;") + "\n" + each(n, "r.x += v%;"))


@shape("unused locals", 100000)
def unused_locals(n: int) -> str:
    return pixel(each(n, "float v%;"))


@shape("locals in branches", 10000)
def locals_in_branches(n: int) -> str:
    return pixel(each(n, "float v% = a.y;") + "\n" + each(n, "if (a.x == %) v% = a.z;") + "\n" + each(n, "r.x += v%;"))


@shape("statements", 100000)
def statements(n: int) -> str:
    return pixel(each(n, "r.x += a.y * %;"))


@shape("switch of cases", 10000, options="-T ps_6_0 -E main")
def switch_of_cases(n: int) -> str:
    return pixel("switch ((int)a.x) {\n" + each(n, "case %: r = a.y * %; break;") + "\n}")


@shape("switch of cases that return", 2000)
def switch_of_returns(n: int) -> str:
    return pixel("switch ((int)a.x) {\n" + each(n, "case %: return a.y * %;") + "\n}")


@shape("switch of cases that fall through", 10000)
def switch_fall_through(n: int) -> str:
    return pixel("switch ((int)a.x) {\n" + each(n, "case %:") + "\nr = a.y; break;\n}")


@shape("array-initialiser elements", 10000, 60000)
def array_initialiser(n: int) -> str:
    return pixel("r.x = t[(int)a.x];", "static const float t[] = {\n" + each(n, "%,") + "\n0};")


@shape("nested initialiser lists", 20000)
def nested_initialisers(n: int) -> str:
    before = "struct S { float2 a; int b; };\nstatic const S t[] = {\n" + each(n, "{ {%, 1}, % },") + "\n{{0, 0}, 0}};"
    return pixel("r.x = t[(int)a.x].a.y;", before)


@shape("stores to elements of a local array", 5000)
def array_stores(n: int) -> str:
    return pixel(f"float t[{n}];\n" + each(n, "t[%] = a.x * %;") + "\nr.x = t[(int)a.y];")


# ---------------------------------------------------------------- declarations


@shape("chain of functions", 3000, 10000)
def chain_of_functions(n: int) -> str:
    before = "float f0(float x) { return x; }\n" + "\n".join(
        f"float f{i + 1}(float x) {{ return f{i}(x) * {i}; }}" for i in range(n)
    )
    return pixel(f"r.x = f{n}(a.x);", before)


@shape("chain of functions with branches", 1000)
def chain_of_branching_functions(n: int) -> str:
    before = "float f0(float x) { return x; }\n" + "\n".join(
        f"float f{i + 1}(float x) {{ if (x > {i}) return x; return f{i}(x) * {i}; }}" for i in range(n)
    )
    return pixel(f"r.x = f{n}(a.x);", before)


@shape("calls that double", 14)
def calls_that_double(n: int) -> str:
    before = "float f0(float x) { return x * x; }\n" + "\n".join(
        f"float f{i + 1}(float x) {{ return f{i}(x) * f{i}(x + {i}); }}" for i in range(n)
    )
    return pixel(f"r.x = f{n}(a.x);", before)


@shape("functions", 10000)
def functions(n: int) -> str:
    return pixel("r.x = f7(a.x);", each(n, "float f%(float x) { return x * %; }"))


@shape("called functions", 10000)
def called_functions(n: int) -> str:
    return pixel(each(n, "r.x += f%(a.x);"), each(n, "float f%(float x) { return x * %; }"))


@shape("calls of one function", 20000)
def calls_of_one_function(n: int) -> str:
    before = "float f(float x, float y) { if (x > y) return x * y; return y; }"
    return pixel(each(n, "r.x += f(a.x, %);"), before)


@shape("overloads of one name", 2000, 10000)
def overloads(n: int) -> str:
    before = each(n, "struct S% { float x; };\nfloat f(S% s) { return s.x * %; }")
    return pixel("S7 s = { a.x }; r.x = f(s);", before)


@shape("declarations of one function", 10000)
def declarations_of_one_function(n: int) -> str:
    return pixel("r.x = f(a.x);", "float f(float x);\n" * n + "float f(float x) { return x; }")


@shape("parameters", 2000)
def parameters(n: int) -> str:
    before = "float f(" + each(n, "float p%", ", ") + ") { return " + each(n, "p%", " + ") + "; }"
    return pixel("r.x = f(" + each(n, "a.x", ", ") + ");", before)


@shape("struct members", 10000, 50000)
def struct_members(n: int) -> str:
    return pixel("S s = (S)0; s.m7 = a.x; r.x = s.m7;", "struct S {\n" + each(n, "float m%;") + "\n};")


@shape("methods of a struct", 5000)
def methods(n: int) -> str:
    before = "struct S { float x;\n" + each(n, "float m%() { return x * %; }") + "\n};"
    return pixel("S s; s.x = a.x; r.x = s.m7();", before)


@shape("cbuffer members", 10000)
def cbuffer_members(n: int) -> str:
    return pixel("r.x = m7;", "cbuffer B {\n" + each(n, "float m%;") + "\n};")


@shape("used cbuffer members", 10000)
def used_cbuffer_members(n: int) -> str:
    return pixel(each(n, "r.x += m%;"), "cbuffer B {\n" + each(n, "float m%;") + "\n};")


@shape("globals in $Globals", 10000)
def loose_globals(n: int) -> str:
    return pixel("r.x = m7;", each(n, "float m%;"))


@shape("static globals", 10000)
def static_globals(n: int) -> str:
    return pixel("r.x = m7;", each(n, "static float m% = %;"))


@shape("used static globals", 10000)
def used_static_globals(n: int) -> str:
    return pixel(each(n, "m% += a.x; r.x += m%;"), each(n, "static float m% = %;"))


@shape("static constants of each other", 10000)
def static_constants(n: int) -> str:
    lines = "\n".join(f"static const float c{i + 1} = c{i} + 1;" for i in range(n))
    return pixel(f"r.x = c{n};", "static const float c0 = 0;\n" + lines)


@shape("cbuffers", 2000)
def cbuffers(n: int) -> str:
    return pixel(each(n, "r.x += m%;"), each(n, "cbuffer B% { float m%; };"))


@shape("structs nested", 100, 5000)
def nested_structs(n: int) -> str:
    lines = "\n".join(f"struct S{i + 1} {{ S{i} s; float x; }};" for i in range(n))
    return pixel(f"S{n} s; s.x = a.x; r.x = s.x;", "struct S0 { float x; };\n" + lines)


@shape("structs nested in the text", 100, 5000)
def lexically_nested_structs(n: int) -> str:
    return pixel("r.x = 1;", each(n, "struct S% {") + "float x;" + each(n, "} s%;"))


@shape("classes derived", 200, 5000)
def derived_classes(n: int) -> str:
    lines = "\n".join(f"struct S{i + 1} : S{i} {{ float x{i + 1}; }};" for i in range(n))
    return pixel(f"S{n} s; s.x{n} = a.x; r.x = s.x{n};", "struct S0 { float x0; };\n" + lines)


@shape("structs", 10000)
def structs(n: int) -> str:
    return pixel("S7 s; s.x = a.x; r.x = s.x;", each(n, "struct S% { float x; float4 y; };"))


@shape("used structs", 5000)
def used_structs(n: int) -> str:
    return pixel(each(n, "S% s%; s%.x = a.x; r.x += s%.x;"), each(n, "struct S% { float x; float4 y[%+1]; };"))


@shape("typedefs", 5000)
def typedefs(n: int) -> str:
    lines = "\n".join(f"typedef T{i} T{i + 1};" for i in range(n))
    return pixel(f"T{n} t = a.x; r.x = t;", "typedef float T0;\n" + lines)


@shape("template instances", 1000, 5000, options="-T ps_6_0 -E main -HV 2021")
def template_instances(n: int) -> str:
    before = "template<typename T> T f(T x) { return x; }\n" + each(n, "struct S% { float x; };")
    return pixel(each(n, "S% s%; s%.x = a.x; r.x += f(s%).x;"), before)


@shape("enumerators", 10000)
def enumerators(n: int) -> str:
    return pixel("r.x = (int)e7;", "enum E {\n" + each(n, "e%,") + "\n};")


@shape("namespaces", 5000)
def namespaces(n: int) -> str:
    return pixel("r.x = n7::f(a.x);", each(n, "namespace n% { float f(float x) { return x; } }"))


@shape("nested namespaces", 100, 5000)
def nested_namespaces(n: int) -> str:
    return pixel("r.x = 1;", each(n, "namespace n% {") + "float f(float x) { return x; }" + "}" * n)


@shape("entry points of a library", 2000, options="-T lib_6_3 -fspv-target-env=vulkan1.1spirv1.4")
def library(n: int) -> str:
    return "struct P { float4 c; };\n" + each(n, '[shader("miss")] void m%(inout P p) { p.c = %; }')


@shape("exported functions of a library", 2000, options="-T lib_6_3 -fspv-target-env=vulkan1.1")
def exports(n: int) -> str:
    return each(n, "export float f%(float x) { return x * %; }")


# ---------------------------------------------------------------- resources and semantics


@shape("textures", 5000)
def textures(n: int) -> str:
    return pixel("r = t7.Load(0);", each(n, "Texture2D t%;"))


@shape("used textures", 5000)
def used_textures(n: int) -> str:
    return pixel(each(n, "r += t%.Load(int3(a.xy, 0));"), each(n, "Texture2D t%;"))


@shape("used textures with registers", 5000)
def used_textures_with_registers(n: int) -> str:
    return pixel(each(n, "r += t%.Load(int3(a.xy, 0));"), each(n, "Texture2D t% : register(t%);"))


@shape("used textures and samplers", 2000)
def used_samplers(n: int) -> str:
    return pixel(each(n, "r += t%.Sample(s%, a.xy);"), each(n, "Texture2D t%;\nSamplerState s%;"))


@shape("structured buffers", 2000)
def structured_buffers(n: int) -> str:
    return pixel(each(n, "r.x += b%[(int)a.x].x;"), each(n, "struct S% { float x; };\nStructuredBuffer<S%> b%;"))


@shape("resources in a struct", 1000, 5000)
def resources_in_a_struct(n: int) -> str:
    return pixel(each(n, "r += s.t%.Load(int3(a.xy, 0));"), "struct S {\n" + each(n, "Texture2D t%;") + "\n};\nS s;")


@shape("resources in an array of structs", 1000, 5000)
def resources_in_structs(n: int) -> str:
    return pixel(each(n, "r += s[%].t.Load(int3(a.xy, 0));"), f"struct S {{ Texture2D t; float x; }};\nS s[{n}];")


@shape("semantics", 2000)
def semantics(n: int) -> str:
    return "struct I {\n" + each(n, "float m% : S%;") + "\n};\nfloat4 main(I i) : SV_Target { return i.m7; }\n"


@shape("elements of a semantic", 60000)
def semantic_array(n: int) -> str:
    return f"struct I {{ float m[{n}] : S; }};\nfloat4 main(I i) : SV_Target {{ return i.m[7]; }}\n"


@shape("used semantics", 2000)
def used_semantics(n: int) -> str:
    members, uses = each(n, "float m% : S%;"), each(n, "r.x += i.m%;")
    return f"struct I {{\n{members}\n}};\nfloat4 main(I i) : SV_Target {{\nfloat4 r = 0;\n{uses}\nreturn r;\n}}\n"


# ---------------------------------------------------------------- unrolling


@shape("unrolled iterations", 1000, 10000, 2**31 - 1)
def unrolled(n: int) -> str:
    return pixel(f"[unroll] for (int i = 0; i < {n}; ++i) r.x += a.y * i;")


@shape("unrolled iterations of an array", 1000, 10000)
def unrolled_array(n: int) -> str:
    return pixel(f"float t[{n}];\n[unroll] for (int i = 0; i < {n}; ++i) t[i] = a.x * i;\nr.x = t[(int)a.y];")


@shape("nested unrolled loops", 10, 32, 1000)
def nested_unrolled(n: int) -> str:
    loops = "".join(f"[unroll] for (int {i} = 0; {i} < {n}; ++{i}) " for i in "ijk")
    return pixel(f"{loops} r.x += a.y * (i + j * k);")


@shape("unrolled loop with a count", 10000)
def unrolled_count(n: int) -> str:
    return pixel(f"[unroll({n})] for (int i = 0; i < a.x; ++i) r.x += a.y * i;")


@shape("unrolled calls of an unrolled function", 100, 1000)
def unrolled_calls(n: int) -> str:
    before = f"float f(float x) {{ [unroll] for (int i = 0; i < {n}; ++i) x += x * i; return x; }}"
    return pixel(f"[unroll] for (int i = 0; i < {n}; ++i) r.x += f(a.y);", before)


# ---------------------------------------------------------------- diagnostics


@shape("errors", 10000, 100000)
def errors(n: int) -> str:
    return pixel(each(n, "r = unknown%;"))


@shape("errors in functions", 20000)
def errors_in_functions(n: int) -> str:
    return pixel("", each(n, "float f%() { return unknown%; }"))


@shape("errors of syntax", 20000)
def errors_of_syntax(n: int) -> str:
    return pixel("", each(n, "float f%( { return 1; }"))


@shape("errors of the preprocessor", 20000)
def errors_of_the_preprocessor(n: int) -> str:
    return pixel("", each(n, "#error no %"))


@shape("warnings", 20000)
def warnings(n: int) -> str:
    return pixel(each(n, "float3 v% = a; r.x += v%.x;"))


@shape("warnings of the preprocessor", 20000)
def warnings_of_the_preprocessor(n: int) -> str:
    return pixel("", each(n, "#define A %"))


@shape("errors in one line", 20000)
def errors_in_one_line(n: int) -> str:
    return pixel(each(n, "r = unknown%;", " "))


@shape("warnings in one line", 20000)
def warnings_in_one_line(n: int) -> str:
    return pixel(each(n, "float3 v% = a; r.x += v%.x;", " "))


# ---------------------------------------------------------------- preprocessor and text


@shape("macros", 10000, 100000)
def macros(n: int) -> str:
    return pixel("r.x = M7;", each(n, "#define M% %"))


@shape("macros that expand one another", 1000, 20000)
def macro_chain(n: int) -> str:
    lines = "\n".join(f"#define M{i + 1} M{i}" for i in range(n))
    return pixel(f"r.x = M{n};", "#define M0 a.x\n" + lines)


@shape("macro calls that expand one another", 50, 5000)
def macro_call_chain(n: int) -> str:
    lines = "\n".join(f"#define M{i + 1}(x) M{i}(x + {i})" for i in range(n))
    return pixel(f"r.x = M{n}(a.x);", "#define M0(x) x\n" + lines)


@shape("macro calls in arguments", 50, 5000)
def macro_arguments(n: int) -> str:
    return pixel("r.x = " + "M(" * n + "a.x" + ")" * n + ";", "#define M(x) x")


@shape("macro uses", 100000)
def macro_uses(n: int) -> str:
    return pixel(each(n, "r.x += M(a.y);"), "#define M(x) (x * 2)")


@shape("nested conditionals", 1000, 20000)
def nested_conditionals(n: int) -> str:
    return pixel("", each(n, "#if 1") + "\n" + each(n, "#endif"))


@shape("conditionals in a row", 50000)
def conditionals(n: int) -> str:
    return pixel(each(n, "#if X == %\nr = 1;\n#endif"))


@shape("#elif chain", 50000)
def elif_chain(n: int) -> str:
    return pixel("#if X == -1\n" + each(n, "#elif X == %\nr = %;") + "\n#endif")


@shape("includes of one file", 10000)
def includes(n: int) -> Files:
    return {"main.hlsl": pixel("", '#include "a.hlsli"\n' * n), "a.hlsli": "// nothing\n"}


@shape("includes of files", 2000)
def included_files(n: int) -> Files:
    text = pixel("r.x = f7(a.x);", each(n, '#include "a%.hlsli"'))
    return {"main.hlsl": text} | {f"a{i}.hlsli": f"float f{i}(float x) {{ return x; }}\n" for i in range(n)}


@shape("chain of includes", 150, 1000)
def chain_of_includes(n: int) -> Files:
    files = {f"a{i}.hlsli": f'#include "a{i + 1}.hlsli"\n' for i in range(n)}
    return {"main.hlsl": pixel("", '#include "a0.hlsli"'), f"a{n}.hlsli": ""} | files


@shape("characters of a comment", 50_000_000)
def comment(n: int) -> str:
    return "/*" + "comment " * (n // 8) + "*/" + pixel("")


@shape("lines of comments", 500_000)
def comments(n: int) -> str:
    return "// a comment\n" * n + pixel("")


@shape("characters of a string", 50_000)
def string(n: int) -> str:
    return pixel("", 'static const string s = "' + "s" * n + '";')


@shape("characters of an identifier", 50_000)
def identifier(n: int) -> str:
    return pixel(f"float {'v' * n} = a.x; r.x = {'v' * n};")


@shape("characters in one line", 5_000_000, 50_000_000)
def one_line(n: int) -> str:
    return pixel("r.x += a.y * 1; " * (n // 16))


@shape("characters in lines", 5_000_000)
def many_lines(n: int) -> str:
    return pixel("r.x += a.y * 1;\n" * (n // 16))


@shape("empty statements", 500_000)
def empty_statements(n: int) -> str:
    return pixel(";" * n)


@shape("attributes", 5000)
def attributes(n: int) -> str:
    return pixel("[branch] " * n + "if (a.x > 0) r = 1;")


@shape("continued lines", 100_000)
def continued_lines(n: int) -> str:
    return pixel("r.x = a.x\\\n" + "+ 1\\\n" * 100 + " \\\n" * n + ";")


# ---------------------------------------------------------------- measuring


class Run(NamedTuple):
    """CPU seconds, peak memory in MiB, and the result in words."""

    seconds: float
    memory: float
    message: str

    def row(self) -> str:
        return f"{self.seconds:8.2f} {self.memory:7.0f}  {self.message}"


def measure(command: Sequence[str], folder: Path, seconds: int, memory: int) -> Run:
    """Run a command with limits of CPU time and address space."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (memory << 30, memory << 30))

    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else each run compiles the compiler
    with tempfile.TemporaryFile() as out:
        program = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=out, preexec_fn=limit
        )
        timer = threading.Timer(3 * seconds, program.kill)  # a process may wait without using the CPU
        timer.start()
        _, status, usage = os.wait4(program.pid, 0)
        timer.cancel()
        program.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read(1 << 20).decode("utf-8", "replace")
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, outcome(program.returncode, text))


def outcome(status: int, text: str) -> str:
    """Return "ok", the first error, or how the process ended."""
    if status == 0:
        return "ok"
    lines = [line for line in text.splitlines() if "error" in line or "Error" in line]
    word = lines[0].partition("main.hlsl:")[2] or lines[0] if lines else text.strip().partition("\n")[0]
    return f"status {status}: {word[:70]}" if status < 0 or status > 1 else word[:80]


def show(kind: Shape, size: int, arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as name:
        written = kind.write(size)
        for file, text in ({"main.hlsl": written} if isinstance(written, str) else written).items():
            Path(name, file).write_text(text)
        line = ["main.hlsl", "-Fo", "out.spv", *kind.options, *arguments.options]
        ours = measure([*OURS, *line], Path(name), arguments.seconds, arguments.memory)
        row = f"{kind.name[:40]:40} {size:>11,} {ours.row()[:98]:98}"
        if arguments.dxc:
            theirs = measure(
                [*shlex.split(arguments.dxc), *line, "-spirv"], Path(name), arguments.seconds, arguments.memory
            )
            row += f" | {theirs.row()}"
        print(row.rstrip(), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], help="inputs whose name contains this")
    parser.add_argument("--growth", action="store_true", help="each input in three sizes")
    parser.add_argument("--dxc", default="", help="a command with dxc's command line")
    parser.add_argument("--seconds", type=int, default=120, help="CPU time at most, for each")
    parser.add_argument("--memory", type=int, default=6, help="GiB of address space at most, for each")
    parser.add_argument("options", nargs="*", help="for both compilers")
    arguments = parser.parse_args()
    for kind in SHAPES:
        if arguments.only and not any(word in kind.name for word in arguments.only):
            continue
        sizes = [max(kind.sizes) // part for part in (4, 2, 1)] if arguments.growth else kind.sizes
        for size in sizes:
            show(kind, size, arguments)


if __name__ == "__main__":
    main()
