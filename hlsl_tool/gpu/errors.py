"""Exceptions of ``hlsl_tool.gpu``; each has a code of the diagnostics catalogue and a hint."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.diagnostics.diagnostic import Code, Diagnostic


class GpuError(Exception):
    """Base class: an error of a kernel or of a call.

    ``code`` is stable (``HLSL1793``); ``hint`` tells how to avoid the error, or is empty.
    """

    def __init__(self, code: Code, hint: str = "", **fields: object) -> None:
        self.code = code.id
        self.message = code.template.format(**fields)
        self.hint = hint
        super().__init__(f"{self.message} [{self.code}]" + (f"\nhint: {hint}" if hint else ""))


class NoDeviceError(GpuError):
    """Raised if there is no device that can run kernels."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(codes.NO_DEVICE, hint, reason=reason)
        self.reason = reason


class NoDriverWarning(UserWarning):
    """Issued once if there is no driver, and kernels run on the interpreter."""


class ArgumentError(GpuError, ValueError):
    """Raised for an argument that is missing, unknown, or does not fit; ``parameter`` is its name in HLSL."""

    def __init__(self, code: Code, parameter: str, hint: str = "", **fields: object) -> None:
        super().__init__(code, hint, name=parameter, **fields)
        self.parameter = parameter


class FileError(GpuError, OSError):
    """Raised for a shader that cannot be read; ``errno``, ``strerror`` and ``filename`` are those of the system."""

    def __init__(self, error: OSError) -> None:
        reason = error.strerror or str(error)
        super().__init__(codes.NO_FILE, name=str(error.filename), reason=reason)
        self.errno, self.strerror, self.filename = error.errno, reason, error.filename

    def __str__(self) -> str:
        return f"{self.message} [{self.code}]"


class CompileError(GpuError):
    """Raised for a shader with errors; ``diagnostics`` are the messages as data."""

    def __init__(self, name: str, text: str, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(codes.NOT_COMPILED, name=name, text=text)
        self.diagnostics = list(diagnostics)


class UnsupportedError(GpuError):
    """Raised if the device, or the shading language that it uses, lacks a feature that the kernel needs."""

    def __init__(self, name: str, reason: str, hint: str = "") -> None:
        super().__init__(codes.UNSUPPORTED, hint, name=name, reason=reason)


class DriverError(GpuError):
    """Raised if the driver rejects a kernel, or fails while it runs."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(codes.DRIVER, hint, reason=reason)


class ExecutionFailedError(DriverError):
    """Raised if the interpreter ends a run, such as for a loop that exceeds the limit of steps."""

    def __init__(self, problem: str) -> None:
        GpuError.__init__(self, codes.EXECUTION, problem=problem)


def wrong_argument(parameter: str, problem: str, hint: str = "") -> ArgumentError:
    """Return the error for an argument of the wrong type or shape."""
    return ArgumentError(codes.ARGUMENT, parameter, hint, problem=problem)
