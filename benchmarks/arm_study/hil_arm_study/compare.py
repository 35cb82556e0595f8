"""One motion of the space arm by one integrator, beside a converged reference.

Errors are those of the gripper at the ticks: what is sent to a robot that repeats its motion. The
measure "percent of the range" is Belousov's (1993): the largest error of a coordinate over the
largest range of the three coordinates along the path.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from hil_arm_study.motions import StudyMotion
from sim.world.space_arm.arm import Arm, Body
from sim.world.space_arm.drive import DriveEffects, DriveModel
from sim.world.space_arm.integrators import (
    Accuracy,
    Integrator,
    Sdirk2,
    Sdirk4,
    Span,
    SpanStatus,
)
from sim.world.space_arm.kernels.dynamics import ArmArrays, gripper_pose, make_scratch
from sim.world.space_arm.reference_integrators import BLOWS_STEP_S, REFERENCE_TOLERANCE_M
from sim.world.space_arm.simulator import TICK_S, SpaceArm, levers_m

Array = NDArray[np.float64]
Clock = Callable[[], float]
"""Tells the time [s]; only differences count."""

REFERENCE_STEPS_S = {DriveModel.A: 2e-4, DriveModel.B: 1e-4, DriveModel.C: BLOWS_STEP_S}
"""Fixed steps of SDIRK2 for references: each leaves an error far below what it has to judge."""
NUDGE_RAD = 1e-9
"""Of each angle: 15 nm at the end of a long arm."""


def _freeze(value: "GripperPath | Deviation") -> None:
    """Replace every array by a copy that cannot be written."""
    for field in fields(value):
        array = np.array(getattr(value, field.name), dtype=np.float64)
        array.setflags(write=False)
        object.__setattr__(value, field.name, array)


@dataclass(frozen=True, slots=True)
class SimulatedCase:
    """What is simulated, whoever integrates."""

    arm: Arm
    """The arm, without payload."""
    payload: Body | None
    """What the gripper holds, None for nothing."""
    model: DriveModel
    """Of the drives."""
    motion: StudyMotion
    """Start and commands."""


def nudged(case: SimulatedCase) -> SimulatedCase:
    """The same with each angle of the start off by `NUDGE_RAD`, one way and the other in turn."""
    off = NUDGE_RAD * (-1.0) ** np.arange(len(case.motion.q_start_rad))
    return replace(case, motion=replace(case.motion, q_start_rad=case.motion.q_start_rad + off))


@dataclass(frozen=True, slots=True, eq=False)
class GripperPath:
    """Where the gripper is, at the start and at the end of every tick."""

    position_m: Array
    """Of the gripper in the base [m], shape (N + 1, 3)."""
    rotation: Array
    """Its axes in those of the base, shape (N + 1, 3, 3)."""

    def __post_init__(self) -> None:
        _freeze(self)

    @property
    def range_m(self) -> float:
        """The largest range of the three coordinates [m]."""
        return float(np.ptp(self.position_m, axis=0).max())


@dataclass(frozen=True, slots=True, eq=False)
class FollowedMotion:
    """A motion that was followed."""

    path: GripperPath
    """Of the gripper."""
    spans: tuple[Span, ...]
    """How each tick went."""
    integration_s: Array
    """Time that each tick took to integrate [s]; zeros without a clock."""
    tick_s: Array
    """Time of the same ticks with their snapshots [s]; zeros without a clock."""

    @property
    def failed(self) -> bool:
        """Whether the integrator found no solution."""
        return any(span.status is SpanStatus.FAILED for span in self.spans)

    @property
    def coarse_ticks(self) -> int:
        """Ticks that came to the cap on their work."""
        return sum(span.status is SpanStatus.COARSE for span in self.spans)

    @property
    def steps(self) -> int:
        """Steps that were taken."""
        return sum(span.steps for span in self.spans)


@dataclass(frozen=True, slots=True, eq=False)
class Deviation:
    """How far a path is from another, at every tick."""

    position_mm: Array
    """Distance [mm], shape (N,)."""
    orientation_deg: Array
    """Angle of the turn from one to the other [deg], shape (N,)."""
    percent: Array
    """Largest coordinate of the distance, in percent of the path's range, shape (N,)."""

    def __post_init__(self) -> None:
        _freeze(self)


@dataclass(frozen=True, slots=True, eq=False)
class ReferencePath:
    """A converged path, and how far it can be trusted.

    Light links that float in the gaps of their gears bounce between the faces. Like a ball among
    walls they forget where they came from, so there are motions of which no step, however short,
    tells where in its gap a link is at the end: there this error grows with time.
    """

    path: GripperPath
    """By the shortest steps."""
    error: Deviation
    """Distance to it of the path by steps twice as long, or by ten times the tolerance; the error
    of the path itself is about a third of that where errors are small."""
    failed: bool
    """Whether there was no solution."""


class _Timed:
    """An integrator with a stopwatch."""

    def __init__(self, inner: Integrator, clock: Clock) -> None:
        self._inner, self._clock = inner, clock
        self.took_s = 0.0

    def pass_time(
        self,
        arm: ArmArrays,
        drive: Array,
        state: Array,
        command_rad_s: Array,
        dry_nm: Array,
        span_s: float,
    ) -> Span:
        """See `Integrator`."""
        begin = self._clock()
        span = self._inner.pass_time(arm, drive, state, command_rad_s, dry_nm, span_s)
        self.took_s = self._clock() - begin
        return span


