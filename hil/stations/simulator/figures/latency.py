"""Delays between a simulator and the platform, from a ride's recording.

Every row that used a new packet has the stamps of its transport: the host's own, the kernel's, when
the loop took it, when control handed the setpoint to the gate, when the gate put it on the wire;
when the legs were there follows from the lag that the gate measures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.recording.percentiles import ValueSpread, spread_of
from hil.recording.reader import Recording
from hil.recording.row_arrays import gathered, let_go

Array = NDArray[np.float64]

SHARES: Final = ("host_to_kernel", "kernel_to_loop", "loop_to_gate", "gate_to_wire", "wire_to_legs")
"""Delays on the way from host to legs, in order."""
WORDS: Final = {
    "host_to_kernel": "from the host, beyond its quickest packet",
    "kernel_to_loop": "in the kernel, until the loop asks",
    "loop_to_gate": "filter, governor, inverse kinematics",
    "gate_to_wire": "until the gate's next cycle is on the wire",
    "wire_to_legs": "until the legs are there",
    "lowpass_at_1_hz": "the low-pass of the host's map, at 1 Hz",
    "filter_at_1_hz": "the filter's own delay at 1 Hz",
}
"""Description of each delay."""
PIECE: Final = 1 << 16
"""Number of packets that are processed at once."""


@dataclass(frozen=True, slots=True, eq=False)
class LatencyTrail:
    """Delays on the way of each packet from host to legs, NaN where one is not known."""

    t_s: Array
    """Time at which the packet was used, shape (N,) [s]."""
    shares_s: Array
    """Delays in the order of `SHARES`, shape (N, 5) [s]."""

    @property
    def kernel_to_wire_s(self) -> Array:
        """From the kernel's stamp to the setpoint on the wire, shape (N,) [s]."""
        return self.shares_s[:, 1:4].sum(axis=1)

    @property
    def sums_s(self) -> Array:
        """Sum of the delays from host to legs, shape (N,) [s]; unknown ones count 0."""
        return np.nansum(self.shares_s, axis=1)

    def known_s(self, name: str) -> Iterator[Array]:
        """Yield known values of one of `SHARES`, in pieces [s]."""
        for first in range(0, len(self.t_s), PIECE):
            share_s = self.shares_s[first : first + PIECE, SHARES.index(name)]
            yield share_s[np.isfinite(share_s)]
            let_go(self.shares_s)

    def spread_s(self, name: str) -> ValueSpread:
        """Return the median, 99th percentile and greatest of one of `SHARES` [s]."""
        return spread_of(lambda: self.known_s(name), (50.0, 99.0))


def latency_trail(recording: Recording) -> LatencyTrail:
    """Trace every packet that was used while the ride was followed; a long trail in files."""
    quickest_s = np.nan
    for piece in recording.pieces():
        behind_s = _shares_s(piece.rows)[:, 1]
        quickest_s = np.fmin(quickest_s, np.fmin.reduce(behind_s, initial=np.nan))

    def known() -> Iterator[Array]:
        for piece in recording.pieces():
            table = _shares_s(piece.rows)
            table[:, 1] -= quickest_s
            yield table

    table = gathered(known(), recording.path.parent)
    return LatencyTrail(table[:, 0], table[:, 1:])


def _shares_s(rows: Recording) -> Array:
    """Return the time at which each packet was used, and its shares, shape (n, 6) [s].

    That of the host is by its own clock.
    """
    taken_s, asked_s = rows.column("taken_stamp_s"), rows.column("asked_stamp_s")
    engaged = rows.column("mode") == rows.header.modes.index("ENGAGED")
    used = np.isfinite(taken_s) & engaged & np.isfinite(asked_s)
    kernel_s, taken_s, asked_s = rows.column("kernel_stamp_s")[used], taken_s[used], asked_s[used]
    wire_s = rows.column("sent_stamp_s")[used] - asked_s
    wire_s[wire_s < 0.0] = np.nan  # asked too late for its cycle: the gate bridged it
    return np.column_stack(
        (
            rows.t_s[used],
            kernel_s - rows.column("host_stamp_s")[used],
            taken_s - kernel_s,
            asked_s - taken_s,
            wire_s,
            rows.column("measured_lag_s")[used],
        )
    )
