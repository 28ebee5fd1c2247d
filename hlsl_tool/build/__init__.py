"""From a configuration to files: plan, workers, outputs, manifest, SCons.

Nothing here imports the compiler until something has to be compiled, so that a build with nothing to do stays quick.
"""
