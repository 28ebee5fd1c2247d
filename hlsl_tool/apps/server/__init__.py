"""The compile server: a process with the compiler loaded, for the many short calls of ninja, make and CMake."""
