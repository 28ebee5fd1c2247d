"""What a configuration comes to: one `Variant` for each output that is to be built."""

from __future__ import annotations

from dataclasses import dataclass, field

from hlsl_tool.config.layers import Layer
from hlsl_tool.diagnostics.model import Location
from hlsl_tool.options.model import CompileOptions


@dataclass(slots=True)
class Variant:
    """An entry point of a source under one choice of macros."""

    name: str
    """The output without its suffix, relative to the output folder, with slashes."""
    source: str
    """Relative to the project's root, with slashes."""
    options: CompileOptions
    outputs: tuple[str, ...]
    permutation: tuple[tuple[str, str], ...]
    """The macros that make this one of several."""
    layer: Layer
    """Every setting with its origin."""
    at: Location
    stem: str = ""
    """The name without the permutation."""
    linked: bool = True
    """Whether the stages of the group are checked against each other."""
    group: str = ""
    """The shader of the configuration that this is an entry of: `lit/pbr`."""


@dataclass(slots=True)
class Pipeline:
    """Entries of several shaders that are used together, as `pipelines` has them."""

    name: str
    stages: list[tuple[str, Location]]
    """Outputs without their permutations."""
    at: Location


@dataclass(slots=True)
class PackSpec:
    """A pack, as `packs` has it."""

    name: str
    shaders: tuple[str, ...]
    """Patterns of shaders' names without permutations; none for all."""
    outputs: tuple[str, ...]
    at: Location


@dataclass(slots=True)
class Project:
    """All that a build needs to know from configurations."""

    root: str
    source_dir: str = ""
    output_dir: str = ""
    store: tuple[str, ...] = ()
    """Places as they are written; none for the default."""
    store_size: str = ""
    store_texts: str = ""
    scons_nodes: str = "auto"
    executor: str = ""
    """Who compiles, where it is not this machine: an address."""
    variants: list[Variant] = field(default_factory=list)
    pipelines: list[Pipeline] = field(default_factory=list)
    packs: list[PackSpec] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    """The configurations that were read, from the root."""
    looked_for: list[str] = field(default_factory=list)
    """Files of defaults that would have been read, were they there."""
    globs: list[tuple[str, str]] = field(default_factory=list)
    """(folder, pattern) of the sources: a new file that matches is a new shader."""
    unmade: list[tuple[str, Location, str | None]] = field(default_factory=list)
    """(source, place, hint) of sources that are not there, and may yet turn out to be made by another builder."""
    source_dirs: list[str] = field(default_factory=list)
    """Those of all files; `source_dir` is that of the file which is being read."""
