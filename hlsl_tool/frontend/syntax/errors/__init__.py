"""Syntax errors: recovery, messages, and hints."""
