"""Files, stacks, and child processes: the operating system as the rest of the package needs it."""
