"""Diagnostics for uses of resources that Vulkan forbids and that legalisation could not remove.

Examples are a resource that is chosen at run time, and a local variable of a resource type.
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.codegen.passes.legality import Illegal, find_illegal
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.tools.validator import Complaint

_CODES = {
    "chosen": codes.RESOURCE_CHOSEN,
    "local": codes.RESOURCE_LOCAL,
    "offset": codes.OFFSET_VARIABLE,
    "nested": codes.RESOURCE_NESTED,
    "member": codes.RESOURCE_MEMBER,
    "copied": codes.HIT_OBJECT_COPIED,
    "layout": codes.LAYOUT_VARIABLE,
    "held": codes.HIT_OBJECT_HELD,
}
_HINTS = {
    "chosen": "use each resource in its own branch and choose between the results, or put them into one array and"
    " index that",
    "local": "assign it where it is declared, or index the global array directly",
    "offset": "unroll the loop that it comes from, or add it to the coordinates; with"
    " `-fvk-variable-offsets` devices with VK_KHR_maintenance8 take it as it is",
    "nested": "flatten_arrays: true (-fspv-flatten-resource-arrays) makes every element a resource of its own; or"
    " declare one dimension and compute the index",
    "member": "declare it outside of the structure: in the cbuffer, which it then comes out of, or among the globals",
    "layout": "multiply by each matrix in its own branch and choose between the results",
    "copied": "trace again, or store what the hit object is asked for in its place",
    "held": "declare the hit object as a variable of its own, and pass it beside the struct",
}


def report_illegal(
    index: ModuleIndex, sink: Sink, complain: Callable[[], Complaint | None], *, variable_offsets: bool = False
) -> bool:
    """Report the first use of a resource that Vulkan forbids; return False if there is none.

    The diagnostic has no location yet (see ``blame``). ``complain`` runs spirv-val, whose message becomes a note,
    because users search for its text.
    """
    illegal = find_illegal(index.module, index, variable_offsets=variable_offsets)
    if illegal is None:
        return False
    complaint = complain()
    sink.error(
        _CODES[illegal.kind],
        None,
        name=", ".join(illegal.names),
        between=_between(illegal),
        where=f"local variable '{illegal.names[0]}'" if illegal.names else "a local variable",
        hint=_HINTS[illegal.kind],
        notes=[sink.note(codes.VALIDATOR_SAYS, None, message=complaint.text)] if complaint is not None else [],
    )
    return True


def _between(illegal: Illegal) -> str:
    if len(illegal.names) < 2:
        return "".join(f", an element of '{name}'" for name in illegal.names)
    quoted = [f"'{name}'" for name in illegal.names]
    return f" between {', '.join(quoted[:-1])} and {quoted[-1]}"
