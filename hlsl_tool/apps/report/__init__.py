"""Reports about shaders, as text, HTML and pictures."""
