"""What all wings share: diagnostics, options, source files, and the operating system."""
