"""Write the rules of a project as text: one module for each build system."""
