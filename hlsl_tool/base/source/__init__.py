"""Source files, positions in them, and file systems."""

from __future__ import annotations

from hlsl_tool.base.source.files import Decoded, SourceFile, decode
from hlsl_tool.base.source.filesystem import (
    CachedFileSystem,
    FileSystem,
    MemoryFileSystem,
    OSFileSystem,
    OverlayFileSystem,
)

__all__ = [
    "CachedFileSystem",
    "Decoded",
    "FileSystem",
    "MemoryFileSystem",
    "OSFileSystem",
    "OverlayFileSystem",
    "SourceFile",
    "decode",
]
