"""Expand the settings of a shader to its permutations, with their options and names."""
