"""Run compute kernels on numpy arrays: ``load`` a shader, call it, read the results (``docs/how-to/gpu.md``).

Needs the extra ``gpu``.  Modules are imported at the first use of a name, because pytest imports this package to find
its plug-in.
"""

from __future__ import annotations

from hlsl_tool.base.lazy_names import lazy_names

TYPE_CHECKING = False  # start-up time
if TYPE_CHECKING:
    from typing import Any

    from .arrays import DeviceArray, Sampler, array, sampler
    from .choice import devices
    from .errors import (
        ArgumentError,
        CompileError,
        DriverError,
        FileError,
        GpuError,
        NoDeviceError,
        NoDriverWarning,
        UnsupportedError,
    )
    from .kernel import Kernel
    from .loading import compile, load

__all__ = [
    "ArgumentError",
    "CompileError",
    "DeviceArray",
    "DriverError",
    "FileError",
    "GpuError",
    "Kernel",
    "NoDeviceError",
    "NoDriverWarning",
    "Sampler",
    "UnsupportedError",
    "array",
    "compile",
    "devices",
    "load",
    "sampler",
]

_HOMES = {
    **dict.fromkeys(
        (
            "ArgumentError",
            "CompileError",
            "DriverError",
            "FileError",
            "GpuError",
            "NoDeviceError",
            "NoDriverWarning",
            "UnsupportedError",
        ),
        "errors",
    ),
    **dict.fromkeys(("DeviceArray", "Sampler", "array", "sampler"), "arrays"),
    "Kernel": "kernel",
    "compile": "loading",
    "devices": "choice",
    "load": "loading",
}


_find, __dir__ = lazy_names(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    try:
        return _find(name)
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise ImportError("hlsl_tool.gpu needs numpy: pip install hlsl_tool[gpu]") from error
