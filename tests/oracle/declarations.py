"""Generate shaders full of declarations: blocks, buffers and resources with every kind of member, to compare with DXC.

A number is the seed of the shader. The entry point reads each declaration once, because DXC would omit unused ones.
Features that an old DXC lacks or gets wrong are omitted: comments in `Maker` mark them, docs/contributing/oracle.md
lists them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

PLAIN = ("float", "int", "uint", "bool", "half", "min16float", "min10float", "min16int", "min16uint",
         "double", "int64_t", "uint64_t")  # fmt: skip
SIXTEEN = ("float16_t", "int16_t", "uint16_t")
"""With ``-enable-16bit-types``; then `min16float` and its like take two bytes as well."""
WEIGHTED = ("float",) * 8
FLOATS = ("float", "half", "min16float", "double", "float16_t")

GOLDEN = (1001, 14)
"""Seed and count of the shader whose interface is written down in ``declarations.golden.txt``."""
LARGEST = 400
"""Registers of 16 bytes of a member: DXC copies structs member by member, element by element."""

STRUCTURED = ("StructuredBuffer", "RWStructuredBuffer", "AppendStructuredBuffer", "ConsumeStructuredBuffer")
TEXTURES = {
    "Texture1D": "1",
    "Texture2D": "2",
    "Texture3D": "3",
    "Texture1DArray": "2",
    "Texture2DArray": "3",
}


@dataclass(slots=True)
class Leaf:
    """A type, and an expression for one number in a variable of it."""

    declaration: str
    """With ``@`` for the name."""
    path: str
    words: int
    """No fewer registers of 16 bytes than it can take under any rule."""


@dataclass(slots=True)
class Source:
    """A shader's text, and the number of its declarations."""

    name: str
    text: str
    profile: str
    sixteen_bit: bool
    count: int
    registers: list[tuple[str, int]] = field(default_factory=list)
    """(register, space) of every resource, where all have one."""


