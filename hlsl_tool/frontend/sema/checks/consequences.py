"""Filter out errors that are probably caused by syntax errors or by earlier errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hlsl_tool.base.diagnostics.catalogue import lower as lower_codes
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk

_OF_NAMES = frozenset((
    codes.UNDECLARED, codes.UNKNOWN_TYPE, codes.NO_MEMBER, codes.NO_MEMBER_NAMESPACE, codes.NOT_DECLARED_IN,
    codes.NO_MATCHING_FUNCTION, codes.NO_MATCHING_METHOD,
))  # fmt: skip
"""Codes whose ``name`` is a name that was not found, or not with the right declaration."""
_OF_BODIES = frozenset((codes.MISSING_RETURN, codes.MISSING_RETURN_SOME, codes.UNUSED_VALUE))
"""Codes that a discarded statement may cause."""


def without_consequences(chunks: Iterable[SourceChunk], messages: list[Raw]) -> list[Raw]:
    """Drop diagnostics that may be caused by a declaration or statement that a syntax error discarded."""
    lost = frozenset[str]().union(*(chunk.lost for chunk in chunks))

    def is_consequence(message: Raw) -> bool:
        chunk = message.chunk
        if message.code in _OF_NAMES and message.fmt.get("name") in lost:
            return True
        if chunk is None or not chunk.has_errors:
            return False
        return message.code in _OF_BODIES or message.pos in chunk.error_positions

    return [message for message in messages if not is_consequence(message)]


def without_lost_attributes(messages: list[Raw]) -> list[Raw]:
    """Drop diagnostics about a missing attribute of an entry point if an error may have discarded the attribute."""
    if not any(message.code is lower_codes.ATTRIBUTE_MISSING for message in messages):
        return messages
    errors = [message for message in messages if message.code.severity == "error"]

    def is_consequence(message: Raw) -> bool:
        return message.code is lower_codes.ATTRIBUTE_MISSING and any(
            error.chunk is message.chunk and error.pos < message.pos for error in errors
        )

    return [message for message in messages if not is_consequence(message)]


_FLOW = frozenset((codes.MISSING_RETURN, codes.MISSING_RETURN_SOME))


def without_flow(chunks: Sequence[SourceChunk], messages: list[Raw]) -> list[Raw]:
    """Drop diagnostics about control flow that are located after the first error, as clang does.

    An attribute or declaration with an error may be the reason why they are reported.
    """
    if not any(m.code in _FLOW for m in messages):
        return messages
    order = {chunk: n for n, chunk in enumerate(chunks)}
    places = [
        (order.get(m.chunk, 0) if m.chunk else 0, m.pos)
        for m in messages
        if m.code.severity == "error" and m.code not in _FLOW
    ]
    places += [(n, min(chunk.error_positions)) for n, chunk in enumerate(chunks) if chunk.error_positions]
    first = min(places, default=None)
    if first is None:
        return messages
    return [m for m in messages if m.code not in _FLOW or (order.get(m.chunk, 0) if m.chunk else 0, m.pos) < first]
