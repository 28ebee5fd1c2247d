"""Handlers that write SPIR-V instructions as WGSL, by opcode."""
