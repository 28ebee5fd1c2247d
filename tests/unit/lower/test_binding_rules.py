"""Each binding rule (manual: *HLSL register and Vulkan binding*), and combinations that are errors."""

from __future__ import annotations

import pathlib

import pytest

from hlsl_tool.base.options.command_line import parse
from hlsl_tool.cli.dxc import run
from hlsl_tool.compiler.compile import compile_shader
from tests.oracle.binding_rules import RULES, BindingRule, S, places


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_rule(rule: BindingRule) -> None:
    line = ["-spirv", "-fcgl", "-Vd", "-T", rule.profile, "-E", "main", *rule.flags.split(), "x.hlsl"]
    result = compile_shader(rule.shader, profile=rule.profile, options=parse(line).options)
    assert result.module is not None, [d.message for d in result.diagnostics]
    assert places(result.module) == rule.wanted
    told = {r.name: (r.set, r.binding) for r in result.interface.resources if r.set is not None}
    assert told == rule.wanted, "the record says what the module has"


TABLE = "-fvk-bind-register t0 0 1 0"


@pytest.mark.parametrize(
    ("flags", "declarations", "message"),
    [
        # what cannot be given together
        (f"{TABLE} -fvk-b-shift 1 0", "", "-fvk-b-shift cannot be used together with -fvk-bind-register"),
        (f"{TABLE} -fvk-u-shift 1 all", "", "-fvk-u-shift cannot be used together with -fvk-bind-register"),
        ("-fvk-t-shift 1 0 -fvk-t-shift 2 all", "", "setting all sets via -fvk-t-shift argument should be used alone"),
        ("-fvk-t-shift x 0", "", "invalid -fvk-t-shift argument: x"),
        ("-fvk-bind-globals 1 x", "", "invalid -fvk-bind-globals set number: x"),
        ("-fvk-bind-resource-heap -1 0", "", "expected positive integer for -fvk-bind-resource-heap, got: -1"),
        ("-fvk-bind-register t0 0 x 0", "", "invalid -fvk-bind-register binding number: x"),
        # what the table must have
        (TABLE, "Texture2D t;", "-fvk-bind-register requires register annotations on all resources"),
        (TABLE, "Texture2D t : register(t1);", "missing -fvk-bind-register for resource"),
        (TABLE, "Texture2D t : register(t0, space1);", "missing -fvk-bind-register for resource"),
        (TABLE, "float4 k;", "requires Globals buffer to be bound with -fvk-bind-globals"),
        ("-vkbr u0 0 1 0", "AppendStructuredBuffer<int> a : register(u0);", "-fvk-bind-register"),
        # numbers and places
        ("-fvk-t-shift 4294967295 0", "Texture2D t : register(t1);", "shift"),
        ("", "[[vk::binding(-1)]] Texture2D t;", "integers from 0"),
        ("", "[[vk::binding(1)]] float4 k;", "k"),
        ("", "[[vk::binding(1), vk::push_constant]] S k;", "cannot be used together"),
    ],
)
def test_mistakes(flags: str, declarations: str, message: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "x.hlsl").write_text(f"{S}\n{declarations}\n[numthreads(1, 1, 1)] void main() {{}}\n")
    status, _, err = run(["-T", "cs_6_0", "-E", "main", "-fcgl", *flags.split(), "x.hlsl"], str(tmp_path))
    assert status != 0
    assert message in err
    assert "Traceback" not in err
