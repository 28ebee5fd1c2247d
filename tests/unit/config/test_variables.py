"""Variables in configurations, variants that set options, and their values from a build's parameters."""

from __future__ import annotations

import json
import pathlib

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.cli.__main__ import main
from hlsl_tool.project.build import plan_cache
from hlsl_tool.project.config.load import load
from hlsl_tool.project.config.parameters import Parameters, parameters
from hlsl_tool.project.config.permutation import Project

VARIANTS = """\
output_dir: build/${VARIANT:-release}
defines: { PLATFORM: "${PLATFORM:-pc}", LEVEL: 1 }
variants:
  debug: { optimize: none, defines: { LEVEL: 2 } }
  release:
shaders:
  - { source: a.hlsl, profile: ps_6_0 }
  - { source: a.hlsl, profile: ps_6_0, name: own, defines: { LEVEL: 3 }, optimize: size }
"""


def read(root: pathlib.Path, text: str, given: Parameters) -> tuple[Project, list[str]]:
    (root / "shaders").mkdir(exist_ok=True)
    (root / "shaders/a.hlsl").write_text("float4 main() : SV_Target { return LEVEL; }")
    (root / "config/shaders").mkdir(parents=True, exist_ok=True)
    (root / "config/shaders/x.yaml").write_text(text)
    sink = Sink(error_limit=0)
    project = load(str(root), ["config/shaders"], sink, given=given)
    messages = []
    for message in sink.diagnostics:
        at = f"{message.location.file}:{message.location.line}:{message.location.col}: " if message.location else ""
        messages.append(f"{at}{message.message}" + (f" ({message.hint})" if message.hint else ""))
    return project, messages


def test_a_variant_stands_between_the_file_and_its_shaders(tmp_path: pathlib.Path) -> None:
    project, messages = read(tmp_path, VARIANTS, parameters({"PLATFORM": "switch"}, {}, variant="debug"))
    assert not messages and project.output_dir == "build/debug"
    plain, own = (permutation.options for permutation in project.permutations)
    assert (plain.optimize, dict(plain.defines)) == ("none", {"PLATFORM": "switch", "LEVEL": "2"})
    assert (own.optimize, dict(own.defines)) == ("size", {"PLATFORM": "switch", "LEVEL": "3"})
    project, messages = read(tmp_path, VARIANTS, Parameters())
    assert not messages and project.output_dir == "build/release"
    assert project.permutations[0].options.optimize == "performance"
    assert dict(project.permutations[0].options.defines) == {"PLATFORM": "pc", "LEVEL": "1"}


def test_the_caller_is_stronger_than_the_variant(tmp_path: pathlib.Path) -> None:
    given = parameters({}, {"LEVEL": 7, "NEW": True, "FLAG": None}, "out\\x", "debug")
    project, messages = read(tmp_path, VARIANTS, given)
    assert not messages and project.output_dir == "out/x"
    defines = {"PLATFORM": "pc", "LEVEL": "7", "FLAG": "1", "NEW": "true"}
    assert dict(project.permutations[0].options.defines) == defines
    assert dict(project.permutations[1].options.defines) == defines | {"LEVEL": "3"}


def test_a_macro_that_no_shader_takes_is_an_error(tmp_path: pathlib.Path) -> None:
    text = "shaders: [{ source: a.hlsl, profile: ps_6_0, defines: { LEVEL: [0, 1] } }]\n"
    _, messages = read(tmp_path, text, parameters({}, {"LEVEL": 2}))
    assert messages == ["every shader has its own value of the macro `LEVEL`"]  # CFG1783


def test_variants_of_outer_folders_come_first(tmp_path: pathlib.Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config/defaults.yaml").write_text(
        "variants: { debug: { optimize: size, debug: [line] }, other: { defines: { A: 1 } } }\n"
    )
    project, messages = read(tmp_path, VARIANTS, parameters({}, {}, variant="debug"))
    assert not messages
    options = project.permutations[0].options
    assert (options.optimize, options.debug) == ("none", ("line",))


@pytest.mark.parametrize(
    ("line", "values", "message"),
    [
        ("source: ${A}", {}, "3:13: the variable `A` has no value (give it: `--set A=…`, or write `${A:-default}`)"),
        ("source: x${PLATFOORM}", {"PLATFORM": "pc"},
         "3:14: the variable `PLATFOORM` has no value (did you mean `PLATFORM`?)"),
        ("source: a${A:-${B}}.hlsl", {}, "3:14: `a${A:-${B}}.hlsl` has a `${` that begins no variable"),
        ("source: a${A", {}, "3:14: `a${A` has a `${` that begins no variable"),
        ("source: ${A}", {"A": "${A}"}, "3:13: the value of the variable `A` contains a variable: `${A}`"),  # CFG1778
        ("${A}: a.hlsl", {"A": "source"}, "3:5: the key `${A}` contains a variable"),
        ("source: a.hlsl", {"B": "1"}, "no configuration uses the variable `B`"),  # CFG1779
    ],
)  # fmt: skip
def test_mistakes_in_variables(tmp_path: pathlib.Path, line: str, values: dict[str, object], message: str) -> None:
    _, messages = read(tmp_path, f"# one\nshaders:\n  - {line}\n    profile: ps_6_0\n", parameters(values, {}))
    assert messages[0].removeprefix("config/shaders/x.yaml:") == message


