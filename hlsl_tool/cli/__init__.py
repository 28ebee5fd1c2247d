"""Command lines; the only package that prints and exits."""
