"""What a module wants from its host: resources, blocks with their offsets, stage variables.

``reflect`` reads the *final* SPIR-V, ours or anybody's; what only the source knows (registers, semantics, the rule by
which a binding was chosen) is joined in from the compiler's interface record where there is one.  ``cpp`` makes C++
headers of it, ``host`` packs blocks with numpy.
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
