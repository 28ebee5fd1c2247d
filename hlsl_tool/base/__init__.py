"""Code that all other packages use: diagnostics, options, source files, and the operating system."""
