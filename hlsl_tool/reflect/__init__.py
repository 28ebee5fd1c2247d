"""Reflection: the resources, blocks and stage variables of a SPIR-V module, as data for its host.

``reflect`` reads the *final* SPIR-V of any compiler.  The compiler's interface record, if there is one, adds
information of the HLSL source that SPIR-V lacks: registers, semantics, the rule that determined a binding.  ``cpp``
writes C++ headers from the result, ``host`` packs blocks with numpy.
"""

from .blocks import Block, blocks, find_block
from .check import ReflectError
from .emit_json import reflection_json, to_dict, to_json
from .extract import reflect
from .load_json import from_json
from .model import Member, Reflection, Resource, Type

__all__ = [
    "Block", "Member", "ReflectError", "Reflection", "Resource", "Type", "blocks", "find_block", "from_json",
    "reflect", "reflection_json", "to_dict", "to_json",
]  # fmt: skip
