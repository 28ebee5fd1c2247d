"""Entry points: that of a profile, or the functions of a library with a stage attribute."""
