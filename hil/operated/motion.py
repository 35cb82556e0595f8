"""The motion of an operated run: what is followed in ENGAGED, as the operator wants it.

It stands where it rose to until PLAY; plays the scenario's motion at the tempo asked; goes to poses
within the rig's slow moves; takes new parameters by a smooth passage. Nothing in here jumps: each
path begins at rest or in the state of the one before, and one tempo paces whatever is followed.
A stop on the way to a pose is a matter of the tempo as well, so leaving a motion in the middle is
done along its own way.
"""

import math
from enum import Enum

import numpy as np

from hil.motion.moves import MoveLimits
from hil.motion.source import AXES, Floats, MotionSource
from hil.operated import kernels
from hil.operated.paths import Crossfade, Path, Played, Standing, Way
from hil.operated.reach import Reach, start_rows
from hil.operated.tempo import Tempo
from hil.operated.workshop import Made, Workshop
from hil.scenario import Plan
from platform6dof.pose import PlatformSetpoint

REPLAN_S = 0.02
"""Time between two plans for a target that keeps changing [s]: each costs a part of a cycle."""


TARGET_MAX = (20.0, 20.0, 20.0, math.pi / 6.0, math.pi / 6.0, math.pi / 6.0)
"""No pose of a platform is further away than this [m, rad]; beyond, a unit was mistaken."""


class Phase(Enum):
    """What is being done."""

    RESTING = "resting"
    PLAYING = "playing"
    SLOWING = "slowing"
    """Along the motion's way to a stop, to leave it for a pose."""
    POSING = "posing"
    RETURNING = "returning"
    """On the way to the motion's start, to play it."""


class Happening(Enum):
    """What changes the phase."""

    PLAY = "play"
    POSE = "pose"
    STOOD = "stood"
    """The tempo has come to 0."""
    ARRIVED = "arrived"
    """The path has been followed to its end."""


TRANSITIONS: dict[tuple[Phase, Happening], Phase] = {
    (Phase.RESTING, Happening.PLAY): Phase.RETURNING,
    (Phase.RESTING, Happening.POSE): Phase.POSING,
    (Phase.PLAYING, Happening.POSE): Phase.SLOWING,
    (Phase.PLAYING, Happening.ARRIVED): Phase.RESTING,
    (Phase.SLOWING, Happening.PLAY): Phase.PLAYING,
    (Phase.SLOWING, Happening.STOOD): Phase.POSING,
    (Phase.SLOWING, Happening.ARRIVED): Phase.POSING,
    (Phase.POSING, Happening.PLAY): Phase.RETURNING,
    (Phase.RETURNING, Happening.POSE): Phase.POSING,
    (Phase.RETURNING, Happening.ARRIVED): Phase.PLAYING,
}
"""Every pair that changes something; any other leaves the phase as it is."""

ON_MOTION = (Phase.PLAYING, Phase.SLOWING)
"""Phases in which the motion itself is followed."""

PLAYING_TEXT = {
    Phase.RESTING: "",
    Phase.PLAYING: "play",
    Phase.SLOWING: "pose",
    Phase.POSING: "pose",
    Phase.RETURNING: "play",
}
"""What each phase is called towards people."""


def step(phase: Phase, happening: Happening) -> Phase:
    """Next phase; the same one if nothing follows."""
    return TRANSITIONS.get((phase, happening), phase)


