"""Build the shaders of a configuration: plan, engine, and the session that the command line, SCons and the watcher run.

No module imports the compiler before a job has to be compiled, so that a build with nothing to do is quick.
"""
