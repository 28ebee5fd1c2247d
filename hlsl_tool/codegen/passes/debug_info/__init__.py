"""Passes over debug information."""
