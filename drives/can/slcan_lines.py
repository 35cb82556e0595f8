"""Lines of an SLCAN adapter, cut out of a stream of bytes."""

from typing import Final

from hil_common.lines import CR, LineSplitter

BEL: Final = b"\x07"
MAX_LINE_BYTES: Final = 128
"""Longest line that is waited for; a frame has at most 30 bytes, a version text some 80."""


class SlcanLines(LineSplitter):
    """Lines that end with a carriage return or are cut short by a BEL, which is a line too."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(MAX_LINE_BYTES)

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes as they came and return the lines that they complete.

        Args:
            data: Any bytes, cut anywhere.

        Returns:
            Lines in order without their carriage return; a BEL is a line of its own.
        """
        if BEL not in data:
            return super().feed(data)
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
        return lines + super().feed(parts[-1])
