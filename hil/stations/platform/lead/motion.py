"""Motion of an operated run: the path in ENGAGED, as the operator commands it.

It rests where it rose to until PLAY; plays the scenario's motion at the ordered tempo; goes to
poses within the rig's slow moves; takes new parameters by a smooth passage. Nothing in here jumps:
each path begins at rest or in the state of the one before, and one tempo paces what is followed. A
stop on the way to a pose is a matter of the tempo as well, so a motion is left in the middle along
its own path.
"""

import math

import numpy as np

from hil.desk.operation import DONE, Refusal
from hil.desk.order import Button
from hil.machines.rig.machine import geometry_of, park_pose
from hil.stations.platform.lead import kernels
from hil.stations.platform.lead.motion_blend import BlendStage, MotionBlend
from hil.stations.platform.lead.motion_builder import BuiltMotion, MotionBuilder
from hil.stations.platform.lead.park_path import ParkPath
from hil.stations.platform.lead.path_check import PathCheck, start_rows
from hil.stations.platform.lead.paths import Crossfade, Played, RestPath, ScaledPath
from hil.stations.platform.lead.phases import (
    ON_MOTION,
    PLAYING_TEXT,
    TRANSITIONS,
    OperationEvent,
    OperationPhase,
    step,
)
from hil.stations.platform.lead.pose_move import PoseMove, PoseMoveStage
from hil.stations.platform.lead.speed_override import Tempo
from hil.stations.platform.motion.moves import MoveLimits
from hil.stations.platform.motion.source import AXES, Floats, MotionSource
from hil.stations.platform.plan.scenario import Plan
from platform6dof.pose import PlatformSetpoint

TARGET_MAX = (20.0, 20.0, 20.0, math.pi / 6.0, math.pi / 6.0, math.pi / 6.0)
"""Furthest pose of a platform [m, rad]; beyond, a unit was mistaken."""


