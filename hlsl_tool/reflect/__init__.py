"""What a module wants from its host: resources, blocks with their offsets, stage variables.

``reflect`` reads the *final* SPIR-V, ours or anybody's; what only the source knows (registers, semantics, the rule by
which a binding was chosen) is joined in from the compiler's interface record where there is one.
"""

from .check import ReflectError
from .emit_json import reflection_json, to_dict, to_json
from .extract import reflect
from .model import Member, Reflection, Resource, Type

__all__ = [
    "Member", "ReflectError", "Reflection", "Resource", "Type", "reflect", "reflection_json", "to_dict", "to_json",
]  # fmt: skip
