"""Measure the tokens per second of the classifier and the parser: `python bench/syntax.py [FILE.hlsl ...]`.

Cold: an empty memory.  Warm: the same stream again, as a header shared by many shaders.  CPU time, best of several.
Without arguments, a made-up shader of about 60,000 tokens.
"""

from __future__ import annotations

import gc
import pathlib
import sys
import time
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.source import OSFileSystem, SourceFile
from hlsl_tool.frontend.preprocessor import PreprocessOptions, PreprocessorMemory, TokenStream, preprocess
from hlsl_tool.frontend.syntax import SyntaxMemory, parse
from hlsl_tool.frontend.syntax import kinds as K
from hlsl_tool.frontend.syntax.classifier import classify
from hlsl_tool.frontend.syntax.driver import Run
from hlsl_tool.frontend.syntax.environment import Environment

PATTERN = """
struct Light{n} {{ float3 position; float range; float3 color; uint type : 4; uint flags : 28; }};
StructuredBuffer<Light{n}> lights{n} : register(t{n}, space1);
cbuffer Constants{n} {{ row_major float4x4 world{n}; float4 tint{n}[4]; uint count{n}; }};
template<typename T> T blend{n}(T a, T b, float t) {{ return a * (1.0 - t) + b * t; }}
float3 shade{n}(in float3 normal, in float3 view, uint index) {{
    Light{n} light = lights{n}[index];
    float3 toLight = normalize(light.position - view);
    float attenuation = saturate(1.0f - dot(toLight, toLight) / (light.range * light.range));
    float3 sum = float3(0, 0, 0);
    [unroll] for (uint i = 0; i < count{n} && i < 4u; ++i) {{
        if ((light.flags & (1u << i)) != 0 || attenuation > 0.5) {{
            sum += tint{n}[i].rgb * light.color * max(dot(normal, toLight), 0.0) * attenuation;
        }} else {{
            sum = blend{n}<float3>(sum, mul(world{n}, float4(normal, 1)).xyz, (float)i * 0.25);
        }}
    }}
    return count{n} > 0 ? sum : light.color;
}}
"""


def stream(name: str, text: str) -> TokenStream:
    file = SourceFile(name, name, text)
    return preprocess(file, PreprocessOptions(), fs=OSFileSystem(), memory=PreprocessorMemory(), sink=Sink())


def best(run: Callable[[], object], repeat: int = 7) -> float:
    times = []
    for _ in range(repeat):
        gc.collect()
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def measure(tokens: TokenStream) -> None:
    count = len(tokens)
    memory = SyntaxMemory()
    sink = Sink()
    unit = parse(tokens, memory=memory, sink=sink)
    environment = Environment()
    classified = []
    for chunk in unit.chunks:
        classified.append(classify(chunk.tokens, environment, chunk.identifiers))
        for effect in chunk.effects:
            environment.apply(effect)

    def drive() -> None:
        for item in classified:
            run = Run(K.TABLES, item.tokens, item.rename)
            run.feed(item.pairs())
            run.feed(((len(item.tokens), K.END),))

    def classify_all() -> None:
        for chunk in unit.chunks:
            classify(chunk.tokens, environment, chunk.identifiers)

    rows = {
        "cold": best(lambda: parse(tokens, memory=SyntaxMemory(), sink=Sink())),
        "of it classify": best(classify_all),
        "of it parse": best(drive) if sink.ok else 0.0,
        "warm": best(lambda: parse(tokens, memory=memory, sink=Sink())),
    }
    print(f"{count} tokens, {len(unit.chunks)} chunks, {sink.error_count} errors")
    for label, seconds in rows.items():
        if seconds:
            print(f"  {label:16} {seconds * 1e3:8.2f} ms  {count / seconds / 1e6:8.2f} M tokens/s")


def main() -> None:
    gc.disable()
    paths = sys.argv[1:]
    if not paths:
        measure(stream("made-up", "".join(PATTERN.format(n=n) for n in range(220))))
    for path in paths:
        print(path)
        measure(stream(path, pathlib.Path(path).read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
