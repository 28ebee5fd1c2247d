"""Passes over SPIR-V modules: one function a file, listed in ``pipeline``."""
