"""Lines of an SLCAN adapter, cut out of a stream of bytes."""

from typing import Final

CR: Final = b"\r"
BEL: Final = b"\x07"
MAX_LINE_BYTES: Final = 128
"""Longest line that is waited for; a frame has at most 30 bytes, a version text some 80."""


class LineSplitter:
    """Cuts a stream of bytes into lines, in bounded memory, and finds its way back after garbage.

    A carriage return or a BEL ends whatever came before it, so that the line after garbage is
    whole again. A line that exceeds `MAX_LINE_BYTES` is thrown away up to its end.
    """

    __slots__ = ("_overlong", "_rest", "_skipping")

    def __init__(self) -> None:
        self._rest = b""
        self._skipping = False
        self._overlong = 0

    @property
    def overlong(self) -> int:
        """Lines thrown away because they did not end, since the beginning."""
        return self._overlong

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes as they came and return the lines that they complete.

        Args:
            data: Any bytes, cut anywhere.

        Returns:
            Lines in order without their carriage return; a BEL is a line of its own.
        """
        if BEL in data:
            return self._feed_with_bells(data)
        lines = (self._rest + data).split(CR)
        self._keep(lines)
        return lines

    def _feed_with_bells(self, data: bytes) -> list[bytes]:
        """Do the same where a BEL ends lines too; what it cuts short is a line, if it is any."""
        lines: list[bytes] = []
        parts = data.split(BEL)
        for part in parts[:-1]:
            inner = (self._rest + part).split(CR)
            cut = inner[-1]
            self._keep(inner)
            lines += inner
            if cut and not self._skipping:
                lines.append(cut)
            self._rest, self._skipping = b"", False
            lines.append(BEL)
        last = (self._rest + parts[-1]).split(CR)
        self._keep(last)
        return lines + last

    def _keep(self, lines: list[bytes]) -> None:
        """Take what is not complete off the end, and what was too long off the beginning."""
        rest = lines.pop()
        if self._skipping and lines:
            del lines[0]
            self._skipping = False
        if self._skipping:
            rest = b""
        elif len(rest) > MAX_LINE_BYTES:
            rest, self._skipping = b"", True
            self._overlong += 1
        self._rest = rest
