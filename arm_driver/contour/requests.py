"""Requests of the robot, taken out of its bytes; what is none is counted and passed over."""

from dataclasses import replace
from typing import Final

from arm_driver.contour.lines import TerminalLines
from arm_driver.contour.messages import LineFault, WaypointRequest, decode_request
from arm_driver.link_report import LinkCounts

SIMULATED: Final = b"S,SIMULATED"
"""Line that an emulated controller sends; the program of a real one never does."""


class RequestReader:
    """Reads what the robot's terminal sends."""

    __slots__ = ("_counts", "_lead", "_reported", "_splitter", "length", "simulated")

    def __init__(self, counts: LinkCounts) -> None:
        self._counts = counts
        self._reported = replace(counts)
        self._splitter = TerminalLines()
        self.simulated = False
        self.length = 0
        """Bytes on the wire of the last request, from the moment on at which it was made."""
        self._lead = 0

    def expect_echo(self, line: bytes) -> None:
        """Swallow this line of ours if the terminal sends it back."""
        self._splitter.expect_echo(line)

    def feed(self, data: bytes) -> list[WaypointRequest]:
        """Take bytes as they came, and return the requests that they complete, oldest first."""
        decoded = [self._decode(line) for line in self._splitter.feed(data)]
        return [request for request in decoded if request is not None]

    def counts(self) -> LinkCounts:
        """Return the counts as they are now: the same copy as long as none has changed."""
        self._counts.overlong, self._counts.echoes = self._splitter.overlong, self._splitter.echoes
        if self._reported != self._counts:
            self._reported = replace(self._counts)
        return self._reported

    def _decode(self, line: bytes) -> WaypointRequest | None:
        """Read a line; what is in front of its last R is garbage."""
        if line.endswith(SIMULATED):
            self.simulated: bool = True
            self._lead = len(SIMULATED) + 1  # and the request right behind it
            return None
        garbage, mark, rest = line.rpartition(b"R")
        decoded = decode_request(mark + rest)
        lead, self._lead = self._lead, 0
        if decoded is LineFault.WRONG_CHECKSUM:
            self._counts.checksum_errors += 1
        elif isinstance(decoded, LineFault) or garbage:
            self._counts.unparsed += 1
        if isinstance(decoded, LineFault):
            return None
        self.length: int = lead + len(mark + rest) + 1
        return decoded
