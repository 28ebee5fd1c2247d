"""The keys of a configuration: those of the option table, and those that describe what to build."""

from __future__ import annotations

from hlsl_tool.base.options.kinds import Bool, Choice, Flag, Int, Kind, ListOf, Row, Text
from hlsl_tool.base.options.table import TABLE
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.project.config.output_kinds import JOINED, PROJECT_FILES, SUFFIXES

OUTPUT_KINDS = tuple(SUFFIXES)
DEFAULT_OUTPUTS = ("spv", "reflection")
DEFAULT_SOURCE_DIR = "shaders"
PERMUTATION_LIMIT = 1024
BUILD_WARNINGS = ("binding-collision", "lint", "uninitialized")
"""Warnings that are off on the command line, as in DXC or because it lacks them, and on in a configuration."""

SINGLE_LIMIT = 500
"""The largest number of shaders for which SCons gets a node each by default."""


@dataclass(frozen=True, slots=True)
class Template(Kind):
    """A text with placeholders such as ``{stem}`` (`expansion.name_templates`)."""

    what: str


@dataclass(frozen=True, slots=True)
class Structure(Kind):
    """The kind of a key with a structure of its own, such as a list of mappings; `load` has code for each such key."""

    shape: str


# Levels of a key: (d) files of defaults, (f) the top of a file, (s) a shader, (e) an entry, (o) an override.
STRUCTURE: tuple[tuple[str, Row], ...] = (
    ("f", Row("", "shaders", Structure("a list of shaders"), "the shaders to build")),
    ("s", Row("", "source", Structure("a file, a pattern such as post/*.hlsl, or a list of those"),
              "the source, relative to `source_dir`")),
    ("s", Row("", "entries", Structure("a list of entries"),
              "the entry points of the source; each takes `entry`, `profile` and any option")),
    ("se", Row("", "except", Structure("a name, a pattern, or a list of those"),
               "in a shader: sources to leave out of the patterns in `source`; in an entry: functions to leave out of"
               " the pattern in `entry`")),
    ("dfseo", Row("", "name", Template("name"),
                  "the output's name, in place of {stem}.{entry}; one with a slash counts from the output folder,"
                  " others from the source's folder in it")),
    ("fse", Row("", "overrides", Structure("a list of {source, entry, if, …}"),
                "settings for some of the shaders: those of the sources, entries and permutations that `source`,"
                " `entry` and `if` select")),
    ("dfseo", Row("", "outputs", ListOf(Choice((*OUTPUT_KINDS, *JOINED)), may_be_empty=False),
                 "the files to write: spv, spvasm (disassembly), reflection (JSON), header (the binary, for C), cpp"
                 " (host structs, for C++), dep (a rule for make), debug (the binary with its debug information; the"
                 " others are then without), bindings (the binding table, JSON), wgsl (the"
                 " shader for WebGPU), wgsl_bindings (its bind group layouts, JSON),"
                 " msl, glsl, essl, hlsl (the shader in these languages, by SPIRV-Cross), blob (all"
                 " permutations of the entry in one file, as ShaderMake writes it), blob_header (the same, for C),"
                 " cpp_structs, rust_structs, csharp_structs (the host structs of all shaders in one file),"
                 " webgpu_pipelines (bind group layouts for all stages of each pipeline, JSON),"
                 " vulkan_pipelines (what Vulkan's create infos of each pipeline need, JSON), vulkan_pipelines_cpp (the"
                 " same, for C++)",
                 (Flag("-Fo"), Flag("-Fc"), Flag("-Fh"), Flag("-MF"), Flag("-Fd")))),
    *(("dfseo", Row("", f"files.{kind}", Template("file name"),
                    f"the file of `{kind}`, from the output folder; without it "
                    + (f"{PROJECT_FILES[kind]}, for all shaders" if kind in PROJECT_FILES else "<name> and a suffix")))
      for kind in (*OUTPUT_KINDS, *JOINED)),
    ("dfseo", Row("", "array", Template("name of a C array"),
                  "the array's name in the output `header`, in place of the output's name (with `_spv` behind it beside"
                  " `cpp`, which has a namespace of that name)", (Flag("-Vn"),))),
    ("dfseo", Row("", "array_type", Text("type", r"[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*"),
                  "the type of the array's elements: `uint32_t`, or a type of one byte, such as uint8_t or BYTE")),
    ("dfseo", Row("", "namespace", Template("namespace"),
                  "the namespace of the structs in the output `cpp`, in place of the output's name")),
    ("df", Row("", "variants", Structure("a mapping from names to settings"),
               "settings of variants such as debug and release, which stand between the top of the file and its"
               " shaders; `--variant` and `HlslShaders(variant=…)` choose one")),
    ("f", Row("", "pipelines", Structure("a list of {name, stages}"),
              "stages of several shaders that are used together, to check against each other: outputs without"
              " their permutations, in order")),
    ("f", Row("", "packs", Structure("a list of {name, shaders, outputs}"),
              "packs to write, `<name>.hlslpack` in the output folder: the `outputs` (spv) of the `shaders` that match"
              " these patterns (all) with all their permutations, in one file (docs/how-to/pack.md)")),
    ("dfs", Row("", "link", Bool(), "check that the stages among a shader's entries fit together")),
    ("fse", Row("", "exclude", Structure("a list of {MACRO: value}"),
                "permutations to leave out: those that agree with all of an item; a list stands for any of its"
                " values")),
    ("dfse", Row("", "max_permutations", Int(1, 1_000_000), "the largest number of permutations of an entry")),
    ("df", Row("", "source_dir", Text("folder"), "the folder of sources and include folders, from the project's root")),
    ("df", Row("", "output_dir", Text("folder"), "the folder of outputs, from the project's root")),
    ("df", Row("", "store", ListOf(Text("place")),
               "where results are stored and looked up, in order: folders from the project's root, addresses"
               " (http://cache:8080), `project` (in the project's root), `build` (in the output folder),"
               " `user` (one for all projects); or `none`",
               (Flag("--store"),))),
    ("df", Row("", "store_size", Text("size", r"[0-9.]+ ?[KMGT]?(?:i?B)?"),
               "the size limit of a store's folder, above which the least recently used results are removed:"
               " 500M, 5G")),
    ("df", Row("", "store_texts", Choice(("all", "local", "none")),
               "where the texts of sources are stored for `hlsl_tool why`: in all places of the store, only in its"
               " folders (local), or nowhere")),
    ("df", Row("", "scons_nodes", Choice(("auto", "single", "set")),
               "the nodes of SCons: one for each shader (single), one for all of them (set), or by their number (auto:"
               f" single up to {SINGLE_LIMIT})")),
    ("df", Row("", "executor", Text("executor", r"local|dask://\S+"),
               "where shaders are compiled: `local` (this machine), or the workers of a dask scheduler"
               " (dask://host:8786)",
               (Flag("--executor"),))),
)

