"""Values of resources from files, and back: numpy files, pictures, and lists of inputs."""
