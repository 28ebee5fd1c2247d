"""The text of `hlsl2spirv --print-steps`: which steps of the pipeline ran on a module, and what they changed."""

from __future__ import annotations

from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.ir import Module


class Journal:
    """Records steps as `run` takes them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._words = b""

    def ran(self, name: str, module: Module) -> None:
        """Record a step that ran, with the size of the module in words if it changed."""
        words = encode(module)
        sizes = f"{len(self._words) // 4} -> {len(words) // 4} words" if self._words else f"{len(words) // 4} words"
        self.lines.append(f"{name:<44} {'unchanged' if words == self._words else sizes}")
        self._words = words

    def skipped(self, name: str, condition: str) -> None:
        """Record a step whose condition does not hold."""
        self.lines.append(f"{name:<44} skipped (condition: {condition})")

    def note(self, text: str) -> None:
        """Record why the steps that follow are not the usual ones."""
        self.lines.append(f"-- {text}")

    def text(self) -> str:
        """Return the lines, each with a line end."""
        return "".join(f"{line}\n" for line in self.lines)
