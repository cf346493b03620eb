"""What is closed at the end of a `with` block."""

from typing import Self


class Closing:
    """A base for classes with a close()."""

    def close(self) -> None:
        """Give everything back."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
