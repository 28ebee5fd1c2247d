"""Work with other build systems: generate rules from a plan, run their build commands, and import command lines."""
