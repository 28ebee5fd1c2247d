"""The representation of descriptor heaps before ``codegen/passes/descriptor_heap`` introduces their built-ins.

Until then a heap is one array of descriptors for each type, in a descriptor set number that no shader uses.
"""

from __future__ import annotations

RESOURCE_HEAP_SET = 0x7FFFFFF0
SAMPLER_HEAP_SET = 0x7FFFFFF1
CAPABILITY_EXTENSIONS = ("SPV_EXT_descriptor_heap", "SPV_KHR_untyped_pointers")
"""The extensions that a module with descriptor heaps declares."""
