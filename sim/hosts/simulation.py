"""The simulation behind a wire: its clock, its place in the feed, and the effects of faults."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from sim.hosts.faults import HostFault, Schedule
from sim.hosts.pitch_loop import PitchLoop
from sim.hosts.telemetry import Feed, Telemetry
from sim.hosts.vehicle_motion import AT_REST, Vector, VehicleMotion, add, moved

_ROUNDING_S: Final = 1e-6
_BEGINS_S: Final = 100.0
"""Initial time of its clock [s]: a simulator has run for a while when one connects."""
_RESET_S: Final = 0.1
"""Time for which a reset is flagged [s]."""


class Simulation:
    """Simulation that steps through a feed.

    Args:
        feed: the vehicle.
        rest_s: how long the vehicle stays as it is at the feed's beginning [s].
    """

    def __init__(self, feed: Feed, rest_s: float = 0.0) -> None:
        self._feed, self._rest_s = feed, rest_s
        self.faults: Schedule = Schedule(self._happen)
        self.feed_s: float = -rest_s
        """Time within the feed [s]; below 0 the vehicle is still at rest."""
        self.time_s: float = _BEGINS_S
        """Time of its own clock [s]."""
        self.motion: VehicleMotion = AT_REST
        """Motion that was sent last."""
        self.ended: bool = False
        """Whether the simulator has left."""
        self.restarted: bool = False
        """Whether it was started again since the last check."""
        self._sequence = 0
        self._now_s = 0.0
        self._off: Vector = (0.0, 0.0, 0.0)
        self._played_from_s: float | None = None
        self._reset_until_s = -math.inf
        self._spike = 0.0
        self._frozen: VehicleMotion | None = None
        self._looping: PitchLoop | None = None
        self._ends = False

    def step(self, now_s: float, dt_s: float) -> Telemetry:
        """Advance by a step of our time [s], and return the resulting telemetry."""
        self._now_s = now_s
        self.faults.advance(now_s)
        paused = self.faults.on("pause") is not None or self.faults.on("menu") is not None
        factor = self.faults.on("slow") or 1.0
        self._replay()
        if not paused:
            self.feed_s += factor * dt_s
            self.time_s += factor * dt_s
        self.motion = motion = self._motion()
        if getattr(self._feed, "ends", False) and self.feed_s > self._feed.lasts_s - _ROUNDING_S:
            self._ends = True
        shown = Telemetry(
            motion,
            self.time_s,
            self._sequence,
            paused=paused,
            replay=self._played_from_s is not None,
            reset=now_s < self._reset_until_s,
            end=self._ends,
            speed_factor=factor,
        )
        self.ended = self.ended or self._ends
        self._sequence += 1
        return shown

    def other(self) -> VehicleMotion:
        """Motion in another simulator with the same feed: half a minute ahead."""
        return self._feed.at(max(self.feed_s, 0.0) + 30.0)

    def _motion(self) -> VehicleMotion:
        motion = self._feed.at(max(self.feed_s, 0.0))
        if self._looping is not None:
            motion = self._looping.of(motion, self.time_s)
        motion = moved(motion, self._off)
        if self.faults.on("frozen") is None:
            self._frozen = None
        else:
            self._frozen = motion = self._frozen or motion
        if self._spike:
            x, y, z = motion.f_m_s2
            motion, self._spike = replace(motion, f_m_s2=(x + self._spike, y, z)), 0.0
        if self.faults.on("nan") is not None:
            none = (math.nan, math.nan, math.nan)
            motion = replace(motion, f_m_s2=none, omega_rad_s=none)
        return motion

    def _replay(self) -> None:
        back_s = self.faults.on("replay")
        if back_s is not None and self._played_from_s is None:
            self._played_from_s = self.feed_s
            self.feed_s = max(self.feed_s - back_s, 0.0)
        elif back_s is None and self._played_from_s is not None:
            self.feed_s, self._played_from_s = self._played_from_s, None

    def _happen(self, fault: HostFault) -> None:
        if fault.kind == "reset":
            self._anew()
            self._reset_until_s = self._now_s + _RESET_S
        elif fault.kind == "teleport":
            self._off = add(self._off, (fault.strength, 0.0, 0.0))
        elif fault.kind == "backward":
            self.time_s -= fault.strength
        elif fault.kind == "spike":
            self._spike = fault.strength
        elif fault.kind == "loop":
            self._looping = PitchLoop(self.time_s, fault.strength)
        elif fault.kind == "restart":
            self._anew()
            self._sequence, self.time_s, self.restarted = 0, 0.0, True
        elif fault.kind == "end":
            self._ends = True

    def _anew(self) -> None:
        self.feed_s, self._off = 0.0, (0.0, 0.0, 0.0)
        self._looping = self._played_from_s = None
