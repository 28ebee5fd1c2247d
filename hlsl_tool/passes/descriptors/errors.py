"""What cannot be flattened."""


class Unflattened(Exception):
    """A variable that cannot be replaced by its elements: its ``name``, and ``why`` in words."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")
        self.name, self.why = name, why
