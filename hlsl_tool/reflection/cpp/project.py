"""The structs of one or several shaders with unique names, and the shaders that share an interface."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.reflection.cpp.identifiers import Scope, identifier
from hlsl_tool.reflection.reflection import Reflection

from ..blocks import Block, blocks
from .plan import Key, Plan, StructPlan, key_of

_PREFIXES = (
    "type.",
    "ConstantBuffer.",
    "TextureBuffer.",
    "PushConstant.",
    "ShaderRecordBufferKHR.",
    "ShaderRecordBufferNV.",
    "ShaderRecordBufferEXT.",
)


@dataclass(slots=True)
class Shader:
    """A permutation of a shader with its reflection."""

    name: str
    stem: str
    """The name without the permutation."""
    reflection: Reflection


@dataclass(slots=True)
class Interface:
    """The C++ text of bindings, constants and entry points in one namespace; several permutations may share it."""

    name: str
    """An identifier that no other interface and no struct has."""
    doc: str
    text: str


class StructNames:
    """The structs of blocks, each with a unique C++ name.

    If several structs have one name in HLSL, the name of a shader or block that contains it is appended to each.
    """

    def __init__(self, all_blocks: list[Block], owners: dict[Key, str] | None = None) -> None:
        self.plan = Plan(all_blocks)
        self.tails = {
            key_of(block.type): block for block in all_blocks if block.type is not None and block.tail is not None
        }
        scope = Scope()
        bases = {key: _base(plan) for key, plan in self.plan.structs.items()}
        count = Counter(bases.values())
        self.names: dict[Key, str] = {}
        for key, base in bases.items():
            is_shared = base in scope.taken if owners is None else count[base] > 1
            if is_shared:  # the same struct under another layout, or another of the same name
                owner = self.plan.structs[key].owner if owners is None else owners[key]
                base = identifier(f"{base}_{owner}")
            self.names[key] = scope.add(base)

    def in_order(self) -> list[tuple[Key, StructPlan]]:
        """Return the structs; a struct follows those that it contains."""
        return sorted(self.plan.structs.items(), key=lambda item: -item[1].depth)


def _base(plan: StructPlan) -> str:
    name = plan.type.name
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return identifier(name or plan.owner)


def project_names(shaders: Sequence[Shader]) -> StructNames:
    """Return unique names for the structs of several shaders.

    If different structs have the same name, the name of the first shader with it is appended to each.
    """
    owners: dict[Key, str] = {}
    together: list[Block] = []
    for shader in shaders:
        own = list(blocks(shader.reflection))
        for key in Plan(own).structs:
            owners.setdefault(key, shader.stem)
        together += own
    return StructNames(together, owners)


def interfaces(shaders: Iterable[Shader], names: StructNames, text_of: Callable[[Reflection], str]) -> list[Interface]:
    """Return one interface for each entry point of the configuration.

    If its permutations differ in bindings, constants or entry points, return one for each permutation.
    """
    scope = Scope(names.names.values())
    by_stem: dict[str, list[tuple[Shader, str]]] = {}
    for shader in shaders:
        by_stem.setdefault(shader.stem, []).append((shader, text_of(shader.reflection)))
    found = []
    for stem, members in by_stem.items():
        if len({text for _, text in members}) == 1:
            words = f"{stem}, {len(members)} permutations" if len(members) > 1 else members[0][0].name
            found.append(Interface(scope.add(stem), words, members[0][1]))
        else:
            found += [Interface(scope.add(shader.name), shader.name, text) for shader, text in members]
    return found
