"""The error of flattening."""


class Unflattened(Exception):
    """A variable cannot be replaced by its elements; ``why`` is the reason, as part of a sentence."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")
        self.name, self.why = name, why
