"""Passes over SPIR-V modules, each a function in a file of its own; `compiler.pipeline` lists them in order."""
