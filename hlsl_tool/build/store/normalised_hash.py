"""What of a file's content can decide a shader: all but comments, white space and empty lines.

It is a digest of the text as the preprocessor takes it apart (`preprocessor.lexer`): with line continuations and
comments taken out, blanks beside each other as one, and without lines that hold nothing.  Two files that are alike in
this give the same tokens, with the same blanks between them as far as `#` and `#define` tell; what differs is where
they stand."""

from __future__ import annotations

import re
from typing import Final

from hlsl_tool.build.digest import digest
from hlsl_tool.preprocessor.lexing import lexer
from hlsl_tool.source import SourceFile

_BLANKS: Final = re.compile(
    r"""#[ \t]*include[ \t]*<[^>\n]*>|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|[^\S\n]+""", re.DOTALL
)


def meaning_of(data: bytes) -> str:
    """The digest; empty for a file of which more than that counts: one that asks for line numbers, or of which there
    are messages to give whatever it means."""
    source = SourceFile.from_bytes("", "", data)
    if source.decoded.invalid >= 0 or source.decoded.nul >= 0:
        return ""
    clean, unterminated = lexer.clean(lexer.splice(source.text)[0])
    if unterminated >= 0 or "__LINE__" in clean:
        return ""
    text = _BLANKS.sub(lambda match: " " if match[0].isspace() else match[0], clean)
    lines = [line.rstrip(" ") for line in text.split("\n")]
    return digest("\n".join([line for line in lines if line]).encode("utf-8", "surrogatepass"))
