"""Verbs that report on all shaders of a project."""
