"""The cueing test of a whole chain: filter, governor, kinematics and simulated drives.

Each axis is driven at each frequency; what a rider would feel is taken from the lengths that the
drives measured. The curve is shown with what limited it, and is not judged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.machines.rig.machine import geometry_of
from hil.stations.platform.plan.scenario import Plan
from hil.stations.simulator.cue.simulated_drives import SimulatedDrives
from hil_common.arrays.pose import Pose
from platform6dof.cueing.classical import Classical
from platform6dof.cueing.cue import CueingFilter, Rows
from platform6dof.cueing.head_motion import felt
from platform6dof.cueing.omct import (
    DRIVEN,
    FREQUENCIES_RAD_S,
    TESTS,
    OmctPoint,
    Stimulus,
    points,
)
from platform6dof.cueing.vehicle import REST, VehicleState
from platform6dof.forward import forward_batch
from platform6dof.geometry import HexapodGeometry
from platform6dof.inverse import leg_setpoints_batch

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

TILTED_RAD: Final = 1e-5
"""A tilt this far from the linear one is the limiter's."""


class Governing(Protocol):
    """The part of a governor that is used here."""

    def reset(self, q: Array) -> None:
        """Start at coordinates, shape (6,)."""
        ...

    def step(self, rows: Rows) -> GovernedCycle:
        """Return the nearest admissible motion of the platform."""
        ...


