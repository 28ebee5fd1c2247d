"""hlsl_tool: an HLSL to SPIR-V compiler and shader build tool.

``compile_shader`` compiles one shader; ``CompileOptions`` has its options; ``link`` links libraries; ``check_stages``
checks whether the modules of a pipeline fit together.  They are imported when first asked for, so that the command line
and SCons start fast.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  # any version may start a checkout, and has to parse this file
    _PROBLEM = "hlsl_tool needs Python 3.11 or later; " + sys.executable + " is Python " + sys.version.split()[0]
    if sys.argv[:1] == ["-m"]:  # the package is started as a program: one line is more help than a traceback
        sys.exit(_PROBLEM)
    raise ImportError(_PROBLEM)

from hlsl_tool.base.lazy_names import lazy_names

TYPE_CHECKING = False  # start-up time
if TYPE_CHECKING:
    from hlsl_tool.base.options.compile_options import CompileOptions
    from hlsl_tool.compiler.compile import compile_shader
    from hlsl_tool.compiler.linking.link import link
    from hlsl_tool.compiler.result import CompileResult, Memory
    from hlsl_tool.reflection.linking.pipeline import check_stages

__version__ = "0.1.0"

__all__ = ["CompileOptions", "CompileResult", "Memory", "check_stages", "compile_shader", "link"]

_HOMES = {
    "CompileOptions": "base.options.compile_options",
    "CompileResult": "compiler.result",
    "Memory": "compiler.result",
    "check_stages": "reflection.linking.pipeline",
    "compile_shader": "compiler.compile",
    "link": "compiler.linking.link",
}

_PACKAGES = ("gpu", "reflection")
"""Packages of the public interface, which need no import of their own."""

__getattr__, _names = lazy_names(__name__, {**_HOMES, **dict.fromkeys(_PACKAGES, "")})


def __dir__():  # type: ignore[no-untyped-def]  # older parsers read this file, see above
    return ["__version__", *_names()]
