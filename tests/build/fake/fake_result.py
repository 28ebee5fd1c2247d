"""The result and the memory of the fake compiler (`fake_compile`)."""

from __future__ import annotations

from dataclasses import dataclass, field

from hlsl_tool.compiler.stopwatch import Stopwatch
from hlsl_tool.frontend.preprocessor import PreprocessorMemory as Memory

__all__ = ["CompileResult", "Memory"]


@dataclass
class CompileResult:
    ok: bool
    spirv: bytes
    trace: object
    diagnostics: list = field(default_factory=list)
    interface: object = None
    module: object = "none"
    reused: str = ""
    key: str = ""
    watch: Stopwatch = field(default_factory=Stopwatch)
