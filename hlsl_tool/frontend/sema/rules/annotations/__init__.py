"""Attributes, registers, packoffset and semantics."""
