"""Verbs for use with other build systems: generate, import, cmake-dir."""