def _no_clock() -> float:
    return 0.0


def follow(
    case: SimulatedCase,
    integrator: Integrator,
    clock: Clock = _no_clock,
    effects: DriveEffects | None = None,
) -> FollowedMotion:
    """Simulate a motion from its start to its end.

    A failed tick does not end it: the arm rests where it was, and the run tells.

    Args:
        clock: for the times; left out, they are zeros.
        effects: of the drives; None for those of the case's model.
    """
    timed = _Timed(integrator, clock)
    arm = SpaceArm(
        case.arm, effects or case.model, case.motion.q_start_rad, payload=case.payload,
        integrator=timed,
    )  # fmt: skip
    count = len(case.motion.commands_rad_s)
    positions, rotations = np.empty((count + 1, 3)), np.empty((count + 1, 3, 3))
    gripper_pose(
        arm.arm.arrays(), case.motion.q_start_rad.copy(), make_scratch(), rotations[0], positions[0]
    )
    spans, integration_s, tick_s = [], np.zeros(count), np.zeros(count)
    for n, command in enumerate(case.motion.commands_rad_s):
        begin = clock()
        snapshot = arm.advance(command, TICK_S)
        tick_s[n] = clock() - begin
        integration_s[n] = timed.took_s
        positions[n + 1], rotations[n + 1] = snapshot.position_BG_m, snapshot.rotation_BG
        spans.append(snapshot.span)
    return FollowedMotion(GripperPath(positions, rotations), tuple(spans), integration_s, tick_s)


def least_times(
    case: SimulatedCase, integrator: Integrator, clock: Clock, repeats: int
) -> FollowedMotion:
    """Follow a motion several times; each tick's times are the least of all repeats.

    The computation is the same every time, so what a tick takes longer is the machine's doing.

    Args:
        repeats: 1 or more.
    """
    run = follow(case, integrator, clock)
    integration_s, tick_s = run.integration_s, run.tick_s
    for _ in range(repeats - 1):
        again = follow(case, integrator, clock)
        integration_s = np.minimum(integration_s, again.integration_s)
        tick_s = np.minimum(tick_s, again.tick_s)
    return FollowedMotion(run.path, run.spans, integration_s, tick_s)


def reference(case: SimulatedCase, step_s: float | None = None) -> ReferencePath:
    """The path by tiny steps, and how far it can be trusted.

    Args:
        step_s: length of fixed steps of SDIRK2 [s]; None takes that of `REFERENCE_STEPS_S`, or
            SDIRK4 for models that are not there.
    """
    fine, coarse = (follow(case, each) for each in _converged(case, step_s))
    return ReferencePath(
        fine.path, deviation(coarse.path, fine.path), failed=fine.failed or coarse.failed
    )


def _converged(case: SimulatedCase, step_s: float | None) -> tuple[Integrator, Integrator]:
    """What finds a reference, and what is coarser by a known factor."""
    levers, step_s = levers_m(case.arm), step_s or REFERENCE_STEPS_S.get(case.model)
    if step_s is not None:
        fine, coarse = Accuracy.fixed(step_s), Accuracy.fixed(2.0 * step_s)
        return Sdirk2(levers, fine), Sdirk2(levers, coarse)
    fine = replace(Accuracy.fine(), tolerance_m=REFERENCE_TOLERANCE_M)
    coarse = replace(fine, tolerance_m=10.0 * REFERENCE_TOLERANCE_M)
    return Sdirk4(levers, fine), Sdirk4(levers, coarse)


def deviation(path: GripperPath, wanted: GripperPath) -> Deviation:
    """Compare two paths tick by tick; the start, which they share, is left out.

    Args:
        path: what is judged.
        wanted: what it should be, of the same length.

    Raises:
        ValueError: if the paths are of different lengths, or the wanted one stands still.
    """
    if path.position_m.shape != wanted.position_m.shape:
        raise ValueError(
            f"paths of {len(path.position_m)} and {len(wanted.position_m)} points: "
            "only paths of equal length can be compared"
        )
    if not wanted.range_m > 0.0:
        raise ValueError("the wanted path stands still: there is no range to compare an error with")
    apart = path.position_m[1:] - wanted.position_m[1:]
    return Deviation(
        position_mm=1e3 * np.linalg.norm(apart, axis=1),
        orientation_deg=np.degrees(_angles_between(path.rotation[1:], wanted.rotation[1:])),
        percent=100.0 * np.abs(apart).max(axis=1) / wanted.range_m,
    )


def _angles_between(one: Array, other: Array) -> Array:
    """Angles of the turns from one set of axes to the other [rad], exact down to rounding.

    |R1 - R2| in Frobenius' norm is 2 sqrt 2 sin(angle / 2), which keeps small angles.
    """
    chord = np.linalg.norm(one - other, axis=(1, 2)) / (2.0 * math.sqrt(2.0))
    return 2.0 * np.arcsin(np.minimum(chord, 1.0))
