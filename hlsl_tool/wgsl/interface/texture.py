"""A texture of the module, with its uses."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv.enums import Dim
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.interface.handle_tables import DIMS


@dataclass(slots=True)
class Texture:
    """A variable that is, or contains, an image."""

    variable: int
    name: str
    image: Instruction
    """The OpTypeImage."""
    uses: set[str] = field(default_factory=set)
    """The kinds of use: compare, sample, read, write, fetch, query, atomic."""
    spelled: str = ""
    expanded: bool = False
    """Whether a texel buffer has its values as 32-bit numbers whatever its format."""
    written: int = 0
    """The largest number of components of a texel that is written."""
    widened: int = 0
    """The number of components of its format in SPIR-V, if WGSL has only a format with four of them; 0 otherwise."""

    @property
    def depth(self) -> bool:
        return "compare" in self.uses and self.image.id(5) != 2

    @property
    def multisampled(self) -> bool:
        return self.image.id(4) == 1

    @property
    def arrayed(self) -> bool:
        return self.image.id(3) == 1

    @property
    def storage(self) -> bool:
        return self.image.id(5) == 2

    @property
    def texel_buffer(self) -> bool:
        return self.image.id(1) == Dim.Buffer

    @property
    def dimensions(self) -> int:
        return DIMS[self.image.id(1)][1]

    @property
    def cube(self) -> bool:
        return self.image.id(1) == Dim.Cube
