"""Interfaces between shaders and engine, and between stages: bindings and stage variables.

It works on finished modules of any compiler; the compiler's interface record adds places, registers and semantics.
"""
