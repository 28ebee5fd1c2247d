"""Import lists of shaders from other tools, and convert them to a configuration."""
