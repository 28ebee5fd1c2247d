"""The stages of the sample shaders fit together: the link check reports no diagnostic."""

from __future__ import annotations

import pathlib
import shutil

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.compiler.result import Memory
from hlsl_tool.project.build.outputs.links import plan_links, run_links
from hlsl_tool.project.build.outputs.render import compile_job, disk
from hlsl_tool.project.build.plan import plan
from hlsl_tool.project.config.load import load
from hlsl_tool.project.config.pipelines import GRAPHICS

ROOT = pathlib.Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(not shutil.which("spirv-opt"), reason="spirv-opt, which legalises, is not on PATH")


def test_samples_link() -> None:
    sink = Sink()
    project = load(str(ROOT), ["config/shaders"], sink)
    assert not sink.diagnostics
    jobs = plan(project)
    links = plan_links(project, jobs)
    memory, fs = Memory(), disk(str(ROOT))
    interfaces = {
        job.name: compile_job(job, str(ROOT), fs, memory).interface
        for job in jobs
        if job.options.profile.partition("_")[0] in GRAPHICS
    }
    assert len(links) > 20
    for link in links:
        result = run_links(link, interfaces)
        assert [d.message for _, found in result.messages for d in found] == [], link.name
        assert result.ok
        assert '"stage"' in result.report_text
