"""Inputs and outputs of entry points: SPIR-V variables, semantics and locations."""
