"""Options, and the one function that compiles a shader."""
