"""Verbs that exchange builds with other build systems: generate, import, cmake-dir."""
