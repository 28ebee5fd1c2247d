"""Entry points: the one that a profile names, or all functions with a stage attribute in a library."""
