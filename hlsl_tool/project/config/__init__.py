"""YAML configurations: parsed strictly, with the source location of each value, and expanded into permutations."""
