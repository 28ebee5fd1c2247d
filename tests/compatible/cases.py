"""The command lines that the tools and `hlsl_tool` are compared with."""

from __future__ import annotations

from pathlib import Path

GLSLC = (
    "",
    "-fauto-bind-uniforms",
    "-fhlsl-iomap -fauto-bind-uniforms",
    "-fhlsl-iomap -fubo-binding-base 10 -ftexture-binding-base 20 -fsampler-binding-base frag 30 -fuav-binding-base 40",
    "-fauto-bind-uniforms -fcbuffer-binding-base vertex 5 -fimage-binding-base 6 -fssbo-binding-base comp 7",
    "-fresource-set-binding t0 3 9 s1 2 8 b1 1 7",
    "-fresource-set-binding frag t0 3 9 -fauto-bind-uniforms",
    "-O0 -g -fhlsl-offsets",
    "--target-env=vulkan1.1 -fauto-map-locations",
    "--target-env=vulkan1.3",
)
GLSLANG = (
    "",
    "--auto-map-bindings --auto-map-locations",
    "--hlsl-iomap --amb",
    "--hlsl-iomap --shift-cbuffer-binding 10 --shift-texture-binding 20 --ssb frag 30 --shift-uav-binding 40",
    "--amb --shift-UBO-binding vert 5 --shift-image-binding 6 --shift-ssbo-binding comp 7",
    "--stb 10 1 20 0 --shift-sampler-binding frag 5 2",
    "--rsb frag t0 3 9 s1 2 8 b1 1 7",
    "--resource-set-binding 4",
    "--rsb frag 2 --amb",
    "-Od --hlsl-offsets -g",
    "--target-env vulkan1.1 -fhlsl_functionality1",
    "--target-env vulkan1.3",
)


def family() -> dict[str, tuple[str, str, str]]:
    """Return name → (stage, entry point, source) of all shaders."""
    text = Path(__file__).with_name("family.hlsl").read_text()
    shaders = {}
    for part in text.split("\n//// ")[1:]:
        head, _, source = part.partition("\n")
        name, stage, entry = head.split()
        shaders[name] = (stage, entry, source)
    return shaders


def glslc_words(stage: str, entry: str, options: str) -> list[str]:
    """Return the arguments of glslc for x.hlsl."""
    return [
        "-x",
        "hlsl",
        f"-fshader-stage={stage}",
        f"-fentry-point={entry}",
        *options.split(),
        "x.hlsl",
        "-o",
        "x.spv",
    ]


def glslang_words(stage: str, entry: str, options: str) -> list[str]:
    """Return the arguments of glslang for x.hlsl."""
    # The source is in front: words behind `--rsb STAGE` are taken for registers.
    return ["-D", "-V", "-S", stage, "-e", entry, "x.hlsl", "-o", "x.spv", *options.split()]
