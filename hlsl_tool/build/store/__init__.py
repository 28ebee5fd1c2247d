"""The store of results: what a compilation came to, by the hash of all that decides it.

`results.Store` is what the build talks to; back ends (`directory`, `http`) hold bytes by name and know nothing of
shaders.  Whatever is wrong with a back end is a miss and at most one warning, never another result.
"""
