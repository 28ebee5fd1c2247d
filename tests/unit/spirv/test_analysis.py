"""`spirv.analysis`: look-ups, uses and control flow of a module."""

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis import cfg, kinds, uses
from hlsl_tool.spirv.analysis.module_index import ModuleIndex, ungrouped
from hlsl_tool.spirv.enums import BuiltIn, Decoration, StorageClass
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module


def instruction(opcode, *operands, type_id=0, result=0):
    return Instruction(opcode, type_id, result, list(operands))


def block(label, *instructions):
    return Block(label, list(instructions))


def branch(label, *targets):
    """Return a block that branches to one target, or to one of two, depending on the value 99."""
    if len(targets) == 1:
        return block(label, instruction(op.OpBranch, *targets))
    return block(label, instruction(op.OpBranchConditional, 99, *targets))


def grouped_module():
    """Return a module with a variable (20), a struct (21) of two members, and a group (10) that decorates them."""
    module = Module()
    module.annotations = [
        instruction(op.OpDecorate, 10, Decoration.BuiltIn, BuiltIn.Position),
        instruction(op.OpDecorateId, 10, Decoration.CounterBuffer, 22),
        instruction(op.OpDecorateString, 10, Decoration.UserSemantic, "SV_Position"),
        instruction(op.OpDecorationGroup, result=10),
        instruction(op.OpDecorate, 20, Decoration.Flat),
        instruction(op.OpMemberDecorateIdEXT, 21, 0, Decoration.CounterBuffer, 23),
        instruction(op.OpGroupDecorate, 10, 20),
        instruction(op.OpGroupMemberDecorate, 10, 21, 1),
    ]
    return module


