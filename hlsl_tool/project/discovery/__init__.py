"""Make a configuration for a folder of shaders: find sources, entry points, include folders and macros (`init`)."""
