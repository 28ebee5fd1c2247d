"""Strict YAML: what is accepted, what is rejected, and the locations of messages."""

from __future__ import annotations

import json
import pathlib

import pytest

from hlsl_tool.base.diagnostics import Diagnostic, Sink
from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.options.cross import CROSS_FIELDS
from hlsl_tool.base.options.kinds import Kind
from hlsl_tool.base.options.table import OTHERS, OUTPUTS, TABLE
from hlsl_tool.base.options.wgsl import WGSL
from hlsl_tool.project.config import keys, schema, show
from hlsl_tool.project.config.load import load
from hlsl_tool.project.config.permutation import Project
from hlsl_tool.project.config.yaml import kinds
from hlsl_tool.project.config.yaml.nodes import Mapping, parse
from hlsl_tool.project.config.yaml.text import document

ROOT = pathlib.Path(__file__).resolve().parents[3]

ISSUE = """\
# config/shaders/lit.yaml
shaders:
  - source: lit/pbr.hlsl
    entries: [{ entry: VSMain, profile: vs_6_0 }, { entry: PSMain, profile: ps_6_0 }]
    target_env: vulkan1.1
    layout: dx                     # vulkan (default) | dx | gl | scalar
    bindings: { shifts: { b: [0, all], t: [10, 0], s: [20, 0], u: [30, 0] } }
    matrix_layout: column_major    # -Zpc (default) | row_major
    include_dirs: [include]
    hlsl_version: 2021
    optimize: [-O, --loop-unroll]  # spirv-opt passes in order, or none / size / performance (default)
    validate: true                 # default; required | false
    outputs: [spv, reflection]     # spv spvasm reflection header cpp dep
    defines: { SHADOWS: [0, 1] }   # permutations
"""


