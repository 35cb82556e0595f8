"""Lines of the robot's terminal, cut out of a stream of bytes, without the echo of our own.

A controller's terminal sends back what it gets. Its echo comes as a line of its own or in front
of the next request, and both are swallowed.
"""

from collections import deque
from typing import Final

from hil_common.lines import CR, LineSplitter

MAX_LINE_BYTES: Final = 128
"""Longest line that is waited for; the longest message has 81 bytes, an echo in front 80 more."""
_ECHOES_KEPT: Final = 4
_PADDING: Final = b" \n\x00"


class TerminalLines(LineSplitter):
    """Lines of a terminal without padding and echo.

    A line that exceeds the limit is thrown away. Line feeds, NULs and blanks around a line, with
    which terminals pad, are taken off; empty lines are no lines.
    """

    __slots__ = ("_sent", "echoes")

    def __init__(self) -> None:
        super().__init__(2 * MAX_LINE_BYTES)  # an echo may be in front
        self.echoes: int = 0
        """Echoes of our own lines that were swallowed, since the beginning."""
        self._sent: deque[bytes] = deque(maxlen=_ECHOES_KEPT)

    def expect_echo(self, line: bytes) -> None:
        """Remember a line that was sent; the last four of them may come back.

        Args:
            line: What was sent, with or without its carriage return.
        """
        body = line.strip(_PADDING + CR)
        if body and body not in self._sent:
            self._sent.append(body)

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes as they came and return the lines that they complete.

        Args:
            data: Any bytes, cut anywhere.

        Returns:
            Lines in order without their carriage return and without echoes; none is empty.
        """
        lines = (self._without_echo(line.strip(_PADDING)) for line in super().feed(data))
        return [line for line in lines if line and self._fits(line)]

    def _without_echo(self, line: bytes) -> bytes:
        for sent in self._sent:
            if line.startswith(sent):
                self.echoes += 1
                return line[len(sent) :].strip(_PADDING)
        return line

    def _fits(self, line: bytes) -> bool:
        if len(line) <= MAX_LINE_BYTES:
            return True
        self.overlong += 1
        return False
