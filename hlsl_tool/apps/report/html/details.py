"""Compile shaders without optimisation, and collect their bindings and block layouts for the HTML report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hlsl_tool.apps.report.compiling import examine_all
from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.base.system.regular_files import read_regular
from hlsl_tool.project.build.job import Job
from hlsl_tool.reflection.linking.binding_table import Binding

if TYPE_CHECKING:
    from hlsl_tool.apps.report.rows import Picture
    from hlsl_tool.base.source import CachedFileSystem
    from hlsl_tool.codegen.layout.blocks import BlockLayout
    from hlsl_tool.compiler.result import CompileResult, Memory

MAX_ROWS = 40
"""The number of rows of 16 bytes that the picture of a block shows."""
MAX_MEMBERS = 200
"""The number of members that the table of a block shows."""


@dataclass(slots=True)
class LaidOut:
    """A block: a picture of its layout, and a table of its members."""

    title: str
    size: int
    padding: int
    """The number of bytes that no member has."""
    svg: str
    layouts: list[str]
    """The columns of the table: layouts with equal offsets share one, and the layout in use is the first."""
    members: list[tuple[str, str, list[str]]]
    """Path, type, and a cell for each layout: offset and size."""
    hidden: int = 0
    """The number of members behind the last one of the table."""


@dataclass(slots=True)
class Details:
    """The bindings and blocks of one job."""

    bindings: list[Binding] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Bindings that several resources use by mistake."""
    blocks: list[LaidOut] = field(default_factory=list)


def details_of(root: str, jobs: Sequence[Job], processes: int) -> list[Details | None]:
    """Compile up-to-date jobs; return their details in the same order, ``None`` for a job that fails."""
    return examine_all(_details, root, jobs, processes)


def _details(root: str, job: Job, fs: CachedFileSystem, memory: Memory) -> Details | None:
    from hlsl_tool.base.source import SourceFile
    from hlsl_tool.compiler.compile import compile_shader

    path = fs.resolve(job.source)
    data = fs.read(path)
    if data is None:
        return None
    o = replace(job.options, codegen_only=True, validate="no")
    source = SourceFile.from_bytes(job.source, path, data)
    result = compile_shader(source, entry=o.entry, profile=o.profile, options=o, fs=fs, memory=memory)
    if not result.ok or result.module is None:
        return None
    details = Details(blocks=[_laid_out(block, o.layout) for block in result.interface.blocks])
    try:
        _add_bindings(details, root, job, result)
    except OSError:  # another process removed the module just now
        return None
    return details


def _add_bindings(details: Details, root: str, job: Job, result: CompileResult) -> None:
    """Add the bindings of the built module: the declarations of the source that remain in the module."""
    from hlsl_tool.base.diagnostics import Sink
    from hlsl_tool.compiler.preprocessing import warning_options
    from hlsl_tool.reflection.linking.binding_table import binding_table
    from hlsl_tool.reflection.linking.collisions import check
    from hlsl_tool.spirv.decode import decode

    module = result.module
    assert module is not None
    if "spv" in job.targets:
        module = decode(read_regular(os.path.join(root, job.targets["spv"])))
    details.bindings = binding_table(module, result.interface)
    sink = Sink(warning_options(job.options))
    check(module, result.interface, sink)
    details.problems = [f"{d.message} [{d.code.id}]" for d in sink.diagnostics]


def _laid_out(block: BlockLayout, active: str) -> LaidOut:
    from hlsl_tool.apps.report.layout_svg import distinct, svg_in_page
    from hlsl_tool.apps.report.rows import PADDING, flat, pictures
    from hlsl_tool.apps.report.ruler import heading, type_words

    panels = distinct(pictures(block, active))
    columns = [flat(picture) for _, picture in panels]
    members = [
        (nodes[0].path or "(element)", type_words(nodes[0]), [f"{n.offset} ({n.extent.size})" for n in nodes])
        for nodes in zip(*columns, strict=True)
    ]
    own: Picture = panels[0][1]
    return LaidOut(
        heading(block),
        own.size,
        sum(row.cells.count(PADDING) for row in own.rows),
        svg_in_page(block, active, MAX_ROWS),
        [", ".join(options) for options, _ in panels],
        members[:MAX_MEMBERS],
        max(0, len(members) - MAX_MEMBERS),
    )
