"""DXC follows the table of binding rules that this compiler's own tests use."""

from __future__ import annotations

import pathlib
import subprocess

import pytest

from hlsl_tool.spirv.decode import decode
from tests.oracle.binding_rules import RULES, BindingRule, places
from tests.oracle.dxc import DXC, MISSING

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(not DXC, reason=MISSING),
]


@pytest.mark.parametrize("rule", [rule for rule in RULES if not rule.young], ids=lambda rule: rule.name)
def test_rule(rule: BindingRule, tmp_path: pathlib.Path) -> None:
    path, output = tmp_path / "x.hlsl", tmp_path / "x.spv"
    path.write_text(rule.shader)
    line = ["-spirv", "-fcgl", "-Vd", "-HV", "2021", "-T", rule.profile, "-E", "main", *rule.flags.split()]
    done = subprocess.run([*DXC, *line, str(path), "-Fo", str(output)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = places(decode(output.read_bytes()))
    wanted = dict(rule.wanted)
    # Until 2023 every RWStructuredBuffer had a counter, used or not.
    assert {name: place for name, place in found.items() if name in wanted} == wanted
    assert all(name.startswith("counter.var.") for name in found if name not in wanted)
