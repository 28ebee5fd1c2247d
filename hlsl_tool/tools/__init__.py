"""The external tools of SPIRV-Tools: finding (`locate`), running, and understanding what they say.

Nothing is imported here: a build with nothing to do finds the tools, and runs none.
"""
