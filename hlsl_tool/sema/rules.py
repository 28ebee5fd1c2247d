"""All rules of semantic analysis; importing them registers their handlers (`sema.handlers`)."""

from __future__ import annotations

from hlsl_tool.sema.declarations import declare, records
from hlsl_tool.sema.expressions import calls, literals, members, names, operators, subscripts
from hlsl_tool.sema.templates import instantiation, traits

RULES = (calls, declare, instantiation, literals, members, names, operators, records, subscripts, traits)
