"""A worker process ends if the build that started it does not read its result any more."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.workers.worker import send
from tests.patience import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.mark.skipif(os.name == "nt", reason="pipes break in other ways")
def test_a_worker_ends_if_its_result_is_not_read(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.hlsl").write_text("float4 main() : SV_Target { return 1; }")
    job = Job("a", "a.hlsl", CompileOptions(profile="ps_6_0", validate="no"), {"spv": "a.spv"})
    worker = subprocess.Popen(
        [sys.executable, "-m", "hlsl_tool.project.build.workers.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert worker.stdin is not None and worker.stdout is not None and worker.stderr is not None
    worker.stdout.close()
    send(worker.stdin, str(tmp_path))  # type: ignore[arg-type]  # IO[bytes] is what Popen calls a BinaryIO
    send(worker.stdin, job)  # type: ignore[arg-type]
    worker.stdin.close()
    with worker.stderr as errors:
        assert (errors.read(), worker.wait(PATIENCE)) == (b"", 0)
