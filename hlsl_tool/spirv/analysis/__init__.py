"""Analyses of SPIR-V modules shared by several packages: kinds of opcodes, lookups, uses, control flow."""
