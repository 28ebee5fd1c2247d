"""Damaged shaders end with a message or a valid module; `mutate` runs any number of mutations, also of other files."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from mutate import command_line, judge  # noqa: E402 - a program of its own, beside the tests
from mutations import mutate, tokens  # noqa: E402

COUNT = os.environ.get("HLSL_TOOL_MUTATIONS", "150")
SOURCE = (
    "// RUN: not %dxc -T ps_6_0 -E foo -fcgl %s -spirv | FileCheck %s\nfloat4 foo() : SV_Target { return 1.5e-3; }\n"
)


def test_mutations() -> None:
    command = [sys.executable, str(HERE / "mutate.py"), "--count", COUNT, "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "refused" in done.stdout and "ok" in done.stdout


def test_tokens_are_the_text() -> None:
    assert "".join(tokens(SOURCE)) == SOURCE
    assert "1.5e-3" in tokens(SOURCE)


def test_a_number_names_a_mutation() -> None:
    made = [mutate(SOURCE, [SOURCE], random.Random(i)) for i in (1, 1, 2)]
    assert made[0] == made[1]
    assert len(set(made) | {SOURCE}) == 3


def test_command_line() -> None:
    assert command_line(SOURCE) == ["-T", "ps_6_0", "-E", "foo"]
    assert command_line("[numthreads(1,1,1)]")[1].startswith("cs")


def test_judgement(tmp_path: Path) -> None:
    arguments = ["-T", "ps_6_0", "-E", "foo"]
    assert judge(str(tmp_path), SOURCE, arguments)[0] == "ok"
    assert judge(str(tmp_path), SOURCE.replace("1.5", "x"), arguments)[0] == "refused"
