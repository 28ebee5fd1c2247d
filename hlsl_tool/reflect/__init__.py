"""What a module wants from its host: resources, blocks with their offsets, stage variables.

``reflect`` reads the *final* SPIR-V, ours or anybody's; what only the source knows (registers, semantics, the rule by
which a binding was chosen) is joined in from the compiler's interface record where there is one.
"""

from .emit_json import reflection_json
from .extract import reflect
from .model import Reflection

__all__ = ["Reflection", "reflect", "reflection_json"]
