"""The typed tree and the types, as data."""