def test_a_dollar_stays(tmp_path: pathlib.Path) -> None:
    text = "shaders: [{ source: a.hlsl, profile: ps_6_0, defines: { A: $x, B: '$${C}', C: a$b, D: \"{$}\" } }]\n"
    project, messages = read(tmp_path, text, Parameters())
    assert not messages
    assert dict(project.permutations[0].options.defines) == {"A": "$x", "B": "${C}", "C": "a$b", "D": "{$}"}


def test_an_unknown_variant_is_an_error(tmp_path: pathlib.Path) -> None:
    text = VARIANTS.replace("${VARIANT:-release}", "x")
    _, messages = read(tmp_path, text, parameters({}, {}, variant="debgg"))
    assert messages == ["no configuration has the variant `debgg` (did you mean `debug`?)"]  # CFG1780
    _, messages = read(tmp_path, VARIANTS, parameters({}, {}, variant="any"))
    assert not messages  # the file uses its name


@pytest.mark.parametrize("text", ["variants: 3", "variants: { a: 3 }", "variants: { a: { variants: {} } }",
                                  "variants: { a: { shaders: [] } }"])  # fmt: skip
def test_bad_variants(tmp_path: pathlib.Path, text: str) -> None:
    _, messages = read(tmp_path, f"{text}\nshaders: [{{ source: a.hlsl, profile: ps_6_0 }}]\n", Parameters())
    assert len(messages) == 1 and messages[0].startswith("config/shaders/x.yaml:1:")


@pytest.mark.parametrize("name", ["A B", "", "1A", "A-B"])
def test_names_of_parameters(name: str) -> None:
    with pytest.raises(ValueError, match="is no name"):
        parameters({name: 1}, {})
    with pytest.raises(ValueError, match="one value"):
        parameters({}, {"A": [0, 1]})
    with pytest.raises(ValueError, match="on one line"):
        parameters({"A": "x\ny"}, {})


def test_each_variant_has_its_own_cached_plan(tmp_path: pathlib.Path) -> None:
    debug, other = parameters({}, {}, variant="debug"), parameters({"PLATFORM": "x"}, {}, variant="debug")
    read(tmp_path, VARIANTS, debug)
    root, names = str(tmp_path), ["config/shaders"]
    for given in (debug, other, Parameters()):
        assert plan_cache.cached(root, names, given=given) is None
        assert plan_cache.read(root, names, Sink(), given=given) is not None
    plans = [plan_cache.cached(root, names, given=given) for given in (debug, other, Parameters())]
    assert [plan.output_dir if plan else "" for plan in plans] == ["build/debug", "build/debug", "build/release"]
    assert len({plan.key for plan in plans if plan}) == 3


def run(words: list[str]) -> int:
    with pytest.raises(SystemExit) as ended:
        main(words)
    return int(ended.value.code or 0)


def test_the_command_line(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    read(tmp_path, VARIANTS, Parameters())
    words = [
        "--root",
        str(tmp_path),
        "--variant",
        "debug",
        "--set",
        "PLATFORM=vr",
        "--define",
        "EXTRA",
        "--define",
        "B=2",
    ]
    assert run(["config", "show", *words, "own"]) == 0
    shown = capsys.readouterr().out
    assert "defines.EXTRA: 1" in shown and "# the caller" in shown and "output_dir: build/debug" in shown
    assert run(["build", "--store", "none", "--no-server", *words]) == 0
    assert run(["build", "--store", "none", "--no-server", "--root", str(tmp_path)]) == 0
    manifests = [json.loads((tmp_path / "build" / name / "manifest.json").read_text()) for name in ("debug", "release")]
    assert [m["shaders"][0]["defines"].get("PLATFORM") for m in manifests] == ["vr", "pc"]
    capsys.readouterr()
    assert run(["why", "--store", "none", *words, "build/debug/own.spv"]) == 0
    assert "own: up to date" in capsys.readouterr().out
    assert run(["build", "--store", "none", "--no-server", "--prune", *words]) == 0
    assert (tmp_path / "build/release/own.spv").exists()
    assert run(["config", "check", "--root", str(tmp_path), "--set", "PLATFORM"]) == 2
    assert "--set PLATFORM: write NAME=VALUE" in capsys.readouterr().err
