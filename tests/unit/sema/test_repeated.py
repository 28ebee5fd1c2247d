"""Diagnostics of declarations that occur twice in a shader, as from a file that is included twice."""

from __future__ import annotations

from hlsl_tool import compile_shader
from hlsl_tool.base.source import MemoryFileSystem

HEADER = "float f(float x) { return x; }\nstruct S { float a; };\nstatic float v;\n"
FILES = MemoryFileSystem({"a.hlsli": '#include "h.hlsli"\n', "b.hlsli": '\n#include "h.hlsli"\n', "h.hlsli": HEADER})
SHADER = '#include "a.hlsli"\n#include "b.hlsli"\nfloat4 main() : SV_Target { return f(1); }'


def test_a_redefinition_stands_in_the_second_inclusion_and_its_note_in_the_first() -> None:
    result = compile_shader(SHADER, entry="main", profile="ps_6_0", name="m.hlsl", fs=FILES)
    assert [d.message.partition("'")[0] for d in result.diagnostics] == ["redefinition of "] * 3
    for line, diagnostic in enumerate(result.diagnostics, 1):
        place = diagnostic.location
        assert place is not None
        assert (place.file, place.line) == ("./h.hlsli", line)
        assert place.include_stack == (("m.hlsl", 2), ("./b.hlsli", 2))
        (note,) = diagnostic.notes
        assert note.location is not None
        assert note.location.line == line
        assert note.location.include_stack == (("m.hlsl", 1), ("./a.hlsli", 1))
