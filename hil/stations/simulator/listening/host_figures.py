"""Figures of a host's packets: rate, jitter, loss, what was refused, and its state."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from statistics import pstdev
from typing import Final

from hil.hosts.kind import SET_ASIDE, Received, Refused
from hil.hosts.maps import MapSettings
from hil.hosts.watch.physics import Physics
from hil.hosts.watch.states import Cause, HostState
from hil.hosts.watch.watchdogs import HostWatch
from platform6dof.cueing.completion import Completion
from platform6dof.cueing.parameters import CueingError
from platform6dof.cueing.vehicle import UNKNOWN, Vector3, VehicleFlags, VehicleState

SPAN_S: Final = 2.0
"""Window over which rate and jitter are computed [s]."""
PERIOD_S: Final = 0.02
"""Time assumed between two packets where nothing else is known [s]."""
LONGEST_GAP_S: Final = 0.5
"""Longest time between two packets of which a force is made [s]."""
SMOOTH_S: Final = 0.2
"""Time constant of a force that is made, for display only [s]."""
PACE_S: Final = 1.0
"""Window over which the pace of the host's clock is measured [s]."""
PACE_MOST: Final = 20.0
"""A simulation is sped up or slowed down no more; beyond it is a unit [1]."""


class HostFigures:
    """Counts packets, and lets the watchdogs judge them as a run would.

    Args:
        settings: the host's map; None for a vehicle's usual means.
    """

    def __init__(self, settings: MapSettings | None = None) -> None:
        self.packets: int = 0
        """Number of packets understood so far."""
        self.refused: Counter[Refused] = Counter()
        """Datagrams not understood, by reason; parts count until their packet is whole."""
        self.newest: VehicleState | None = None
        """Last state that was received."""
        self.state: HostState = HostState.WAITING
        """State of the host as the watchdogs of a run would see it."""
        self.cause: Cause = Cause.NONE
        """Reason why it is not followed, or was not the last time."""
        self.why: str = ""
        """Contradiction of physics, with the key to write; empty if its cause is another."""
        self.unheard: str = ""
        """Last datagram that was no packet, in words; empty if there was none, or unknown."""
        self.missing: int = 0
        """Packets that never came, by the host's own count."""
        self.numbered: bool = False
        """Whether it counts its packets."""
        self.force_m_s2: Vector3 = UNKNOWN
        """Force as a ride takes it, received or made; forward, right, down [m/s²]."""
        self._completion = Completion(PERIOD_S, smooth_s=SMOOTH_S)
        self.pace: float = math.nan
        """Progress of the host's time in a second of ours; NaN before one, or without [1]."""
        self._stamped: tuple[float, float] = (math.nan, math.nan)
        self._arrivals_s: deque[float] = deque()
        means = None if settings is None else settings.means.means()
        self._watch = HostWatch(means, Physics(settings))

    def step(self, now_s: float, messages: Sequence[Received | Refused]) -> None:
        """Take in what came since the last time.

        Args:
            now_s: on the clock of the listener [s].
            messages: in the order in which the kernel took it.
        """
        for one in messages:
            if isinstance(one, Refused):
                self.refused[one] += 1
                continue
            self.packets += 1
            self.refused.pop(Refused.PART, None)
            self.newest = one.packet.state
            self._make_force(one)
            self._take_pace(one.packet.state.t_s, one.kernel_s)
            self.numbered = self.numbered or one.packet.sequence is not None
            self._arrivals_s.append(one.kernel_s)
        while self._arrivals_s and self._arrivals_s[0] < now_s - SPAN_S:
            self._arrivals_s.popleft()
        judged = self._watch.step(now_s, [one for one in messages if one not in SET_ASIDE])
        self.state, self.cause, self.missing = judged.state, judged.cause, judged.missing
        self.why = self._watch.why

    def _make_force(self, one: Received) -> None:
        """Compute the force of the newest packet, from its velocity where it has none."""
        state = one.packet.state
        self.force_m_s2 = state.f_m_s2
        if VehicleFlags.POSE in state.flags or all(map(math.isfinite, state.f_m_s2)):
            return
        gap_s = one.kernel_s - self._arrivals_s[-1] if self._arrivals_s else 0.0
        if not 0.0 < gap_s < LONGEST_GAP_S:
            self._completion.reset()
            gap_s = PERIOD_S
        with suppress(CueingError):
            self.force_m_s2 = self._completion.complete(state, gap_s).f_m_s2

    def _take_pace(self, stamp_s: float, kernel_s: float) -> None:
        began_s, since_s = self._stamped
        if not kernel_s - since_s < PACE_S:
            self.pace = (stamp_s - began_s) / (kernel_s - since_s)
            self._stamped = stamp_s, kernel_s

    @property
    def odd_pace(self) -> str:
        """Advice where the host's time is not in the unit that its map says; or empty."""
        if math.isnan(self.pace) or 1.0 / PACE_MOST < self.pace < PACE_MOST or self.pace <= 0.0:
            return ""
        text = f"its time goes on by {self.pace:.3g} s in a second"
        return f"{text}: the unit of its time in the map is another, or its simulation is so fast"

    @property
    def rate_hz(self) -> float:
        """Packets a second [Hz]; NaN with fewer than two."""
        if len(self._arrivals_s) < 2:
            return math.nan
        span_s = self._arrivals_s[-1] - self._arrivals_s[0]
        return (len(self._arrivals_s) - 1) / span_s if span_s > 0.0 else math.nan

    @property
    def jitter_s(self) -> float:
        """Standard deviation of the time between two packets [s]; NaN with fewer than three."""
        if len(self._arrivals_s) < 3:
            return math.nan
        arrivals_s = list(self._arrivals_s)
        return pstdev(b - a for a, b in pairwise(arrivals_s))

    @property
    def loss(self) -> float:
        """Share of the packets that never came; NaN for a host that does not count them."""
        if not self.numbered:
            return math.nan
        return self.missing / max(1, self.missing + self.packets)
