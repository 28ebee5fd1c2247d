"""Values of all lanes, masks, memory and variables, while a module runs."""
