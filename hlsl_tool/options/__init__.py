"""Options of a compilation: the model, the table of all switches, their checks, and DXC's command line."""
