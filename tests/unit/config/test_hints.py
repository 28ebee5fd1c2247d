"""Hints that name options: a switch on the command line, a key and its value in a build."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest
import yaml

from hlsl_tool.base.diagnostics.catalogue.registry import by_id
from hlsl_tool.base.diagnostics.remedies import REMEDIES
from hlsl_tool.base.options.matching import match_all
from hlsl_tool.cli.__main__ import run
from hlsl_tool.project.config.hints import in_yaml
from hlsl_tool.project.config.keys import OTHER_WORDS

SWITCH = re.compile(r"`(-[^`]+)`")
FIELDS = {"option": "-fvk-bind-sampler-heap", "name": "SPV_KHR_ray_query", "needed": "cs_6_6", "highest": 4000}


def filled(template: str) -> str:
    names = {name for _, name, _, _ in string.Formatter().parse(template) if name}
    return template.format(**{name: FIELDS.get(name, "6.6") for name in names})


@pytest.mark.parametrize("code", sorted(REMEDIES))
def test_every_remedy_is_an_option_of_both(code: str) -> None:
    assert by_id(code) is not None
    hint = filled(REMEDIES[code])
    (switch,) = SWITCH.findall(hint)
    matches, inputs, unknown, missing = match_all(switch.split(), None)
    assert (len(matches), inputs, unknown, missing) == (1, [], [], "")
    assert not SWITCH.search(in_yaml(hint))


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        ("compile with `-fspv-target-env=vulkan1.1`", "compile with `target_env: vulkan1.1`"),
        ("`-enable-16bit-types` or `-HV 202x`", "`enable_16bit_types: true` or `hlsl_version: 202x`"),
        ("`-Zpr`, or `-T ps_6_2`", "`matrix_layout: row_major`, or `profile: ps_6_2`"),
        ("`-fspv-extension=SPV_KHR_ray_query`", "`extensions: [SPV_KHR_ray_query]`"),
        ("`-fvk-bind-globals 3 1`", "`bindings: { globals: [3, 1] }`"),
        (
            "`-fvk-s-shift 16 all -fvk-t-shift 32 all -fvk-auto-shift-bindings -HV 2018`",
            "`bindings: { shifts: { s: [16, all], t: [32, all] }, auto_shift: true }, hlsl_version: 2018`",
        ),
        ("`-fvk-t-shift 16 all`", "`bindings: { shifts: { t: [16, all] } }`"),
        (
            "`-fvk-bind-register t3 0 5 1`",
            "`bindings: { registers: [{ register: t3, space: 0, binding: 5, set: 1 }] }`",
        ),
        ("`-fspv-max-id fa0`", "`max_id: 0xfa0`"),
        ("`-ferror-limit=0`", "`error_limit: 0`"),
        ("`-fvk-use-scalar-layout`", "`layout: scalar`"),
        ("write `--set NAME=…`, `-Fo x` or `- x`", "write `--set NAME=…`, `-Fo x` or `- x`"),
    ],
)
def test_switches_become_keys(hint: str, expected: str) -> None:
    assert in_yaml(hint) == expected


WAVES = (
    "[numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) { if (WaveReadLaneFirst(i) == i) AllMemoryBarrier(); }"
)
SMALL = "RWBuffer<float> o; [numthreads(1, 1, 1)] void main() { float16_t x = 1; o[0] = x; }"
SIZE = "RWBuffer<float> o; [WaveSize(32)] [numthreads(1, 1, 1)] void main() { o[0] = 1; }"
CASES = {
    "environment": (WAVES, "cs_6_0", "`-fspv-target-env=vulkan1.1`", "target_env: vulkan1.1"),
    "16bit": (SMALL, "cs_6_2", "`-enable-16bit-types`", "enable_16bit_types: true"),
    "model": (SIZE, "cs_6_0", "`-T cs_6_6`", "profile: cs_6_6"),
}


@pytest.mark.parametrize("case", CASES)
def test_hints_on_the_command_line_and_in_a_build(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The configuration accepts the setting that the hint of a build names, and the shader builds with it."""
    source, profile, switch, setting = CASES[case]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HLSL_TOOL_SERVER", "off")
    (tmp_path / "shaders").mkdir()
    (tmp_path / "shaders/a.hlsl").write_text(source)
    assert run(["compile", "-T", profile, "-E", "main", "shaders/a.hlsl", "-Fo", "a.spv"]) != 0
    told = capfd.readouterr().err
    assert switch in told

    (tmp_path / "config/shaders").mkdir(parents=True)
    shader = {"source": "a.hlsl", "entries": [{"entry": "main", "profile": profile}]}
    configuration = tmp_path / "config/shaders/a.yaml"
    configuration.write_text(yaml.safe_dump({"shaders": [shader]}))
    assert run(["build", "--store", "none"]) != 0
    told = "".join(capfd.readouterr())
    assert f"`{setting}`" in told
    assert "command line option" not in told

    changed = yaml.safe_load(setting)
    shader["entries"] = [{"entry": "main", "profile": changed.pop("profile", profile)}]
    configuration.write_text(yaml.safe_dump({"shaders": [{**shader, **changed}]}))
    assert run(["build", "--store", "none"]) == 0, capfd.readouterr().err


@pytest.mark.parametrize("word", sorted(OTHER_WORDS))
def test_words_of_other_tools_lead_to_keys(word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A key that other tools have is answered with ours, at a level that takes it."""
    key = OTHER_WORDS[word]
    (tmp_path / "config/shaders").mkdir(parents=True)
    entry = f", entries: [{{entry: main, {word}: x}}]" if key == "entry" else f", {word}: x"
    (tmp_path / "config/shaders/a.yaml").write_text(f"shaders: [{{source: a.hlsl, profile: ps_6_0{entry}}}]\n")
    assert run(["build", "--no-server", "--root", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert f"unknown key `{word}`" in err
    assert re.search(rf"did you mean `(?:bindings\.)?{key}`\?", err), err
