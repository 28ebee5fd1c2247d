"""A compile server: it keeps the compiler loaded and warm for the many short calls of ninja, make and CMake."""
