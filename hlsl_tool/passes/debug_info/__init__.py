"""Passes over the instructions of debug information."""
