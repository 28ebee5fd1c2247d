"""The exception raised by passes that flatten resources."""


class Unflattened(Exception):
    """Raised when a variable cannot be replaced by its elements; ``why`` is the reason, as a part of a sentence."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")
        self.name, self.why = name, why
