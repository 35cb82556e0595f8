"""A guard before the gate: its output keeps every limit and can stop, whatever the input is.

In each cycle the requested row is judged. It passes unchanged, bit by bit, if it keeps every limit
of the envelope, the box of poses and the gate's own rules, if the stop of all six legs from there
does so on its whole path, and if it approaches no end of the box faster than gently. Otherwise
the platform moves with the accelerations nearest to those that lead to the requested motion, gently
before the ends of the box, found by a quadratic program of six accelerations and a slack:
six rows bound the legs' next movement, and a row for each near margin bounds it where the stop from
there would end. The result is judged in the same way. If that fails, or the program does, all
six legs brake with one factor along their path; the previous cycle has verified that this keeps all
limits. So a path to rest was checked for every output row, and no input can violate the limits.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.arrays.pose import frozen_array
from platform6dof.cueing import governor_judge as judging
from platform6dof.cueing import governor_program as programming
from platform6dof.cueing.governor_solver import NearestAccelerations
from platform6dof.cueing.governor_state import STATE_SIZE, start
from platform6dof.cueing.governor_stop import (
    BAD_LIMIT,
    BAD_VALUE,
    GOOD,
    NEAREST,
    SMALLEST,
    TOLD_SIZE,
)
from platform6dof.cueing.margins import NOT_FINITE, QUANTITIES, UNSOLVED, MarginTables, StopLimits
from platform6dof.geometry import HexapodGeometry
from platform6dof.limits import EnvelopeLimits
from platform6dof.workspace import PoseBox

Array = NDArray[np.float64]

ROUNDING = 1e-12
"""Largest error of a pose at rest that is computed from the legs' lengths [m, rad]; by this much it
may seem too near to a limit."""


class GovernorError(ValueError):
    """A pose in which no governed motion can begin; the text names quantity, value and limit."""


@dataclass(frozen=True, slots=True)
class Binding:
    """The limit that holds a motion back."""

    code: int
    """Number of the quantity; see `platform6dof.cueing.margins.QUANTITIES`."""
    value: float
    """Value that the quantity would have, or has if it is at the limit; nan if there is none."""
    limit: float
    """Value that it may have; nan if there is none."""

    @property
    def quantity(self) -> str:
        """Name such as ``length`` or ``leg clearance``; ``not finite``, ``no way found``."""
        return QUANTITIES[self.code][0]

    @property
    def unit(self) -> str:
        """Unit of value and limit."""
        return QUANTITIES[self.code][1]

    @property
    def leg(self) -> int | None:
        """Number of the leg, 1..6, or None if the quantity is not that of one leg."""
        return QUANTITIES[self.code][2]

    @property
    def other_leg(self) -> int | None:
        """The second leg of a clearance, 1..6, or None."""
        return QUANTITIES[self.code][3]

    def __str__(self) -> str:
        place = "platform" if self.leg is None else f"leg {self.leg}"
        if self.other_leg is not None:
            place = f"legs {self.leg} and {self.other_leg}"
        if not np.isfinite(self.value):
            return f"{place}: {self.quantity}"
        unit = f" {self.unit}" if self.unit else ""
        return f"{place}: {self.quantity} {self.value:.6g}{unit}, limit {self.limit:.6g}{unit}"


@dataclass(frozen=True, slots=True, eq=False)
class Governed:
    """Output of the governor in a cycle."""

    rows: Array
    """Coordinates [m, rad], their first and second derivatives, shape (3, 6), read-only."""
    active: bool
    """Whether the output differs from the requested row."""
    failed: bool
    """Whether no motion towards the requested one was found, so that all legs brake."""
    binding: Binding | None
    """Limit that holds the motion back; None if none does, as on the return to the request."""
    margin: float
    """Smallest margin of the row: 0 on a limit; of strokes and box 1 in their middle, of speeds and
    accelerations 1 at none, of angles, clearances and hold 1 at as much again as the limit."""
    nearest: int
    """Number of the quantity with the smallest margin."""


class Governor:
    """Keeps a motion within a machine's limits, one row a cycle.

    Args:
        geometry: the machine.
        envelope: its limits.
        box: of coordinates that are permitted.
        stop: how the gate stops it.
        period_s: cycle time [s].

    Raises:
        ValueError: a limit that cannot be worked with.
    """

    def __init__(
        self,
        geometry: HexapodGeometry,
        envelope: EnvelopeLimits,
        box: PoseBox,
        stop: StopLimits,
        period_s: float,
    ) -> None:
        tables = MarginTables(geometry, envelope, box, stop, period_s)
        self.tables: MarginTables = tables
        """Tables of the limits that are kept."""
        self._given = (
            geometry.table, tables.joints, tables.legs, tables.pose, tables.buffers, tables.shares,
            tables.numbers,
        )  # fmt: skip
        self._state = np.zeros(STATE_SIZE)
        self._findings = np.zeros(TOLD_SIZE)
        self._weights = np.r_[np.ones(3), np.full(3, geometry.length_scale_m**2)]
        self._desired = np.zeros(6)
        self._matrix = np.zeros((programming.ROWS, programming.UNKNOWNS))
        self._low, self._high = np.zeros(programming.ROWS), np.zeros(programming.ROWS)
        self._codes = np.zeros((programming.ROWS, 2), np.int64)
        self._programs = [
            NearestAccelerations(near, self._weights) for near in range(programming.NEAR_ROWS + 1)
        ]
        self._begun = False

    def reset(self, q: ArrayLike) -> None:
        """Begin at coordinates, at rest; the requested motion begins there.

        Args:
            q: x, y, z [m], alpha, beta, gamma [rad], shape (6,).

        Raises:
            GovernorError: the pose is outside a limit, or nearer to it than the reserve.
        """
        here = frozen_array(q, (6,), "q")
        state, findings = np.zeros(STATE_SIZE), np.zeros(TOLD_SIZE)
        start(self.tables.geometry.table, np.array(here), state)
        rows = np.zeros((3, 6))
        rows[0] = here
        table, joints, legs, pose, buffers, shares, numbers = self._given
        bad = judging.judge(
            table,
            joints,
            legs,
            pose,
            buffers[1] - ROUNDING,
            shares[1],
            numbers,
            state,
            rows,
            findings,
        )
        if bad != GOOD:
            binding = self._bad(bad, findings)
            raise GovernorError(
                f"cannot begin at {here.tolist()}: {binding}; begin further inside, at rest"
            )
        self._state, self._begun = state, True

    def step(self, rows: ArrayLike) -> Governed:
        """Govern one cycle.

        Args:
            rows: requested coordinates [m, rad], their first and second derivatives, shape (3, 6).
                Values that are not finite are not followed: the legs brake.

        Raises:
            GovernorError: before `reset`, or rows of another shape.
        """
        wanted = np.array(rows, np.float64, order="C")
        if wanted.shape != (3, 6) or not self._begun:
            raise GovernorError(
                f"rows of shape {wanted.shape}, must be (3, 6)" if self._begun
                else "stands nowhere yet: reset it at the coordinates where the platform rests"
            )  # fmt: skip
        passed, bad = judging.pass_through(*self._given, self._state, wanted, self._findings)
        if passed:
            wanted.setflags(write=False)
            findings = self._findings
            return Governed(
                wanted, False, False, None, float(findings[SMALLEST]), int(findings[NEAREST])
            )
        if bad == NOT_FINITE:
            return self._brake(wanted, Binding(NOT_FINITE, np.nan, np.nan))
        return self._govern(wanted)

    def brake(self) -> Governed:
        """Continue braking to rest, or stay at rest, without a request."""
        return self._brake(np.full((3, 6), np.nan), None)

    def _govern(self, wanted: Array) -> Governed:
        bad = Binding(UNSOLVED, np.nan, np.nan)
        for slower in (False, True):
            near, within, end = programming.program(
                *self._given, self._state, wanted, slower, self._desired, self._matrix, self._low,
                self._high, self._codes,
            )  # fmt: skip
            found = (self._desired, None, False) if within else None
            if found is None and near >= 0:
                found = self._solve(near)
            if found is None:
                continue
            acceleration, row, upper = found
            out = np.empty((3, 6))
            code = judging.advance(
                *self._given, self._state, wanted, acceleration, out, self._findings
            )
            if code == GOOD:
                binding = self._reached(row, upper, end)
                return self._governed(out, binding, failed=False)
            bad = self._bad(code, self._findings)
        return self._brake(wanted, bad)

    def _solve(self, near: int) -> tuple[Array, int | None, bool] | None:
        """Solve for accelerations, the row that costs most and whether it is at its upper bound."""
        rows = programming.LEG_ROWS + near
        return self._programs[near].solve(
            self._desired, self._matrix[:rows], self._low[:rows], self._high[:rows]
        )

    def _reached(self, row: int | None, upper: bool, end: int) -> Binding | None:
        """The limit of the active row, else the end of the box that is approached gently."""
        code = end if row is None else int(self._codes[row, int(upper)])
        if code == GOOD:
            return None
        limit = self._limit(code, upper)
        return Binding(code, limit, limit)

    def _limit(self, code: int, upper: bool) -> float:
        tables = self.tables
        if code < 6:
            return float(tables.legs[code, int(upper)])
        if code < 18:
            most = float(tables.legs[code % 6, code // 6 + 1])
            return most if upper else -most
        return float(tables.pose[code - 18, 1])

    def _brake(self, wanted: Array, binding: Binding | None) -> Governed:
        out = np.empty((3, 6))
        finite = bool(np.isfinite(wanted).all())
        judging.brake(*self._given, self._state, wanted, finite, out, self._findings)
        return self._governed(out, binding, failed=binding is not None)

    def _governed(self, rows: Array, binding: Binding | None, *, failed: bool) -> Governed:
        rows.setflags(write=False)
        findings = self._findings
        return Governed(
            rows, True, failed, binding, float(findings[SMALLEST]), int(findings[NEAREST])
        )

    @staticmethod
    def _bad(code: int, findings: Array) -> Binding:
        if code == NOT_FINITE:
            return Binding(code, np.nan, np.nan)
        return Binding(code, float(findings[BAD_VALUE]), float(findings[BAD_LIMIT]))


def warm() -> None:
    """Compile all kernels of the governor; machine code is kept on disk for the next run."""
    geometry = HexapodGeometry.from_circles(1.0, 0.25, 0.7, 0.0, 0.64, 0.74)
    q, six = geometry.neutral_pose.coordinates(), np.ones(6)
    governor = Governor(
        geometry,
        EnvelopeLimits(0.7, 0.7, 0.08, 0.1, 0.5 * six, 6.0 * six, 0.005),
        PoseBox(q - 0.1, q + 0.1),
        StopLimits(4.0 * six, 0.004, 0.036, 0.0005),
        0.01,
    )
    governor.reset(q)
    rows = np.zeros((3, 6))
    rows[0] = q
    governor.step(rows)
    rows[0, 0] = 1.0
    for _ in range(3):
        governor.step(rows)
    governor.brake()
