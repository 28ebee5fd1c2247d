"""Hash of a file's normalised text: without comments, white space and empty lines.

The text is normalised as the preprocessor's lexer splits it: line continuations and comments removed, adjacent blanks
merged, empty lines removed.  Two files with the same hash have the same tokens, with the same blanks between them as
far as `#` and `#define` depend on blanks; only the lines and columns of the tokens differ.
"""

from __future__ import annotations

import re
from typing import Final

from hlsl_tool.base.source import SourceFile
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.project.build.digest import digest

_BLANKS: Final = re.compile(
    r"""#[ \t]*include[ \t]*<[^>\n]*>|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|[^\S\n]+""", re.DOTALL
)


def normalised_hash(data: bytes) -> str:
    """Return the normalised content hash of a file.

    Empty if the file uses `__LINE__`, or if its text causes diagnostics: equal hashes would then not give equal
    results.
    """
    source = SourceFile.from_bytes("", "", data)
    if source.decoded.invalid >= 0 or source.decoded.nul >= 0:
        return ""
    clean, unterminated = lexer.clean(lexer.splice(source.text)[0])
    if unterminated >= 0 or "__LINE__" in clean:
        return ""
    text = _BLANKS.sub(lambda match: " " if match[0].isspace() else match[0], clean)
    lines = [line.rstrip(" ") for line in text.split("\n")]
    return digest("\n".join([line for line in lines if line]).encode("utf-8", "surrogatepass"))
