"""Comparison of a host's packets with physics, before it is followed and while it is.

Gravity must be where a vehicle has it (`platform6dof.cueing.plausible`), force must follow the
change of speed and rates the turning of the attitude (`platform6dof.cueing.slopes`, `turns`),
velocity the change of place and the nose the course (`platform6dof.cueing.course`), and the pose of
a tool at rest must be near the middle of its range. A quantity that a wire lacks is not judged;
signs that nothing can contradict are followed where its map confirms them.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from hil.hosts.watch.remedies import course_remedy, host_remedy, slope_remedy
from hil.hosts.watch.states import Cause, HostState
from platform6dof.cueing import angle_signs as turns
from platform6dof.cueing import course, slopes
from platform6dof.cueing.angle_signs import Turns
from platform6dof.cueing.attitude import to_euler
from platform6dof.cueing.course import Courses
from platform6dof.cueing.plausible import (
    EMPTY_S,
    NONE_SHARE,
    SHARES,
    UPRIGHT_SHARE,
    ForceFinding,
    empty,
    judge_force,
)
from platform6dof.cueing.slopes import SAMPLES, Slopes
from platform6dof.cueing.vehicle import GRAVITY_M_S2, Vector3, VehicleFlags, VehicleState

if TYPE_CHECKING:
    from hil.hosts.maps import MapSettings

SAMPLE_S: Final = 0.09
"""Least time between two packets that are compared with physics [s]."""
APART_S: Final = 0.5
"""Packets that are further apart are not held against each other [s]."""
UNEVEN: Final = 2.5
"""Nor those that are so many times further apart than the two before: a mean is of even ones."""
SURE_S: Final = 0.7
"""A force is known after so long [s]."""
WINDOW_S: Final = 1.5
"""Time over which the mean is taken, about [s]."""
DUE_SHARE: Final = 0.6
"""A vehicle whose speed asks for more than this multiple of g does not fall."""

MADE_REMEDY: Final = (
    "gravity is there by the attitude that is told: in its map, another sign or axis of roll, "
    "pitch, heading, or of forward_… and right_…"
)
"""Remedy for a force that is made of an attitude which is not sent."""
POSES: Final = 12
"""Number of poses that make a mean: a second or so."""
_OWN: Final = "layout"
"""Kind of the maps in which each angle is a field that somebody named; other wires must send an
attitude, and one without attitude sends a level one."""
_NEVER: Final = (HostState.WAITING, HostState.LOST)
"""States in which it was not followed since it was listened to."""


class _Interval(NamedTuple):
    lasts_s: float
    body: Vector3
    """Mean force in body axes [m/s²]."""
    level: Vector3
    """Force turned level by the attitude; NaN without attitude."""
    steady: Vector3
    """Level force less the change of speed; NaN without speed."""
    due_m_s2: float
    """Size of the force that the change of speed requires; NaN without speed."""
    odd: bool
    """Whether it must be inspected."""


class Physics:
    """Judges the packets of one sender.

    Args:
        settings: the map that is in force, for what to write there; None for none.
    """

    def __init__(self, settings: MapSettings | None = None) -> None:
        for kernels in (slopes, course, turns):
            kernels.warm()
        self._settings = settings
        self._turns_known = settings is not None and settings.kind == _OWN
        self._unseen = "" if settings is None else settings.unseen()
        self.begin()

    def begin(self) -> None:
        """Forget all: another sender leads."""
        self._slopes, self._courses, self._turns = Slopes(), Courses(), Turns()
        self.anchor()

    def anchor(self) -> None:
        """Begin anew in position and attitude; the directions of its axes are still known."""
        self._block: list[tuple[float, ...]] = []
        self._first_s = self._last_s = -math.inf
        self._gap_s = math.inf
        self.next_s: float = -math.inf
        """Time before which a packet is passed over [s]."""
        self._made = False
        self.suspects: bool = self._contradicts or bool(self._unseen)
        """Whether there may be a cause; where not, nobody need ask for it."""
        self._window_s = 0.0
        self._window: deque[_Interval] = deque()
        self._known_s = self._empty_s = 0.0
        self._poses: deque[tuple[float, ...]] = deque(maxlen=POSES)
        self.settled: bool = False
        """Whether enough came to know that gravity, or a pose of rest, is where it should be."""
        self.force: ForceFinding | None = None
        """Finding about the mean force now; None if there is none."""

    # -- findings ----------------------------------------------------------------------------

    def cause(self, state: HostState) -> Cause:
        """Return the reason why it may not be followed, or no longer; NONE if it may.

        Args:
            state: of the source. One that was followed has shown where its axes point, so that a
                pull of 3 g is no other unit, and after a menu a tool may be anywhere in its range;
                what then counts is a force that is not there.
        """
        if self._contradicts:
            return Cause.SLOPE
        if self._poses:
            wrong = state in _NEVER and self._pose_text()
            return Cause.POSE if wrong else self._asked
        if state in _NEVER:
            return self._asked if self.force is None else Cause.FORCE
        return Cause.FORCE if self._weightless else Cause.NONE

    def text(self, cause: Cause) -> str:
        """Return the finding, with the key to write; empty for a cause of others."""
        if cause is Cause.POSE:
            return self._pose_text()
        if cause is Cause.SIGNS:
            return self._unseen
        if cause is Cause.SLOPE:
            said = slope_remedy(self._slopes.lines.tolist(), self._settings)
            remedy = course_remedy(self._courses.lines.tolist(), self._turns.text)
            return "; ".join(one for one in (said, remedy) if one)
        if cause is not Cause.FORCE or self.force is None:
            return ""
        if self._made:
            return f"{self.force.text}; {MADE_REMEDY}"
        if self._settings is None:
            return self.force.text
        return f"{self.force.text}; {host_remedy(self.force, self._settings)}"

    @property
    def _contradicts(self) -> bool:
        return self._slopes.wrong > 0 or self._courses.wrong > 0 or self._turns.wrong > 0

    @property
    def _asked(self) -> Cause:
        return Cause.SIGNS if self._unseen else Cause.NONE

    # -- packets -----------------------------------------------------------------------------

    def take(self, state: VehicleState, at_s: float) -> None:
        """Take in a packet that continues the motion, not before `next_s`.

        Args:
            at_s: when it was sent, or came [s].
        """
        self.next_s = at_s + SAMPLE_S
        if VehicleFlags.POSE in state.flags:
            self._take_pose(state, at_s)
            return
        block = self._block
        sample = state.f_m_s2 + state.omega_rad_s + state.attitude + state.v_m_s
        sample += state.position_m
        at_rest = bool(block) and sample == block[-1] and _turns(state.omega_rad_s)
        gap_s, before_s, self._gap_s = at_s - self._last_s, self._gap_s, at_s - self._last_s
        if not block or gap_s > min(APART_S, UNEVEN * before_s) or at_rest:
            # What turns and is where it was is a frozen picture, and no motion.
            self._block = block = []
            self._first_s = at_s
        self._last_s = at_s
        block.append(sample)
        if len(block) == SAMPLES:
            self._close(at_s - self._first_s)
            self._block, self._first_s = [block[-1]], at_s

    def _close(self, lasts_s: float) -> None:
        """An interval is whole."""
        self._slopes.take(self._block, lasts_s, GRAVITY_M_S2, turns=self._turns_known)
        block = self._slopes.block
        self._made = math.isnan(self._block[0][2])
        self._turns.take(block, lasts_s)
        self._courses.take(block, lasts_s, self._made and self._settings is not None)
        x, y, z, a, b, c, due, most, p, q, r = self._slopes.out.tolist()
        self._known_s += lasts_s
        self.settled = self._known_s >= SURE_S
        if z == z:
            one = _Interval(lasts_s, (x, y, z), (a, b, c), (p, q, r), due, not _plain(x, y, z, c))
            self._window.append(one)
            self._window_s += lasts_s
            while self._window_s - self._window[0].lasts_s >= WINDOW_S:
                self._window_s -= self._window.popleft().lasts_s
            self._empty_s = self._empty_s + lasts_s if most == 0.0 else 0.0
            odd = any(one.odd for one in self._window)
            self.force = self._judged() if odd else None
        self.suspects = self._contradicts or self.force is not None or bool(self._unseen)

    def _judged(self) -> ForceFinding | None:
        window = self._window
        mean = _mean(window, [one.body for one in window])
        if self._empty_s >= EMPTY_S:
            return empty(mean)
        if self._made:
            return judge_force(mean) if mean[2] > -NONE_SHARE * GRAVITY_M_S2 else None
        level = _mean(window, [one.level for one in window])
        found = judge_force(mean, None if math.isnan(level[2]) else level)
        steady = _mean(window, [one.steady for one in window])
        if found is None or math.isnan(steady[2]):
            return found
        return None if judge_force(mean, steady) is None else found

    @property
    def _weightless(self) -> bool:
        """Whether it has no force where a vehicle must have one: a menu, or after the race."""
        if self.force is None or self._known_s < EMPTY_S:
            return False
        if self._empty_s >= EMPTY_S:
            return True
        least = NONE_SHARE * GRAVITY_M_S2
        return all(
            math.hypot(*one.body) < least and one.due_m_s2 > DUE_SHARE * GRAVITY_M_S2
            for one in self._window
        )

    def _take_pose(self, state: VehicleState, at_s: float) -> None:
        """Take in a pose: the tool must be near the middle before it is followed."""
        self._first_s = at_s if self._first_s == -math.inf else self._first_s
        self.settled = at_s - self._first_s >= SURE_S
        self.suspects = True
        self._poses.append((*state.position_m, *to_euler(state.attitude)))

    def _pose_text(self) -> str:
        """Return the finding about the mean of the newest poses; empty if there is none."""
        if self._settings is None or not self._poses:
            return ""
        count = len(self._poses)
        x, y, z, roll, pitch, yaw = (sum(one) / count for one in zip(*self._poses, strict=True))
        return self._settings.pose_finding((x, y, z), (roll, pitch, yaw))


def _turns(omega_rad_s: Vector3) -> bool:
    """Return whether a rate is not 0; a rate that is not sent is NaN."""
    return any(abs(one) > 0.0 for one in omega_rad_s)


def _plain(x: float, y: float, z: float, level_z: float) -> bool:
    """Return whether a force is in a convex part of the plausible ones: then so is a mean."""
    up = -z / GRAVITY_M_S2
    if not UPRIGHT_SHARE <= up <= SHARES[1]:
        return False
    return level_z != level_z or UPRIGHT_SHARE <= -level_z / GRAVITY_M_S2 <= SHARES[1]


def _mean(window: Sequence[_Interval], vectors: Sequence[Vector3]) -> Vector3:
    """Return the mean over time of what intervals have."""
    whole_s = x = y = z = 0.0
    for one, (a, b, c) in zip(window, vectors, strict=True):
        share = one.lasts_s
        whole_s, x, y, z = whole_s + share, x + share * a, y + share * b, z + share * c
    return x / whole_s, y / whole_s, z / whole_s
