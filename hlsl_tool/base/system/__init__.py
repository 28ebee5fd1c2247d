"""Functions around the operating system and Python: files, stacks, keys and garbage collection."""
