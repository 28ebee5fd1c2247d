"""The kinds of output, and the ends of their files' names.

A build with nothing to do imports the module, but not the table of options.
"""

SUFFIXES = {
    "spv": ".spv",
    "spvasm": ".spvasm",
    "reflection": ".json",
    "header": ".h",
    "cpp": ".hpp",
    "dep": ".d",
    "bindings": ".bindings.json",
    "wgsl": ".wgsl",
    "wgsl_bindings": ".wgsl.json",
}
"""Kind of output → the end of its file's name."""

BLOB_SUFFIXES = {"blob": ".bin", "blob_header": ".bin.h"}
"""Kinds of output that all permutations of an entry share."""

STRUCT_FILES = {"cpp_structs": "shaders.hpp", "rust_structs": "shaders.rs", "csharp_structs": "Shaders.cs"}
"""Kinds of output that all shaders share → the file by default, from the output folder."""

JOINED = (*BLOB_SUFFIXES, *STRUCT_FILES)
"""Kinds of output that are made of the outputs of several permutations."""
