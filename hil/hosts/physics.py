"""What a host tells held against physics, packet by packet, before it is followed and while it is.

Gravity must be where a vehicle has it (`platform6dof.cueing.plausible`), force must follow the
change of speed, rates the turning of the attitude (`platform6dof.cueing.slopes`), and the pose of a
tool at rest stand near the middle of its range. A wire that does not tell something is not judged
by it.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, Final

from hil.hosts.remedies import host_remedy, slope_remedy
from hil.hosts.states import Cause, HostState
from platform6dof.cueing.attitude import to_euler
from platform6dof.cueing.plausible import (
    EMPTY_S,
    NONE_SHARE,
    ForceFinding,
    empty,
    judged_force,
)
from platform6dof.cueing.slopes import SAMPLES, Slopes, warm
from platform6dof.cueing.vehicle import GRAVITY_M_S2, Vector3, VehicleFlags, VehicleState

if TYPE_CHECKING:
    from hil.hosts.maps import MapSettings

SAMPLE_S: Final = 0.09
"""Between two packets that are held against physics, at least [s]."""
APART_S: Final = 0.5
"""Packets that are further apart are not held against each other [s]."""
SURE_S: Final = 0.7
"""A force is known after so long [s]."""
WINDOW_S: Final = 1.5
"""Its mean is that of about so long [s]."""
DUE_SHARE: Final = 0.6
"""A vehicle whose speed asks for more than this multiple of g does not fall."""

POSES: Final = 12
"""So many poses make a mean: a second or so."""
_NEVER: Final = (HostState.WAITING, HostState.LOST)
"""States in which it was not followed since it was listened to."""
_BEFORE: Final = (*_NEVER, HostState.AWAY)
"""States in which it is not followed."""

_Interval = tuple[float, Vector3, Vector3, float, float]
"""How long it was [s]; mean force in body axes, and turned level; the size that the change of speed
asks for; its largest component [m/s²]."""


class Physics:
    """Judges what one sender tells.

    Args:
        settings: the map that is in force, for what to write there; None for none.
    """

    def __init__(self, settings: MapSettings | None = None) -> None:
        warm()
        self._settings = settings
        self.begin()

    def begin(self) -> None:
        """Forget all: another sender leads."""
        self._slopes = Slopes()
        self.anchor()

    def anchor(self) -> None:
        """What follows does not continue what was; which way its axes point is still known."""
        self._block: list[tuple[float, ...]] = []
        self._first_s = self._last_s = self._next_s = -math.inf
        self._window: deque[_Interval] = deque()
        self._known_s = self._empty_s = 0.0
        self._poses: deque[tuple[float, ...]] = deque(maxlen=POSES)
        self._settled = False
        self.force: ForceFinding | None = None
        """What is wrong with the mean force now; None if nothing is."""

    # -- what is told ------------------------------------------------------------------------

    @property
    def settled(self) -> bool:
        """Whether enough came to know that gravity, or the pose of rest, is where it should be."""
        return self._settled

    def cause(self, state: HostState) -> Cause:
        """Why it may not be followed, or go on being so; NONE if it may.

        Args:
            state: of the source. One that was followed has shown where its axes point, so that a
                pull of 3 g is no other unit; what then counts is a force that is not there.
        """
        if self._slopes.wrong:
            return Cause.SLOPE
        if self._poses:
            wrong = state in _BEFORE and self._pose_text()
            return Cause.POSE if wrong else Cause.NONE
        if state in _NEVER:
            return Cause.NONE if self.force is None else Cause.FORCE
        return Cause.FORCE if self._weightless else Cause.NONE

    def text(self, cause: Cause) -> str:
        """What was found, with the key to write; empty for a cause of others."""
        if cause is Cause.POSE:
            return self._pose_text()
        if cause is Cause.SLOPE:
            return slope_remedy(self._slopes.lines.tolist(), self._settings)
        if cause is not Cause.FORCE or self.force is None:
            return ""
        if self._settings is None:
            return self.force.text
        return f"{self.force.text}; {host_remedy(self.force, self._settings)}"

    # -- packets -----------------------------------------------------------------------------

    def take(self, state: VehicleState, at_s: float) -> None:
        """One more packet that continues the motion.

        Args:
            at_s: when it was sent, or came [s].
        """
        if at_s < self._next_s:
            return
        if state.flags & VehicleFlags.POSE:
            self._next_s = at_s + SAMPLE_S
            self._take_pose(state, at_s)
            return
        block = self._block
        if not block or at_s - self._last_s > APART_S:
            self._block = block = []
            self._first_s = at_s
        self._last_s, self._next_s = at_s, at_s + SAMPLE_S
        block.append(state.f_m_s2 + state.omega_rad_s + state.attitude + state.v_m_s)
        if len(block) == SAMPLES:
            self._close(at_s - self._first_s)
            self._block, self._first_s = [block[-1]], at_s

    def _close(self, lasts_s: float) -> None:
        """An interval is whole."""
        slopes = self._slopes
        slopes.take(self._block, lasts_s, GRAVITY_M_S2)
        x, y, z, north, east, down, due, most = slopes.out.tolist()
        self._known_s += lasts_s
        self._settled = self._known_s >= SURE_S
        if math.isnan(x + y + z) and math.isnan(z):
            self.force = None
            return
        window = self._window
        window.append((lasts_s, (x, y, z), (north, east, down), due, most))
        while len(window) > 2 and sum(one[0] for one in window) - window[0][0] >= WINDOW_S:
            window.popleft()
        self._empty_s = self._empty_s + lasts_s if most == 0.0 else 0.0
        self.force = self._judged()

    def _judged(self) -> ForceFinding | None:
        mean, level = self._mean(1), self._mean(2)
        if self._empty_s >= EMPTY_S:
            return empty(mean)
        return judged_force(mean, None if math.isnan(level[2]) else level)

    def _mean(self, at: int) -> Vector3:
        whole_s = sum(one[0] for one in self._window)
        x, y, z = (sum(one[0] * one[at][k] for one in self._window) / whole_s for k in range(3))  # pyright: ignore[reportIndexIssue, reportUnknownVariableType, reportUnknownArgumentType]
        return x, y, z

    @property
    def _weightless(self) -> bool:
        """Whether it tells no force where a vehicle must have one: a menu, or after the race."""
        if self.force is None or self._known_s < EMPTY_S:
            return False
        if self._empty_s >= EMPTY_S:
            return True
        least = NONE_SHARE * GRAVITY_M_S2
        return all(
            math.hypot(*force) < least and due > DUE_SHARE * GRAVITY_M_S2
            for _, force, _, due, _ in self._window
        )

    def _take_pose(self, state: VehicleState, at_s: float) -> None:
        """One more pose: the tool must stand near the middle before it is followed."""
        self._first_s = at_s if self._first_s == -math.inf else self._first_s
        self._settled = at_s - self._first_s >= SURE_S
        self._poses.append((*state.position_m, *to_euler(state.attitude)))

    def _pose_text(self) -> str:
        """What is wrong with the mean of the newest poses; empty if nothing is."""
        if self._settings is None or not self._poses:
            return ""
        x, y, z, roll, pitch, yaw = (sum(one) / len(self._poses) for one in zip(*self._poses))
        return self._settings.pose_finding((x, y, z), (roll, pitch, yaw))
