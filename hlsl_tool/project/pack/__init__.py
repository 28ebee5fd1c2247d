"""Pack files: all permutations of many shaders in one file, which engines read without parsing."""

from hlsl_tool.project.pack.format import BadPack, Member, PackError, key_of, text_hash
from hlsl_tool.project.pack.read import Entry, Pack, read
from hlsl_tool.project.pack.write import write

__all__ = ["BadPack", "Entry", "Member", "Pack", "PackError", "key_of", "read", "text_hash", "write"]