class TestModuleIndex:
    def test_decorations_of_groups_are_those_of_their_targets(self):
        index = ModuleIndex(grouped_module())
        assert index.decorations == {
            20: {
                Decoration.Flat: [],
                Decoration.BuiltIn: [BuiltIn.Position],
                Decoration.CounterBuffer: [22],
                Decoration.UserSemantic: ["SV_Position"],
            }
        }
        assert index.has_decoration(20, Decoration.Flat) and not index.has_decoration(10, Decoration.BuiltIn)

    def test_members_have_decorations_with_ids_and_of_groups(self):
        index = ModuleIndex(grouped_module())
        assert index.member_decorations == {
            (21, 0): {Decoration.CounterBuffer: [23]},
            (21, 1): {
                Decoration.BuiltIn: [BuiltIn.Position],
                Decoration.CounterBuffer: [22],
                Decoration.UserSemantic: ["SV_Position"],
            },
        }
        opcodes = [inst.op for inst in index.member_annotations[21]]
        assert opcodes == [
            op.OpMemberDecorateIdEXT,
            op.OpMemberDecorate,
            op.OpMemberDecorateIdEXT,
            op.OpMemberDecorateString,
        ]

    def test_annotations_without_groups_are_the_list_itself(self):
        annotations = [instruction(op.OpDecorate, 1, Decoration.Block)]
        assert ungrouped(annotations) is annotations

    def test_names_strings_and_sets(self):
        module = Module()
        module.names = [instruction(op.OpName, 5, "s"), instruction(op.OpMemberName, 5, 1, "m")]
        module.sources = [instruction(op.OpString, "a.hlsl", result=6)]
        module.ext_inst_imports = [instruction(op.OpExtInstImport, "GLSL.std.450", result=7)]
        index = ModuleIndex(module)
        assert index.names == {5: "s"}
        assert index.member_names == {(5, 1): "m"}
        assert index.strings == {6: "a.hlsl"}
        assert index.sets == {7: "GLSL.std.450"}

    def test_types(self):
        module = Module()
        module.globals = [
            instruction(op.OpTypeFloat, 16, result=1),
            instruction(op.OpTypeVector, 1, 4, result=2),
            instruction(op.OpTypeInt, 32, 0, result=3),
            instruction(op.OpConstant, 8, type_id=3, result=4),
            instruction(op.OpTypeArray, 2, 4, result=5),
            instruction(op.OpTypeRuntimeArray, 5, result=6),
            instruction(op.OpTypePointer, StorageClass.Uniform, 6, result=7),
            instruction(op.OpVariable, StorageClass.Uniform, type_id=7, result=8),
        ]
        index = ModuleIndex(module)
        variable = index.definitions[8]
        assert index.pointee(variable).result_id == 6
        assert index.without_arrays(index.pointee(variable)).result_id == 2
        element = index.element(index.definitions[7])
        assert element is not None and element.result_id == 6
        assert index.element(index.definitions[3]) is None
        assert index.contains_width(7, 16) and not index.contains_width(7, 16, ints_only=True)
        assert not index.contains_width(7, 32)
        assert index.constant(4) == 8 and index.constant(3) is None

    def test_wide_switches(self):
        module = Module()
        module.globals = [instruction(op.OpTypeInt, 64, 0, result=1), instruction(op.OpTypeInt, 32, 0, result=2)]
        function = Function(instruction(op.OpFunction, 0, 0, result=3))
        function.parameters = [instruction(op.OpFunctionParameter, type_id=1, result=4)]
        function.blocks = [
            block(10, instruction(op.OpSwitch, 4, 11, 7, 0, 12)),
            block(11, instruction(op.OpUndef, type_id=2, result=5), instruction(op.OpSwitch, 5, 12, 7, 13)),
            branch(12, 13),
        ]
        assert ModuleIndex(module).wide_switches(function) == {10}

    def test_instructions_by_opcode(self):
        first, last = instruction(op.OpLoad, 20, type_id=3, result=30), instruction(op.OpLoad, 20, type_id=3, result=31)
        end = instruction(op.OpReturn)
        functions = [Function(instruction(op.OpFunction)), Function(instruction(op.OpFunction))]
        functions[0].blocks = [block(1, first), block(2, end)]
        functions[1].blocks = [block(3, last)]
        index = ModuleIndex(Module(functions=functions))
        assert index.by_opcode == {op.OpLoad: [first, last], op.OpReturn: [end]}
        assert [inst is last for inst in index.by_opcode[op.OpLoad]] == [False, True]
        assert list(index.with_opcodes((op.OpReturn, op.OpPhi, op.OpLoad))) == [end, first, last]


class TestControlFlow:
    def test_successors_are_listed_once_in_order(self):
        assert cfg.successors(branch(1, 2, 2)) == [2]
        assert cfg.successors(branch(1, 3, 2)) == [3, 2]
        assert cfg.successors(block(1, instruction(op.OpSwitch, 9, 5, 0, 6, 1, 5, 2, 7))) == [5, 6, 7]
        assert cfg.successors(block(1, instruction(op.OpReturn))) == []

    def test_literals_of_two_words_are_no_labels(self):
        switch = instruction(op.OpSwitch, 9, 5, 6, 0, 7, 8, 0, 5)
        assert cfg.successors(block(1, switch), 2) == [5, 7]
        assert list(cfg.label_positions(switch, 2)) == [1, 4, 7]

    def test_graph(self):
        """Reachability, predecessors and reverse postorder of a graph with a loop (2, 3), where 5 is not reached."""
        blocks = [branch(1, 2), branch(2, 3, 4), branch(3, 2), block(4, instruction(op.OpReturn)), branch(5, 4)]
        following = cfg.successors_by_label(blocks)
        assert cfg.reach([1], following) == {1, 2, 3, 4}
        assert cfg.predecessors_of(following) == {1: [], 2: [1, 3], 3: [2], 4: [2, 5], 5: []}
        assert cfg.reverse_postorder(1, following) == [1, 2, 4, 3]

    def test_dominators_of_sides_that_meet(self):
        following = {1: [2, 3], 2: [4], 3: [4, 5], 4: [5], 5: []}
        order = cfg.reverse_postorder(1, following)
        assert cfg.dominators(order, cfg.predecessors_of(following)) == {1: 1, 2: 1, 3: 1, 4: 1, 5: 1}

    def test_constructs(self):
        """The constructs around each block, for a loop (header 2, continue 6, merge 7) that contains a switch.

        The switch has header 3, case 4 and merge block 5.
        """
        blocks = [
            branch(1, 2),
            block(2, instruction(op.OpLoopMerge, 7, 6, 0), instruction(op.OpBranchConditional, 99, 3, 7)),
            block(3, instruction(op.OpSelectionMerge, 5, 0), instruction(op.OpSwitch, 99, 5, 0, 4)),
            branch(4, 5),
            branch(5, 6),
            branch(6, 2),
            block(7, instruction(op.OpReturn)),
        ]
        kinds_of = {label: [construct.kind for construct in nest] for label, nest in cfg.nests(blocks).items()}
        assert kinds_of == {
            1: [],
            2: [],
            3: ["loop"],
            4: ["loop", "switch"],
            5: ["loop"],
            6: ["loop", "continue"],
            7: [],
        }
        assert cfg.merge_targets(blocks[1]) == (7, 6)
        assert cfg.merge_targets(blocks[2]) == (5, 0)
        assert cfg.merge_targets(blocks[0]) == (0, 0)
        assert cfg.end_of_body(blocks[1]) == 0
        assert cfg.end_of_body(blocks[3]) == 0
        assert cfg.end_of_body(block(8, instruction(op.OpNop), instruction(op.OpReturn))) == 1


