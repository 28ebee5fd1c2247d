"""The result of loading configurations: a `Project` with a `Permutation` for each output to build."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.config.layers import Layer
from hlsl_tool.project.config.output_kinds import BLOB_SUFFIXES, PROJECT_FILES, SUFFIXES


@dataclass(slots=True)
class Permutation:
    """An entry point of a source with one combination of macro values."""

    name: str
    """The output without its suffix, relative to the output folder, with slashes."""
    source: str
    """The path of the source, relative to the project's root, with slashes."""
    options: CompileOptions
    outputs: tuple[str, ...]
    chosen: tuple[tuple[str, str], ...]
    """The macros that vary between permutations of the entry, with this one's values."""
    layer: Layer
    """All settings with their places."""
    at: Location
    stem: str = ""
    """The name without the permutation."""
    linked: bool = True
    """Whether the stages of the group are checked against each other."""
    group: str = ""
    """The shader of the configuration that has the entry: `lit/pbr`."""
    files: dict[str, str] = field(default_factory=dict)
    """Kind of output → its file from the output folder, for kinds whose file is not called after the output."""
    array: str = ""
    """The name of the C array in the output `header`; empty for that of the output."""
    array_type: str = ""
    namespace: str = ""
    """The namespace in the output `cpp`; empty for the name of the output."""

    def file(self, kind: str) -> str:
        """Return the path of an output of this kind, from the output folder."""
        if kind in PROJECT_FILES:
            return self.files.get(kind) or PROJECT_FILES[kind]
        if kind in BLOB_SUFFIXES:
            return self.files.get(kind) or self.stem + BLOB_SUFFIXES[kind]
        return self.files.get(kind) or self.name + SUFFIXES[kind]


@dataclass(slots=True)
class Pipeline:
    """An item of `pipelines`: entry points of several shaders that are used together."""

    name: str
    stages: list[tuple[str, Location]]
    """Outputs without their permutations."""
    at: Location


@dataclass(slots=True)
class PackSpec:
    """An item of `packs`: names, patterns of shaders, and the kinds of output to pack."""

    name: str
    shaders: tuple[str, ...]
    """Patterns of shaders' names without permutations; none for all."""
    outputs: tuple[str, ...]
    at: Location


@dataclass(slots=True)
class Project:
    """The content of all configurations of a build."""

    root: str
    source_dir: str = ""
    output_dir: str = ""
    store: tuple[str, ...] = ()
    """The places of the store as they are written; empty for the default."""
    store_size: str = ""
    store_texts: str = ""
    scons_nodes: str = "auto"
    executor: str = ""
    """The address of the executor; empty for this machine."""
    permutations: list[Permutation] = field(default_factory=list)
    pipelines: list[Pipeline] = field(default_factory=list)
    packs: list[PackSpec] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    """The configurations that were read, from the root."""
    looked_for: list[str] = field(default_factory=list)
    """Missing files of defaults, and folders that names leave by `..`: a build depends on their absence."""
    variant: str = ""
    """The chosen variant; empty for none."""
    variant_names: list[str] = field(default_factory=list)
    """The names in `variants` of all files."""
    include_dirs: list[tuple[str, Location]] = field(default_factory=list)
    """Folders of `include_dirs`, from the root, with their places in configurations."""
    scanned: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    """(source, its functions) of the sources that were read for entries by pattern."""
    globs: list[tuple[str, str]] = field(default_factory=list)
    """(folder, pattern) of the sources: a new file that matches is a new shader."""
    unmade: list[tuple[str, Location, str | None]] = field(default_factory=list)
    """(source, place, hint) of missing sources that another builder may still make."""
    source_dirs: list[str] = field(default_factory=list)
    """The source folders of all files; `source_dir` is that of the current file."""
