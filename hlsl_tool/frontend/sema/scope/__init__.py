"""Scopes, the context of analysis, and the registries through which rules call each other."""
