"""Convert SPIR-V's input and output variables to parameters and results of WGSL's entry points.

A variable that only one entry point's function uses becomes its parameter or a local variable. Any other becomes a
private variable of the module: the entry point fills inputs at its beginning, and reads outputs at its end.
"""

from __future__ import annotations

from collections.abc import Mapping

from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import BuiltIn, Decoration, ExecutionMode, StorageClass
from hlsl_tool.spirv.grammar.tables import enum_name
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.interface.io_pieces import Piece, Variable, interpolation, pad_target, workgroup_sizes
from hlsl_tool.wgsl.interface.io_tables import INPUTS, LEFT_OUT, OUTPUTS, POINT_SIZE, STAGES, Builtin
from hlsl_tool.wgsl.module.demands import DRAW_PARAMETERS
from hlsl_tool.wgsl.module.usage import Usage
from hlsl_tool.wgsl.writer.body import Entry
from hlsl_tool.wgsl.writer.context import Context, Root
from hlsl_tool.wgsl.writer.unique_names import MEMBERS, Names, sanitise

INVARIANT = "WGSL has the decoration Invariant for positions only"
MAX_LOCATIONS = 1024
"""A bound on locations, which is more than any device has."""

INPUT, OUTPUT = StorageClass.Input, StorageClass.Output


