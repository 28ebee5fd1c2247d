"""Included files: found, entered once, and remembered between shaders."""
