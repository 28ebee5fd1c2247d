"""Checks of whole programs and entry points."""
