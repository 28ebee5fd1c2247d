"""The options of the conversion to WGSL, for configurations, the library and `hlsl_tool wgsl`."""

from __future__ import annotations

from hlsl_tool.base.options.conversion import ConversionOption
from hlsl_tool.base.options.kinds import Bool, Choice, Int

MAX_ELEMENTS = 256
"""The largest number of elements of an array of resources that are variables: no shader has more textures."""

MAX_LENGTH = 1_000_000
"""The largest number of elements of an array of resources that stays one: no device binds more."""


WGSL: dict[str, ConversionOption] = {
    "immediates": ConversionOption(
        Choice(("auto", "uniform")),
        "push constants as immediates where WGSL can declare them (auto), or always as a uniform buffer",
        "--immediates",
        "WHERE",
    ),
    "bindings": ConversionOption(
        Choice(("as_given", "compact")),
        "compact moves bindings that WebGPU's default limits refuse to groups 0 to 3 and bindings below 1000",
        "--compact-bindings",
    ),
    "unbounded_arrays": ConversionOption(
        Int(0, MAX_LENGTH),
        "the number of elements of arrays of resources without a length that are indexed at run time; 0 refuses them",
        "--unbounded-arrays",
        "N",
    ),
    "arrays": ConversionOption(
        Choice(("switch", "binding_array")),
        "binding_array keeps arrays of resources, as far as Chrome (behind a flag) or, with `naga`, wgpu has them",
        "--binding-arrays",
    ),
    "texel_buffers": ConversionOption(
        Choice(("exact", "expanded")),
        "expanded reads texel buffers of any format as storage buffers of 32-bit numbers",
        "--expand-texel-buffers",
    ),
    "point_size": ConversionOption(
        Choice(("error", "drop")),
        "whether a store to PointSize other than 1.0 is an error or left out",
        "--drop-point-size",
    ),
    "storage_formats": ConversionOption(
        Choice(("widened", "exact")),
        "exact refuses textures that WebGPU can read and write in a format with more components only",
        "--exact-storage-formats",
    ),
    "texture_formats": ConversionOption(
        Choice(("any", "core")),
        "core refuses storage textures whose format or access only devices with a feature such as"
        " texture-formats-tier2 have",
        "--core-texture-formats",
    ),
    "early_fragment_tests": ConversionOption(
        Choice(("error", "drop")),
        "whether `[earlydepthstencil]` is an error or left out where the shader writes to resources, discards or"
        " outputs depth: then pixels that fail the depth test also write",
        "--drop-early-fragment-tests",
    ),
    "subpass_inputs": ConversionOption(
        Choice(("error", "textures")),
        "whether a subpass input is an error or a texture of the size of the targets, which an earlier pass wrote",
        "--subpass-inputs-as-textures",
    ),
    "draw_parameters": ConversionOption(
        Choice(("error", "zero")),
        "whether the first vertex, the first instance and the index of a draw are errors or 0, as for draws that begin"
        " at 0",
        "--zero-draw-parameters",
    ),
    "atomic_textures": ConversionOption(
        Choice(("error", "buffers")),
        "whether a texture with atomics is an error or a storage buffer of its size and its texels",
        "--atomic-textures-as-buffers",
    ),
    "depth_textures": ConversionOption(
        Choice(("shared", "split")),
        "split gives a texture that is compared and also read a further binding for comparisons, so that both kinds of"
        " textures can be bound",
        "--split-depth-textures",
    ),
    "naga": ConversionOption(
        Bool(),
        "leave out directives that naga (wgpu, Firefox) does not know although it has what they ask for",
        "--naga",
    ),
    "pad_targets": ConversionOption(
        Bool(), "colours of less than four components get the missing ones", "--pad-targets"
    ),
}
"""Name → option, in the order of the documentation."""