class Folder:
    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.write("shaders/a.hlsl", "")
        self.write("shaders/b.hlsl", "")
        self.write("shaders/lit/pbr.hlsl", "")

    def write(self, name: str, text: str | bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def load(self, text: str | bytes | None = None, *, defaults: str = "") -> tuple[Project, list[Diagnostic]]:
        if text is not None:
            self.write("config/shaders/x.yaml", text)
        if defaults:
            self.write("config/defaults.yaml", defaults)
        sink = Sink(error_limit=0)
        return load(str(self.root), ["config/shaders"], sink), sink.diagnostics

    def good(self, text: str | None = None, *, defaults: str = "") -> Project:
        project, messages = self.load(text, defaults=defaults)
        messages = [message for message in messages if message.code is not codes.NO_INCLUDE_DIR]
        assert messages == [], [spell(message) for message in messages]
        return project

    def options(self, lines: str) -> CompileOptions:
        """Return the options of a shader that has these lines in its configuration."""
        body = "".join(f"    {line}\n" for line in lines.splitlines())
        project = self.good(f"shaders:\n  - source: a.hlsl\n    profile: ps_6_2\n{body}")
        return project.permutations[0].options

    def bad(self, lines: str) -> list[str]:
        body = "".join(f"    {line}\n" for line in lines.splitlines())
        _, messages = self.load(f"shaders:\n  - source: a.hlsl\n    profile: ps_6_2\n{body}")
        return [spell(message) for message in messages]


def spell(message: Diagnostic) -> str:
    at = message.location
    assert at is not None
    hint = f" ({message.hint})" if message.hint else ""
    return f"{at.line}:{at.col}: {message.message}{hint}"


def written_and_read(kind: Kind, value: object) -> object:
    """Return a value after writing it as YAML and reading it again."""
    sink = Sink()
    node = parse(document({"key": kinds.value_tree(kind, value)}), "a.yaml", sink)
    assert isinstance(node, Mapping)
    again = kinds.read(node.entries[0][1], kind, "key", sink)
    assert sink.diagnostics == []
    return again


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> Folder:
    return Folder(tmp_path)


def test_the_example_of_the_documentation(folder: Folder) -> None:
    project = folder.good(ISSUE)
    assert [permutation.name for permutation in project.permutations] == [
        "lit/pbr.VSMain.SHADOWS=0",
        "lit/pbr.VSMain.SHADOWS=1",
        "lit/pbr.PSMain.SHADOWS=0",
        "lit/pbr.PSMain.SHADOWS=1",
    ]
    assert project.permutations[3].options == CompileOptions(
        profile="ps_6_0",
        entry="PSMain",
        target_env="vulkan1.1",
        layout="dx",
        shift_b=((0, -1),),
        shift_t=((10, 0),),
        shift_s=((20, 0),),
        shift_u=((30, 0),),
        include_dirs=("shaders/include",),
        optimize=("-O", "--loop-unroll"),
        defines=(("SHADOWS", "1"),),
        warnings=("binding-collision", "lint", "uninitialized"),
    )
    assert project.permutations[0].outputs == ("spv", "reflection")


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("hlsl_version: 202x", "hlsl_version", 2029),
        ("hlsl_version: 202y", "hlsl_version", 2030),
        ("hlsl_version: '2018'", "hlsl_version", 2018),
        ("optimize: size", "optimize", "size"),
        ("optimize: --loop-unroll", "optimize", ("--loop-unroll",)),
        ("optimize: []", "optimize", "none"),
        ("validate: required", "validate", "required"),
        ("validate: false", "validate", "no"),
        ("debug: true", "debug", ("file", "source", "line", "tool")),
        ("debug: rich", "debug", ("rich",)),
        ("debug: false", "debug", ()),
        ("extensions: SPV_KHR_ray_tracing", "extensions", ("SPV_KHR_ray_tracing",)),
        ("max_id: 0x1000", "max_id", 4096),
        ("bindings: { shifts: { t: [[10, 0], [20, 1]] } }", "shift_t", ((10, 0), (20, 1))),
        ("bindings: { globals: [3, 1] }", "bind_globals", (3, 1)),
        ("bindings: { registers: [{ register: T3, binding: 5 }] }", "bind_registers", (("t3", 0, 5, 0),)),
        ("bindings: { default_space: 7 }", "auto_binding_space", 7),
        ("wgsl: { bindings: compact, unbounded_arrays: 64 }", "wgsl_bindings", "compact"),
        ("wgsl: { bindings: compact, unbounded_arrays: 64 }", "wgsl_unbounded_arrays", 64),
        ("wgsl: { arrays: binding_array, naga: true }", "wgsl_arrays", "binding_array"),
        ("wgsl: { immediates: uniform, optimized: true }", "wgsl_immediates", "uniform"),
        ("wgsl: { texel_buffers: expanded }", "wgsl_texel_buffers", "expanded"),
        ("wgsl: { point_size: drop, pad_targets: true }", "wgsl_point_size", "drop"),
        ("msl: { version: 2.1, argument_buffers: true }", "msl_version", "2.1"),
        ("msl: { version: 2.1, argument_buffers: true }", "msl_argument_buffers", True),
        ("glsl: { version: 330, depth: opengl }", "glsl_version", "330"),
        ("essl: { version: 300, sampler_bindings: textures }", "essl_sampler_bindings", "textures"),
        ("hlsl: { shader_model: 5.1 }", "hlsl_shader_model", "5.1"),
        ("enable_16bit_types: true", "enable_16bit_types", True),
        ("enable_8bit_types: true", "enable_8bit_types", True),
        ("variable_offsets: true", "variable_offsets", True),
        ("payload_qualifiers: false", "payload_qualifiers", False),
        ("include_dirs: [a, ../b, /abs]", "include_dirs", ("shaders/a", "shaders/../b", "/abs")),
        (
            "warnings: [no-conversion, error=vk]",
            "warnings",
            ("binding-collision", "lint", "uninitialized", "no-conversion", "error=vk"),
        ),
        (
            "defines: { A: , B: 1.5, C: 'x y', D: true }",
            "defines",
            (("A", None), ("B", "1.5"), ("C", "x y"), ("D", "true")),
        ),
    ],
)
def test_values(folder: Folder, line: str, field: str, value: object) -> None:
    assert getattr(folder.options(line), field) == value
    row = next(row for row in TABLE if row.field == field)
    if row.key != "defines":  # `layers` reads it
        assert written_and_read(row.kind, value) == value


