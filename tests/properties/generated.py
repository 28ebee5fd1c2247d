"""Random projects: headers with functions of all kinds that call each other, and sources that include them."""

from __future__ import annotations

import random
import re

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.project.build.job import Job
from tests.properties.trees import new_job

HEADERS = 6
KINDS = ("function", "function", "overloads", "template", "method", "operator", "namespace", "call", "global", "macro")


class Generator:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.made = 0
        self.calls: list[str] = []
        """Expressions over ``x`` that a later function may use."""

    def files(self) -> dict[str, str]:
        found = {}
        for number in range(HEADERS):
            lines = ["#pragma once"]
            for earlier in range(number):
                if self.chance.random() < 0.3:
                    lines.append(f'#include "h{earlier}.hlsli"')
            own = len(self.calls) if len(lines) > 1 else 0
            calls, self.calls = self.calls, self.calls if own else []
            for _ in range(self.chance.randint(2, 5)):
                lines.append(self.declaration(number))
            self.calls = list(dict.fromkeys([*calls, *self.calls])) if own else self.calls
            found[f"shaders/inc/h{number}.hlsli"] = "\n".join(lines) + "\n"
        for number in range(4):
            found[f"shaders/s{number}.hlsl"] = self.source(number)
        return found

    def number(self) -> str:
        return f"{self.chance.randint(1, 9)}.{self.chance.randint(0, 9)}"

    def value(self) -> str:
        known = self.chance.choice(self.calls) if self.calls and self.chance.random() < 0.6 else "x"
        return f"{known} {self.chance.choice('+*-')} {self.number()}"

    def declaration(self, header: int) -> str:
        self.made += 1
        n = f"{header}_{self.made}"
        kind = self.chance.choice(KINDS)
        v = self.value()
        text, call = {
            "function": (f"float f{n}(float x) {{ return {v}; }}", f"f{n}(x)"),
            "overloads": (f"float o{n}(float x) {{ return {v}; }}\nfloat o{n}(int x) {{ return x * 2; }}", f"o{n}(x)"),
            "template": (f"template<typename T> T t{n}(T x) {{ return {v}; }}", f"t{n}<float>(x)"),
            "method": (
                f"struct M{n} {{ float x; float get() {{ return {v}; }} float not_used() {{ return 1; }} }};\n"
                f"float m{n}(float x) {{ M{n} m; m.x = x; return m.get(); }}",
                f"m{n}(x)",
            ),
            "operator": (
                f"struct P{n} {{ float x; float operator+(float y) {{ return {v} + y; }} }};",
                f"((P{n})x + 1.0)",
            ),
            "namespace": (
                f"namespace N{n} {{ float a(float x) {{ return {v}; }} float b(float x) {{ return a(x); }} }}",
                f"N{n}::b(x)",
            ),
            "call": (f"float d{n}(float x, float y = {self.number()}) {{ return {v} + y; }}", f"d{n}(x)"),
            "global": (
                f"static const float g{n} = {self.number()};\ncbuffer C{n} {{ float c{n}; }};",
                f"(x * g{n} + c{n})",
            ),
            "macro": (f"#define K{n} {self.number()}\nfloat k{n}(float x) {{ return ({v}) * K{n}; }}", f"k{n}(x)"),
        }[kind]
        self.calls.append(call)
        return text

    def source(self, number: int) -> str:
        headers = self.chance.sample(range(HEADERS), self.chance.randint(1, 3))
        lines = [f'#include "h{header}.hlsli"' for header in sorted(headers)]
        return (
            "\n".join(lines)
            + f"""
#if MODE == 1
#define RESULT x * {self.number()}
#else
#define RESULT x + {self.number()}
#endif
float own{number}(float x) {{ return RESULT; }}
float4 main(float2 uv : TEXCOORD0) : SV_Target
{{
    float x = uv.x;
    x = own{number}(x);
    return x;
}}
"""
        )


def tree(chance: random.Random) -> tuple[dict[str, str], list[Job]]:
    files = Generator(chance).files()
    headers = {name: text for name, text in files.items() if "/inc/" in name}
    jobs = []
    for number in range(4):
        name = f"shaders/s{number}.hlsl"
        # Its own function calls the functions of the headers that it includes.
        calls = [call for call in _calls(files[name], headers) if chance.random() < 0.5]
        sums = "".join(f"    x += {call};\n" for call in calls)
        files[name] = files[name].replace("    return x;\n", sums + "    return x;\n")
        for mode in range(3):
            debug = ("line",) if (number, mode) == (3, 2) else ()
            options = CompileOptions(
                profile="ps_6_0",
                optimize="none",
                validate="no",
                include_dirs=("shaders/near", "shaders/inc"),
                defines=(("MODE", str(mode)),),
                debug=debug,
            )
            jobs.append(new_job(f"s{number}.{mode}", name, options, "spv", "reflection", "header", "dep", "bindings"))
    return files, jobs


def _calls(source: str, headers: dict[str, str]) -> list[str]:
    found: list[str] = []
    todo, seen = re.findall(r'#include "(.+)"', source), set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        text = headers[f"shaders/inc/{name}"]
        todo += re.findall(r'#include "(.+)"', text)
        found += [f"{f}(x)" for f in re.findall(r"^float (\w+)\(float x", text, re.M)]
        found += [f"{t}<float>(x)" for t in re.findall(r"^template<typename T> T (\w+)", text, re.M)]
        found += [f"{n}::b(x)" for n in re.findall(r"^namespace (\w+)", text, re.M)]
        found += [f"((P{n})x + 1.0)" for n in re.findall(r"^struct P(\w+)", text, re.M)]
        found += [f"(x * g{n} + c{n})" for n in re.findall(r"^static const float g(\w+)", text, re.M)]
    return found
