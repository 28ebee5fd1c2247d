"""Some of the `declarations`, compared with a stored text that was verified with DXC, so that DXC is not needed.

`test_declarations` compares the same shader with DXC if there is one. ``pytest --update-golden`` writes the text.
"""

from __future__ import annotations

import pathlib

import pytest

from hlsl_tool.base.options.command_line import parse
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.spirv.decode import decode
from tests.oracle.declarations import GOLDEN, make
from tests.oracle.interface import Interface

TEXT = pathlib.Path(__file__).parent / "declarations.golden.txt"
LAYOUTS = ("", "-fvk-use-dx-layout", "-fvk-use-gl-layout", "-fvk-use-scalar-layout")


def text() -> str:
    """Return the description of each block under every layout and majorness, without repetitions."""
    source = make(*GOLDEN)
    lines: list[str] = []
    shown: dict[str, str] = {}
    for layout in LAYOUTS:
        for majorness in ("-Zpc", "-Zpr"):
            flags = ["-fcgl", "-T", source.profile, "-E", "main", majorness, *([layout] if layout else [])]
            if source.sixteen_bit:
                flags.append("-enable-16bit-types")
            options = parse([*flags, source.name]).options
            result = compile_shader(source.text, profile=source.profile, options=options, name=source.name)
            assert result.ok, [each.message for each in result.diagnostics]
            lines.append(f"== {layout} {majorness}".replace("  ", " "))
            found = Interface(decode(result.spirv)).describe()
            lines += [f"{name}: {what}" for name, what in sorted(found.items()) if shown.get(name) != what]
            shown = found
    return "\n".join(lines) + "\n"


def test_golden(update_golden: bool) -> None:
    if update_golden:
        TEXT.write_text(text())
        pytest.skip("written")
    assert text() == TEXT.read_text()
