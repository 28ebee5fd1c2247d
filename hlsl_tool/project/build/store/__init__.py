"""The store of results: maps the hash of everything that affects a compilation to the result of the compilation.

The build uses `results.Store`; back ends (`directory`, `http`) store bytes by name and know nothing of shaders.  An
error of a back end causes a cache miss and at most one warning; it never changes a result.
"""
