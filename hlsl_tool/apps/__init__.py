"""What the command line starts: the compile server, the language server, reports."""
