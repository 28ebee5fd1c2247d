"""The folder of tools that SCons searches."""
