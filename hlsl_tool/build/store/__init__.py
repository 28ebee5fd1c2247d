"""The store of results: the result of a compilation under the hash of everything that decides it.

The build uses `results.Store`; back ends (`directory`, `http`) hold bytes by name, independent of shaders.  A problem
of a back end causes a miss and at most one warning, never another result.
"""
