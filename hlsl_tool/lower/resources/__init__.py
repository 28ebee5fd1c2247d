"""Global variables, blocks, bindings, and the methods of resources."""
