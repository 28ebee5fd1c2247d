"""Every option of the command line has an effect, and is tested: the test iterates over the option table.

A new row in `hlsl_tool/base/options/table.py` fails here until `behaviours.py` describes its effect.
"""

from __future__ import annotations

import pathlib
import re
import shutil
import textwrap
from dataclasses import dataclass

import pytest

from hlsl_tool.base.options.kinds import COMMAS, EITHER, FLAG, JOINED, SEPARATE, Other
from hlsl_tool.base.options.table import OTHERS, OUTPUTS, TABLE
from hlsl_tool.cli.dxc import run
from tests.unit.compiler.options.behaviours import BEHAVIOURS, OF_LIBRARIES, WITHOUT_EFFECT, Does
from tests.unit.compiler.options.shaders import FILES, SHADERS

pytestmark = pytest.mark.skipif(
    not (shutil.which("spirv-opt") and shutil.which("spirv-val")), reason="spirv-opt and spirv-val are not on PATH"
)

FLAGS = [flag.name for row in (*TABLE, *OUTPUTS) for flag in row.flags]


@dataclass
class Result:
    status: int
    out: str
    err: str
    files: dict[str, str]

    def text(self, where: str) -> str:
        return {"out": self.out, "err": self.err}.get(where, self.files.get(where, ""))


def compiled(folder: pathlib.Path, shader: str, words: list[str]) -> Result:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    profile, text = SHADERS[shader]
    (folder / "x.hlsl").write_text(textwrap.dedent(text))
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    chosen = [] if "-T" in words else ["-T", profile]
    entry = [] if profile.startswith("lib") or "-E" in words else ["-E", "main"]
    status, out, err = run([*chosen, *entry, *words, "x.hlsl"], str(folder))
    files = {path.name: path.read_bytes().decode("latin-1") for path in folder.iterdir() if path.is_file()}
    return Result(status, out, err, files)


def spelled(name: str, value: str) -> list[str]:
    return [name, *value.split()] if value.startswith(" ") or not value else [name + value]


def test_every_flag_has_a_row() -> None:
    known = {*BEHAVIOURS, *WITHOUT_EFFECT, *OF_LIBRARIES}
    assert [flag for flag in FLAGS if flag not in known] == [], "say in behaviours.py what the option does"
    assert sorted(known - set(FLAGS)) == [], "rows of options that are gone"
    assert len(known) == len(BEHAVIOURS) + len(WITHOUT_EFFECT) + len(OF_LIBRARIES)


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_the_option_has_its_described_effect(name: str, tmp_path: pathlib.Path) -> None:
    """A text that `behaviours.py` lists for an option is in the output only with the option, or only without it."""
    does: Does = BEHAVIOURS[name]
    flag, also, folder = spelled(name, does.value), does.also.split(), tmp_path / "here"
    if name == "-T":
        also = ["-E", "main"]
    with_it = compiled(folder, does.shader, [*also, *flag])
    without = compiled(folder, does.shader, also)
    if does.where == "as without":
        assert not does.shows and not does.hides
        assert (with_it.status, with_it.out, with_it.err) == (without.status, without.out, without.err)
        return
    assert does.shows or does.hides, "a test that cannot fail"
    on, off = with_it.text(does.where), without.text(does.where)
    if does.shows:
        assert re.search(does.shows, on), f"{on}\n{with_it.err}"
        assert not re.search(does.shows, off)
    if does.hides:
        assert not re.search(does.hides, on)
        assert re.search(does.hides, off), f"{off}\n{without.err}"


@pytest.mark.parametrize("name", WITHOUT_EFFECT)
def test_without_effect(name: str, tmp_path: pathlib.Path) -> None:
    for shader in ("branches", "bound"):
        with_it, without = compiled(tmp_path / "a", shader, [name]), compiled(tmp_path / "a", shader, [])
        assert (with_it.status, with_it.out, with_it.err) == (without.status, without.out, without.err)


@pytest.mark.parametrize(("name", "value"), [("-export-shaders-only", []), ("-default-linkage", ["external"])])
def test_options_of_libraries(name: str, value: list[str], tmp_path: pathlib.Path) -> None:
    assert name in OF_LIBRARIES
    env = "-fspv-target-env=vulkan1.2"
    with_it, without = (compiled(tmp_path / "a", "raytracing", words) for words in ([env, name, *value], [env]))
    assert with_it.status == 0
    assert with_it.out == without.out
    wrong = compiled(tmp_path / "a", "plain", [name, *value])
    assert wrong.status == 1
    assert "library profile required" in wrong.err


