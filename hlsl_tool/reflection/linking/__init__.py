"""Interfaces between shaders and engine, and between stages: bindings and stage variables.

It works on finished modules of any compiler; this compiler's interface record adds source locations, registers and
semantics.
"""
