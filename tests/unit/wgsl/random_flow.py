"""Random compute shaders with any control flow that SPIR-V allows, to execute before and after conversion.

Each invocation takes a path that its own pseudo-random sequence determines, and computes a hash of that path.  Every
loop consumes fuel, so that all of them end.  Values cross constructs, meet in phis, and are carried around loops.

With ``barriers`` there are barriers, and most conditions depend on a sequence that is equal in all invocations: such a
module tests the uniformity analysis, and is not executed.
"""

from __future__ import annotations

import random

HEAD = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %gid
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpDecorate %Buffer Block
OpMemberDecorate %Buffer 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%v3uint = OpTypeVector %uint 3
%procedure = OpTypeFunction %void
%words = OpTypeRuntimeArray %uint
%Buffer = OpTypeStruct %words
%ptr_buffer = OpTypePointer StorageBuffer %Buffer
%ptr_word = OpTypePointer StorageBuffer %uint
%ptr_local = OpTypePointer Function %uint
%ptr_in3 = OpTypePointer Input %v3uint
%in = OpVariable %ptr_buffer StorageBuffer
%out = OpVariable %ptr_buffer StorageBuffer
%gid = OpVariable %ptr_in3 Input
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u264 = OpConstant %uint 264
%u4 = OpConstant %uint 4
%u13 = OpConstant %uint 13
%u33 = OpConstant %uint 33
%lcg = OpConstant %uint 1664525
%add = OpConstant %uint 1013904223
"""


class Generator:
    """Generates a module from a seed."""

    def __init__(self, seed: int, *, barriers: bool = False) -> None:
        self.barriers = barriers
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.constants: dict[int, str] = {}
        self.count = 0
        self.budget = self.random.randint(6, 40)
        self.label = ""
        self.exits: list[dict[str, str]] = []
        """Open loops and switches: ``break`` and ``continue`` labels."""

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"%{stem}{self.count}"

    def emit(self, text: str) -> None:
        self.lines.append(text)

    def value(self, text: str) -> str:
        name = self.fresh("v")
        self.emit(f"{name} = {text}")
        return name

    def constant(self, number: int) -> str:
        self.constants.setdefault(number, f"%c{number}")
        return self.constants[number]

    def start(self, label: str) -> None:
        self.emit(f"{label} = OpLabel")
        self.label = label

    # -------------------------------------------------------------------------------------------------------- content

    def mix(self, known: list[str]) -> str:
        """Emit code that mixes a number into the invocation's hash of its path, so that the hash identifies the path.

        Return the id of a value computed from the hash; ``known`` are the ids of values that may be mixed in, too.
        """
        if self.barriers and self.random.random() < 0.2:
            self.emit("OpControlBarrier %u2 %u2 %u264")
        number = self.constant(self.random.randint(1, 250))
        old = self.value("OpLoad %uint %hash")
        scaled = self.value(f"OpIMul %uint {old} %u33")
        mixed = self.value(f"OpBitwiseXor %uint {scaled} {number}")
        if known and self.random.random() < 0.6:
            mixed = self.value(f"OpIAdd %uint {mixed} {self.random.choice(known)}")
        self.emit(f"OpStore %hash {mixed}")
        return self.value(f"OpBitwiseAnd %uint {mixed} {self.constant(255)}")

    def draw(self) -> str:
        """Emit code that computes the next number of the pseudo-random sequence; return its id."""
        variable = "%alike" if self.barriers and self.random.random() < 0.85 else "%state"
        state = self.value(f"OpLoad %uint {variable}")
        scaled = self.value(f"OpIMul %uint {state} %lcg")
        following = self.value(f"OpIAdd %uint {scaled} %add")
        self.emit(f"OpStore {variable} {following}")
        return self.value(f"OpShiftRightLogical %uint {following} %u13")

    def decide(self) -> str:
        bit = self.value(f"OpBitwiseAnd %uint {self.draw()} %u{self.random.choice((1, 3))}")
        return self.value(f"OpIEqual %bool {bit} %u0")

    def fuelled(self) -> str:
        """Emit code that decrements the fuel; return the id of a loop's condition.

        The condition is true if fuel is left and the next pseudo-random number decides to continue.
        """
        fuel = self.value("OpLoad %uint %fuel")
        left = self.value(f"OpISub %uint {fuel} %u1")
        self.emit(f"OpStore %fuel {left}")
        more = self.value(f"OpUGreaterThan %bool {left} %u0")
        wanted = self.value(f"OpLogicalNot %bool {self.decide()}")
        return self.value(f"OpLogicalAnd %bool {more} {wanted}")

    # ------------------------------------------------------------------------------------------------------ statements

    def sequence(self, known: list[str], depth: int) -> bool:
        """Generate statements; return False if control never reaches their end."""
        for _ in range(self.random.randint(1, 3)):
            self.budget -= 1
            known.append(self.mix(known))
            if self.budget <= 0 or depth > 6:
                continue
            kind = self.random.choice(("if", "if", "loop", "loop", "switch", "switch", "exit", "plain", "bare"))
            if kind == "exit" and depth and self.random.random() < 0.5:
                self.leave()
                return False
            if kind == "bare":
                self.bare(known, depth)
            elif kind == "if" and not self.selection(known, depth):
                return False
            elif kind == "loop":
                self.loop(known, depth)
            elif kind == "switch" and not self.switch(known, depth):
                return False
        return True

    def targets(self) -> list[str]:
        """Return the labels to which a branch may leave the current construct, such as its merge block."""
        if not self.exits:
            return []
        found = [self.exits[-1]["break"]]
        loop = next((frame for frame in reversed(self.exits) if "continue" in frame), None)
        if loop is not None and loop["continue"]:
            found.append(loop["continue"])
        return [target for target in found if target]

    def leave(self) -> None:
        targets = self.targets()
        if targets and self.random.random() < 0.85:
            self.emit(f"OpBranch {self.random.choice(targets)}")
            return
        self.finish()

    def finish(self) -> None:
        value = self.value("OpLoad %uint %hash")
        self.emit(f"OpStore %result {value}")
        self.emit("OpReturn")

    def bare(self, known: list[str], depth: int) -> None:
        """Generate a conditional branch out of the construct, in a block without OpSelectionMerge."""
        targets = self.targets()
        if not targets:
            return
        after = self.fresh("after")
        condition = self.decide()
        sides = [self.random.choice(targets), after]
        self.random.shuffle(sides)
        self.emit(f"OpBranchConditional {condition} {sides[0]} {sides[1]}")
        self.start(after)

    def selection(self, known: list[str], depth: int) -> bool:
        then, otherwise, merge = self.fresh("then"), self.fresh("else"), self.fresh("merge")
        condition = self.decide()
        header = self.label
        both = self.random.random() < 0.6
        self.emit(f"OpSelectionMerge {merge} None")
        self.emit(f"OpBranchConditional {condition} {then} {otherwise if both else merge}")
        arriving: list[tuple[str, str]] = []
        if not both:
            arriving.append((self.random.choice(known), header))
        for label in (then, otherwise) if both else (then,):
            self.start(label)
            inner = list(known)
            if self.sequence(inner, depth + 1):
                arriving.append((self.random.choice(inner), self.label))
                self.emit(f"OpBranch {merge}")
        self.start(merge)
        if not arriving:
            self.emit("OpUnreachable")
            return False
        sources = " ".join(f"{value} {label}" for value, label in arriving)
        known.append(self.value(f"OpPhi %uint {sources}"))
        return True

    def loop(self, known: list[str], depth: int) -> None:
        header, body, again, merge = (self.fresh(stem) for stem in ("header", "body", "again", "end"))
        before, start = self.label, self.random.choice(known)
        self.emit(f"OpBranch {header}")
        self.start(header)
        phi, following = self.fresh("phi"), self.fresh("next")
        style = self.random.choice(("while", "do", "inside"))
        place = len(self.lines)
        self.emit("")
        own = [*known, phi]
        own.append(self.mix(own))
        if style == "while":
            condition = self.fuelled()
            self.emit(f"OpLoopMerge {merge} {again} None")
            self.emit(f"OpBranchConditional {condition} {body} {merge}")
        else:
            self.emit(f"OpLoopMerge {merge} {again} None")
            self.emit(f"OpBranch {body}")
        self.exits.append({"break": merge, "continue": again})
        self.start(body)
        inner = list(own)
        if style == "inside":
            on = self.fresh("on")
            condition = self.fuelled()
            self.emit(f"OpBranchConditional {condition} {on} {merge}")
            self.start(on)
        if self.sequence(inner, depth + 1):
            self.emit(f"OpBranch {again}")
        self.exits.append({"break": "", "continue": ""})
        self.start(again)
        rest = list(own)
        rest.append(self.mix(rest))
        if self.random.random() < 0.3 and self.budget > 0:
            self.inner_selection(rest)
        self.emit(f"{following} = OpIAdd %uint {phi} {self.random.choice(rest)}")
        latch = self.label
        if style == "do":
            condition = self.fuelled()
            self.emit(f"OpBranchConditional {condition} {header} {merge}")
        else:
            self.emit(f"OpBranch {header}")
        self.exits.pop()
        self.exits.pop()
        self.lines[place] = f"{phi} = OpPhi %uint {start} {before} {following} {latch}"
        self.start(merge)
        known.append(phi)

    def inner_selection(self, known: list[str]) -> None:
        """Generate a selection in a continue construct, which no branch leaves."""
        then, merge = self.fresh("then"), self.fresh("merge")
        condition, header = self.decide(), self.label
        self.emit(f"OpSelectionMerge {merge} None")
        self.emit(f"OpBranchConditional {condition} {then} {merge}")
        self.start(then)
        made = self.mix(known)
        self.emit(f"OpBranch {merge}")
        other = self.random.choice(known)
        self.start(merge)
        known.append(self.value(f"OpPhi %uint {made} {then} {other} {header}"))

    def switch(self, known: list[str], depth: int) -> bool:
        """Generate a switch: some cases fall through to the next, some are empty."""
        cases = [self.fresh("case") for _ in range(self.random.randint(1, 4))]
        merge = self.fresh("merge")
        default = self.random.choice([*cases, merge])
        selector = self.value(f"OpBitwiseAnd %uint {self.draw()} %u3")
        self.emit(f"OpSelectionMerge {merge} None")
        labelled = " ".join(f"{value} {label}" for value, label in enumerate(cases))
        self.emit(f"OpSwitch {selector} {default} {labelled}")
        falls = [self.random.random() < 0.4 for _ in cases[1:]] + [False]
        for index, label in enumerate(cases):
            if default == label and index and falls[index - 1]:
                falls[index - 1] = False  # the default must not be fallen into from a case that is not next to it
        self.exits.append({"break": merge})
        for label, falling, following in zip(cases, falls, [*cases[1:], merge], strict=True):
            self.start(label)
            inner = list(known)
            if falling and self.random.random() < 0.4:
                self.emit(f"OpBranch {following}")
                continue
            if self.sequence(inner, depth + 1):
                self.emit(f"OpBranch {following if falling else merge}")
        self.exits.pop()
        self.start(merge)
        return True

    def module(self) -> str:
        """Return the assembly of the module."""
        self.start("%entry")
        self.emit("%hash = OpVariable %ptr_local Function")
        self.emit("%state = OpVariable %ptr_local Function")
        self.emit("%fuel = OpVariable %ptr_local Function")
        if self.barriers:
            self.emit("%alike = OpVariable %ptr_local Function %u13")
        self.emit("%id3 = OpLoad %v3uint %gid")
        self.emit("%id = OpCompositeExtract %uint %id3 0")
        self.emit("%source = OpAccessChain %ptr_word %in %u0 %id")
        self.emit("%result = OpAccessChain %ptr_word %out %u0 %id")
        first = self.value("OpLoad %uint %source")
        mixed = self.value(f"OpIMul %uint {first} {self.constant(self.random.randint(1000, 99999))}")
        self.emit(f"OpStore %state {self.value(f'OpIAdd %uint {mixed} %id')}")
        self.emit(f"OpStore %hash {first}")
        self.emit(f"OpStore %fuel {self.constant(60)}")
        if self.sequence([first], 0):
            self.finish()
        constants = "".join(f"{name} = OpConstant %uint {number}\n" for number, name in self.constants.items())
        body = "\n".join(self.lines)
        return f"{HEAD}{constants}%main = OpFunction %void None %procedure\n{body}\nOpFunctionEnd\n"


def module(seed: int) -> str:
    return Generator(seed).module()
