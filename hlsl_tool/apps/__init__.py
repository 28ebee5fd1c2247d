"""Programs that the command line starts: the compile server, the language server, and reports."""
