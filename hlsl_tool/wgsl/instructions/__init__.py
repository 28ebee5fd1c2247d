"""Writers of SPIR-V instructions, by opcode."""
