"""Outputs do not depend on the front end, the number of workers, the number of SCons nodes, or Python's hash seed."""

from __future__ import annotations

import pytest

from tests.build.conftest import Project

CONFIG = """\
include_dirs: [include]
shaders:
  - source: 'area/*.hlsl'
    entries: [{ entry: VSMain, profile: vs_6_0 }, { entry: PSMain, profile: ps_6_0 }]
    outputs: [spv, reflection, dep]
    defines: { QUALITY: [0, 1] }
"""
SOURCE = """\
#include "shared.h"
cbuffer C{number} {{ float4x4 m; float k[3]; }};
float4 VSMain(float4 p : POSITION) : SV_Position {{ return mul(m, scaled(p, k[{number}])); }}
float4 PSMain(float4 p : SV_Position) : SV_Target {{ return QUALITY ? scaled(p, k[1]) : p; }}
"""
WAYS = (
    ("1", "scons_nodes=single", "-j1"),
    ("2", "scons_nodes=single", "-j3"),
    ("3", "scons_nodes=set", "-j1"),
    ("4", "scons_nodes=set", "-j3"),
)


@pytest.mark.slow
def test_every_way_makes_the_same(project: Project, monkeypatch) -> None:
    project.fake = False
    project.write("config/shaders/all.yaml", CONFIG)
    project.write("shaders/include/shared.h", "float4 scaled(float4 v, float by) { return v * by; }\n")
    for number in range(3):
        project.write(f"shaders/area/s{number}.hlsl", SOURCE.format(number=number))
    found = []
    for seed, *arguments in WAYS:
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        run = project.scons(*arguments)
        assert run.status == 0, run.out + run.err
        assert run.summary == "shaders: 12 built, 0 up to date, 0 failed"
        found.append(project.outputs())
        project.scons("-c")
        assert project.outputs() == {}
    run = project.tool("build", "-j2")
    assert run.status == 0, run.out + run.err
    found.append(project.outputs())
    assert len(found[0]) == 12 * 3 + 3 + 1, sorted(found[0])
    assert all(each == found[0] for each in found[1:])