STAGES = (
    " (a profile is a stage and a shader model, such as `ps_6_0`;"
    " the stages are `vs`, `hs`, `ds`, `gs`, `ps`, `cs`, `lib`, `ms`, `as`)"
)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("layuot: dx", "4:5: unknown key `layuot` in a shader (did you mean `layout`?)"),
        (
            "fvk-use-dx-layout: true",
            "4:5: unknown key `fvk-use-dx-layout` in a shader (the key for this flag is `layout`)",
        ),
        ("shifts: { b: [0, 0] }", "4:5: unknown key `shifts` in a shader (did you mean `bindings.shifts`?)"),
        ("layout: dx\nlayout: gl", "5:5: `layout` is given twice"),
        ("layout: [dx]", "4:13: `layout` wants one of vulkan, dx, gl, scalar, got a list"),
        ("layout: DX", "4:13: `layout` cannot be `DX`; it is one of vulkan, dx, gl, scalar (did you mean `dx`?)"),
        ("invert_y: on", "4:15: `invert_y` wants true or false, got `on` (write `true`)"),
        ("invert_y: 'true'", '4:15: `invert_y` wants true or false, got the text "true" (write `true`)'),
        ("entry: 6_0", "4:12: `6_0` means a number to YAML 1.1 readers; put it in quotes if it is text"),
        (
            "defines: { A: [1, on] }",
            "4:23: `on` means true or false to YAML 1.1 readers; put it in quotes if it is text",
        ),
        ("defines: { A: 012 }", "4:19: `012` means a number to YAML 1.1 readers; put it in quotes if it is text"),
        ("defines: { A: [1, 1] }", "4:23: `A=1` is given twice"),
        ("outputs: []", "4:14: `outputs` wants a list (of one value or more), got an empty list"),
        ("defines: { A: [] }", "4:19: `A` wants a value or a list of values, got an empty list"),
        ("defines: { 2A: 1 }", "4:16: `2A` is no name of a macro"),
        (
            "defines: [A]",
            "4:14: `defines` wants a mapping from macros to values, got a list"
            " (write `NAME: value`, or `NAME: [0, 1]` for permutations)",
        ),
        ("error_limit: -1", "4:18: `error_limit` is -1, but must be from 0 to 1000000"),
        ("error_limit: many", "4:18: `error_limit` wants a whole number, got `many`"),
        ("bindings: 3", "4:15: `bindings` wants a mapping, got `3`"),
        ("bindings: { shift: 3 }", "4:17: unknown key `shift` in `bindings` (did you mean `shifts`?)"),
        (
            "bindings: { shifts: { b: [[0, all], [1, 0]] } }",
            "4:30: `bindings.shifts.b` wants [shift, all] alone, or no `all`, got a list",
        ),
        (
            "bindings: { registers: [{ register: x1, binding: 0 }] }",
            "4:41: `bindings.registers` wants a register such as t3, got `x1`",
        ),
        ("bindings: { registers: [{ register: b1 }] }", "4:29: an item of `bindings.registers` lacks `binding`"),
        ("validate: yes", "4:15: `validate` wants true, false or required, got `yes` (write `true` or `false`)"),
        ("optimize: fast", "4:15: `optimize` cannot be `fast`; it is one of none, size, performance"),
        (
            "outputs: [spv, asm]",
            "4:20: `outputs` cannot be `asm`; it is one of spv, spvasm, reflection, header, cpp,"
            " dep, debug, bindings, wgsl, wgsl_bindings, msl, glsl, essl, hlsl, blob, blob_header,"
            " cpp_structs, rust_structs, csharp_structs, webgpu_pipelines, vulkan_pipelines, vulkan_pipelines_cpp",
        ),
        ("exclude: [{ B: 1 }]", "4:17: `B` is no permutation macro here"),
        ("defines: { A: [0, 1] }\nexclude: [{ A: 2 }]", "5:20: `A` is never `2` here (its values are 0, 1)"),
        ("defines: { A: [0, 1] }\nexclude: [{ A: [0, 1] }]", "2:5: `exclude` leaves no permutation of `a.main`"),
        (
            "defines: { A: [0, 1] }\nmax_permutations: 1",
            "2:5: `a.main` has 2 permutations, more than 1 (see `max_permutations`)",
        ),
        ("entries: 3", "4:14: `entries` wants a list such as [{ entry: main, profile: ps_6_0 }], got `3`"),
        ("entries: [{ profile: zs_6_0 }]", "4:26: no such profile: `zs_6_0`" + STAGES),
        ("entries: [{ profile: ps_6_99 }]", "4:26: invalid profile ps_6_99 (`ps_6_0` to `ps_6_10` are valid)"),
        ("entries: [{ profile: 6_0 }]", "4:26: `profile` wants a profile, got `6_0`"),
        (
            "entries: [{ profile: lib_6_3, denorm: ftz, source: x }]",
            "4:48: `source` has no place in an entry (it belongs in a shader)",
        ),
        ("profile: ps_6_1", "4:5: `profile` is given twice"),
        ("layout: !!str dx", "4:13: YAML tags such as `tag:yaml.org,2002:str` are not used here"),
        ("layout: *nobody", "4:13: the anchor `nobody` contains itself, or is not defined"),
    ],
)
def test_mistakes(folder: Folder, line: str, message: str) -> None:
    assert folder.bad(line) == [message]


