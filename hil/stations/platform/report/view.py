"""A recording prepared for pictures: its phases, its rig, its limits, and what is missing."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hil.config.settings import ConfigError
from hil.machines.machine import geometry_of, soft_range_m
from hil.machines.rig import Rig
from hil.recording.header import RECORDING_NAME
from hil.recording.reader import Recording
from hil.report.ending import Verdict, seen_from_outside, verdict_of
from hil.report.notes import recording_notes
from hil.report.phases import Phase, phases_of, times_s
from hil.run.evidence import in_motion
from hil.run.folder import BLACK_BOX_NAME
from hil.stations.platform.gate.black_box import complaint
from hil.stations.platform.report.reached import reached_poses
from hil.stations.platform.scenario import Plan
from platform6dof.geometry import GeometryError, HexapodGeometry

Array = NDArray[np.float64]

BEFORE_HOMED = ("OFF", "IDLE", "HOMING")
"""Modes in which, at the start of a run, the drives do not know their lengths yet."""


@dataclass(frozen=True, slots=True, eq=False)
class LegLimits:
    """Limits of the six legs, each of shape (6,), read-only.

    Args:
        closed_m: length with the rod fully in [m].
        open_m: length with the rod fully out [m].
        soft_min_m: shortest length the gate allows [m].
        soft_max_m: longest length the gate allows [m].
        speed_m_s: greatest speed [m/s].
        acceleration_m_s2: greatest acceleration [m/s²].
    """

    closed_m: Array
    open_m: Array
    soft_min_m: Array
    soft_max_m: Array
    speed_m_s: Array
    acceleration_m_s2: Array

    @classmethod
    def of(cls, rig: Rig) -> "LegLimits":
        """The limits of a rig."""
        closed = np.array(rig.cylinders.closed_length_m)
        soft = np.array([soft_range_m(rig, leg) for leg in range(6)])  # (6, 2)
        arrays = (
            closed,
            closed + np.array(rig.cylinders.stroke_m),
            soft[:, 0].copy(),
            soft[:, 1].copy(),
            np.array(rig.limits.speed_max_m_s),
            np.array(rig.limits.acceleration_max_m_s2),
        )
        for array in arrays:
            array.setflags(write=False)
        return cls(*arrays)


@dataclass(frozen=True, slots=True, eq=False)
class RunView:
    """What the pictures and tables of a run are made of.

    Args:
        recording: the run.
        times: time of each cycle [s], shape (N,), read-only.
        phases: stretches of one mode.
        moving: cycles of the motion or of the stop that ended it, shape (N,), read-only.
        verdict: how the run ended.
        plan: its settings; None if the recording lacks them or they cannot be read.
        limits: of the legs; None without a plan.
        geometry: of the rig; None without a plan, or if it is impossible.
        homed: first cycle after homing; before it, lengths and pose mean nothing.
        reached: pose reached in each cycle [m, rad], shape (N, 6), read-only; NaN = not known.
        notes: what a reader must know about the recording before trusting the rest.
    """

    recording: Recording
    times: Array
    phases: tuple[Phase, ...]
    moving: NDArray[np.bool_]
    verdict: Verdict
    plan: Plan | None
    limits: LegLimits | None
    geometry: HexapodGeometry | None
    homed: int
    reached: Array
    notes: tuple[str, ...]

    @classmethod
    def of(cls, recording: Recording) -> "RunView":
        """Prepare a recording; an odd one gives notes, not an error."""
        notes = list(_notes(recording))
        notes += _gate_record(recording)
        times = times_s(recording)
        phases = phases_of(recording, times)
        plan = _plan(recording, notes)
        moving = in_motion(recording)
        moving.setflags(write=False)
        if len(times) and not moving.any():
            notes.append("There was no motion: the mode ENGAGED was never reached.")
        geometry = None if plan is None else _geometry(plan, notes)
        homed = _homed(phases, len(times))
        return cls(
            recording=recording,
            times=times,
            phases=phases,
            moving=moving,
            verdict=seen_from_outside(verdict_of(recording, phases), recording.path),
            plan=plan,
            limits=None if plan is None else LegLimits.of(plan.rig),
            geometry=geometry,
            homed=homed,
            reached=reached_poses(recording, geometry, homed),
            notes=tuple(notes),
        )

    def facts(self) -> dict[str, str]:
        """What was known before the first cycle: name → text."""
        return dict(self.recording.metadata.get("run", {}))

    @property
    def simulated(self) -> bool:
        """The drives were simulated ones."""
        return self.facts().get("drives", "").startswith("SIMULATED")

    @property
    def virtual(self) -> bool:
        """The clock was the virtual one, in which nothing is ever late."""
        if self.plan is not None:
            return self.plan.scenario.clock == "virtual"
        return self.facts().get("clock") == "virtual"

    @property
    def period_s(self) -> float | None:
        """Cycle time [s]; None if it is not known."""
        return None if self.plan is None else self.plan.scenario.period_s


def _homed(phases: tuple[Phase, ...], cycles: int) -> int:
    after = (phase.first for phase in phases if phase.mode not in BEFORE_HOMED)
    return next(after, cycles)


def _notes(recording: Recording) -> list[str]:
    notes = list(recording_notes(recording))
    if recording.dropped:
        notes.append(f"{recording.dropped} entries were dropped and are missing.")
    elif recording.gaps:
        notes.append(f"The sequence of cycles has {len(recording.gaps)} holes.")
    return notes


def _gate_record(recording: Recording) -> list[str]:
    """What is wrong with the file that the gate leaves beside a recording in real time."""
    facts = recording.metadata.get("run", {})
    beside = "time_base" in facts and recording.path.name == RECORDING_NAME
    if not beside or facts.get("clock") != "real":
        return []
    told = complaint(recording.path.parent / BLACK_BOX_NAME)
    return [told] if told else []


def _plan(recording: Recording, notes: list[str]) -> Plan | None:
    if recording.scenario is None:
        notes.append("The effective scenario is not in the file: limits and geometry are unknown.")
        return None
    try:
        return Plan.build(recording.scenario, "the scenario in the recording")
    except ConfigError as error:
        problem = error.problems[0] if error.problems else str(error)
        notes.append(
            "The scenario in the recording is not one of this version, so limits and geometry "
            f"are unknown: {problem}"
        )
        return None


def _geometry(plan: Plan, notes: list[str]) -> HexapodGeometry | None:
    try:
        return geometry_of(plan.rig)
    except GeometryError as error:
        notes.append(f"The rig cannot be drawn: {error}")
        return None
