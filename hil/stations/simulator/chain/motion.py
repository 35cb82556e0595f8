"""The motion of a ride: a source of the platform's that is made cycle by cycle.

It rests at neutral until it follows. When the source has ended, is lost, or the time is over, what
is wanted fades out, the platform returns home on a path with bounded jerk, and only then the motion
has an end, so that the platform parks from rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final

import numpy as np

from hil.config.errors import MotionError
from hil.hosts.watch.states import Cause, HostReading, HostState
from hil.hosts.watch.watchdogs import LOST_S
from hil.stations.platform.lead.paths import ShortestPath
from hil.stations.platform.motion.moves import MoveLimits
from hil.stations.simulator.chain.chain import Chain, ChainOutput
from hil.stations.simulator.chain.head import Floats
from hil.stations.simulator.chain.missed_cycles import MissedCycles
from hil.stations.simulator.chain.ramp import Ramp
from hil.stations.simulator.plan.source import Feedback
from hil.stations.simulator.words import why_lost
from hil_common.arrays.pose import Pose
from platform6dof.cueing.vehicle import VehicleState
from platform6dof.pose import PlatformSetpoint

FADE_OUT_S: Final = 0.3
"""Duration of the fade when a person or the scenario ends the motion [s]."""
FADE_IN_S: Final = 1.0
"""Duration of a fade-in, and of a change of gain [s]."""
SETTLE_S: Final = 0.5
"""Time of the filter's washout between the fade and the return home [s]."""
WAY_MAX_S: Final = 30.0
"""Longest return home that is accepted [s]: from far beyond the bounds of slow moves one may be
found that leads hundreds of metres round."""
REST_M: Final = 1e-7
"""Nearer than this to neutral, and no faster, is at rest there [m, rad, m/s, rad/s]."""
NEVER: Final = HostReading(None, HostState.WAITING, Cause.NONE, 0.0)
"""Reading before any packet was received."""


class RidePhase(Enum):
    """Phases of the motion."""

    RESTING = "resting"
    FOLLOWING = "following"
    FADING = "fading"
    """Fading to nothing wanted, because the ride is over."""
    RETURNING = "returning"
    """Returning to neutral."""
    OVER = "over"
    """Resting at neutral; the motion has ended."""


TRANSITIONS: Final = {
    RidePhase.RESTING: (RidePhase.FOLLOWING,),
    RidePhase.FOLLOWING: (RidePhase.FADING,),
    RidePhase.FADING: (RidePhase.RETURNING,),
    RidePhase.RETURNING: (RidePhase.OVER,),
    RidePhase.OVER: (),
}
"""Phases that follow each phase; `RideMotion.begin` leads to RESTING from anywhere."""


