"""Files and positions in them: the leaf that everything else stands on."""

from __future__ import annotations

from hlsl_tool.source.files import Decoded, SourceFile, decode
from hlsl_tool.source.filesystem import CachedFileSystem, FileSystem, MemoryFileSystem, OSFileSystem

__all__ = [
    "CachedFileSystem",
    "Decoded",
    "FileSystem",
    "MemoryFileSystem",
    "OSFileSystem",
    "SourceFile",
    "decode",
]
