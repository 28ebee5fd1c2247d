"""Expansion: from the settings of a shader to its permutations with their names."""
