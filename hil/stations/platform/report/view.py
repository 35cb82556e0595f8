"""Recording prepared for pictures: its phases, rig and limits, and notes on missing parts."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hil.config.settings import ConfigError
from hil.machines.rig.machine import geometry_of, soft_range_m
from hil.machines.rig.settings import Rig
from hil.recording.header import RECORDING_NAME
from hil.recording.reader import Recording
from hil.recording.row_arrays import gathered, let_go
from hil.report.phases import Phase, phases_of, times_s
from hil.report.recorded_run import RecordedRun, indented, notes_of
from hil.report.run_verdict import Ending, Verdict, seen_from_outside, verdict_of
from hil.run.evidence import in_motion
from hil.run.run import BLACK_BOX_NAME
from hil.stations.platform.gate.black_box import complaint
from hil.stations.platform.plan.scenario import Plan
from platform6dof.forward import forward
from platform6dof.geometry import GeometryError, HexapodGeometry

REST_MODES = ("STANDBY", "IDLE", "OFF")
"""Modes in which a run that went well ends."""


def platform_verdict(recording: Recording, phases: tuple[Phase, ...]) -> Verdict:
    """Judge a recording, the gravest thing first."""
    found = verdict_of(recording, phases)
    if not found.ending.good:
        return found
    last = phases[-1]
    if last.mode not in REST_MODES:
        return Verdict(Ending.UNFINISHED, f"The run ended in {last.mode}, not parked.")
    if found.ending is Ending.STOPPED:
        return found
    engaged_s = sum(phase.duration_s for phase in phases if phase.mode == "ENGAGED")
    if engaged_s <= 0.0:
        return Verdict(Ending.UNFINISHED, f"The motion was never played; last mode {last.mode}.")
    return Verdict(Ending.COMPLETED, f"The motion was played for {engaged_s:.2f} s.")


Array = NDArray[np.float64]


def reached_poses(recording: Recording, geometry: HexapodGeometry | None, first: int) -> Array:
    """Coordinates of the pose reached in each cycle [m, rad], shape (N, 6), read-only.

    Args:
        geometry: geometry of its rig; without one only the poses found in the run are there.
        first: first cycle with valid lengths; the ones before it are NaN, as is every cycle
            without a pose.
    """
    return gathered(_pieces(recording, geometry, first), recording.path.parent)


def _pieces(recording: Recording, geometry: HexapodGeometry | None, first: int) -> Iterator[Array]:
    guess = None if geometry is None else geometry.neutral_pose
    for piece in recording.pieces():
        found = np.array(piece.rows.column("reached_pose"))
        before = min(max(first - piece.start, 0), len(found))
        found[:before] = np.nan
        if geometry is not None and guess is not None:
            lengths = piece.rows.column("measured_length_m")
            for cycle in range(before, len(found)):
                result = forward(geometry, lengths[cycle], guess)
                if result.converged:
                    guess = result.X_BP
                    found[cycle] = guess.coordinates()
        yield found


BEFORE_HOMED = ("OFF", "IDLE", "HOMING")
"""Modes in which, at the start of a run, the drives do not know their lengths yet."""


@dataclass(frozen=True, slots=True, eq=False)
class LegLimits:
    """Limits of the six legs, each of shape (6,), read-only."""

    closed_m: Array
    """Length with the rod fully in [m]."""
    open_m: Array
    """Length with the rod fully out [m]."""
    soft_min_m: Array
    """Shortest length the gate allows [m]."""
    soft_max_m: Array
    """Longest length the gate allows [m]."""
    speed_m_s: Array
    """Greatest speed [m/s]."""
    acceleration_m_s2: Array
    """Greatest acceleration [m/s²]."""

    @classmethod
    def of(cls, rig: Rig) -> "LegLimits":
        """Read the limits of a rig."""
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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RunView(RecordedRun):
    """Data for the pictures and tables of a run of the platform."""

    moving: NDArray[np.bool_]
    """Cycles of the motion or of the stop that ended it, shape (N,), read-only."""
    plan: Plan | None
    """Settings of the run; None if the recording lacks them or they cannot be read."""
    limits: LegLimits | None
    """Limits of the legs; None without a plan."""
    geometry: HexapodGeometry | None
    """Geometry of the rig; None without a plan, or if it is impossible."""
    homed: int
    """First cycle after homing; before it, lengths and pose mean nothing."""
    reached: Array
    """Pose reached in each cycle [m, rad], shape (N, 6), read-only; NaN = not known."""

    @classmethod
    def of(
        cls, recording: Recording, read: Callable[[Mapping[str, Any], str], Plan] = Plan.build
    ) -> Self:
        """Prepare a recording; an odd one gives notes, not an error.

        Args:
            read: makes the plan of the header's content; raises `ConfigError`.
        """
        notes = [*notes_of(recording), *_gate_record(recording)]
        times = times_s(recording)
        phases = phases_of(recording, times)
        plan = _plan(recording, notes, read)
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
            verdict=seen_from_outside(platform_verdict(recording, phases), recording),
            notes=tuple(notes),
            moving=moving,
            plan=plan,
            limits=None if plan is None else LegLimits.of(plan.rig),
            geometry=geometry,
            homed=homed,
            reached=reached_poses(recording, geometry, homed),
        )

    def _of(self, recording: Recording, rows: slice) -> Self:
        return replace(
            self,
            recording=recording,
            times=self.times[rows].copy(),
            moving=self.moving[rows],
            reached=self.reached[rows].copy(),
            homed=min(max(self.homed - rows.start, 0), rows.stop - rows.start),
        )

    def _let_go(self) -> None:
        let_go(self.times)
        let_go(self.reached)

    @property
    def title(self) -> str:
        """Title: the scenario and its rig."""
        if self.plan is not None:
            return f"{self.plan.scenario.name} on {self.plan.rig.name}"
        facts = self.facts()
        return f"{facts.get('scenario', 'unknown scenario')} on {facts.get('rig', 'unknown rig')}"

    @property
    def badges(self) -> tuple[str, ...]:
        """Badges: clock, motion, and the scenario's description of itself."""
        if self.plan is None:
            return ()
        scenario = self.plan.scenario
        motion = f"motion: {scenario.motion.kind.replace('_', ' ')}"
        badges = (f"{scenario.clock} clock, {scenario.rate_hz:g} Hz", motion, scenario.description)
        return tuple(text for text in badges if text)

    @property
    def figures_note(self) -> str:
        """Note on the part of the run that the extremes are of."""
        return (
            "Extremes are of the motion and the stop that ended it; rise and parking are not "
            "part of them."
        )

    def settings(self) -> Iterator[tuple[str, str]]:
        """Effective scenario and rig; whatever was stored if it is not a plan."""
        if self.plan is None:
            if self.recording.scenario is not None:
                yield "Settings as stored", indented(self.recording.scenario)
            return
        scenario, rig = self.plan.scenario, self.plan.rig
        yield f"Effective scenario {scenario.name}", indented(scenario.model_dump(mode="json"))
        yield f"Effective rig {rig.name}", indented(rig.model_dump(mode="json"))

    @property
    def virtual(self) -> bool:
        """Whether the clock was the virtual one, in which nothing is ever late."""
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


def _gate_record(recording: Recording) -> list[str]:
    """Faults of the file that the gate leaves beside a recording in real time."""
    facts = recording.metadata.get("run", {})
    beside = "time_base" in facts and recording.path.name == RECORDING_NAME
    if not beside or facts.get("clock") != "real":
        return []
    complaint_text = complaint(recording.path.parent / BLACK_BOX_NAME)
    return [complaint_text] if complaint_text else []


def _plan(
    recording: Recording, notes: list[str], read: Callable[[Mapping[str, Any], str], Plan]
) -> Plan | None:
    """Settings of the run, read as a document in the recording's folder, whatever path it gives."""
    if recording.scenario is None:
        notes.append("The effective scenario is not in the file: limits and geometry are unknown.")
        return None
    try:
        plan = read(recording.scenario, "the scenario in the recording")
        here = str(recording.path)
        return plan.model_copy(update={"scenario_file": here, "rig_file": here})
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