class TestUses:
    def test_literals_are_no_uses(self):
        extract = instruction(op.OpCompositeExtract, 5, 6, type_id=1, result=7)
        assert uses.used_ids(extract) == [5]
        assert uses.uses(extract, {5}) and not uses.uses(extract, {6})
        constant = instruction(op.OpConstant, 5, type_id=1, result=7)
        assert uses.used_ids(constant) == [] and not uses.uses(constant, {5})
        switch = instruction(op.OpSwitch, 5, 6, 5, 7)
        assert uses.used_ids(switch) == [5] and not uses.uses(switch, {6})

    def test_rename(self):
        inst = instruction(op.OpCompositeExtract, 5, 5, type_id=1, result=7)
        uses.rename(inst, {5: 50, 7: 70})
        assert (inst.operands, inst.result_id) == ([50, 5], 7)
        assert uses.renamed(inst, {50: 51, 7: 70}).result_id == 70
        switch = instruction(op.OpSwitch, 5, 6, 6, 0, 7)
        assert uses.renamed(switch, {5: 50, 6: 60, 7: 70}, 2).operands == [50, 60, 6, 0, 70]

    def test_purity(self):
        glsl_set = 3
        assert uses.is_pure(instruction(op.OpFAdd, 1, 2, type_id=4, result=5), glsl_set)
        assert uses.is_pure(instruction(op.OpLoad, 1, type_id=4, result=5), glsl_set)
        assert not uses.is_pure(instruction(op.OpLoad, 1, 1, type_id=4, result=5), glsl_set)  # volatile
        assert not uses.is_pure(instruction(op.OpStore, 1, 2), glsl_set)
        assert not uses.is_pure(instruction(op.OpAtomicLoad, 1, 2, 3, type_id=4, result=5), glsl_set)
        assert uses.is_pure(instruction(op.OpExtInst, glsl_set, 8, 1, type_id=4, result=5), glsl_set)
        assert not uses.is_pure(instruction(op.OpExtInst, glsl_set, 35, 1, 2, type_id=4, result=5), glsl_set)  # Modf


def test_sets_of_opcodes():
    assert {op.OpTypePointer} | kinds.OPAQUE == kinds.HANDLES
    assert op.OpImageWrite not in kinds.IMAGE_READS and op.OpImageSparseRead in kinds.IMAGE_READS
    assert op.OpAtomicFlagClear not in kinds.ATOMICS and op.OpAtomicStore in kinds.ATOMICS
