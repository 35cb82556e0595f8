"""Motions of a design: setpoints about a rig's neutral pose, and what they ask of another rig."""

from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hil.machines.rig.design_spec import DesignSpec
from hil.machines.rig.machine import gate_limits, geometry_of
from hil.machines.rig.settings import Rig
from hil.stations.platform.machine.cylinder_demands import SAMPLES_MAX, motions_for, track_of
from platform6dof.design.problem import DesignProblem
from platform6dof.dynamics.inverse_dynamics import loads_of_setpoints
from platform6dof.dynamics.machine import Machine, PlatformBody
from platform6dof.envelope import Envelope
from platform6dof.geometry import HexapodGeometry
from platform6dof.kernels.legs import leg_states_and_rows
from platform6dof.pose import PlatformSetpoint
from platform6dof.workspace import PoseBox, extremes

Array = NDArray[np.float64]

SEARCHED: Final = 60_000
"""Setpoints at most of all motions that a search judges its rigs with; each rig that is written is
tried with all of them."""


REACTION: Final = 2.0
"""Steps of time that pass from the order to stop until a leg brakes."""


class DesignMotion(NamedTuple):
    """A motion that each rig of a design must play."""

    name: str
    """Scenario or file, as the design names it."""
    step_s: float
    """Time between two setpoints [s]."""
    setpoints: Array
    """Packed, as played on the rig that the design names, shape (N, 24)."""
    neutral_m: Array
    """Place of that rig's neutral pose [m], shape (3,)."""
    doubt_m: float
    """Distance that the gate keeps from the ends of a stroke for following errors [m]."""
    doubt_s: float
    """What it keeps besides, as a multiple of a leg's speed [s]."""

    def at_height(self, height_m: float) -> Array:
        """Packed setpoints about a neutral pose over the middle of the base, shape (N, 24)."""
        moved = self.setpoints.copy()
        moved[:, :3] += np.array([0.0, 0.0, height_m]) - self.neutral_m
        return moved


class MotionNeeds(NamedTuple):
    """What motions ask of the legs of a machine."""

    shortest_m: float
    """Shortest leg, also if it stops [m]; infinite without motions."""
    longest_m: float
    """Longest leg, also if it stops [m]; 0 without motions."""
    force_n: float
    """Greatest force of a leg either way [N]; 0 without motions."""


def motions_of(spec: DesignSpec, path: Path, rig_path: Path, rig: Rig) -> list[DesignMotion]:
    """Play the motions of a design on the rig that it names.

    Args:
        path: the design's file, beside which its motions are looked for.
        rig_path: file of the rig.

    Raises:
        ConfigError: a file that cannot be used, or whose station moves no platform.
    """
    most = SAMPLES_MAX // max(1, len(spec.motions))
    neutral_m = rig.neutral.coordinates()[:3]
    found: list[DesignMotion] = []
    for name, plan, motion in motions_for(spec.motions, str(rig_path), key="motions", beside=path):
        track = track_of(name, plan, motion, most)
        gate = gate_limits(rig, plan.scenario.period_s)
        doubt_s = gate.following_per_speed_s + gate.reaction_time_s
        found.append(
            DesignMotion(
                name, track.step_s, track.setpoints, neutral_m, gate.following_base_m, doubt_s
            )
        )
    return found


def problem_of(spec: DesignSpec, rig: Rig, motions: list[DesignMotion]) -> DesignProblem:
    """Pose the problem of a design, with travel for stops within its motions at both ends."""
    found = spec.problem(rig, searched_setpoints(motions))
    if not motions:
        return found
    reserve_m = stop_reserve_m(motions, rig, PoseBox(found.box_lower, found.box_upper))
    limits = replace(found.limits, soft_margin_m=found.limits.soft_margin_m + reserve_m)
    return replace(found, limits=limits)


def searched_setpoints(motions: list[DesignMotion]) -> Array | None:
    """Setpoints of all motions at equal steps, at most `SEARCHED`; None without motions."""
    if not motions:
        return None
    rows = np.vstack([one.setpoints for one in motions])
    return rows[:: -(-len(rows) // SEARCHED)]


def needs_of(
    motions: list[DesignMotion], geometry: HexapodGeometry, body: PlatformBody, height_m: float,
    stop_m_s2: float,
) -> MotionNeeds:  # fmt: skip
    """Find what motions ask of a machine, at every setpoint, by the bench's inverse dynamics.

    A stop may begin at every setpoint, and the gate asks that legs come to rest within
    their stroke. All brake for the same time, as long as the fastest needs, T = max |v| / a; a leg
    moves by v T / 2 in it, and by what it does until it brakes; a following error is kept free.

    Args:
        stop_m_s2: deceleration of a leg that stops [m/s²].
    """
    machine = Machine(geometry, (body,))
    shortest, longest, force = np.inf, 0.0, 0.0
    for one in motions:
        loads = loads_of_setpoints(machine, one.at_height(height_m))
        low, high = _stopped(one, loads.length_m, loads.speed_m_s, stop_m_s2)
        shortest, longest = min(shortest, low), max(longest, high)
        force = max(force, float(np.abs(loads.force_n).max()))
    return MotionNeeds(shortest, longest, force)


def stop_reserve_m(motions: list[DesignMotion], rig: Rig, box: PoseBox) -> float:
    """Find how much further a rig's legs go in stops of motions than in the motions and a box [m].

    Args:
        box: poses about the neutral height.
    """
    geometry, height_m = geometry_of(rig), rig.neutral.z_m
    up = np.array([0.0, 0.0, height_m, 0.0, 0.0, 0.0])
    held = extremes(geometry, PoseBox(box.lower + up, box.upper + up))
    stop_m_s2 = min(rig.limits.stop_deceleration_m_s2)
    shortest = least = held.min_m  # of stops, and of what is asked
    longest = most = held.max_m
    for one in motions:
        states, _ = leg_states_and_rows(geometry.table, one.at_height(height_m))
        least, most = min(least, float(states[:, 0].min())), max(most, float(states[:, 0].max()))
        low, high = _stopped(one, states[:, 0], states[:, 1], stop_m_s2)
        shortest, longest = min(shortest, low), max(longest, high)
    return max(0.0, least - shortest, longest - most)


def _stopped(
    motion: DesignMotion, length_m: Array, speed_m_s: Array, stop_m_s2: float
) -> tuple[float, float]:
    """Shortest and longest leg at the ends of stops begun anywhere, with the gate's doubt [m]."""
    braking_s = np.abs(speed_m_s).max(axis=1, keepdims=True) / stop_m_s2
    rest = length_m + speed_m_s * (0.5 * braking_s + REACTION * motion.step_s)
    doubt = motion.doubt_m + motion.doubt_s * np.abs(speed_m_s)
    return float((rest - doubt).min()), float((rest + doubt).max())


def beyond(motions: list[DesignMotion], envelope: Envelope, height_m: float) -> str:
    """Say which limit of a rig a motion passes first, and when; empty if it keeps all."""
    for one in motions:
        setpoints = one.at_height(height_m)
        outside = ~envelope.inside_packed(setpoints)
        if outside.any():
            row = int(np.argmax(outside))
            found = envelope.check(PlatformSetpoint.from_packed(setpoints[row].copy()))
            return f"{one.name} at {row * one.step_s:.3f} s: {found[0]}"
    return ""
