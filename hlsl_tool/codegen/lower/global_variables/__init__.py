"""Global variables: resources, blocks, statics, and their bindings."""
