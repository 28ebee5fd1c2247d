"""Capabilities and extensions: declared from what a module uses, and trimmed."""
