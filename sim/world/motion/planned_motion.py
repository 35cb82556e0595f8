"""A motion planned ahead: setpoints of each drive's joint at every tick."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from sim.world.motion.chain import Chain
from sim.world.motion.inverse import CoordinateDescent, Reached, damped_least_squares
from sim.world.motion.lines import StraightLine
from sim.world.motion.profiles import ShareProfile

Array = NDArray[np.float64]

BEHIND_M: Final = 2e-3
"""Greatest distance behind a line that coordinate descent can follow in its sweeps a tick."""
BEHIND_RAD: Final = 5e-3
"""Greatest angle behind a line that coordinate descent can follow in its sweeps a tick."""
ARRIVED: Final = 1e-6
"""Greatest distance from the end at which it has arrived [m] and [rad]."""
ARRIVING: Final = 1000
"""Most ticks after the last one in which it may arrive."""
BLOCK: Final = 4096
"""Number of rows that are planned at a time."""


class UnreachableError(ValueError):
    """Path that a chain cannot follow; the text says where and by how much."""


@dataclass(frozen=True, slots=True, eq=False)
class PlannedMotion:
    """Setpoints of all drives, a row a tick; the last row is held ever after."""

    period_s: float
    """Period from one row to the next."""
    positions: Array
    """Positions of the joints [rad] or [m], shape (rows, drives)."""
    speeds: Array
    """Speeds [rad/s] or [m/s], shape (rows, drives)."""
    accelerations: Array
    """Accelerations [rad/s2] or [m/s2], shape (rows, drives)."""

    def __post_init__(self) -> None:
        for array in (self.positions, self.speeds, self.accelerations):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.positions)

    def row(self, index: int) -> tuple[Array, Array, Array]:
        """Positions, speeds and accelerations of a tick, each of shape (drives,)."""
        return self.positions[index], self.speeds[index], self.accelerations[index]

    @property
    def duration_s(self) -> float:
        """Time from the first row to the last."""
        return (len(self) - 1) * self.period_s

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Join motions in order; each begins where the one before ends."""
        columns = zip(*((p.positions, p.speeds, p.accelerations) for p in parts), strict=True)
        first = parts[0]
        q, v, a = (
            np.concatenate([one[1 if index else 0 :] for index, one in enumerate(column)])
            for column in columns
        )
        return cls(first.period_s, q, v, a)


class JointInterpolation:
    """Interpolation of all joints in step between two points of joint space.

    Some rows are computed at a time, so a motion of a day takes no more memory than a short one.

    Args:
        start: of the drives' joints [rad] or [m], shape (drives,).
        goal: likewise.
        profile: how it runs along the path.
        period_s: from one row to the next.
    """

    def __init__(self, start: Array, goal: Array, profile: ShareProfile, period_s: float) -> None:
        self.period_s = period_s
        self._start = np.asarray(start)
        self._change = np.asarray(goal) - self._start
        self._profile = profile
        self._count = ticks(profile.duration_s, period_s)
        self._first, self._rows = 0, self._laid_out(0, min(BLOCK, self._count))

    def __len__(self) -> int:
        return self._count

    def row(self, index: int) -> tuple[Array, Array, Array]:
        """Positions, speeds and accelerations of a tick, each of shape (drives,)."""
        if not self._first <= index < self._first + len(self._rows.positions):
            self._first = index - index % BLOCK
            self._rows = self._laid_out(self._first, min(self._first + BLOCK, self._count))
        return self._rows.row(index - self._first)

    @property
    def duration_s(self) -> float:
        """Time from the first row to the last."""
        return (len(self) - 1) * self.period_s

    def whole(self) -> PlannedMotion:
        """Compute all rows at once: of a long motion much memory."""
        return self._laid_out(0, self._count)

    def _laid_out(self, first: int, end: int) -> PlannedMotion:
        times_s = np.arange(first, end, dtype=np.float64) * self.period_s
        share, rate, second = self._profile.at(times_s)
        change = self._change
        return PlannedMotion(
            self.period_s,
            self._start + np.outer(share, change), np.outer(rate, change), np.outer(second, change),
        )  # fmt: skip


def ticks(duration_s: float, period_s: float) -> int:
    """Count the rows: each tick up to the first one at or after the end."""
    return int(np.ceil(duration_s / period_s - 1e-9)) + 1


def line_motion(
    chain: Chain,
    start: Array,
    line: StraightLine,
    profile: ShareProfile,
    period_s: float,
    sweeps: int | None = None,
) -> PlannedMotion:
    """Plan a place along a straight line: inverse kinematics at every tick, from the one before.

    Speeds and accelerations are differences of the positions, the ends' of the inner ones.

    Args:
        start: of all drives' joints [rad] or [m], shape (drives,); those that are not of the chain
            stay there.
        sweeps: of coordinate descent in a tick, which continues in the next one, and after the last
            until it has arrived; None for damped least squares, which arrives in every tick.

    Raises:
        UnreachableError: with time and error where a pose cannot be reached within the limits.
    """
    times_s = np.arange(ticks(profile.duration_s, period_s), dtype=np.float64) * period_s
    shares, _, _ = profile.at(times_s)
    places, begin = list(chain.places), np.asarray(start)
    follow = _solved if sweeps is None else partial(_swept, sweeps=sweeps)
    found = follow(chain, begin[places], line, shares.tolist(), times_s)
    rows = np.tile(begin, (len(found), 1))
    rows[:, places] = found
    speeds: Array = np.asarray(np.gradient(rows, period_s, axis=0, edge_order=2), np.float64)
    changes: Array = np.asarray(np.gradient(speeds, period_s, axis=0, edge_order=2), np.float64)
    return PlannedMotion(period_s, rows, speeds, changes)


def _solved(
    chain: Chain, q: Array, line: StraightLine, shares: list[float], times_s: Array
) -> list[Array]:
    """Solve the variables at every tick by damped least squares."""
    rows: list[Array] = []
    for index, share in enumerate(shares):
        found = damped_least_squares(chain, q, line.at(share))
        if not found.reached:
            raise _unreachable(found, share, float(times_s[index]))
        q = found.q
        rows.append(q)
    return rows


def _swept(
    chain: Chain, q: Array, line: StraightLine, shares: list[float], times_s: Array, sweeps: int
) -> list[Array]:
    """Solve the variables at every tick by some sweeps of coordinate descent."""
    descent, rows = CoordinateDescent(chain, q, line.start), list[Array]()
    for index, share in enumerate(shares):
        descent.aim(line.at(share))
        found = descent.sweep(sweeps)
        if found.error_m > BEHIND_M or found.error_rad > BEHIND_RAD:
            raise _unreachable(found, share, float(times_s[index]))
        rows.append(found.q)
    for _ in range(ARRIVING):
        found = descent.now()
        if found.error_m <= ARRIVED and found.error_rad <= ARRIVED:
            return rows
        rows.append(descent.sweep(sweeps).q)
    raise _unreachable(descent.now(), 1.0, float(times_s[-1]))


def _unreachable(found: Reached, share: float, t_s: float) -> UnreachableError:
    return UnreachableError(
        f"t = {t_s:.3f} s, {100 * share:.1f} % of the line: the nearest is "
        f"{1e3 * found.error_m:.3f} mm and {np.degrees(found.error_rad):.4f} deg away; a "
        "line within reach and joint limits, away from singular poses, is needed"
    )
