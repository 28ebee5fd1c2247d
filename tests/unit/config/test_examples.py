"""The configurations of engines in `examples` have no errors; their sources are not in this repository."""

from __future__ import annotations

import pathlib

import jsonschema
import pytest
import yaml

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.project.config import schema
from hlsl_tool.project.config.load import load
from hlsl_tool.project.config.parameters import parameters

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"
NAMES = ("directxtk12", "donut", "fidelityfx", "nrd", "rbdoom-3-bfg")


@pytest.mark.parametrize("name", NAMES)
def test_the_configuration_is_read(name: str, tmp_path: pathlib.Path) -> None:
    sink = Sink(error_limit=0)
    (tmp_path / "shaders.yaml").write_bytes((EXAMPLES / name / "shaders.yaml").read_bytes())
    load(str(tmp_path), ["shaders.yaml"], sink, given=parameters({"OUTPUT": "out"}, {}))
    assert {diagnostic.code for diagnostic in sink.diagnostics} <= {codes.NO_SOURCES, codes.MISSING_SOURCE}
    assert sink.diagnostics
    assert "hlsl_tool build --root" in (EXAMPLES / name / "README.md").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_the_schema_and_every_yaml_reader_take_it(name: str) -> None:
    content = yaml.load((EXAMPLES / name / "shaders.yaml").read_text(), Loader=yaml.SafeLoader)  # not libyaml's
    jsonschema.Draft202012Validator(schema.shaders_schema()).validate(content)


def test_a_tree_with_such_names_is_planned(tmp_path: pathlib.Path) -> None:
    for source in ("ffx_fsr2_x_pass", "ffx_fsr2_debug", "ffx_fsr3upscaler_x_pass"):
        path = tmp_path / "Kits/FidelityFX/upscalers/fsr3/internal/shaders" / f"{source}.hlsl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "shaders.yaml").write_bytes((EXAMPLES / "fidelityfx/shaders.yaml").read_bytes())
    sink = Sink(error_limit=0)
    permutations = load(str(tmp_path), ["shaders.yaml"], sink).permutations
    assert {diagnostic.code for diagnostic in sink.diagnostics} == {
        codes.NO_SOURCES,  # frame generation
        codes.NO_INCLUDE_DIR,
    }
    assert len(permutations) == 2 * 4 * 64
    halves = {(v.name.partition(".")[0], v.options.profile, v.options.enable_16bit_types) for v in permutations}
    assert {row for row in halves if row[0].startswith("ffx_fsr2")} == {
        ("ffx_fsr2_x_pass", "cs_6_2", False),
        ("ffx_fsr2_x_pass_16bit", "cs_6_2", True),
        ("ffx_fsr2_x_pass_wave64", "cs_6_6", False),
        ("ffx_fsr2_x_pass_wave64_16bit", "cs_6_6", True),
    }