class OperatedMotion:
    """Motion source without an end, led by orders; no order makes it raise."""

    def __init__(self, plan: Plan, motion: MotionSource) -> None:
        self._limits: MoveLimits = plan.rig.slow_moves.limits()
        self._period_s = plan.scenario.period_s
        self._reach = PathCheck(plan.rig, self._period_s)
        rig = plan.rig
        park, neutral = park_pose(rig, geometry_of(rig)), rig.neutral.pose()
        self._park = ParkPath(park, neutral, self._limits, self._reach)
        self._workshop = MotionBuilder(plan)
        self._settings: object = plan.scenario.motion
        self._base = Played(motion)
        self._waiting: BuiltMotion | None = None
        self._passage: MotionBlend | None = None
        self._serial = 0
        self._override = 1.0
        self._wanted: tuple[float, ...] | None = None
        self._target: Floats | None = None
        self._planned: Floats | None = None
        self._out = np.empty((3, 6))
        self._said = DONE
        self.begin()

    def begin(self) -> None:
        """Rest at the motion's start, from where the next time in ENGAGED begins."""
        self._phase = OperationPhase.RESTING
        self._path: ScaledPath = RestPath(start_rows(self._base.start()))
        self._tempo = Tempo(self._override)
        self._path_s = self._t_s = 0.0
        self._planned = None
        self._pose_move: PoseMove | None = None
        self._drop_passage()

    def choose(self) -> None:
        """Do nothing: a person pressed ENGAGE in vain, and no sender is to be chosen."""

    # --- state ----------------------------------------------------------------------------------

    @property
    def duration_s(self) -> float:
        """Duration, infinite: the operator ends it [s]."""
        return math.inf

    @property
    def phase(self) -> OperationPhase:
        """Phase of the operation."""
        return self._phase

    @property
    def playing(self) -> str:
        """Motion that is played: ``"play"``, ``"pose"`` or empty; one in preparation counts."""
        pose_move = self._pose_move
        return PLAYING_TEXT[self._phase] if pose_move is None else pose_move.happening.value

    @property
    def tempo(self) -> float:
        """Present tempo, 0 to 1."""
        return self._tempo.rate

    @property
    def motion_t_s(self) -> float:
        """Time in the motion [s]; 0 when it is not being played."""
        on_motion = self._phase in ON_MOTION
        return min(max(self._path_s, 0.0), self._base.duration_s) if on_motion else 0.0

    @property
    def serial(self) -> int:
        """Number of the motion in force."""
        return self._serial

    def objection(self) -> Refusal:
        """Refusal of an order since the last call."""
        said, self._said = self._said, DONE
        return said

    # --- orders ---------------------------------------------------------------------------------

    def order(
        self, override: float, target: tuple[float, ...] | None, serial: int, table: bytes
    ) -> None:
        """Take the order from this cycle on.

        Args:
            override: tempo, 0 to 1.
            target: pose, (x, y, z [m], alpha, beta, gamma [rad]), or None.
            table: ``[motion]`` table as JSON.
        """
        if 0.0 <= override <= 1.0:
            self._override = override
        if target != self._wanted:
            self._wanted, self._target = target, None
            if target is not None:
                self._aim_at(target)
        if serial != self._workshop.serial:
            self._waiting = self._passage = None
            self._workshop.offer(serial, table)
        if self._pose_move is None or self._workshop.busy:  # one of them per cycle
            self._advance_new_motion()
        else:
            self._prepare(self._pose_move)

    def _aim_at(self, target: tuple[float, ...]) -> None:
        """Take a plausible pose; whether it can be reached is checked when it is gone to."""
        for name, value, most in zip(AXES, target, TARGET_MAX, strict=True):
            if not abs(value) <= most:  # not a number is none of both
                unit = "m" if name in AXES[:3] else "rad"
                why = f"{name} = {value:g} {unit}; at most {most:g} {unit} either way"
                self._said = Refusal(why, Button.POSE.value)
                return
        self._target = np.array(target)

    @property
    def has_target(self) -> bool:
        """Whether a pose is ordered."""
        return self._target is not None

    def play(self) -> None:
        """Play the motion from its start, going there first; or continue one just left."""
        if self._phase is OperationPhase.SLOWING:
            self._phase = step(self._phase, OperationEvent.PLAY)
        elif self.playing == "play":
            self._said = Refusal("the motion is being played", Button.PLAY.value)
        elif self._phase is OperationPhase.RETURNING:
            self._pose_move = None  # it was about to be left for a pose
        else:
            self._plan(OperationEvent.PLAY, self._base.start())

    def pose(self) -> None:
        """Leave the motion for the ordered pose, and follow the target from then on."""
        if self._target is None:
            self._said = Refusal("no pose is given; set one first", Button.POSE.value)
        elif self._phase in ON_MOTION:
            self._phase = step(self._phase, OperationEvent.POSE)
        else:
            self._plan(OperationEvent.POSE, self._target)

    def _plan(self, happening: OperationEvent, target: Floats) -> None:
        """Begin to plan and prove a path; one that is still being proved is dropped."""
        self._pose_move = PoseMove(
            happening, target, self._limits, self._reach, self._park, self._period_s
        )
        self._planned = target

    def _prepare(self, pose_move: PoseMove) -> None:
        """Do a part of the proof; a path that is refused changes nothing."""
        if pose_move.step(self._path, self._path_s) is PoseMoveStage.REFUSED:
            self._pose_move = None
            self._said = Refusal(pose_move.objection, pose_move.happening.name.lower())

    def leave(self) -> None:
        """Leave ENGAGED: nothing is followed any more, so a new motion is taken at once."""
        pose_move = self._pose_move
        self.begin()  # a way that was not begun by now is not gone any more
        if pose_move is not None:
            why = "stopped before the way there was proved"
            self._said = Refusal(why, pose_move.happening.name.lower())

    # --- the cycle ------------------------------------------------------------------------------

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Return the setpoint of the platform.

        Args:
            t_s: time since ENGAGED began [s]; 0 is its beginning. It only ever rises.
        """
        dt_s = max(t_s - self._t_s, 0.0) if t_s > 0.0 else 0.0
        self._t_s = max(t_s, 0.0)
        self._tempo.aim(0.0 if self._phase is OperationPhase.SLOWING else self._override)
        pace = self._tempo.advance(dt_s)
        self._path_s += pace.passed_s
        self._check_progress()
        rows = self._path.rows(self._path_s)
        kernels.pace(rows, pace.rate, pace.second, self._out)
        return PlatformSetpoint.from_rows(self._out)

    def _check_progress(self) -> None:
        """Check for the end of a path, for tempo 0, and for a moved target."""
        self._begin_passage()
        begun = None if self._pose_move is None else self._pose_move.begun(self._path_s)
        if self._pose_move is not None and begun is not None:
            self._path, self._path_s = begun
            self._phase, self._pose_move = step(self._phase, self._pose_move.happening), None
        elif self._phase is OperationPhase.SLOWING and self._tempo.at_rest:
            self._leave(OperationEvent.STOOD)
        elif self._path_s >= self._path.duration_s:
            if (self._phase, OperationEvent.ARRIVED) in TRANSITIONS:
                self._leave(OperationEvent.ARRIVED)
        elif isinstance(self._path, Crossfade) and self._path_s >= self._path.end_s:
            self._path = self._base
        moved = self._target is not None and self._target is not self._planned
        if self._phase is OperationPhase.POSING and moved and self._pose_move is None:
            self.pose()

    def _leave(self, happening: OperationEvent) -> None:
        """Continue with what follows a path at whose end, or in which, the platform rests."""
        here = self._path.rows(self._path_s)[0].copy()
        self._phase = step(self._phase, happening)
        if self._phase is OperationPhase.PLAYING:
            self._follow(self._base)
            if self._pose_move is not None:  # a pose was pressed for on the way here
                self._phase, self._pose_move = step(self._phase, OperationEvent.POSE), None
        else:
            self._follow(RestPath(start_rows(here)))
            self._planned = None

    def _follow(self, path: ScaledPath) -> None:
        """Begin a path that begins at rest: there the tempo may be any."""
        self._path, self._path_s = path, 0.0
        self._tempo.jump(self._override)

    # --- new parameters -------------------------------------------------------------------------

    def _advance_new_motion(self) -> None:
        """Make a stage of a new motion, or take it, or prove a part of the passage to it."""
        if self._passage is not None:
            self._prove_passage(self._passage)
            return
        made, self._waiting = self._waiting, None
        if made is None:
            made = self._workshop.step(self._settings)
        if made is None:
            return
        if made.refused:
            self._said = Refusal(made.refused, serial=made.serial)
        elif isinstance(self._path, Crossfade) or self._is_bound_for_start:
            self._waiting = made  # one passage at a time, and none to another start
        elif self._phase in ON_MOTION and made.fade_s > 0.0:
            self._passage = MotionBlend(self._base, made, self._reach, self._period_s)
        else:
            self._take(made)

    @property
    def _is_bound_for_start(self) -> bool:
        pose_move = self._pose_move
        returning = self._phase is OperationPhase.RETURNING
        return returning or (pose_move is not None and pose_move.happening is OperationEvent.PLAY)

    def _prove_passage(self, passage: MotionBlend) -> None:
        """Do a part of its proof; one that is refused changes nothing."""
        tempo = max(self._tempo.rate, self._override)
        if passage.step(self._path_s, tempo) is BlendStage.REFUSED:
            self._passage = None
            why = f"the passage to it is not free: {passage.objection}"
            self._said = Refusal(why, serial=passage.made.serial)

    def _begin_passage(self) -> None:
        """Begin the passage where it was proved to begin; without a motion none is needed."""
        if self._passage is None:
            return
        if self._phase not in ON_MOTION:
            self._drop_passage()
            return
        begun = self._passage.begun(self._path_s)
        if begun is not None:
            made, self._passage = self._passage.made, None
            self._path, self._path_s = begun
            self._take(made)

    def _drop_passage(self) -> None:
        """Keep the motion, which is taken as soon as none is followed."""
        if self._passage is not None:
            self._waiting, self._passage = self._passage.made, None

    def _take(self, made: BuiltMotion) -> None:
        old, new = self._base, made.motion
        if new is None:
            return
        self._base, self._settings, self._serial = new, made.settings, made.serial
        if self._phase in ON_MOTION and self._path is old:  # they differ in length only
            self._path, self._path_s = new, self._path_s + new.lead_in_s - old.lead_in_s
