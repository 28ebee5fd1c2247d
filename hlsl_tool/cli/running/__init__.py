"""Verbs that run shaders."""
