"""The exports of a library (`-exports`): names of entry points and functions."""

from __future__ import annotations

from collections.abc import Iterable

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import compiler as codes
from hlsl_tool.frontend.sema.model.hir import Program


def export_names(options: Iterable[str], sink: Sink) -> tuple[str, ...]:
    """Return the names in the values of ``-exports``, which are separated by semicolons.

    DXC's ``clone=internal`` has no equivalent in SPIR-V and is reported as an error.
    """
    names = tuple(name.strip() for text in options for name in text.split(";") if name.strip())
    for name in names:
        if "=" in name or "," in name:
            why = ": a library exports under its own names"
            sink.error(codes.OPTION_UNSUPPORTED, None, option=f"-exports {name}", why=why)
    return names


def check_exports(program: Program, names: Iterable[str], sink: Sink) -> None:
    """Report each name that is not an exported function of the program."""
    exported = {
        f.qualified_name
        for f in program.functions
        if f.has_body and f.owner is None and ("export" in f.quals or any(a.name == "shader" for a in f.attributes))
    }
    for name in names:
        if name not in exported:
            sink.error(codes.EXPORT_UNKNOWN, None, name=name)
