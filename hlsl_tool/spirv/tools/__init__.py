"""SPIRV-Tools, the external tools: find them (`locate`), run them, and read their messages.

This file imports nothing: a build with nothing to do finds the tools, and runs none.
"""
