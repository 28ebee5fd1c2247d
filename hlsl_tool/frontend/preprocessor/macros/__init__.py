"""Macro definitions and macro expansion."""
