"""Passes that replace computations and constants that SPIR-V or drivers do not define."""
