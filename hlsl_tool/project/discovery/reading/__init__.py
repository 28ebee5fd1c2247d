"""Read the files of a folder: texts, includes, and macros."""