class OperatedMotion:
    """A motion source without an end, led by orders; it never raises for one of them.

    Args:
        plan: scenario and rig.
        motion: what the scenario plays.
    """

    def __init__(self, plan: Plan, motion: MotionSource) -> None:
        self._limits: MoveLimits = plan.rig.slow_moves.limits()
        self._reach = Reach(plan.rig, plan.scenario.period_s)
        self._workshop = Workshop(plan)
        self._settings: object = plan.scenario.motion
        self._base = Played(motion)
        self._waiting: Made | None = None
        self._serial = 0
        self._override = 1.0
        self._wanted: tuple[float, ...] | None = None
        self._target: Floats | None = None
        self._planned: Floats | None = None
        self._replan_in_s = 0.0
        self._out = np.empty((3, 6))
        self._said = ""
        self.begin()

    def begin(self) -> None:
        """Stand at the motion's start, from where the next time in ENGAGED goes on."""
        self._phase = Phase.RESTING
        self._path: Path = Standing(start_rows(self._base.start()))
        self._tempo = Tempo(self._override)
        self._path_s = self._t_s = 0.0
        self._planned = None

    # --- what is told ---------------------------------------------------------------------------

    @property
    def duration_s(self) -> float:
        """Without end: the operator says when it is over [s]."""
        return math.inf

    @property
    def phase(self) -> Phase:
        """What is being done."""
        return self._phase

    @property
    def playing(self) -> str:
        """``"play"``, ``"pose"`` or empty."""
        return PLAYING_TEXT[self._phase]

    @property
    def tempo(self) -> float:
        """The tempo now, 0 to 1."""
        return self._tempo.rate

    @property
    def motion_t_s(self) -> float:
        """Where in the motion the platform is [s]; 0 when it is not being played."""
        on_motion = self._phase in ON_MOTION
        return min(max(self._path_s, 0.0), self._base.duration_s) if on_motion else 0.0

    @property
    def serial(self) -> int:
        """Number of the motion in force."""
        return self._serial

    def objection(self) -> str:
        """Why something ordered was not done, once; empty if nothing was refused since."""
        said, self._said = self._said, ""
        return said

    # --- what is ordered ------------------------------------------------------------------------

    def order(
        self, override: float, target: tuple[float, ...] | None, serial: int, table: bytes
    ) -> None:
        """Take what is wanted from this cycle on.

        Args:
            override: tempo, 0 to 1.
            target: pose, (x, y, z [m], alpha, beta, gamma [rad]), or None.
            serial: number of the newest motion.
            table: its ``[motion]`` table as JSON.
        """
        if 0.0 <= override <= 1.0:
            self._override = override
        if target != self._wanted:
            self._wanted, self._target = target, None
            if target is not None:
                self._aim_at(target)
        if serial != self._workshop.serial:
            self._waiting = None
            self._workshop.offer(serial, table)
        self._take_new_motion()

    def _aim_at(self, target: tuple[float, ...]) -> None:
        """Take a pose that could be one; whether it can be reached is seen when it is gone to."""
        for name, value, most in zip(AXES, target, TARGET_MAX, strict=True):
            if not abs(value) <= most:  # not a number is none of both
                unit = "m" if name in AXES[:3] else "rad"
                self._said = f"POSE: {name} = {value:g} {unit}; at most {most:g} {unit} either way"
                return
        self._target = np.array(target)

    @property
    def has_target(self) -> bool:
        """Whether a pose is wanted."""
        return self._target is not None

    def play(self) -> None:
        """Play the motion from its start, going there first; or go on with one just left."""
        if self._phase in (Phase.PLAYING, Phase.RETURNING):
            self._said = "PLAY: the motion is being played"
            return
        goes_on = self._phase is Phase.SLOWING
        if not goes_on and not self._way_to(self._base.start(), "PLAY"):
            return
        self._phase = step(self._phase, Happening.PLAY)

    def pose(self) -> None:
        """Leave the motion for the pose wanted, and follow the target from then on."""
        if self._target is None:
            self._said = "POSE: no pose is given; set one first"
            return
        on_motion = self._phase in ON_MOTION
        if not on_motion and not self._way_to(self._target):
            return
        self._phase = step(self._phase, Happening.POSE)

    # --- the cycle ------------------------------------------------------------------------------

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Return where the platform shall be, and how it shall move there.

        Args:
            t_s: time since ENGAGED began [s]; 0 is its beginning. It only ever rises.
        """
        dt_s = max(t_s - self._t_s, 0.0) if t_s > 0.0 else 0.0
        self._t_s = max(t_s, 0.0)
        self._tempo.aim(0.0 if self._phase is Phase.SLOWING else self._override)
        pace = self._tempo.advance(dt_s)
        self._path_s += pace.way_s
        self._look(dt_s)
        rows = self._path.rows(self._path_s)
        kernels.pace(rows, pace.rate, pace.second, self._out)
        return PlatformSetpoint.from_rows(self._out)

    def _look(self, dt_s: float) -> None:
        """Has a path come to its end, the tempo to 0, or the target to another place?"""
        if self._phase is Phase.SLOWING and self._tempo.standing:
            self._leave(Happening.STOOD)
        elif self._path_s >= self._path.duration_s:
            if (self._phase, Happening.ARRIVED) in TRANSITIONS:
                self._leave(Happening.ARRIVED)
        elif isinstance(self._path, Crossfade) and self._path_s >= self._path.end_s:
            self._path = self._base
        self._replan_in_s -= dt_s
        moved = self._target is not self._planned
        if self._phase is Phase.POSING and moved and self._replan_in_s <= 0.0:
            self._follow_target()

    def _follow_target(self) -> None:
        if self._target is not None:
            self._way_to(self._target)

    def _leave(self, happening: Happening) -> None:
        """Go on with what follows a path at whose end the platform rests, or where it stands."""
        here = self._path.rows(self._path_s)[0].copy()
        self._phase = step(self._phase, happening)
        if self._phase is Phase.PLAYING:
            self._follow(self._base)
        else:
            self._follow(Standing(start_rows(here)))
            self._planned = None
        self._replan_in_s = 0.0

    def _follow(self, path: Path) -> None:
        """Begin a path that begins at rest: there the tempo may be whatever is wanted."""
        self._path, self._path_s = path, 0.0
        self._tempo.jump(self._override)

    def _way_to(self, target: Floats, what: str = "POSE") -> bool:
        """Plan the way from the present state; whether it may be gone. If not, nothing changes."""
        self._planned, self._replan_in_s = target, REPLAN_S
        try:
            way = Way(self._path.rows(self._path_s), target, self._limits)
            objection = self._reach.objection(way)
        except ValueError as error:
            way, objection = None, str(error)
        if way is None or objection:
            self._said = f"{what}: {objection}"
            return False
        self._path, self._path_s = way, 0.0
        return True

    # --- new parameters -------------------------------------------------------------------------

    def _take_new_motion(self) -> None:
        """Do a stage of a new motion's making, or take it."""
        made, self._waiting = self._waiting, None
        if made is None:
            made = self._workshop.step(self._settings)
        if made is None:
            return
        if made.refused:
            self._said = made.refused
        elif isinstance(self._path, Crossfade):
            self._waiting = made  # one passage at a time
        else:
            self._take(made)

    def _take(self, made: Made) -> None:
        old, new = self._base, made.motion
        if new is None:
            return
        if self._phase is Phase.RETURNING and not self._way_to(new.start(), "new motion"):
            return
        self._base, self._settings, self._serial = new, made.settings, made.serial
        if self._phase not in ON_MOTION:
            return
        ahead_s = new.lead_in_s - old.lead_in_s
        self._path_s += ahead_s
        if made.fade_s > 0.0:
            self._path = Crossfade(old, new, self._path_s, ahead_s, made.fade_s)
        else:
            self._path = new
