"""The HTML report of a build: one file without links to other files or hosts."""
