"""Reproductions: archives with everything that one compilation read, which run on any machine.

from hlsl_tool.project.repro import make_repro, run_repro

data = make_repro(source, profile="ps_6_0")
result = run_repro(data)
"""

from __future__ import annotations

from hlsl_tool.project.repro.archive import BadArchive
from hlsl_tool.project.repro.record import make_repro
from hlsl_tool.project.repro.replay import run_repro

__all__ = ["BadArchive", "make_repro", "run_repro"]