class GovernedCycle(Protocol):
    """Result of a governor in one cycle."""

    @property
    def rows(self) -> Rows:
        """Absolute coordinates, shape (3, 6)."""
        ...

    @property
    def active(self) -> bool:
        """Whether it is something else than what was wanted."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class OmctChain:
    """Chain that is tested."""

    cue: CueingFilter
    governor: Governing | None
    neutral: Array
    """Coordinates of the platform at rest, shape (6,)."""
    head_m: tuple[float, float, float]
    """The rider's head in the platform's frame [m]."""
    gain: float = 1.0
    """Factor on what the vehicle does."""

    def ride(self, stimulus: Stimulus, period_s: float) -> tuple[Array, Flags]:
        """Compute rows of the platform, shape (N, 3, 6), and where they were limited, shape (N,).

        Args:
            stimulus: what the vehicle does.
            period_s: of a cycle [s].
        """
        t_s: Array = period_s * np.arange(float(round(stimulus.duration_s / period_s)))
        force, rates, drates = stimulus.signals(t_s)
        rest = np.array(REST.f_m_s2)
        force, rates, drates = (
            rest + self.gain * (force - rest),
            self.gain * rates,
            (self.gain * drates),
        )
        made = np.empty((len(t_s), 3, 6))
        self.cue.reset()
        for n, state in enumerate(_states(t_s, force, rates, drates)):
            made[n] = self.cue.step(state)
        limited = _tilt_limited(self.cue, period_s, force, rates, made)
        made[:, 0] += self.neutral
        if self.governor is not None:
            limited |= _governed(self.governor, self.neutral, made)
        return made, limited


@dataclass(frozen=True, slots=True)
class OmctRun:
    """Response of a chain in the cueing test."""

    points: tuple[OmctPoint, ...]
    """Measured points, sorted by test, then frequency."""
    drives: str
    """Substitute for the drives; empty if there was none."""

    def of(self, test: int) -> tuple[OmctPoint, ...]:
        """Return the points of one of the ten tests."""
        return tuple(one for one in self.points if one.test == test)


def run_omct(
    plan: Plan,
    chain: OmctChain,
    *,
    tests: tuple[int, ...] = tuple(one.number for one in TESTS),
    frequencies: tuple[float, ...] = FREQUENCIES_RAD_S,
    drives: bool = True,
    report: Callable[[int, int], None] | None = None,
) -> OmctRun:
    """Drive the axes of some tests at some frequencies.

    Args:
        plan: whose rig and rate are used.
        chain: filter and governor, at the plan's rate.
        tests: numbers of the ten.
        frequencies: angular [rad/s].
        drives: whether simulated drives follow the legs; else the setpoints are judged.
        report: called with the number of rides done, and of all.

    Raises:
        RefusedError: if the chain asks for what no leg can give.
    """
    period_s, geometry = plan.scenario.period_s, geometry_of(plan.rig)
    wanted = [one for one in TESTS if one.number in tests]
    axes = [axis for axis in DRIVEN if any(one.driven == axis for one in wanted)]
    bank = SimulatedDrives(plan) if drives else None
    found: list[OmctPoint] = []
    rides = [Stimulus.at(axis, w) for axis in axes for w in frequencies]
    for done, stimulus in enumerate(rides):
        rows, limited = chain.ride(stimulus, period_s)
        if bank is not None:
            rows = _driven(bank, geometry, rows, period_s)
        at_head = felt(rows, chain.head_m)
        angles = rows[:, 0, 3:] * [-1.0, -1.0, 1.0]  # alpha, beta, gamma are -yaw, -pitch, roll
        t_s: Array = period_s * np.arange(float(len(rows)))
        found += points(stimulus, t_s, at_head, angles[:, ::-1], limited)
        if report is not None:
            report(done + 1, len(rides))
    kept = [one for one in found if one.test in tests]
    kept.sort(key=lambda one: (one.test, one.rad_s))
    return OmctRun(tuple(kept), "simulated cylinders" if drives else "")


def _states(t_s: Array, force: Array, rates: Array, drates: Array) -> list[VehicleState]:
    rows = zip(t_s.tolist(), force.tolist(), rates.tolist(), drates.tolist(), strict=True)
    return [
        replace(REST, t_s=t, f_m_s2=_three(f), omega_rad_s=_three(w), domega_rad_s2=_three(dw))
        for t, f, w, dw in rows
    ]


def _three(values: list[float]) -> tuple[float, float, float]:
    a, b, c = values
    return a, b, c


def _tilt_limited(
    cue: CueingFilter, period_s: float, force: Array, rates: Array, made: Array
) -> Flags:
    """Return where the tilt is not the one of the same filter without a limiter."""
    if not isinstance(cue, Classical):
        return np.zeros(len(made), dtype=np.bool_)
    tilt = replace(cue.parameters.tilt, rate_rad_s=np.inf, acceleration_rad_s2=np.inf)
    free = Classical(replace(cue.parameters, tilt=tilt), period_s)
    linear = free.ride(force, rates)
    return np.asarray(np.abs(made[:, 0, 4:] - linear[:, 0, 4:]).max(axis=1) > TILTED_RAD)


def _governed(governor: Governing, neutral: Array, made: Array) -> Flags:
    """Send rows through a governor, in place; where it acted."""
    governor.reset(neutral)
    active = np.zeros(len(made), dtype=np.bool_)
    for n, row in enumerate(made):
        done = governor.step(row)
        active[n] = done.active
        made[n] = done.rows
    return active


def _driven(
    bank: SimulatedDrives, geometry: HexapodGeometry, rows: Array, period_s: float
) -> Array:
    """Compute rows of the driven platform: forward kinematics of what the drives measured."""
    lengths, speeds = leg_setpoints_batch(
        geometry, np.ascontiguousarray(rows[:, 0]), np.ascontiguousarray(rows[:, 1])
    )
    measured = bank.follow(lengths, speeds)
    found = forward_batch(geometry, measured, Pose.from_coordinates(rows[0, 0]))
    if not found.converged.all():
        at = int(np.flatnonzero(~found.converged)[0])
        text = f"no pose for the legs at {at * period_s:g} s: {found.reason(at)}"
        raise RefusedError(f"{text}; a smaller gain, or the governor, keeps away from it")
    moved = np.empty_like(rows)
    moved[:, 0, :3] = found.position_m
    moved[:, 0, 3:] = _angles(found.rotation)
    for order in (1, 2):
        moved[:, order] = np.gradient(moved[:, order - 1], period_s, axis=0)
    return moved


def _angles(rotation: Array) -> Array:
    """Find alpha, beta, gamma of Rz(alpha) Ry(beta) Rx(gamma), shape (N, 3); no half turns."""
    beta = -np.arcsin(np.clip(rotation[:, 2, 0], -1.0, 1.0))
    alpha = np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0])
    gamma = np.arctan2(rotation[:, 2, 1], rotation[:, 2, 2])
    return np.stack([alpha, beta, gamma], axis=1)
