"""Who watches a run while it goes on."""

from typing import Protocol


class Audience(Protocol):
    """Who is told of every cycle and event beside the recorder."""

    def push(self, kind: int, payload: bytes | bytearray | memoryview) -> None:
        """Take one entry, without waiting."""
        ...
