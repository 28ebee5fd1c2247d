"""The editor's documents, the project's configurations, and the shaders to analyse for a file."""
