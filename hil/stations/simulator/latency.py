"""Where the time goes between a simulator and the platform, from a ride's recording.

Every row that used a new packet has the stamps of its way: the host's own, the kernel's, when the
loop took it, when control handed the setpoint to the gate, when the gate put it on the wire; when
the legs were there follows from the lag that the gate measures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.recording.reader import Recording

Array = NDArray[np.float64]

SHARES: Final = ("host_to_kernel", "kernel_to_loop", "loop_to_gate", "gate_to_wire", "wire_to_legs")
"""Shares of the way, in order."""
WORDS: Final = {
    "host_to_kernel": "from the host, beyond its quickest packet",
    "kernel_to_loop": "in the kernel, until the loop asks",
    "loop_to_gate": "filter, governor, inverse kinematics",
    "gate_to_wire": "until the gate's next cycle is on the wire",
    "wire_to_legs": "until the legs are there",
    "lowpass_at_1_hz": "the low-pass of the host's map, at 1 Hz",
    "filter_at_1_hz": "the filter's own delay at 1 Hz",
}
"""What each is."""


@dataclass(frozen=True, slots=True, eq=False)
class LatencyTrail:
    """Shares of the way of each packet, NaN where one is not known."""

    t_s: Array
    """When it was used, shape (N,) [s]."""
    shares_s: Array
    """Each in the order of `SHARES`, shape (N, 5) [s]."""

    @property
    def kernel_to_wire_s(self) -> Array:
        """From the kernel's stamp to the setpoint on the wire, shape (N,) [s]."""
        return self.shares_s[:, 1:4].sum(axis=1)

    @property
    def sums_s(self) -> Array:
        """All of it, from the host to the legs, shape (N,) [s]; what is not known counts 0."""
        return np.nansum(self.shares_s, axis=1)


def latency_trail(recording: Recording) -> LatencyTrail:
    """The trail of every packet that was used while the ride was followed."""
    t_s, taken_s = recording.column("t_s"), recording.column("taken_stamp_s")
    engaged = recording.column("mode") == recording.header.modes.index("ENGAGED")
    used = np.isfinite(taken_s) & engaged & np.isfinite(recording.column("asked_stamp_s"))
    host_s = recording.column("host_stamp_s")[used]
    kernel_s = recording.column("kernel_stamp_s")[used]
    asked_s = recording.column("asked_stamp_s")[used]
    wire_s = recording.column("sent_stamp_s")[used] - asked_s
    wire_s[wire_s < 0.0] = np.nan  # asked too late for its cycle: the gate bridged it
    behind_s = kernel_s - host_s
    quickest_s = np.nanmin(behind_s) if np.isfinite(behind_s).any() else np.nan
    shares = np.column_stack(
        (
            behind_s - quickest_s,
            taken_s[used] - kernel_s,
            asked_s - taken_s[used],
            wire_s,
            recording.column("measured_lag_s")[used],
        )
    )
    return LatencyTrail(t_s[used], shares)
