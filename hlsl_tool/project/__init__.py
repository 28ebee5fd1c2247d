"""Projects: configuration, builds, watching, packs, exchange with other build systems."""
