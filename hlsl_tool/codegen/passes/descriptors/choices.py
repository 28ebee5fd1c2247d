"""Select an index instead of a resource.

Before: a legalised module; Vulkan does not allow an ``OpPhi`` or ``OpSelect`` of resources. After: if all alternatives
are elements of one array, the selection is between their indices, followed by an access to the element; an undefined
alternative, as on a path on which the resource is not used, is the element 0. Other selections are not changed;
``legality`` reports them.
"""

from __future__ import annotations

from hlsl_tool.codegen.passes.global_definitions import Globals, order_definitions
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import end_of_body
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, CHOICES, HANDLES, RESOURCE_STORAGE
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module

_NON_UNIFORM = Decoration.NonUniform


def choose_indices(module: Module, index: ModuleIndex | None = None) -> bool:
    """Rewrite OpPhi and OpSelect between elements of one resource array to select the index, in place.

    Return whether any selection of resources was found, rewritten or not.
    """
    index = index or ModuleIndex(module)
    types = {inst.type_id for inst in index.with_opcodes(CHOICES)}
    resources = {number for number in types if _is_resource(number, index)}
    if not resources:
        return False
    choices = [
        (function, block, inst)
        for function in module.functions
        for block in function.blocks
        for inst in block.instructions
        if inst.op in CHOICES and inst.type_id in resources
    ]
    rewriter = _Rewriter(module, index)
    todo = choices
    while todo:  # a selection may depend on another
        left = [choice for choice in todo if not rewriter.rewrite(*choice)]
        todo = left if len(left) < len(todo) else []
    order_definitions(module)
    return True


def _is_resource(type_id: int, index: ModuleIndex) -> bool:
    """Return whether a type is a resource or a pointer to one."""
    inst = index.definitions[type_id]
    if inst.op == op.OpTypePointer:
        return inst.id(0) in RESOURCE_STORAGE
    return inst.op in HANDLES


class _Rewriter:
    """Rewrites OpPhi and OpSelect of resources in one module."""

    def __init__(self, module: Module, index: ModuleIndex) -> None:
        self.module = module
        self.index = index
        self.globals = Globals(module)

    @property
    def uint(self) -> int:
        """The id of the type `uint`, which is declared at the first request."""
        return self.globals.find(op.OpTypeInt, 0, 32, 0)

    def rewrite(self, function: Function, block: Block, choice: Instruction) -> bool:
        """Rewrite one selection; return False if its alternatives are not elements of one array."""
        number = choice.result_id
        definitions = {inst.result_id: inst for inst in function.instructions() if inst.result_id}
        options = choice.ints()[::2] if choice.op == op.OpPhi else choice.ints()[1:]
        chains: dict[int, Instruction] = {}
        undefined: dict[int, int] = {}
        for option in options:
            source = definitions.get(option) or self.index.definitions.get(option)
            if source is not None and source.op == op.OpUndef:
                undefined[option] = self.globals.uint(0)
                continue
            chain = self._chain(definitions.get(option), definitions)
            if option != number and chain is None:
                return False
            if option != number and chain is not None:
                chains[option] = chain
        if len({chain.id(0) for chain in chains.values()}) != 1:
            return False
        index = self.globals.take_id()
        indices = {option: chain.id(1) for option, chain in chains.items()} | {number: index} | undefined
        self._choose(function, block, choice, index, indices, definitions)
        self._access(block, choice, next(iter(chains.values())), index)
        marked = (i for chain in chains.values() for i in (chain.result_id, chain.id(1)))
        if any(self.index.has_decoration(i, _NON_UNIFORM) for i in marked):
            self._decorate(index)
            self._decorate(number)
        return True

    def _chain(self, source: Instruction | None, definitions: dict[int, Instruction]) -> Instruction | None:
        """Return the access chain to the global array element that a resource is loaded from.

        The result is ``None`` for other values.
        """
        if source is not None and source.op == op.OpLoad:
            source = definitions.get(source.id(0))
        if source is None or source.op not in ACCESS_CHAINS or len(source.operands) != 2:
            return None
        variable = self.index.definitions.get(source.id(0))
        return source if variable is not None and variable.op == op.OpVariable else None

    def _choose(
        self,
        function: Function,
        block: Block,
        choice: Instruction,
        index: int,
        indices: dict[int, int],
        definitions: dict[int, Instruction],
    ) -> None:
        """Insert a selection between indices into the array before ``choice``, the selection between resources.

        ``index`` is the result id of the new selection, and ``indices`` maps the alternatives of ``choice`` to their
        indices. ``definitions`` maps ids to the instructions of the function.
        """
        at = next(i for i, inst in enumerate(block.instructions) if inst is choice)
        if choice.op == op.OpSelect:
            values = [self._as_uint(indices[option], block, at, definitions) for option in choice.ints()[1:]]
            at = next(i for i, inst in enumerate(block.instructions) if inst is choice)
            selection = Instruction(op.OpSelect, self.uint, index, [choice.id(0), *values])
        else:
            blocks = {other.label: other for other in function.blocks}
            operands: list[int] = []
            for option, label in zip(choice.ints()[::2], choice.ints()[1::2], strict=True):
                before = blocks[label]
                operands += [self._as_uint(indices[option], before, end_of_body(before), definitions), label]
            selection = Instruction(op.OpPhi, self.uint, index, list(operands))
        block.instructions.insert(at, selection)

    def _as_uint(self, number: int, block: Block, at: int, definitions: dict[int, Instruction]) -> int:
        """Return an index as an unsigned integer.

        Insert a conversion before instruction ``at`` of ``block`` if needed.
        """
        constant = self.index.constant(number)
        if constant is not None:
            return self.globals.uint(constant)
        source = definitions.get(number) or self.index.definitions.get(number)
        if source is None or source.type_id == self.uint:
            return number
        conversion = Instruction(op.OpBitcast, self.uint, self.globals.take_id(), [number])
        block.instructions.insert(at, conversion)
        return conversion.result_id

    def _access(self, block: Block, choice: Instruction, chain: Instruction, index: int) -> None:
        """Replace the selection by an access to the element at ``index``, after the block's phis.

        The access has the result id of the selection; ``chain`` is the access chain to one of its alternatives.
        """
        block.instructions = [inst for inst in block.instructions if inst is not choice]
        at = 1 + next(i for i, inst in enumerate(block.instructions) if inst.result_id == index)
        while block.instructions[at].op == op.OpPhi:
            at += 1
        if self.index.definitions[choice.type_id].op == op.OpTypePointer:
            access = [Instruction(op.OpAccessChain, choice.type_id, choice.result_id, [chain.id(0), index])]
        else:
            pointer = self.globals.take_id()
            access = [
                Instruction(op.OpAccessChain, chain.type_id, pointer, [chain.id(0), index]),
                Instruction(op.OpLoad, choice.type_id, choice.result_id, [pointer]),
            ]
        block.instructions[at:at] = access

    def _decorate(self, number: int) -> None:
        self.module.annotations.append(Instruction(op.OpDecorate, 0, 0, [number, _NON_UNIFORM]))