def test_all_mistakes_are_reported_at_once(folder: Folder) -> None:
    assert len(folder.bad("layuot: dx\ninvert_y: on\nvalidate: 3\ndefines: { A: [on, off] }")) == 5


def test_mistakes_of_whole_files(folder: Folder) -> None:
    """Files that are not YAML, not UTF-8 (CFG801), without `shaders`, or with missing sources are reported."""

    def first(text: str | bytes) -> str:
        return spell(folder.load(text)[1][0])

    assert first("") == "1:1: the file has no `shaders`"
    assert first("layout: dx\n") == "1:1: the file has no `shaders`"
    assert first("shaders: 3\n") == "1:10: `shaders` wants a list of shaders, got `3`"
    assert first("shaders:\n  - profile: ps_6_0\n") == "2:5: the shader lacks `source`"
    assert first("shaders:\n  - [a]\n") == "2:5: `a shader` wants a mapping, got a list"
    assert first("shaders:\n\t- source: a\n").startswith("2:1: not YAML: ")
    assert first("shaders: [\n").startswith("2:1: not YAML: ")
    for text, hint in (
        ("shaders:\n\t- source: a\n", "YAML is indented by spaces, and this line by a tab"),
        ("shaders:\n  - source: a: b\n", "indent the line as those above it, or quote a text that has a colon"),
        ("shaders:\n  - a\n - b\n", "compare the indentation with the lines above; look for a missing quote, "),
    ):
        assert (folder.load(text)[1][0].hint or "").startswith(hint), text
    assert first("a: 1\n---\nb: 2\n") == "2:1: not YAML: there is more than one document in the file"
    assert first("{[a]: 1}\n").endswith("not YAML: a key must be plain text")
    assert first("x: " + "[" * 10_000).endswith("nested more than 64 deep")
    assert first(b"shaders: \xff\n").endswith("byte 9 is not UTF-8")
    assert "not YAML" in first(b"shaders: \x00\n")
    assert first("shaders:\n  - { source: nope.hlsl, profile: ps_6_0 }\n") == "2:15: no such file: `shaders/nope.hlsl`"
    assert first("shaders:\n  - { source: ., profile: ps_6_0 }\n") == (
        "2:15: no such file: `shaders` (it is a folder; `*.hlsl` stands for files)"
    )
    assert first("shaders:\n  - { source: a.hlsl, entries: [] }\n").endswith("got an empty list")
    assert first("shaders:\n  - { source: b.hlls, profile: ps_6_0 }\n") == (
        "2:15: no such file: `shaders/b.hlls` (did you mean `b.hlsl`?)"
    )
    assert first("shaders:\n  - { source: post/*.hlsl, profile: ps_6_0 }\n") == (
        "2:15: no file matches `post/*.hlsl` in `shaders`"
    )
    assert first("shaders:\n  - { source: a.hlsl }\n") == "2:5: the entry lacks `profile` (such as `profile: ps_6_0`)"


