"""Images and samplers: formats, fetches, filtering, addressing."""
