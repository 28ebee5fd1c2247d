"""The folder in which SCons searches for tools."""
