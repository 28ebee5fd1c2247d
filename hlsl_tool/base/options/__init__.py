"""The options of a compilation: data model, table of all switches, checks, and the parser of DXC's command line."""
