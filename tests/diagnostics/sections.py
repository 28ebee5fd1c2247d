"""Read the files of this folder: shaders with the codes of their diagnostics in comments on the lines.

A file has many small shaders. Each begins with a line of dashes that contains its command line, unless that is only
`-T ps_6_0`:

    // ---- -T cs_6_0 -Wpadding
    struct S;
    S s;  // error: HLSL0310

A comment names every error and warning of its line, `// error: HLSL0310 // warning: HLSL0382`; notes are compared only
if a comment names one. A comment on the line of dashes is for diagnostics without a line. `// ---> NAME` begins a file
that the shader includes.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from hlsl_tool import CompileResult, compile_shader
from hlsl_tool.base.diagnostics.diagnostic import Diagnostic
from hlsl_tool.base.options.command_line import parse
from hlsl_tool.base.source import MemoryFileSystem

HEADER = re.compile(r"^// ----(.*)$")
PART = re.compile(r"^// ---> (\S+)$")
EXPECTED = re.compile(r"// (error|warning|note|fatal): ((?:HLSL|CFG)\d+)")

Row = tuple[int, str, str]
"""Line within the section (0: none), severity, code."""


@dataclass(slots=True)
class Section:
    """One shader with its command line."""

    path: Path
    line: int
    options: str
    expected: Counter[Row] = field(default_factory=Counter)
    files: dict[str, str] = field(default_factory=dict)
    """Name → text; the shader is the first."""

    @property
    def text(self) -> str:
        """The shader without the comments that name codes."""
        return EXPECTED.sub("", next(iter(self.files.values())))

    @property
    def codes(self) -> set[str]:
        return {code for _, _, code in self.expected}


def read(path: Path) -> list[Section]:
    """Return the sections of a file.  Text before the first one describes the file."""
    sections: list[Section] = []
    name = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if header := HEADER.match(line):
            options = EXPECTED.sub("", header[1]).strip()
            sections.append(Section(path, number, options or "-T ps_6_0"))
            name = "case.hlsl"
            sections[-1].files[name] = ""
        elif part := PART.match(line):
            name = part[1]
            sections[-1].files[name] = ""
            continue
        elif sections:
            sections[-1].files[name] += line + "\n"
        if sections and name == "case.hlsl":
            at = number - sections[-1].line
            sections[-1].expected.update((at, severity, code) for severity, code in EXPECTED.findall(line))
    return sections


def compiled(section: Section) -> CompileResult:
    """Compile the section's shader; only its own files can be included."""
    options = parse([*section.options.split(), "case.hlsl"]).options
    files = MemoryFileSystem({name: text for name, text in section.files.items() if name != "case.hlsl"})
    shader = section.files["case.hlsl"]
    return compile_shader(
        shader, entry=options.entry, profile=options.profile, options=options, fs=files, name="case.hlsl"
    )


def reported(section: Section, *, notes: bool) -> Counter[Row]:
    """Return the diagnostics of a compilation; lines of included files count as 0."""
    rows: Counter[Row] = Counter()
    for diagnostic in compiled(section).diagnostics:
        rows.update(_row(item) for item in diagnostic.flatten() if notes or item.severity != "note")
    return rows


def _row(item: Diagnostic) -> Row:
    place = item.location
    is_here = place is not None and place.file == "case.hlsl"
    return (place.line if place is not None and is_here else 0, item.severity, item.code.id)