def dummy(other: Other) -> list[str]:
    """Return the flag with values of the required kind."""
    flag = other.flag
    if flag.form == FLAG:
        return [flag.name]
    if flag.form in (JOINED, COMMAS):
        return [flag.name + "1"]
    assert flag.form in (SEPARATE, EITHER)
    return [flag.name, *["1"] * flag.count]


@pytest.mark.parametrize("other", OTHERS, ids=lambda other: other.flag.name)
def test_dxcs_other_flags(other: Other, tmp_path: pathlib.Path) -> None:
    """Accepted options without an effect do not change the module; rejected ones are named in the message."""
    result = compiled(tmp_path / "a", "plain", dummy(other))
    if other.verdict == "refused":
        assert result.status == 1
        assert other.flag.name.lstrip("-") in result.err
        return
    plain = compiled(tmp_path / "a", "plain", [])
    assert (result.status, result.out) == (0, plain.out), result.err


# --------------------------------------------------------------------------- values of options that have several ways


@pytest.mark.parametrize(
    ("value", "shows", "hides"),
    [
        ("file", "OpSource HLSL 600 %\\d+\n", "float4 main"),
        ("source", "float4 main", "OpLine"),
        ("line", "OpLine", "NonSemantic"),
        ("tool", "dxc-cl-option: x.hlsl .*-fspv-debug=tool", "OpLine"),
        ("rich", "DebugLexicalBlock|DebugFunction", "NonSemantic"),
        ("rich-with-source", "DebugSource", "NonSemantic"),
        ("vulkan", "NonSemantic.Shader.DebugInfo.100", "float4 main"),
        ("vulkan-with-source", "NonSemantic.Shader.DebugInfo.100", "OpenCL"),
    ],
)
def test_debug_categories(value: str, shows: str, hides: str, tmp_path: pathlib.Path) -> None:
    result = compiled(tmp_path / "a", "plain", [f"-fspv-debug={value}", "-fcgl", "-fspv-target-env=vulkan1.1"])
    assert re.search(shows, result.out), result.out + result.err
    assert not re.search(hides, result.out)


def test_an_unknown_debug_category(tmp_path: pathlib.Path) -> None:
    result = compiled(tmp_path / "a", "plain", ["-fspv-debug=everything"])
    assert "unknown SPIR-V debug info control parameter: everything" in result.err


@pytest.mark.parametrize("value", ["preserve", "ftz", "any"])
def test_denormal_numbers(value: str, tmp_path: pathlib.Path) -> None:
    result = compiled(tmp_path / "a", "floats", ["-denorm", value])
    mode = {"preserve": "DenormPreserve", "ftz": "DenormFlushToZero"}.get(value)
    assert ("Denorm" in result.out) is (mode is not None)
    assert mode is None or f"OpExecutionMode %main {mode} 32" in result.out


def test_extensions_are_an_allow_list(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "a"
    one = compiled(folder, "extension", ["-fspv-extension=SPV_KHR_multiview"])
    assert 'OpExtension "SPV_KHR_multiview"' in one.out
    assert 'OpExtension "SPV_KHR_multiview"' in compiled(folder, "extension", ["-fspv-extension=KHR"]).out
    assert "SPV_KHR_multiview" in compiled(folder, "extension", ["-fspv-extension=SPV_EXT_mesh_shader"]).err
    assert "SPV_NOBODY_knows" in compiled(folder, "extension", ["-fspv-extension=SPV_NOBODY_knows"]).err


@pytest.mark.parametrize("env", ["vulkan1.0", "vulkan1.1", "vulkan1.1spirv1.4", "vulkan1.2", "vulkan1.3", "vulkan1.4"])
def test_target_environments(env: str, tmp_path: pathlib.Path) -> None:
    version = {"vulkan1.0": "1.0", "vulkan1.1": "1.3", "vulkan1.1spirv1.4": "1.4", "vulkan1.2": "1.5"}.get(env, "1.6")
    assert f"Version: {version}" in compiled(tmp_path / "a", "plain", [f"-fspv-target-env={env}"]).out


def test_flags_with_a_slash(tmp_path: pathlib.Path) -> None:
    plain = compiled(tmp_path / "a", "layout", ["-Zpr"])
    assert compiled(tmp_path / "a", "layout", ["/Zpr"]).out == plain.out
