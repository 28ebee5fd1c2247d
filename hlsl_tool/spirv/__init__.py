"""SPIR-V: grammar tables, IR, builder, encoder, decoder and disassembler."""
