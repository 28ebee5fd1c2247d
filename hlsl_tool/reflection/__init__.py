"""Reflection: the resources, blocks and stage variables of a SPIR-V module, as data for its host.

`extract.reflect` reads the *final* SPIR-V of any compiler.  The compiler's interface record, if there is one, adds
information of the HLSL source that SPIR-V lacks: registers, semantics, the rule that determined a binding.  ``cpp``
writes C++ headers from the result, `host` packs blocks with numpy, and `linking` compares the stages of a pipeline.
"""

from __future__ import annotations

from hlsl_tool.base.lazy_names import lazy_names

TYPE_CHECKING = False  # start-up time
if TYPE_CHECKING:
    from .blocks import find_block
    from .check import ReflectError
    from .emit_json import to_json
    from .extract import reflect
    from .load_json import from_json
    from .reflection import Reflection

__all__ = ["ReflectError", "Reflection", "find_block", "from_json", "reflect", "to_json"]

_HOMES = {
    "ReflectError": "check",
    "Reflection": "reflection",
    "find_block": "blocks",
    "from_json": "load_json",
    "reflect": "extract",
    "to_json": "emit_json",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
