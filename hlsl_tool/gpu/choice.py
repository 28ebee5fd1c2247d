"""Choose a device: by ``device=``, else the environment variable ``HLSL_TOOL_GPU``, else the first that works.

Without a driver, kernels run on the interpreter, and a warning says so once.
"""

from __future__ import annotations

import os
import warnings
from functools import cache

from .backend import Backend
from .errors import GpuError, NoDeviceError, NoDriverWarning

VARIABLE = "HLSL_TOOL_GPU"
LIBRARIES = ("vulkan", "wgpu")
"""The libraries that need a driver, in the order in which they are tried."""
INTERPRETER = "cpu"
_DRIVER_HINT = "Install a Vulkan driver; Debian's mesa-vulkan-drivers has one for CPUs."


def backend(device: str | None) -> Backend:
    """Return the device for a text; equal texts give the same object.

    The text is ``vulkan``, ``wgpu`` or ``cpu`` (the library), optionally followed by a colon and a part of the device's
    name.  Raises ``NoDeviceError``; without a text only if the interpreter cannot be used, either.
    """
    if not isinstance(device, str | None):
        raise NoDeviceError(f"the device is {device!r}, which is no text", 'device="vulkan", "wgpu" or "cpu"')
    wanted = device or os.environ.get(VARIABLE, "")
    if wanted:
        return _opened(wanted)
    problems = []
    for library in LIBRARIES:
        try:
            return _opened(library)
        except NoDeviceError as error:
            problems.append(error)
    hint = next((error.hint for error in problems if error.hint), _DRIVER_HINT)
    _note_interpreter("; ".join(error.reason for error in problems), hint)
    return _opened(INTERPRETER)


@cache
def _note_interpreter(reasons: str, hint: str) -> None:
    """Warn, once for the same reasons, that kernels run without a driver."""
    text = f"kernels run on the interpreter, which is slow: {reasons}\nhint: {hint}"
    warnings.warn(text, NoDriverWarning, stacklevel=4)


def devices() -> dict[str, str]:
    """Return library → name of the device that it selects by default; libraries without a device are omitted."""
    out = {}
    for library in (*LIBRARIES, INTERPRETER):
        try:
            out[library] = _opened(library).name
        except GpuError:
            continue
    return out


_failures: dict[str, NoDeviceError] = {}


def _opened(wanted: str) -> Backend:
    if wanted in _failures:  # drivers are slow to report that they have no device
        raise _failures[wanted]
    try:
        return _open(wanted)
    except NoDeviceError as error:
        _failures[wanted] = error
        raise


@cache
def _open(wanted: str) -> Backend:
    library, _, name = wanted.partition(":")
    if library == "vulkan":
        try:
            from .vulkan.dispatch import VulkanBackend
        except (ImportError, OSError) as error:  # the binding looks for the loader when it is imported
            raise NoDeviceError(_not_installed(error), "pip install hlsl_tool[gpu]") from error
        return VulkanBackend(name)
    if library == "wgpu":
        try:
            from .webgpu import WebGpuBackend
        except (ImportError, OSError) as error:
            raise NoDeviceError(_not_installed(error), "pip install hlsl_tool[gpu]") from error
        return WebGpuBackend(name)
    if library == INTERPRETER:
        from .cpu import CpuBackend

        return CpuBackend(name)
    raise NoDeviceError(f"there is no library `{library}`", f"Libraries are {', '.join((*LIBRARIES, INTERPRETER))}.")


def _not_installed(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"the package {error.name} is not installed"
    return f"{error}"