def test_a_bomb_of_aliases_stays_small(folder: Folder) -> None:
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    _, messages = folder.load("\n".join(lines) + "\n")
    assert messages[0].message.startswith("unknown key `a0`")


def test_merge_keys_and_anchors(folder: Folder) -> None:
    project = folder.good("""\
shaders:
  - &base { source: a.hlsl, profile: ps_6_0, layout: dx, invert_y: true }
  - { <<: *base, source: b.hlsl, layout: gl }
""")
    second = project.permutations[1]
    assert (second.source, second.options.layout, second.options.invert_y) == ("shaders/b.hlsl", "gl", True)


def test_precedence(folder: Folder) -> None:
    project = folder.good(
        """\
layout: gl
defines: { A: 1, B: 1 }
bindings: { shifts: { t: [1, 0] } }
shaders:
  - source: a.hlsl
    layout: scalar
    defines: { B: 2 }
    entries:
      - { entry: one, profile: ps_6_0 }
      - { entry: two, profile: ps_6_0, layout: vulkan, defines: { C: 3 }, bindings: { shifts: { t: [2, 0] } } }
  - { source: b.hlsl, profile: ps_6_0 }
""",
        defaults="layout: dx\ninvert_y: true\nbindings: { shifts: { s: [9, 0] } }\n",
    )
    one, two, three = (permutation.options for permutation in project.permutations)
    assert (one.layout, two.layout, three.layout) == ("scalar", "vulkan", "gl")
    assert one.invert_y and two.invert_y and three.invert_y
    assert one.defines == (("A", "1"), ("B", "2"))
    assert two.defines == (("A", "1"), ("B", "2"), ("C", "3"))
    assert (one.shift_t, two.shift_t, three.shift_t) == (((1, 0),), ((2, 0),), ((1, 0),))
    assert one.shift_s == ((9, 0),)


def test_permutations_and_exclusions(folder: Folder) -> None:
    project = folder.good("""\
shaders:
  - source: a.hlsl
    profile: ps_6_0
    defines: { LOW: [0, 1], N: [1, 2, 3], PLAIN: 7 }
    exclude: [{ LOW: 1, N: [2, 3] }]
""")
    assert [permutation.name for permutation in project.permutations] == [
        "a.main.LOW=0.N=1",
        "a.main.LOW=0.N=2",
        "a.main.LOW=0.N=3",
        "a.main.LOW=1.N=1",
    ]
    assert project.permutations[3].options.defines == (("LOW", "1"), ("N", "1"), ("PLAIN", "7"))
    assert project.permutations[3].chosen == (("LOW", "1"), ("N", "1"))


def test_names_of_outputs(folder: Folder) -> None:
    project = folder.good(
        """\
shaders:
  - source: a.hlsl
    entries: [{ profile: lib_6_3 }, { name: special, profile: ps_6_0 }]
  - source: b.hlsl
    profile: ps_6_0
    defines: { COLOR: ["float3(1, 0, 0)", "float3(0, 1, 0)"], LONG: [%s] }
"""
        % ("x" * 300)
    )
    names = [permutation.name for permutation in project.permutations]
    assert names[:2] == ["a.lib", "special"]
    assert names[2] != names[3]
    for name in names:
        assert len(name) <= 200 and not set(name) & set(' ()"/\\<>:|?*,')


def test_two_outputs_of_one_name(folder: Folder) -> None:
    _, messages = folder.load("""\
shaders:
  - { source: a.hlsl, profile: ps_6_0 }
  - { source: a.hlsl, profile: ps_6_1 }
""")
    assert [spell(message) for message in messages] == [
        "3:5: `a.main` would be written twice (give one of the entries a `name`)"
    ]
    assert messages[0].notes[0].location is not None
    assert messages[0].notes[0].location.line == 2


