"""The action of all builders of shaders."""

from __future__ import annotations

from typing import Any

import SCons.Action


class ConstantAction(SCons.Action.FunctionAction):  # type: ignore[misc]  # SCons has no types
    """An action whose signature is a constant.

    SCons signs a Python function by its byte code: another Python, or a change of a line, would rebuild everything.
    The outputs follow from the Values that each target depends on.
    """

    def get_presig(self, target: Any, source: Any, env: Any, executor: Any = None) -> bytes:
        """Return a constant in place of the byte code."""
        return b"hlsl_tool"

    def get_varlist(self, target: Any, source: Any, env: Any, executor: Any = None) -> tuple[str, ...]:
        """Return no construction variables: none takes part in the signature."""
        return ()
