"""Questions about SPIR-V modules that several packages ask: kinds of opcodes, look-ups, uses, control flow."""