class RideMotion:
    """A live `MotionSource`: each call at a later time makes the cycles that have passed since.

    Args:
        chain: filter, head and governor.
        limits: of the return home.
        lasts_s: after so long it is over [s]; infinite if only its source ends it.
        by_itself: whether it follows at once; else when a person asks.
        missed_max: so many missed cycles are made up for at most: as many as the gate bridges.
    """

    def __init__(
        self,
        chain: Chain,
        limits: MoveLimits,
        period_s: float,
        lasts_s: float = math.inf,
        *,
        by_itself: bool = True,
        missed_max: int = 2,
    ) -> None:
        self._chain, self._limits, self._period_s = chain, limits, period_s
        self._lasts_s, self._by_itself = lasts_s, by_itself
        self._cycles_max = missed_max + 1
        self.on_follow: Callable[[], None] = _nothing
        """Called when it begins to follow: a recording starts here."""
        self.on_choose: Callable[[], None] = _nothing
        """Called when a person pressed ENGAGE in vain: another sender may lead the source."""
        self.on_lost: Callable[[], str] = _unknown
        """Asked when the source was lost: what is known of the cause besides."""
        self.reading: HostReading = NEVER
        """Reading of the source in this cycle."""
        self.source_over: bool = False
        """Whether the source has ended."""
        self.gain: Ramp = Ramp(1.0)
        self.measured: Pose | None = None
        """Measured pose of the platform."""
        self.inputs: Mapping[str, float] = {}
        """Requests of a person to a source that is a model, by name."""
        self._own = Ramp(0.0)
        self.muted: bool = False
        """Whether a person took the motion away."""
        self.begin()

    def begin(self) -> None:
        """Rest at neutral, from where it may follow."""
        self.phase: RidePhase = RidePhase.RESTING
        """Phase of the motion."""
        self._chain.reset()
        self._own.jump(0.0)
        self._made = MissedCycles(self._cycles_max)
        self._t_s = self._followed_s = self._faded_s = self._absent_s = 0.0
        self._way: ShortestPath | None = None
        self._way_s = 0.0
        self.duration_s: float = math.inf
        """Infinite until it has come home; then when that was [s]."""
        self._past = 0
        self._lost = ""
        self._setpoint = PlatformSetpoint.from_rows(self.cued.rows)

    # --- readings -------------------------------------------------------------------------------

    @property
    def cued(self) -> ChainOutput:
        """The newest cycle of the chain."""
        return self._chain.last

    @property
    def weight(self) -> float:
        """Share of the vehicle's motion that is wanted now, 0 to 1."""
        return self._own.value * self.reading.weight

    @property
    def feedback(self) -> Feedback | None:
        """Feedback for a source that is a model; None before the pose was measured."""
        if self.measured is None:
            return None
        deviation = self.measured.coordinates() - self._home
        return Feedback(tuple(deviation.tolist()), self.inputs)

    @property
    def followed_s(self) -> float:
        """Time for which it has followed its source [s]."""
        return self._followed_s

    @property
    def lost(self) -> str:
        """Reason why the source was lost; empty if it was not."""
        return self._lost

    @property
    def given_up(self) -> str:
        """Reason why it was given up, once the platform rests at its end; else empty."""
        return self._lost if self._past >= 1 else ""

    # --- what is asked --------------------------------------------------------------------------

    def follow(self) -> None:
        """Follow the source from the next cycle on, fading in; from rest only."""
        if self.phase is RidePhase.OVER:
            self.begin()
        if self.phase is RidePhase.RESTING:
            self._go(RidePhase.FOLLOWING)
            self._followed_s = 0.0
            self.on_follow()

    def mute(self, muted: bool) -> None:
        """Fade the motion out, or in again."""
        self.muted = muted

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Return where the platform shall be in this cycle, and how it shall move there.

        Args:
            t_s: time since the motion began [s]; whenever it has risen, a cycle is made for each
                period that has passed, at least one.
        """
        if not t_s > self._t_s or t_s == math.inf:
            return self._setpoint
        passed = max(1, round((t_s - self._t_s) / self._period_s))
        self._t_s = t_s
        if self.phase is RidePhase.RESTING and self._by_itself:
            self.follow()
        cued = self.cued
        for state, weight in self._made.states_in(self.reading, passed):
            cued = self._cycle(state, weight)
        self._setpoint = PlatformSetpoint.from_rows(cued.rows)
        return self._setpoint

    # --- the cycle ------------------------------------------------------------------------------

    def _cycle(self, state: VehicleState, weight: float) -> ChainOutput:
        if self.phase in (RidePhase.RESTING, RidePhase.OVER):
            self._past += self.phase is RidePhase.OVER
            return self.cued
        if self.phase is RidePhase.FOLLOWING:
            self._followed_s += self._period_s
            self._look_for_the_end()
        leaving = self.phase is not RidePhase.FOLLOWING
        # Of a lost source nothing is wanted already; the chain lets go of what it was.
        wanted = 0.0 if (leaving and not self._lost) or self.muted else 1.0
        self._own.go(wanted, FADE_IN_S if wanted else FADE_OUT_S)
        self._own.step(self._period_s)
        gain = self.gain.step(self._period_s)
        if self.phase is RidePhase.FADING:
            self._faded_s += self._period_s
            if self._faded_s >= FADE_OUT_S + SETTLE_S:
                self._turn_home()
        if self._way is not None:
            return self._go_home(self._way)
        return self._chain.follow(state, weight, gain, self._own.value)

    def _look_for_the_end(self) -> None:
        # A source that fell silent before it was followed waits as at its beginning.
        absent = self.reading.host is HostState.WAITING and self.reading.cause is not Cause.NONE
        self._absent_s = self._absent_s + self._period_s if absent else 0.0
        lost = self.reading.host is HostState.LOST or self._absent_s >= LOST_S
        if lost:
            self._lost = why_lost(self.reading.cause, self.on_lost())
        if lost or self.source_over or self._followed_s >= self._lasts_s:
            self._faded_s = 0.0
            self._go(RidePhase.FADING)

    def _turn_home(self) -> None:
        """Plan the return to neutral; while there is none, the washout continues."""
        try:
            way = ShortestPath(self.cued.rows, self._home, self._limits)
        except MotionError:
            way = None
        if way is None or way.duration_s > WAY_MAX_S:
            self._faded_s = FADE_OUT_S
            return
        self._way, self._way_s = way, 0.0
        self._go(RidePhase.RETURNING)

    def _go_home(self, way: ShortestPath) -> ChainOutput:
        self._way_s += self._period_s
        rows = way.rows(self._way_s)
        done = self._way_s >= way.duration_s
        if done:
            rows = np.zeros((3, 6))
            rows[0] = self._home
        cued = self._chain.lead(rows)
        if done and float(np.abs(cued.rows - rows).max()) <= REST_M:
            self.duration_s = self._t_s
            self._go(RidePhase.OVER)
        return cued

    @property
    def _home(self) -> Floats:
        return self._chain.neutral

    def _go(self, phase: RidePhase) -> None:
        if phase not in TRANSITIONS[self.phase]:
            raise AssertionError(f"ride: {self.phase} is not followed by {phase}")
        self.phase = phase


def _unknown() -> str:
    """Return no details of a cause."""
    return ""


def _nothing() -> None:
    """Ignore the event."""
