"""The keys of a configuration: those of the option table, and those that say what is built from what."""

from __future__ import annotations

from dataclasses import dataclass

from hlsl_tool.options.kinds import Bool, Choice, Flag, Int, Kind, ListOf, Row, Text
from hlsl_tool.options.table import TABLE

OUTPUT_KINDS = ("spv", "spvasm", "reflection", "header", "cpp", "dep", "bindings", "wgsl", "wgsl_bindings")
DEFAULT_OUTPUTS = ("spv", "reflection")
DEFAULT_SOURCE_DIR = "shaders"
PERMUTATION_LIMIT = 1024
SINGLE_LIMIT = 500
"""Up to how many shaders SCons gets a node for each, if nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Structure(Kind):
    """A key whose value the configuration itself takes apart."""

    shape: str


# Where a key may stand: in (d) files of defaults, (f) at the top of a file, (s) in a shader, (e) in an entry.
STRUCTURE: tuple[tuple[str, Row], ...] = (
    ("f", Row("", "shaders", Structure("a list of shaders"), "the shaders to build")),
    ("s", Row("", "source", Structure("a file, a pattern such as post/*.hlsl, or a list of those"),
              "the source, relative to `source_dir`")),
    ("s", Row("", "entries", Structure("a list of entries"),
              "the entry points of the source; each takes `entry`, `profile` and any option")),
    ("e", Row("", "name", Text("name", r"[A-Za-z0-9_.+-]+"),
              "the output's name, in place of <source>.<entry>")),
    ("dfse", Row("", "outputs", ListOf(Choice(OUTPUT_KINDS), may_be_empty=False),
                 "what is written: spv, spvasm (disassembly), reflection (JSON), header (the words, for C), cpp (host"
                 " structs, for C++), dep (a rule for make), bindings (the binding table, JSON), wgsl (the shader for"
                 " WebGPU), wgsl_bindings (its bind group layouts, JSON)",
                 (Flag("-Fo"), Flag("-Fc"), Flag("-Fh"), Flag("-MF")))),
    ("f", Row("", "pipelines", Structure("a list of {name, stages}"),
              "stages of several shaders that are used together and are checked as such: outputs without their"
              " permutations, in order")),
    ("f", Row("", "packs", Structure("a list of {name, shaders, outputs}"),
              "packs to write, `<name>.hlslpack` in the output folder: the `outputs` (spv) of the `shaders` that match"
              " these patterns (all) with all their permutations, in one file (docs/how-to/pack.md)")),
    ("dfs", Row("", "link", Bool(), "check that the stages among a shader's entries fit together")),
    ("fse", Row("", "exclude", Structure("a list of {MACRO: value}"),
                "permutations to leave out: those that agree with all of an item; a list stands for any of its"
                " values")),
    ("dfse", Row("", "max_permutations", Int(1, 1_000_000), "how many permutations an entry may have")),
    ("df", Row("", "source_dir", Text("folder"), "the folder of sources and include folders, from the project's root")),
    ("df", Row("", "output_dir", Text("folder"), "the folder that is written to, from the project's root")),
    ("df", Row("", "store", ListOf(Text("place")),
               "where results are kept and looked for, in order: folders from the project's root, addresses"
               " (http://cache:8080), `project` (in the project's root), `build` (in the output folder),"
               " `user` (one for all projects); or `none`",
               (Flag("--store"),))),
    ("df", Row("", "store_size", Text("size", r"[0-9.]+ ?[KMGT]?(?:i?B)?"),
               "how much a store's folder may hold before what was of no use for longest goes: 500M, 5G")),
    ("df", Row("", "store_texts", Choice(("all", "local", "none")),
               "where the texts of sources are kept for `hlsl_tool why`: in all places of the store, in its folders but"
               " on no server (local), or nowhere")),
    ("df", Row("", "scons_nodes", Choice(("auto", "single", "set")),
               "what SCons sees: a node for each shader, one for all of them, or what suits their number (single up to"
               f" {SINGLE_LIMIT})")),
    ("df", Row("", "executor", Text("executor", r"local|dask://\S+"),
               "who compiles: `local` (this machine), or the workers of a dask scheduler (dask://host:8786)",
               (Flag("--executor"),))),
)

STRUCTURE_ROWS = {row.key: row for _, row in STRUCTURE}
STRUCTURE_LEVELS = {row.key: levels for levels, row in STRUCTURE}
OPTION_ROWS = {row.key: row for row in TABLE}
LEVEL_NAMES = {"d": "a file of defaults", "f": "the file", "s": "a shader", "e": "an entry"}


def levels(key: str) -> str:
    """The levels on which a key may stand.  `profile` and `entry` on a shader are short for one entry."""
    if key in STRUCTURE_LEVELS:
        return STRUCTURE_LEVELS[key]
    if key in ("profile", "entry"):
        return "se"
    return "dfse"


def groups() -> frozenset[str]:
    """`bindings`, `bindings.shifts`: keys that hold further keys."""
    found: set[str] = set()
    for key in OPTION_ROWS:
        parts = key.split(".")
        found.update(".".join(parts[:count]) for count in range(1, len(parts)))
    return frozenset(found)


GROUPS = groups()

FLAG_KEYS = {flag.name.rstrip("=").lstrip("-/").lower(): row.key for row in TABLE for flag in row.flags}
"""`fvk-use-dx-layout` → `layout`, for those who write the flag's name as a key."""
