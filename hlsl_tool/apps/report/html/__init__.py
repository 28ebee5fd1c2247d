"""The HTML report of a build: a single file that refers to no other files or hosts."""
