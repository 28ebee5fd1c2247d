"""YAML configurations: read strictly, every value with its place, expanded into permutations."""
