"""Remove debug information from the module of a result."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.codegen.passes.debug_info.strip import strip_debug_info
from hlsl_tool.compiler.result import CompileResult
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode


def stripped(result: CompileResult) -> CompileResult:
    """Return a copy of a result whose module has no debug information; the result itself is not changed."""
    module = decode(result.spirv)
    strip_debug_info(module)
    return replace(result, spirv=encode(module), module=module)
