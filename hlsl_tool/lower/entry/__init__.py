"""Entry points: one of a profile's own, or those that the attributes of a library's functions name."""
