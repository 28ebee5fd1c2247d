"""The errors that end a conversion."""

from __future__ import annotations


class WgslError(ValueError):
    """Raised for a module that cannot be expressed in WGSL.

    ``reason`` is one line; ``instruction`` is the SPIR-V instruction in assembly, or empty; ``place`` is the source
    location (``file:line:column``) from debug information, or empty.
    """

    def __init__(self, reason: str, instruction: str = "", place: str = "") -> None:
        self.reason = reason
        self.instruction = instruction
        self.place = place
        text = f"{place}: {reason}" if place else reason
        super().__init__(f"{text} (in `{instruction}`)" if instruction else text)


class Unsupported(Exception):
    """Raised with a reason only; `Places.error` adds the instruction, so that this never leaves the package."""

    def __init__(self, reason: str, result: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.result = result
        """The id of the value that cannot be expressed, unless it is an operand of the current instruction."""


MEMORY_BARRIER = "WGSL has no barrier that orders memory without waiting for the workgroup"
"""The reason for memory barriers that not all invocations of a workgroup reach together."""
