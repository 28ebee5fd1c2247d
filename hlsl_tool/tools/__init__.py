"""The external tools of SPIRV-Tools: finding (`locate`), running, and reading their messages.

Nothing is imported here: a build with nothing to do finds the tools, and runs none.
"""
