"""Readers: the shaders of other tools' lists, as a configuration."""