STRUCTURE_ROWS = {row.key: row for _, row in STRUCTURE}
STRUCTURE_LEVELS = {row.key: levels for levels, row in STRUCTURE}
OPTION_ROWS = {row.key: row for row in TABLE}
LEVEL_NAMES = {"d": "a file of defaults", "f": "the file", "s": "a shader", "e": "an entry", "o": "an override"}


def levels(key: str) -> str:
    """Return the letters of the levels (`d`efaults, `f`ile, `s`hader, `e`ntry, `o`verride) at which a key is allowed.

    `profile` and `entry` are allowed in a shader, too, as a shorthand for a single entry point.
    """
    if key in STRUCTURE_LEVELS:
        return STRUCTURE_LEVELS[key]
    if key == "entry":
        return "se"
    return "seo" if key == "profile" else "dfseo"


def groups() -> frozenset[str]:
    """Return the keys that contain other keys: `bindings`, which contains `bindings.shifts`, etc."""
    prefixes: set[str] = set()
    for key in (*OPTION_ROWS, *STRUCTURE_ROWS):
        parts = key.split(".")
        prefixes.update(".".join(parts[:count]) for count in range(1, len(parts)))
    return frozenset(prefixes)


GROUPS = groups()

FLAG_KEYS = {flag.name.rstrip("=").lstrip("-/").lower(): row.key for row in TABLE for flag in row.flags}
"""Flag in lower case → key (`fvk-use-dx-layout` → `layout`), for the hint on a flag that is used as a key."""

OTHER_WORDS = {
    **dict.fromkeys(("axes", "permutations", "keywords", "features"), "defines"),
    **dict.fromkeys(("macros", "definitions", "preprocessor"), "defines"),
    **dict.fromkeys(("include", "includes", "include_paths", "include_directories"), "include_dirs"),
    **dict.fromkeys(("file", "path", "input"), "source"),
    **dict.fromkeys(("output", "formats"), "outputs"),
    **dict.fromkeys(("stage", "model", "shader_model"), "profile"),
    **dict.fromkeys(("entry_points", "entrypoints", "functions"), "entries"),
    **dict.fromkeys(("entry_point", "entrypoint", "function"), "entry"),
    **dict.fromkeys(("target", "env", "environment", "vulkan"), "target_env"),
    **dict.fromkeys(("optimization", "optimisation", "level"), "optimize"),
}
"""A word that other tools use → key, for the hint on an unknown key."""
