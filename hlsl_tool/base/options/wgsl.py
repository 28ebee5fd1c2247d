"""The options of the conversion to WGSL, for configurations, the library and `hlsl_tool wgsl`."""

from __future__ import annotations

from typing import Any

from hlsl_tool.base.options.kinds import Bool, Choice, Int
from hlsl_tool.base.system.dataclass import dataclass

MAX_ELEMENTS = 256
"""The largest number of elements of an array of resources: no device binds more textures to a shader."""


@dataclass(frozen=True, slots=True)
class WgslOption:
    """An option of the conversion to WGSL."""

    kind: Choice | Int | Bool
    doc: str
    flag: str
    """The flag of `hlsl_tool wgsl`; without a value it chooses the second of two values."""
    placeholder: str = ""
    """The name of the flag's value; empty for a flag without one."""

    @property
    def values(self) -> tuple[str, ...] | tuple[bool, ...] | range:
        """The valid values of the option."""
        if isinstance(self.kind, Choice):
            return self.kind.values
        return range(self.kind.low, self.kind.high + 1) if isinstance(self.kind, Int) else (False, True)

    @property
    def default(self) -> Any:
        """The value if the option is not given: the first valid one."""
        return self.values[0]

    def is_value(self, value: object) -> bool:
        """Return whether a value has the right type and is valid for the option."""
        return type(value) is type(self.default) and value in self.values

    def describe_values(self) -> str:
        """Return the valid values in the words of messages."""
        if isinstance(self.kind, Choice):
            return " or ".join(f"`{value}`" for value in self.kind.values)
        if isinstance(self.kind, Int):
            return f"a whole number from {self.kind.low} to {self.kind.high}"
        return "`True` or `False`"


WGSL: dict[str, WgslOption] = {
    "immediates": WgslOption(
        Choice(("auto", "uniform")),
        "push constants as immediates where WGSL can declare them (auto), or always as a uniform buffer",
        "--immediates",
        "WHERE",
    ),
    "bindings": WgslOption(
        Choice(("as_given", "compact")),
        "compact moves bindings that WebGPU's default limits refuse to groups 0 to 3 and bindings below 1000",
        "--compact-bindings",
    ),
    "unbounded_arrays": WgslOption(
        Int(0, MAX_ELEMENTS),
        "the number of elements of arrays of resources without a length that are indexed at run time; 0 refuses them",
        "--unbounded-arrays",
        "N",
    ),
    "texel_buffers": WgslOption(
        Choice(("exact", "expanded")),
        "expanded reads texel buffers of any format as storage buffers of 32-bit numbers",
        "--expand-texel-buffers",
    ),
    "point_size": WgslOption(
        Choice(("error", "drop")),
        "whether a store to PointSize other than 1.0 is an error or left out",
        "--drop-point-size",
    ),
    "storage_formats": WgslOption(
        Choice(("widened", "exact")),
        "exact refuses textures that WebGPU can read and write in a format with more components only",
        "--exact-storage-formats",
    ),
    "texture_formats": WgslOption(
        Choice(("any", "core")),
        "core refuses storage textures whose format or access only devices with a feature such as"
        " texture-formats-tier2 have",
        "--core-texture-formats",
    ),
    "early_fragment_tests": WgslOption(
        Choice(("error", "drop")),
        "whether `[earlydepthstencil]` is an error or left out where the shader writes to resources, discards or"
        " outputs depth: then pixels that fail the depth test also write",
        "--drop-early-fragment-tests",
    ),
    "subpass_inputs": WgslOption(
        Choice(("error", "textures")),
        "whether a subpass input is an error or a texture of the size of the targets, which an earlier pass wrote",
        "--subpass-inputs-as-textures",
    ),
    "draw_parameters": WgslOption(
        Choice(("error", "zero")),
        "whether the first vertex, the first instance and the index of a draw are errors or 0, as for draws that begin"
        " at 0",
        "--zero-draw-parameters",
    ),
    "atomic_textures": WgslOption(
        Choice(("error", "buffers")),
        "whether a texture with atomics is an error or a storage buffer of its size and its texels",
        "--atomic-textures-as-buffers",
    ),
    "depth_textures": WgslOption(
        Choice(("shared", "split")),
        "split gives a texture that is compared and also read a further binding for comparisons, so that both kinds of"
        " textures can be bound",
        "--split-depth-textures",
    ),
    "naga": WgslOption(
        Bool(),
        "leave out directives that naga (wgpu, Firefox) does not know although it has what they ask for",
        "--naga",
    ),
    "pad_targets": WgslOption(Bool(), "colours of less than four components get the missing ones", "--pad-targets"),
}
"""Name → option, in the order of the documentation."""
