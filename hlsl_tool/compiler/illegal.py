"""Messages about what legalisation could not make legal."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.diagnostics import Sink
from hlsl_tool.diagnostics.catalogue import tools as codes
from hlsl_tool.passes.legality import Illegal, find_illegal
from hlsl_tool.spirv.ir import Module
from hlsl_tool.tools.validator import Complaint

_CODES = {
    "chosen": codes.RESOURCE_CHOSEN,
    "local": codes.RESOURCE_LOCAL,
    "offset": codes.OFFSET_VARIABLE,
    "nested": codes.RESOURCE_NESTED,
    "member": codes.RESOURCE_MEMBER,
}
_HINTS = {
    "chosen": "use each resource in its own branch and choose between the results, or put them into one array and"
    " index that",
    "local": "assign it where it is declared, or index the global array directly",
    "offset": "unroll the loop that it comes from, or add it to the coordinates",
    "nested": "flatten_arrays: true (-fspv-flatten-resource-arrays) makes every element a resource of its own; or"
    " declare one dimension and compute the index",
    "member": "declare it outside of the structure: in the cbuffer, which it then comes out of, or among the globals",
}


def report_illegal(module: Module, sink: Sink, complain: Callable[[], Complaint | None]) -> bool:
    """Whether there is an error of this kind, which then is in the sink; its place is found later.

    ``complain`` asks spirv-val, whose words are what others have searched for.
    """
    found = find_illegal(module)
    if found is None:
        return False
    says = complain()
    sink.error(
        _CODES[found.kind],
        None,
        name=", ".join(found.names),
        between=_between(found),
        where=f"local variable '{found.names[0]}'" if found.names else "a local variable",
        hint=_HINTS[found.kind],
        notes=[sink.note(codes.VALIDATOR_SAYS, None, message=says.text)] if says is not None else [],
    )
    return True


def _between(found: Illegal) -> str:
    if len(found.names) < 2:
        return "".join(f", an element of '{name}'" for name in found.names)
    quoted = [f"'{name}'" for name in found.names]
    return f" between {', '.join(quoted[:-1])} and {quoted[-1]}"