def test_globs(folder: Folder) -> None:
    project = folder.good("shaders:\n  - { source: ['*.hlsl', '**/pbr.hlsl'], profile: ps_6_0 }\n")
    found = [permutation.source for permutation in project.permutations]
    assert found == ["shaders/a.hlsl", "shaders/b.hlsl", "shaders/lit/pbr.hlsl"]


def test_crlf_and_bom(folder: Folder) -> None:
    project, messages = folder.load(b"\xef\xbb\xbfshaders:\r\n  - source: a.hlsl\r\n    profile: ps_6_0\r\n")
    assert messages == []
    assert project.permutations[0].name == "a.main"


def test_show_prints_the_origin_of_each_value(folder: Folder) -> None:
    project = folder.good(ISSUE, defaults="layout: gl\ninvert_y: true\n")
    found = show.find(project, "PSMain")
    text = show.show(found, with_defaults=True)
    assert text.startswith("lit/pbr.PSMain.SHADOWS=0\nlit/pbr.PSMain.SHADOWS=1\n")
    lines = {line.split(":")[0].strip(): line for line in text.splitlines()}
    assert "# config/shaders/x.yaml:6" in lines["layout"]
    assert "invert_y: true" in lines["invert_y"] and "# config/defaults.yaml:2" in lines["invert_y"]
    assert lines["denorm"].endswith("# default")
    assert "[10, 0]" in lines["bindings.shifts.t"]
    for name in ("lit/pbr.PSMain", "pbr.PSMain", "build/shaders/lit/pbr.PSMain.SHADOWS=0.spv", "lit/pbr.hlsl"):
        assert show.find(project, name), name
    assert show.find(project, "nothing") == []


# ---------------------------------------------------------------- the tables


def test_every_option_has_a_field_a_key_and_a_flag() -> None:
    fields = {name for name in CompileOptions.__dataclass_fields__ if name != "command_line"}
    assert {row.field for row in TABLE} == fields
    conversions = {"wgsl_optimized", *(f"wgsl_{name}" for name in WGSL), *CROSS_FIELDS}
    assert all(row.key and row.doc and (row.flags or row.field in conversions) for row in TABLE)
    assert len({row.key for row in TABLE}) == len(TABLE)


def test_no_flag_is_listed_twice() -> None:
    names = [flag.name for row in (*TABLE, *OUTPUTS) for flag in row.flags] + [other.flag.name for other in OTHERS]
    assert sorted(names) == sorted(set(names))


def test_every_kind_is_known() -> None:
    for row in (*TABLE, *keys.STRUCTURE_ROWS.values()):
        assert type(row.kind) is keys.Structure or type(row.kind) in kinds.KINDS


@pytest.mark.parametrize(
    "name",
    [
        "config/schema/shaders.json",
        "config/schema/defaults.json",
        "config/schema/manifest.json",
        "config/schema/event.json",
        "config/schema/diagnostics.json",
        "docs/reference/config.md",
    ],
)
def test_generated_files_are_in_step(name: str) -> None:
    from hlsl_tool.cli.schema import generated

    assert (ROOT / name).read_text(encoding="utf-8") == generated()[name], "run `python -m hlsl_tool schema --write`"


def test_the_schema_accepts_what_the_reader_does() -> None:
    import jsonschema
    import yaml

    document = json.loads(schema.text("shaders.json"))
    jsonschema.Draft202012Validator.check_schema(document)
    jsonschema.validate(yaml.safe_load(ISSUE), document)
    mistakes = ({"shaders": [{"source": "a", "layuot": "dx"}]}, {"shaders": [{"profile": "ps_6_0"}]}, {"layout": "dx"})
    for wrong in mistakes:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, document)
    defaults = yaml.safe_load((ROOT / "config/defaults.yaml").read_text())
    jsonschema.validate(defaults, json.loads(schema.text("defaults.json")))
