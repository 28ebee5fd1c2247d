"""Included files: find them, read them once, and cache their results for other shaders."""
