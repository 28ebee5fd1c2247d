"""Checks of entry points: attributes, parameters and results by stage."""
