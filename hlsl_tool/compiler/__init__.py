"""The compiler: ``compile_shader`` and the cache of its results."""
