"""The kinds of output, and the suffixes of their file names.

A build with nothing to do imports this module, but not the option table.
"""

SUFFIXES = {
    "spv": ".spv",
    "spvasm": ".spvasm",
    "reflection": ".json",
    "header": ".h",
    "cpp": ".hpp",
    "dep": ".d",
    "debug": ".debug.spv",
    "bindings": ".bindings.json",
    "wgsl": ".wgsl",
    "wgsl_bindings": ".wgsl.json",
    "msl": ".metal",
    "glsl": ".glsl",
    "essl": ".es.glsl",
    "hlsl": ".cross.hlsl",
}
"""Kind of output → the end of its file's name."""

CROSS_KINDS = frozenset(("msl", "glsl", "essl", "hlsl"))
"""Kinds of output that SPIRV-Cross makes."""

BLOB_SUFFIXES = {"blob": ".bin", "blob_header": ".bin.h"}
"""Kinds of output that all permutations of an entry share."""

PROJECT_FILES = {
    "cpp_structs": "shaders.hpp",
    "rust_structs": "shaders.rs",
    "csharp_structs": "Shaders.cs",
    "webgpu_pipelines": "webgpu.json",
    "vulkan_pipelines": "vulkan.json",
    "vulkan_pipelines_cpp": "vulkan_pipelines.hpp",
}
"""Kinds of output that all shaders share → the file by default, from the output folder."""

PIPELINE_FILES = ("webgpu_pipelines", "vulkan_pipelines", "vulkan_pipelines_cpp")
"""Kinds of outputs that contain the pipelines of the project."""

JOINED = {
    "blob": "spv",
    "blob_header": "spv",
    "cpp_structs": "reflection",
    "rust_structs": "reflection",
    "csharp_structs": "reflection",
    "webgpu_pipelines": "wgsl_bindings",
    "vulkan_pipelines": "reflection",
    "vulkan_pipelines_cpp": "reflection",
}
"""Kinds of output that are made of the outputs of several permutations → the kind of these."""
