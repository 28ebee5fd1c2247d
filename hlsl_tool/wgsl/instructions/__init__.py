"""One writer for each SPIR-V instruction."""