class Maker:
    """Generates the declarations of one shader."""

    def __init__(self, seed: int, *, bound: bool = False, buffer_arrays: bool = True) -> None:
        self.random = random.Random(seed)
        self.bound = bound
        """Every resource has a register and none a counter: what ``-fvk-bind-register`` wants."""
        self.buffer_arrays = buffer_arrays
        """With arrays of constant buffers: an old DXC counts them as one when it flattens."""
        self.sixteen_bit = bool(seed % 2)
        self.lines: list[str] = []
        self.uses: list[str] = []
        self.count = 0
        self.number = 0
        self.structs: list[tuple[str, Leaf]] = []
        self.registers: list[tuple[str, int]] = []
        self.taken: set[tuple[str, int, int]] = set()
        self.places: set[tuple[int, int]] = set()
        self.pushes = self.chance(0.5)
        """A push constant or global variables: an old DXC puts the one among the others."""

    # ---------------------------------------------------------------------------------------------------- helpers

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def pick(self, choices: Sequence[str]) -> str:
        return choices[self.random.randrange(len(choices))]

    def fresh(self, stem: str) -> str:
        self.number += 1
        return f"{stem}{self.number}"

    # ------------------------------------------------------------------------------------------------------ types

    def scalar(self) -> str:
        names = (*WEIGHTED, *PLAIN, *SIXTEEN) if self.sixteen_bit else (*WEIGHTED, *PLAIN)
        return self.pick(names)

    def numeric(self, *, member: bool = True) -> Leaf:
        """Choose a scalar, vector or matrix; DXC accepts non-float matrices only as ``row_major`` members."""
        r = self.random.random()
        name = self.scalar()
        if r < 0.3:
            return Leaf(f"{name} @", "", 1)
        if r < 0.6:
            size = self.random.randint(1, 4)
            spelled = f"{name}{size}" if self.chance(0.8) else f"vector<{name}, {size}>"
            return Leaf(f"{spelled} @", ".x", 2)
        rows, columns = self.random.randint(1, 4), self.random.randint(1, 4)
        spelled = f"{name}{rows}x{columns}" if self.chance(0.8) else f"matrix<{name}, {rows}, {columns}>"
        if name not in FLOATS and not member:
            return Leaf(f"{name}4 @", ".w", 2)
        if name not in FLOATS:
            spelled = f"row_major {spelled}"
        elif self.chance(0.4):
            spelled = f"{self.pick(('row_major', 'column_major'))} {spelled}"
        return Leaf(f"{spelled} @", f"[{rows - 1}][{columns - 1}]", 8)

    def member(self, depth: int) -> Leaf:
        """Choose the type of a member: a number, a vector, a matrix, a struct, or arrays of them."""
        if depth and self.chance(0.25):
            name, leaf = self.structure(depth - 1)
            if leaf.words > LARGEST:
                return self.numeric()
            leaf = Leaf(f"{name} @", leaf.path, leaf.words)
        else:
            leaf = self.numeric()
        dimensions = [self.random.randint(1, 4) for _ in range(self.random.choice((0, 0, 0, 0, 1, 1, 2, 3)))]
        # DXC decorates matrices behind one dimension only (docs/contributing/oracle.md)
        if "x" in leaf.declaration or "matrix" in leaf.declaration:
            dimensions = dimensions[:1]
        while math.prod(dimensions) * leaf.words > LARGEST:
            dimensions.pop()
        leaf.words *= math.prod(dimensions)
        suffix = "".join(f"[{n}]" for n in dimensions)
        index = "".join(f"[{n - 1}]" for n in dimensions)
        return Leaf(leaf.declaration.replace("@", f"@{suffix}"), index + leaf.path, leaf.words)

    def structure(self, depth: int = 2, *, derived: bool = True) -> tuple[str, Leaf]:
        """Declare a struct or choose an earlier one.

        ``derived`` allows a base class, which an old DXC loses in blocks.
        """
        if derived and self.structs and self.chance(0.3):
            return self.pick_struct()
        name = self.fresh("S")
        base, at = "", 0
        if derived and self.structs and self.chance(0.2):
            base, leaf = self.pick_struct()
            at = 16 * leaf.words
        members: list[tuple[str, Leaf]] = []
        for _ in range(self.random.randint(1, 6)):
            members.append((self.fresh("m"), self.member(depth)))
        placed = self.chance(0.12)
        body = ""
        for member, leaf in members:
            place = ""
            if placed and self.chance(0.7):
                at = -(-at // 32) * 32 + 32 * self.random.randint(0, 2)
                place = f"[[vk::offset({at})]] "
            at += 16 * leaf.words + 32
            body += f"    {place}{leaf.declaration.replace('@', member)};\n"
        self.lines.append(f"struct {name}{' : ' + base if base else ''}\n{{\n{body}}};")
        chosen, leaf = members[self.random.randrange(len(members))]
        made = Leaf("", f".{chosen}{leaf.path}", 2 + at // 16)
        self.structs.append((name, made))
        return name, made

    def pick_struct(self) -> tuple[str, Leaf]:
        return self.structs[self.random.randrange(len(self.structs))]

    def aliased(self) -> tuple[str, Leaf]:
        """Declare a ``typedef``, which may include the majorness, and return its name and type."""
        name = self.fresh("T")
        leaf = self.numeric(member=False)
        self.lines.append(f"typedef {leaf.declaration.replace('@', name)};")
        return name, Leaf(f"{name} @", leaf.path, leaf.words)

    # --------------------------------------------------------------------------------------------------- bindings

    def place(self, letter: str, *, counter: bool = False) -> tuple[str, str]:
        """Return (text before a resource's declaration, text after it) that give the resource a fixed binding."""
        before = ""
        if self.bound or self.chance(0.45):
            for _ in range(100):
                number, space = self.random.randint(0, 40), self.random.randint(0, 3)
                if (letter, number, space) not in self.taken:
                    break
            self.taken.add((letter, number, space))
            self.registers.append((f"{letter}{number}", space))
            in_space = f", space{space}" if space or self.chance(0.5) else ""
            behind = f" : register({letter}{number}{in_space})"
        elif self.chance(0.1):
            behind = f" : register(space{self.random.randint(0, 3)})"
        else:
            behind = ""
        if not self.bound and self.chance(0.2):
            before = f"[[vk::binding({self.own_place()})]] "
        if counter:
            number, space = self.random.randint(60, 99), 0
            while (number, space) in self.places:
                number += 1
            self.places.add((number, space))
            before += f"[[vk::counter_binding({number})]] "
        return before, behind

    def own_place(self) -> str:
        number, space = self.random.randint(41, 59), self.random.randint(0, 3)
        while (number, space) in self.places:
            number += 1
        self.places.add((number, space))
        return f"{number}, {space}" if space or self.chance(0.5) else str(number)

    def use(self, expression: str) -> None:
        self.uses.append(f"    total += float({expression});")

    # ------------------------------------------------------------------------------------------------ declarations

    def block(self) -> None:
        """Declare a ``cbuffer`` or ``tbuffer``."""
        keyword = self.pick(("cbuffer", "cbuffer", "tbuffer"))
        before, behind = self.place("b" if keyword == "cbuffer" else "t")
        name = self.fresh("B")
        members = []
        for _ in range(self.random.randint(1, 7)):
            typed = self.aliased()[1] if self.chance(0.1) else self.member(2)
            members.append((self.fresh("g"), typed))
        packed, at, body = self.chance(0.2), 0, ""
        for member, leaf in members:
            place = ""
            if packed:
                at += at % 2 + 2 * self.random.randint(0, 1)
                component = self.pick(("", ".x", "", ".y", ".z", ".w")) if leaf.words == 1 else ""
                if leaf.path.strip(".xyzw"):  # an array or a struct starts at a register
                    component = ""
                place = f" : packoffset(c{at}{component})"
            at += leaf.words + 2
            body += f"    {leaf.declaration.replace('@', member)}{place};\n"
        self.lines.append(f"{before}{keyword} {name}{behind}\n{{\n{body}}};")
        chosen, leaf = members[self.random.randrange(len(members))]
        self.use(chosen + leaf.path)

    def constant_buffer(self) -> None:
        keyword = self.pick(("ConstantBuffer", "ConstantBuffer", "TextureBuffer"))
        struct, leaf = self.structure(derived=False)
        before, behind = self.place("b" if keyword == "ConstantBuffer" else "t")
        name = self.fresh("c")
        if keyword == "ConstantBuffer" and self.buffer_arrays and self.chance(0.2):
            self.lines.append(f"{before}{keyword}<{struct}> {name}[3]{behind};")
            self.use(f"{name}[1]{leaf.path}")
            return
        self.lines.append(f"{before}{keyword}<{struct}> {name}{behind};")
        self.use(name + leaf.path)

    def wants_counter(self, keyword: str) -> bool:
        """Return whether to use the counter; an old DXC gives every RWStructuredBuffer one, a new one only on use."""
        return keyword.startswith("RW") or (keyword != "StructuredBuffer" and self.chance(0.3))

    def structured(self) -> None:
        keyword = "StructuredBuffer" if self.bound else self.pick(STRUCTURED)
        if self.chance(0.6):
            element, leaf = self.structure()
        elif self.chance(0.2):
            element, leaf = self.aliased()
        else:
            leaf = self.numeric(member=False)
            element = leaf.declaration.replace(" @", "")
            if element.startswith(("row", "column")) and keyword not in STRUCTURED[:2]:
                keyword = "StructuredBuffer"  # locals of the type have no majorness
        before, behind = self.place("t" if keyword == "StructuredBuffer" else "u", counter=self.wants_counter(keyword))
        name = self.fresh("b")
        self.lines.append(f"{before}{keyword}<{element} > {name}{behind};")
        if keyword.startswith("Append"):
            self.uses.append(f"    {element} v{name} = ({element})0;")
            self.uses.append(f"    {name}.Append(v{name});")
        elif keyword.startswith("Consume"):
            self.uses.append(f"    {element} v{name} = {name}.Consume();")
            self.use(f"v{name}{leaf.path}")
        else:
            self.use(f"{name}[2]{leaf.path}")
            if keyword.startswith("RW"):
                self.use(f"{name}.IncrementCounter()")

    def push_constant(self) -> None:
        if not self.pushes:
            return self.global_variable()
        if any("push_constant" in line for line in self.lines):
            return self.constant_buffer()
        struct, leaf = self.structure(derived=False)
        name = self.fresh("p")
        self.lines.append(f"[[vk::push_constant]] {struct} {name};")
        self.use(name + leaf.path)

    def global_variable(self) -> None:
        if self.pushes or self.bound:
            return self.block()
        name = self.fresh("v")
        leaf = self.member(2)
        self.lines.append(f"{leaf.declaration.replace('@', name)};")
        self.use(name + leaf.path)

    def raw_buffer(self) -> None:
        keyword = self.pick(("ByteAddressBuffer", "RWByteAddressBuffer"))
        before, behind = self.place("t" if keyword[0] == "B" else "u")
        name = self.fresh("a")
        self.lines.append(f"{before}{keyword} {name}{behind};")
        self.use(f"{name}.Load(16)")

    def texture(self) -> None:
        texel = self.pick(("float", "float2", "float4", "int", "uint4", "int2"))
        writable = self.chance(0.4)
        element = "" if texel in ("float", "int") else ".x"
        name = self.fresh("t")
        before, behind = self.place("u" if writable else "t")
        if self.chance(0.2):
            self.lines.append(f"{before}{'RW' if writable else ''}Buffer<{texel}> {name}{behind};")
            self.use(f"{name}[1]{element}")
            return
        keyword = self.pick(tuple(TEXTURES))
        count = self.random.choice(("", "", "", "", "[2]", "[3]", "[]")) if not self.bound else ""
        array = "[4]" if count == "[]" and not self.buffer_arrays else count
        index = "[1]" if array else ""
        self.lines.append(f"{before}{'RW' if writable else ''}{keyword}<{texel}> {name}{array}{behind};")
        place = TEXTURES[keyword]
        self.use(f"{name}{index}[(uint{place})1]{element}")

    def sampler(self) -> None:
        name, texture = self.fresh("s"), self.fresh("t")
        for keyword, each, letter in (("SamplerState", name, "s"), ("Texture2D<float4>", texture, "t")):
            before, behind = self.place(letter)
            self.lines.append(f"{before}{keyword} {each}{behind};")
        self.use(f"{texture}.SampleLevel({name}, (float2)0, 0).x")

    # ------------------------------------------------------------------------------------------------------ shaders

    def declarations(self, count: int) -> None:
        kinds = (
            (self.block, 30),
            (self.constant_buffer, 20),
            (self.structured, 25),
            (self.push_constant, 4),
            (self.global_variable, 8),
            (self.raw_buffer, 3),
            (self.texture, 7),
            (self.sampler, 3),
        )
        for _ in range(count):
            if self.chance(0.1):
                self.lines.append(f"#pragma pack_matrix({self.pick(('row_major', 'column_major'))})")
            (kind,) = self.random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])
            kind()
            self.count += 1

    def stage_struct(self, name: str) -> None:
        """Declare the inputs or outputs of a vertex shader; each takes the next locations."""
        lines = [f"    float4 position : {'SV_Position' if name == 'Output' else 'POSITION'};"]
        for n in range(self.random.randint(2, 6)):
            leaf = self.numeric()
            while "double" in leaf.declaration or "64" in leaf.declaration or "bool" in leaf.declaration:
                leaf = self.numeric()
            array = f"[{self.random.randint(1, 3)}]" if self.chance(0.2) else ""
            place = f"nointerpolation {leaf.declaration.replace('@', f'x{n}{array}')}"
            lines.append(f"    {place} : {self.pick(('TEXCOORD', 'COLOR', 'A'))}{n * 7};")
        self.lines.append(f"struct {name}\n{{\n" + "\n".join(lines) + "\n};")
        self.count += 1

    def source(self, name: str, count: int) -> Source:
        self.declarations(count)
        vertex = self.chance(0.3) and not any("Append" in line or "Consume" in line for line in self.uses)
        if vertex:
            self.stage_struct("Input")
            self.stage_struct("Output")
            body = "    Output result = (Output)0;\n    result.position = input.position + total;\n    return result;"
            head = "Output main(Input input)"
        else:
            self.registers.append(("u99", 0))
            self.lines.append("RWByteAddressBuffer result : register(u99);")
            body = "    result.Store(0, asuint(total));"
            head = "[numthreads(1, 1, 1)]\nvoid main()"
        parts = [*self.lines, head, "{", "    float total = 0;", *self.uses, body, "}"]
        profile = "vs_6_2" if vertex else "cs_6_2"
        return Source(name, "\n".join(parts) + "\n", profile, self.sixteen_bit, self.count, self.registers)


def make(seed: int, count: int = 25, *, bound: bool = False, buffer_arrays: bool = True) -> Source:
    """Return shader number ``seed``, with ``count`` declarations (a sampler adds a texture)."""
    maker = Maker(seed, bound=bound, buffer_arrays=buffer_arrays)
    return maker.source(f"family_{'bound_' if bound else ''}{seed}", count)


if __name__ == "__main__":
    import sys

    print(make(int(sys.argv[1])).text)
