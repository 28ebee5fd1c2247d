"""Plain data about a module: its types, and the layout of memory."""
