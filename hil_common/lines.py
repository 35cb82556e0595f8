"""Lines of a device's text, cut out of a stream of bytes."""

from typing import Final

CR: Final = b"\r"


class LineSplitter:
    """Cuts a stream of bytes into lines, in bounded memory, and recovers after garbage.

    A carriage return ends whatever came before it, so that the line after garbage is whole again.

    Args:
        longest_bytes: Longest line that is waited for; a longer one is thrown away up to its end.
    """

    __slots__ = ("_longest_bytes", "_rest", "_skipping", "overlong")

    def __init__(self, longest_bytes: int) -> None:
        self._longest_bytes = longest_bytes
        self._rest = b""
        self._skipping = False
        self.overlong: int = 0
        """Lines thrown away because they did not end, since the beginning."""

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes as they came and return the lines that they complete.

        Args:
            data: Any bytes, cut anywhere.

        Returns:
            Lines in order without their carriage return.
        """
        lines = (self._rest + data).split(CR)
        self._keep(lines)
        return lines

    def _keep(self, lines: list[bytes]) -> None:
        """Take what is not complete off the end, and what was too long off the beginning."""
        rest = lines.pop()
        if self._skipping and lines:
            del lines[0]
            self._skipping = False
        if self._skipping:
            rest = b""
        elif len(rest) > self._longest_bytes:
            rest, self._skipping = b"", True
            self.overlong += 1
        self._rest = rest
