"""Other build systems: rules made of a plan, the steps that the rules run, and configurations made of command lines."""
