"""YAML configurations: read strictly, with the place of each value, and expanded into permutations."""
