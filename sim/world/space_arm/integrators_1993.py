"""The integrators of 1993 and their peer: implicit Euler without iterations, and RK4."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.drive import CLUTCH, FRICTION, WINDING
from sim.world.space_arm.integrators import KernelIntegrator, Motion, SpanStatus
from sim.world.space_arm.kernels import euler_1993, rk4, rk4_modes, sdirk2
from sim.world.space_arm.kernels.dynamics import ArmArrays, gripper_pose, make_scratch
from sim.world.space_arm.kernels.vectors import table_of

Array = NDArray[np.float64]


def _steps(span_s: float, step_s: float) -> int:
    """Count the equal steps, none longer than ``step_s``, that fill a span."""
    return max(1, math.ceil(span_s / step_s * (1.0 - 1e-12)))


def _positive(name: str, value: float) -> float:
    if not 0.0 < value < math.inf:
        raise ValueError(f"{name} = {value!r} s: a finite time above 0 s is needed")
    return value


class Rk4(KernelIntegrator):
    """The classical Runge-Kutta method of fourth order in fixed steps, see `kernels.rk4`.

    Args:
        step_s: longest step [s]; a span is divided evenly.
        coriolis: False leaves out the velocity's part of the dynamics, as in 1993.

    Raises:
        ValueError: if the step is not finite and above 0.
    """

    def __init__(self, step_s: float, *, coriolis: bool = True) -> None:
        super().__init__(lambda joints: table_of(rk4_modes.ROWS, joints))
        self.step_s: float = _positive("step_s", step_s)
        self.coriolis = coriolis
        self._scratch = make_scratch()

    def _advance(self, arm: ArmArrays, drive: Array, motion: Motion) -> int:
        steps = _steps(motion[-1], self.step_s)
        return rk4.advance(
            arm, drive, self.coriolis, *motion, steps, self._work, self._scratch, self._count
        )


class Euler1993(KernelIntegrator):
    """The implicit Euler method of 1993, without iterations, see `kernels.euler_1993`.

    Args:
        step_s: longest step [s], 0.03 to 0.1 in the original; a span is divided evenly.
        refresh_s: age at which the mass matrix is computed again [s]; each span begins with that.
        coriolis: whether velocities bend the motion; the original left that out.

    Raises:
        ValueError: if a time is not finite and above 0.
    """

    def __init__(self, step_s: float, refresh_s: float = 0.35, *, coriolis: bool = False) -> None:
        super().__init__(lambda joints: table_of(euler_1993.ROWS, joints))
        self.step_s: float = _positive("step_s", step_s)
        self.refresh_s: float = _positive("refresh_s", refresh_s)
        self.coriolis = coriolis
        self._scratch = make_scratch()

    def _advance(self, arm: ArmArrays, drive: Array, motion: Motion) -> int:
        """Advance a span; ``rejected`` counts switches of regimes.

        Raises:
            ValueError: if a clutch can slip, or motors have inductance: the scheme has no regime
                for either.
        """
        if drive[WINDING].any():
            raise ValueError(
                "motors with inductance (model f): the scheme of 1993 knows drives of second order "
                "only; SDIRK2, SDIRK4 and RK4 do more"
            )
        weakest = float(np.min(drive[CLUTCH]))
        if weakest < np.inf:
            raise ValueError(
                f"clutch of {weakest:g} N m: the scheme of 1993 knows no clutches; "
                "leave the effect out (inf N m) or take another integrator"
            )
        span_s = motion[-1]
        steps = _steps(span_s, self.step_s)
        steps_of_mass = max(1, round(self.refresh_s / (span_s / steps)))
        return euler_1993.advance(
            arm, drive, self.coriolis, *motion, steps, steps_of_mass, self._work, self._scratch,
            self._count,
        )  # fmt: skip


def largest_stable_step(
    arm: ArmArrays,
    drive: Array,
    q_rad: Array,
    commands_rad_s: Array,
    *,
    tick_s: float = 0.35,
    finest_s: float = 1e-4,
    floor_m: float = 1e-4,
) -> float:
    """Find the largest step with which RK4 is stable over a motion, by bisection [s].

    A step tick / n is stable if all states are finite and the gripper, at the ends of all ticks,
    is off the motion of ``finest_s`` by no more than twice what it is with half the step, or by
    no more than ``floor_m``. So errors that do not fall with the step (of contacts, of
    sticking) do not count as instability, nor does a method of fourth order that is merely
    accurate. Steps are doubled from ``finest_s`` on up to the first that is not stable: with much
    longer ones a motion that is bounded and wrong can look stable again.

    Args:
        q_rad: angles at the start, at rest [rad], shape (n,).
        commands_rad_s: rates that are asked for in each tick [rad/s], shape (ticks, n).
        tick_s: time for which commands are held [s].
        finest_s: step of the motion that is taken for the truth [s].
        floor_m: deviation that is no sign of instability [m].

    Returns:
        The step to within 2 %; the whole tick if that is stable.

    Raises:
        ValueError: if not even the finest step gives finite numbers.
    """
    finest = _steps(tick_s, finest_s)

    def path(steps: int) -> Array | None:
        return _gripper_path(Rk4(tick_s / steps), arm, drive, q_rad, commands_rad_s, tick_s)

    truth = path(finest)
    if truth is None:
        raise ValueError(f"finest_s = {finest_s!r} s: RK4 needs shorter steps for this arm")

    def deviation_m(steps: int) -> float:
        found = path(steps)
        return math.inf if found is None else float(np.max(np.linalg.norm(found - truth, axis=1)))

    def stable(steps: int) -> bool:
        off = deviation_m(steps)
        return off < math.inf and off <= max(2.0 * deviation_m(2 * steps), floor_m)

    return tick_s / _fewest_steps(finest, stable)


def _fewest_steps(finest: int, stable: Callable[[int], bool]) -> int:
    """Find the fewest steps of a tick that are stable, to within 2 %: halved, then bisected."""
    good, bad = finest, finest // 2
    while bad >= 1 and stable(bad):
        good, bad = bad, bad // 2
    while bad >= 1 and good > bad + 1 and good > 1.02 * bad:
        middle = max(bad + 1, math.isqrt(bad * good))
        if stable(middle):
            good = middle
        else:
            bad = middle
    return good


def _gripper_path(
    integrator: Rk4, arm: ArmArrays, drive: Array, q_rad: Array, commands: Array, tick_s: float
) -> Array | None:
    """Positions of the gripper at all ticks' ends [m], shape (ticks, 3); None if it failed."""
    state = table_of(sdirk2.STATE_ROWS, len(q_rad))
    state[sdirk2.Q] = q_rad
    dry_nm = drive[FRICTION].copy()
    scratch, rotation, places = make_scratch(), np.empty((3, 3)), np.empty((len(commands), 3))
    for place, command in zip(places, commands, strict=True):
        span = integrator.pass_time(arm, drive, state, command, dry_nm, tick_s)
        if span.status is SpanStatus.FAILED:
            return None
        gripper_pose(arm, state[sdirk2.Q], scratch, rotation, place)
    return places
