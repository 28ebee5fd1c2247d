"""Files, stacks, keys and garbage collection: what the other packages need of the operating system and of Python."""
