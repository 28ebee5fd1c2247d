"""Arrays of resources: a variable for each element, and functions that choose one at run time."""
