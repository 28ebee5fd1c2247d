"""The editor's documents, the project's configurations, and the targets with which a file can be analysed."""
