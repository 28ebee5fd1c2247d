"""Measure the preprocessor on a tree of headers like that of an engine, which many shaders share.

    python bench/preprocess.py [--shaders N]

Times are CPU time, medians, and stated also as ratios to a bare ``re.findall`` over the same text, which no
preprocessor in Python can beat on a cold file; ratios hold on a loaded machine where milliseconds do not.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import statistics
import sys
import time
from collections.abc import Callable

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.source import CachedFileSystem, MemoryFileSystem, SourceFile
from hlsl_tool.frontend.preprocessor import PreprocessOptions, PreprocessorMemory, TokenStream, preprocess
from hlsl_tool.frontend.preprocessor.lexing.lexer import TOKEN
from hlsl_tool.frontend.preprocessor.macros.predefined import predefined_macros

OPTIONS = PreprocessOptions(predefined=predefined_macros(stage="ps", major=6, minor=6))
HEADERS = 26
FUNCTIONS = 80


def header(number: int, rng: random.Random) -> str:
    """Return the text of an engine-like header: a guard, constants, conditions, bindings and functions."""
    lines = [f"#ifndef HEADER_{number}", f"#define HEADER_{number}"]
    lines += [f'#include "h{other}.hlsli"' for other in range(number + 1, min(number + 4, HEADERS))]
    for i in range(30):
        lines.append(f"#define CONSTANT_{number}_{i} {rng.randrange(1000)} // what it is for")
    lines.append(f"#define LOAD_{number}(buffer, index) asfloat(buffer.Load4((index) * CONSTANT_{number}_0))")
    for i in range(FUNCTIONS):
        if i % 16 == 0:
            lines += [f"#ifdef QUALITY_{i}", f"static const float quality_{number}_{i} = 1.0;", "#else"]
            lines += [f"static const float quality_{number}_{i} = 0.5;", "#endif"]
        if i % 10 == 0:
            lines.append(f"Texture2D<float4> texture_{number}_{i} : register(t{i}); // slot {i}")
        call = f"LOAD_{number}(data, i)" if i % 7 == 0 else "float4(1, 2, 3, 4)"
        lines += [
            "/* Explains what the function does",
            "   in two lines. */",
            f"float3 function_{number}_{i}(float3 position, float4 color, uint i)",
            "{",
            f"    float3 result = position * color.rgb + {call}.xyz * {rng.random():.4f};",
            "    for (uint k = 0; k < 4; ++k)",
            f"        result += saturate(dot(result, color.xyz)) * CONSTANT_{number}_{i % 30};",
            "    return result > 0.5 ? normalize(result) : result;",
            "}",
        ]
    return "\n".join([*lines, "#endif", ""])


def shader(number: int) -> str:
    permutation = f"#define QUALITY_{number % 5 * 16}\n" if number % 3 == 0 else ""
    return (
        f'{permutation}#include "h0.hlsli"\n'
        f"float4 main(float4 p : SV_Position) : SV_Target {{ return float4(function_0_{number % FUNCTIONS}"
        f"(p.xyz, p, {number}), CONSTANT_0_1); }}\n"
    )


def cpu(action: Callable[[], object], repeats: int) -> float:
    times: list[float] = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shaders", type=int, default=100)
    arguments = parser.parse_args()
    rng = random.Random(1)
    files: dict[str, str | bytes] = {f"h{i}.hlsli": header(i, rng) for i in range(HEADERS)}
    for i in range(arguments.shaders):
        files[f"s{i}.hlsl"] = shader(i)
    fs = MemoryFileSystem(files)
    text = "".join(str(content) for name, content in files.items() if name.endswith(".hlsli"))
    gc.disable()

    def run(name: str, memory: PreprocessorMemory, system: CachedFileSystem) -> TokenStream:
        source = SourceFile.from_bytes(name, system.resolve(name), system.read(name) or b"")
        return preprocess(source, OPTIONS, fs=system, memory=memory, sink=Sink())

    cached = CachedFileSystem(fs)
    stream = run("s1.hlsl", PreprocessorMemory(), cached)
    tokens = len(stream.tokens)
    floor = cpu(lambda: TOKEN.findall(text), 7)
    cold = cpu(lambda: run("s1.hlsl", PreprocessorMemory(), cached), 7)
    memory = PreprocessorMemory()
    run("s1.hlsl", memory, cached)
    memory.includes.clear()

    def warm_files() -> None:
        run("s1.hlsl", memory, cached)
        memory.includes.clear()

    files_kept = cpu(warm_files, 31)
    run("s1.hlsl", memory, cached)
    warm = cpu(lambda: run("s1.hlsl", memory, cached), 101)
    flat = cpu(lambda: run("s1.hlsl", memory, cached).tokens, 31)

    def tree() -> None:
        whole = PreprocessorMemory()
        for i in range(arguments.shaders):
            run(f"s{i}.hlsl", whole, cached)

    per_shader = cpu(tree, 3) / arguments.shaders
    edit = fs.read("h0.hlsli") or b""

    def edited() -> None:
        nonlocal edit
        edit += b"// c\n"
        fs.write("h0.hlsli", edit)
        cached.forget(["h0.hlsli"])
        run("s1.hlsl", memory, cached)

    after_edit = cpu(edited, 11)
    stream = run("s1.hlsl", memory, cached)
    locate = cpu(lambda: stream.locate(tokens // 2), 11)
    print(f"{len(text):,} characters in {HEADERS} headers, {tokens:,} tokens come out")
    rows = (
        ("re.findall over the text (the floor)", floor),
        ("cold: nothing remembered", cold),
        ("files known, includes not", files_kept),
        ("warm: the include known", warm),
        ("warm, with one flat token list", flat),
        (f"per shader of a tree of {arguments.shaders}", per_shader),
        ("after a comment edit in a header", after_edit),
        ("locate a token", locate),
    )
    for title, seconds in rows:
        rate = tokens / seconds / 1e6
        print(f"{title:40} {seconds * 1e3:9.3f} ms  {rate:9.1f} Mtok/s  {seconds / floor:7.3f} of the floor")


if __name__ == "__main__":
    main()
