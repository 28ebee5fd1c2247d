"""Find the entry points of sources: by attributes, signatures and names."""