class Interface:
    """The interface variables of a module and their representation in WGSL."""

    def __init__(self, context: Context, usage: Usage, called: set[int]) -> None:
        self.context = context
        self.view = context.view
        self.users = usage.users
        self.called = called
        """Functions that others call, or that several entry points share."""
        self.accessed = usage.accessed
        """(variable, index) of members of blocks that are accessed individually."""
        self.keys = -1
        self.private: dict[int, list[Variable]] = {}
        self.declarations: list[str] = []

    # ------------------------------------------------------------------------------------------------- entry points

    def entry(self, inst: Instruction, model: int, name: str) -> Entry:
        """Build the signature, initial statements and results of an entry point's function."""
        stage = STAGES.get(model)
        if stage is None:
            raise Unsupported("WGSL has vertex, fragment and compute shaders only")
        function = inst.id(1)
        names = Names(self.context.names)
        entry = Entry(names, f"@{stage}", [], "")
        modes = list(self.view.execution_modes(function))
        if stage == "compute":
            entry.attributes += f" @workgroup_size({self._workgroup(modes)})"
        outputs: list[tuple[Variable, bool]] = []
        for number in inst.ints()[3:]:
            variable = self.view.defs[number]
            if variable.op != op.OpVariable or variable.id(0) not in (INPUT, OUTPUT):
                continue
            own = function not in self.called and self.users.get(number, set()) <= {function}
            if own:
                parts = self._variables(variable, stage, names)
                entry.roots[number] = self._root(variable, parts)
            else:
                if number not in self.private:
                    parts = self.private[number] = self._variables(variable, stage, self.context.names)
                    self.context.roots[number] = self._root(variable, parts)
                    for part in parts:
                        if part.root.ignored:
                            continue
                        initial = f" = {part.initial}" if part.initial else ""
                        spelled = self.context.types.spell(part.type_id)
                        self.declarations.append(f"var<private> {part.name}: {spelled}{initial};\n")
                parts = self.private[number]
            for part in parts:
                if part.root.ignored:
                    continue
                if variable.id(0) == INPUT:
                    self._input(entry, part, own, names)
                else:
                    outputs.append((part, own))
        self._outputs(entry, outputs, stage, name, names)
        return entry

    def _workgroup(self, modes: list[Instruction]) -> str:
        for number, decorations in self.view.decorations.items():
            if decorations.get(Decoration.BuiltIn) == [BuiltIn.WorkgroupSize]:
                constant = self.view.defs[number]
                if constant.op in (op.OpConstantComposite, op.OpSpecConstantComposite):
                    return self._sizes(constant.ints())
        for mode in modes:
            if mode.op == op.OpExecutionMode and mode.id(1) == ExecutionMode.LocalSize:
                return workgroup_sizes([str(size) for size in mode.ints()[2:]], mode.ints()[2:])
            if mode.op == op.OpExecutionModeId and mode.id(1) == ExecutionMode.LocalSizeId:
                return self._sizes(mode.ints()[2:])
        return "1"

    def _sizes(self, ids: list[int]) -> str:
        texts: list[str] = []
        for number in ids:
            value = self.context.constants.expr(number)
            assert value is not None
            constant = self.view.constant(number)
            texts.append(value.text if constant is None else str(constant))
        return workgroup_sizes(texts, [self.view.integer(number) for number in ids])

    # ---------------------------------------------------------------------------------------------------- variables

    def _root(self, variable: Instruction, variables: list[Variable]) -> Root:
        type_id = self.view.pointee(variable.type_id)
        if variables and variables[0].type_id == type_id and variables[0].key == variable.result_id:
            return variables[0].root
        return Root("", type_id, "io", parts=[part.root for part in variables])

    def _variables(self, variable: Instruction, stage: str, names: Names) -> list[Variable]:
        """Return the WGSL variables for an interface variable: one, or one for each member of a block."""
        view, number = self.view, variable.result_id
        type_id = view.pointee(variable.type_id)
        output = variable.id(0) == OUTPUT
        decorations = view.decorations.get(number, {})
        initial = ""
        if variable.operands[1:]:
            value = self.context.constants.expr(variable.id(1))
            assert value is not None
            initial = value.text
        kind = view.type(type_id)
        members_decorated = kind.op == op.OpTypeStruct and any(
            Decoration.Location in view.member(type_id, k) or Decoration.BuiltIn in view.member(type_id, k)
            for k in range(len(kind.operands))
        )
        if not members_decorated:
            hint = view.names.get(number, "")
            used = bool(self.users.get(number)) or self._initialised(decorations, variable.ints()[1:])
            return [self._variable(number, hint, type_id, dict(decorations), stage, output, names, initial, used)]
        variables: list[Variable] = []
        location = view.literal(number, Decoration.Location) or 0
        for index, member in enumerate(kind.ints()):
            own = dict(decorations) | dict(view.member(type_id, index))
            if Decoration.Location not in view.member(type_id, index):
                own[Decoration.Location] = [location]
            hint = view.member_names.get((type_id, index), "")
            part_initial, used = "", (number, index) in self.accessed
            parts = view.defs[variable.id(1)] if initial else variable
            if parts.op == op.OpConstantComposite:
                value = self.context.constants.expr(parts.id(index))
                part_initial = value.text if value is not None else ""
                used = used or self._initialised(own, [parts.id(index)])
            part = self._variable(self._key(), hint, member, own, stage, output, names, part_initial, used)
            first = own[Decoration.Location][0]
            assert isinstance(first, int)
            location = first + len(part.pieces)
            variables.append(part)
        return variables

    def _initialised(self, decorations: Mapping[int, list[int | str]], values: list[int]) -> bool:
        """Return whether the initialiser of an output that WGSL lacks would have a visible effect."""
        for value in values:
            if decorations.get(Decoration.BuiltIn) == [BuiltIn.PointSize]:
                self._check_point_size(value)
            elif not self._is_zero(value):
                return True
        return False

    def _check_point_size(self, value: int) -> None:
        if self.context.options.wgsl_point_size == "drop":
            return
        if not self._is_zero(value) and self.view.float_constant(value) != 1.0:
            raise Unsupported(POINT_SIZE, value)

    def _is_zero(self, value: int) -> bool:
        inst = self.view.defs[value]
        if inst.op == op.OpConstantComposite:
            return all(self._is_zero(part) for part in inst.ints())
        return inst.op in (op.OpConstantNull, op.OpUndef) or self.view.float_constant(value) == 0.0

    def _key(self) -> int:
        self.keys -= 1
        return self.keys

    def _variable(
        self,
        key: int,
        hint: str,
        type_id: int,
        decorations: dict[int, list[int | str]],
        stage: str,
        output: bool,
        names: Names,
        initial: str,
        used: bool,
    ) -> Variable:
        number = decorations.get(Decoration.BuiltIn)
        if number is not None:
            assert isinstance(number[0], int)
            return self._built_in(key, hint, type_id, number[0], decorations, stage, output, names, initial, used)
        name = names.unique(hint, "output" if output else "input")
        location = decorations.get(Decoration.Location, [0])[0]
        assert isinstance(location, int)
        if decorations.get(Decoration.Component, [0]) != [0]:
            raise Unsupported("WGSL has no components of locations", max(key, 0))
        if Decoration.Invariant in decorations:
            raise Unsupported(INVARIANT, max(key, 0))
        if stage == "compute":
            raise Unsupported("a compute shader has inputs that are no built-ins", key)
        pieces: list[Piece] = []
        flat = (stage == "vertex" and output) or (stage == "fragment" and not output)
        self._pieces(type_id, location, decorations, flat, "", sanitise(hint) or name, pieces)
        if output and stage == "fragment":
            index = decorations.get(Decoration.Index, [0])[0]
            for piece in pieces:
                piece.second = index == 1
                if self.context.options.wgsl_pad_targets:
                    pad_target(piece)
        root = Root(name, type_id, "io", constant=not output)
        return Variable(key, name, type_id, pieces, root, initial)

    def _pieces(
        self,
        type_id: int,
        location: int,
        decorations: dict[int, list[int | str]],
        interpolated: bool,
        suffix: str,
        name: str,
        out: list[Piece],
    ) -> int:
        """Append to ``out`` the parameters or results for an interface variable, or for a part of one.

        The variable or part has the type ``type_id``, the location ``location`` and the WGSL name ``name``; ``suffix``
        is the access (``.member[1]``) that selects the part. Return the location after it.
        """
        view = self.view
        inst = view.type(type_id)
        if location >= MAX_LOCATIONS:
            raise Unsupported(f"an input or output has a location beyond {MAX_LOCATIONS - 1}")
        if inst.op == op.OpTypeStruct:
            for index, member in enumerate(inst.ints()):
                own = dict(decorations) | dict(view.member(type_id, index))
                member_name = self.context.types.member_names(type_id)[index]
                full = f"{suffix}.{member_name}"
                location = self._pieces(member, location, own, interpolated, full, f"{name}_{member_name}", out)
            return location
        if inst.op in (op.OpTypeArray, op.OpTypeMatrix):
            count = view.length(type_id) if inst.op == op.OpTypeArray else inst.id(1)
            for k in range(count):
                full = f"{suffix}[{k}]"
                location = self._pieces(inst.id(0), location, decorations, interpolated, full, f"{name}_{k}", out)
            return location
        attributes = f"@location({location})"
        if interpolated:
            attributes += interpolation(decorations, view.scalar(type_id).op == op.OpTypeInt)
        out.append(Piece(attributes, self.context.types.spell(type_id), suffix, name))
        return location + 1

    def _built_in(
        self,
        key: int,
        hint: str,
        type_id: int,
        number: int,
        decorations: dict[int, list[int | str]],
        stage: str,
        output: bool,
        names: Names,
        initial: str,
        used: bool,
    ) -> Variable:
        row = (OUTPUTS if output else INPUTS).get((stage, number))
        root = Root("", type_id, "io", constant=not output)
        if (not used and (row is None or row.enable)) or (output and (stage, number) == LEFT_OUT):
            root.ignored = True
            root.name = "point_size" if number == BuiltIn.PointSize else ""
            return Variable(key, "", type_id, [], root)
        if row is None:
            name = enum_name("BuiltIn", number) or str(number)
            advice = " (`draw_parameters: zero` makes it 0)" if number in DRAW_PARAMETERS and not output else ""
            kind = "output" if output else "input"
            raise Unsupported(f"WGSL has no {stage} {kind} {name}{advice}", max(key, 0))
        if row.enable:
            self.context.needs.enables.add(row.enable)
        if row.name in ("num_subgroups", "subgroup_id") and not self.context.options.wgsl_naga:
            self.context.needs.requires.add("subgroup_id")
        root.name = name = names.unique(hint, row.name)
        piece = self._convert(row, type_id, name)
        if Decoration.Invariant in decorations:
            if row.name != "position":
                raise Unsupported(INVARIANT, max(key, 0))
            piece.attributes += " @invariant"
        return Variable(key, name, type_id, [piece], root, initial)

    def _convert(self, row: Builtin, type_id: int, name: str) -> Piece:
        view = self.view
        piece = Piece(f"@builtin({row.name})", row.spelled, "", name)
        inst = view.type(type_id)
        if inst.op == op.OpTypeArray:
            if row.name == "clip_distances":
                if view.length(type_id) > 8:
                    raise Unsupported("WGSL has up to 8 clip distances")
                piece.spelled = self.context.types.spell(type_id)
                return piece
            piece.suffix = "[0]"
            type_id = inst.id(0)
        spelled = self.context.types.spell(type_id)
        if spelled != row.spelled:
            if view.scalar(type_id).op != op.OpTypeInt or row.spelled[-1] not in "2u":
                raise Unsupported(f"the built-in {row.name} has a type that WGSL does not give it")
            piece.into, piece.back = f"{spelled}({{}})", f"{row.spelled}({{}})"
        return piece

    # ------------------------------------------------------------------------------------------- parameters, results

    def _input(self, entry: Entry, part: Variable, own: bool, names: Names) -> None:
        first = part.pieces[0] if part.pieces else None
        if own and first is not None and len(part.pieces) == 1 and not first.suffix and first.into == "{}":
            entry.parameters.append(f"{first.attributes} {part.name}: {first.spelled}")
            entry.direct.add(part.name)
            return
        if own:
            entry.prologue.append(f"var {part.name}: {self.context.types.spell(part.type_id)};")
        for piece in part.pieces:
            name = names.unique(f"{piece.name}_in", "input")
            entry.parameters.append(f"{piece.attributes} {name}: {piece.spelled}")
            entry.prologue.append(f"{part.name}{piece.suffix} = {piece.into.format(name)};")

    def _outputs(self, entry: Entry, outputs: list[tuple[Variable, bool]], stage: str, name: str, names: Names) -> None:
        context = self.context
        members: list[tuple[str, str, str]] = []
        member_names = Names(words=MEMBERS)
        if any(piece.second for part, _ in outputs for piece in part.pieces):
            self._blend_sources(entry, [piece for part, _ in outputs for piece in part.pieces], members, member_names)
        for part, own in outputs:
            if own:
                entry.locals[part.key] = part.name, part.type_id, part.initial
            for piece in part.pieces:
                members.append((piece.attributes + " ", member_names.unique(piece.name, "output"), piece.spelled))
                form = piece.back if own and not piece.suffix else ""
                entry.pieces.append((part.key if own else 0, piece.back.format(part.name + piece.suffix), form))
        if stage == "vertex" and not any("@builtin(position)" in attributes for attributes, _, _ in members):
            members.append(("@builtin(position) ", member_names.unique("position", "position"), "vec4f"))
            entry.pieces.append((0, "vec4f()", ""))
        if not members:
            return
        if len(members) == 1:
            entry.result = f"{members[0][0]}{members[0][2]}"
            return
        text = context.types.declare(0, members, name=f"{name}_output")
        entry.result = entry.constructor = text.name

    def _blend_sources(
        self, entry: Entry, pieces: list[Piece], members: list[tuple[str, str, str]], names: Names
    ) -> None:
        """Add ``@blend_src`` to the two colours of dual-source blending; add the first colour if it is missing.

        ``pieces`` are the results of the entry point, ``members`` those of its result struct.
        """
        colours = [piece for piece in pieces if "@location" in piece.attributes]
        second = next(piece for piece in colours if piece.second)
        if any("@location(0)" not in piece.attributes for piece in colours) or len(colours) > 2:
            raise Unsupported("WGSL has no other colours beside the two of dual-source blending")
        if any(piece.spelled != second.spelled for piece in colours):
            raise Unsupported("WGSL wants both colours of dual-source blending to have one type")
        self.context.needs.enables.add("dual_source_blending")
        for piece in colours:
            piece.attributes = f"@location(0) @blend_src({int(piece.second)})"
        if len(colours) == 1:
            members.append(("@location(0) @blend_src(0) ", names.unique("unused_colour", "output"), second.spelled))
            entry.pieces.append((0, f"{second.spelled}()", ""))
