"""Passes over SPIR-V modules, each a function in a file of its own; ``pipeline`` lists them in order."""
