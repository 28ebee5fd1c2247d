"""Exceptions of ``hlsl_tool.gpu``, each with a code of the catalogue and a hint."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.diagnostics.catalogue import tools as codes
from hlsl_tool.diagnostics.model import Code, Diagnostic


class GpuError(Exception):
    """An error of a kernel or of its call: ``code`` is stable (``HLSL1793``), ``hint`` names the remedy or is empty."""

    def __init__(self, code: Code, hint: str = "", **fields: object) -> None:
        self.code = code.id
        self.message = code.template.format(**fields)
        self.hint = hint
        super().__init__(f"{self.message} [{self.code}]" + (f"\nhint: {hint}" if hint else ""))


class NoDeviceError(GpuError):
    """No device can run kernels."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(codes.NO_DEVICE, hint, reason=reason)
        self.reason = reason


class ArgumentError(GpuError, ValueError):
    """An argument is missing, unknown, or does not fit its parameter; ``parameter`` is the name in HLSL."""

    def __init__(self, code: Code, parameter: str, hint: str = "", **fields: object) -> None:
        super().__init__(code, hint, name=parameter, **fields)
        self.parameter = parameter


class CompileError(GpuError):
    """A shader has errors; ``diagnostics`` are the messages as data."""

    def __init__(self, name: str, text: str, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(codes.NOT_COMPILED, name=name, text=text)
        self.diagnostics = list(diagnostics)


class UnsupportedError(GpuError):
    """The device, or the language that it takes, lacks a feature of the kernel."""

    def __init__(self, name: str, reason: str, hint: str = "") -> None:
        super().__init__(codes.UNSUPPORTED, hint, name=name, reason=reason)


class DriverError(GpuError):
    """The driver refused a kernel, or failed while it ran."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(codes.DRIVER, hint, reason=reason)


def wrong_argument(parameter: str, problem: str, hint: str = "") -> ArgumentError:
    """Return the error for an argument of the wrong type or shape."""
    return ArgumentError(codes.ARGUMENT, parameter, hint, problem=problem)
