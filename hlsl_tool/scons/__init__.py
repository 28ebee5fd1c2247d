"""The SCons tool: builders, nodes, and the session of one SCons run."""
