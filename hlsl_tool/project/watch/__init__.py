"""The watcher: rebuilds the shaders that a saved file affects."""
