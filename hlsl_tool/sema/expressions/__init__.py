"""Names, members, calls, operators, conversions and initialisation."""
