"""A recording of the arm station prepared for pictures and tables."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from arm_driver.pose import ArmError
from arm_driver.supervision_settings import SupervisionSettings
from hil.config.settings import ConfigError
from hil.machines.robot_supervision import supervision_of
from hil.recording.events import SIMULATED_KEY, EventKind, EventRecord, Level
from hil.report.ending import Ending, Verdict, seen_from_outside
from hil.report.notes import recording_notes
from hil.stations.arm.recording import ArmRecording
from hil.stations.arm.report.accuracy import Accuracy
from hil.stations.arm.report.clock import FetchTimes
from hil.stations.arm.report.driven import driven_path
from hil.stations.arm.report.machines import ArmMachines
from hil.stations.arm.report.tracking import Path, Tracking, tracking_of

Array = NDArray[np.float64]

DEFAULT_PERIOD_S = 0.35
_GOOD = {"completed": Ending.COMPLETED, "cancelled": Ending.STOPPED}


@dataclass(frozen=True, slots=True, eq=False)
class ArmView:
    """What the pictures and tables of an arm's run are made of.

    Args:
        run: the recording.
        machines: both arms; None if the recording does not describe them.
        verdict: how the run ended.
        result: result of the last stream in its own words, empty without any.
        fetches: when the robot fetched its waypoints, and which it was sent.
        shown: waypoints that are drawn: those sent, or all if none was, shape (N,).
        asked: poses of the industrial gripper that were asked, at the times they were fetched.
        space: the simulated gripper's poses at the same instants, seen with the robot's axes.
        measured: what the robot told.
        modelled: whether what was asked is known as the path of the controller's model.
        tracking: None without asked or measured poses.
        accuracy: None if nothing was sent, or the recording does not tell both paths.
        notes: what a reader must know before trusting the rest.
    """

    run: ArmRecording
    machines: ArmMachines | None
    verdict: Verdict
    result: str
    fetches: FetchTimes
    shown: NDArray[np.bool_]
    asked: Path
    space: Path
    measured: Path
    modelled: bool
    tracking: Tracking | None
    accuracy: Accuracy | None
    notes: tuple[str, ...]

    @classmethod
    def of(cls, run: ArmRecording) -> "ArmView":
        """Prepare a recording; an odd one gives notes, not an error."""
        notes = _notes(run)
        try:
            machines = ArmMachines.from_scenario(run.recording.scenario)
        except ValueError as error:
            machines = None
            notes.append(f"The arms cannot be drawn, and their limits are unknown: {error}.")
        period_s = DEFAULT_PERIOD_S if machines is None else machines.period_s
        fetches = FetchTimes.of(run, period_s)
        target: NDArray[np.bool_] = np.all(np.isfinite(run.column("target_pose")), axis=1)
        sent = fetches.sent & target
        if run.waypoints and not sent.any():
            notes.append("No waypoint was sent; what is shown as asked was only planned.")
        shown = sent if sent.any() else target
        asked = Path.of(fetches.fetched_s, run.column("target_pose"), shown)
        measured = Path.of(fetches.told_s, run.column("measured_pose"), fetches.told)
        model = None if machines is None else machines.blend
        driven = driven_path(asked, model, None if machines is None else machines.X_RT0)
        tracking = tracking_of(driven, measured, period_s) if sent.any() else None
        notes += _notes_of_following(run, machines, measured, tracking)
        verdict, result = _verdict(run, int(sent.sum()))
        accuracy = None
        if machines is not None and machines.space is not None and sent.any():
            try:
                accuracy = Accuracy.of(run, machines, sent, whole=result == "completed")
            except ArmError as error:
                notes.append(f"How accurate the robot's path is cannot be told: {error}.")
        return cls(
            run=run,
            machines=machines,
            verdict=seen_from_outside(verdict, run.recording.path),
            result=result,
            fetches=fetches,
            shown=shown,
            asked=asked,
            space=_aligned(run, machines, fetches.fetched_s, shown),
            measured=measured,
            modelled=driven is not asked,
            tracking=tracking,
            accuracy=accuracy,
            notes=tuple(notes),
        )

    def facts(self) -> dict[str, str]:
        """What was known before the first waypoint: name → text."""
        return dict(self.run.recording.metadata.get("run", {}))

    @property
    def simulated(self) -> tuple[str, ...]:
        """What the header or the robot itself says was simulated, each in its own words."""
        facts = [text for text in self.facts().values() if text.startswith("SIMULATED")]
        robot = self.facts().get("robot", "")
        told = any(SIMULATED_KEY in event.data for event in self.run.recording.events)
        return (*facts, *([f"SIMULATED {robot}"] if told and robot not in facts else ()))

    @property
    def plain_facts(self) -> tuple[str, ...]:
        """What a reader wants to know at once: the clock, and a robot that was not simulated."""
        facts = self.facts()
        robot, clock = facts.get("robot", ""), facts.get("clock", "")
        shown = [] if not robot or robot in self.simulated else [f"robot: {robot}"]
        return (*shown, f"{clock} clock") if clock else tuple(shown)

    @property
    def robot_alone(self) -> bool:
        """Whether the robot moved without a simulated arm."""
        return self.machines is not None and self.machines.space is None

    @property
    def supervision(self) -> SupervisionSettings:
        """Windows of the run's supervision; the standard ones if the recording has none."""
        try:
            told = supervision_of(self.run.recording.scenario or {})
        except ConfigError:
            told = None
        return told or SupervisionSettings()

    @property
    def period_s(self) -> float:
        """Time between waypoints [s]."""
        return DEFAULT_PERIOD_S if self.machines is None else self.machines.period_s


def _aligned(
    run: ArmRecording, machines: ArmMachines | None, t_s: Array, used: NDArray[np.bool_]
) -> Path:
    """The simulated gripper's motion with the axes of the industrial gripper, scaled."""
    path = Path.of(t_s, run.column("space_pose"), used)
    if machines is None or not len(path):
        return path
    turn = Rotation.from_matrix(np.asarray(machines.alignment))
    rotations = (path.rotations * turn).as_quat(scalar_first=True)
    start = path.position_m[0]
    moved = start + machines.scale * (path.position_m - start)
    return Path.of(path.t_s, np.hstack([moved, rotations]))


def _verdict(run: ArmRecording, sent: int) -> tuple[Verdict, str]:
    """How it ended, by the last stream's result, else by what is missing."""
    recording = run.recording
    results = [event for event in recording.events if "result" in event.data]
    fatal = next((event for event in recording.events if event.level is Level.FATAL), None)
    if not run.waypoints and not results:
        return Verdict(Ending.EMPTY, "The recording holds no waypoint."), ""
    result = str(results[-1].data["result"]) if results else ""
    if fatal is not None:
        return Verdict(Ending.FAILED, f"At {fatal.t_s:.3f} s: {fatal.message}"), result
    if results:
        before = [str(event.data["result"]) for event in results[:-1]]
        more = f" Streams before it: {', '.join(before)}." if before else ""
        words = _words_of_end(run, results[-1], sent) + more
        return Verdict(_GOOD.get(result, Ending.TRIPPED), words), result
    if recording.truncated:
        words = f"The recording ends without its closing record, at {run.t_s[-1]:.3f} s."
        return Verdict(Ending.CUT_OFF, words), result
    return Verdict(Ending.UNFINISHED, "The recording tells of no stream's end."), result


def _words_of_end(run: ArmRecording, end: EventRecord, sent: int) -> str:
    result, reason = str(end.data["result"]), str(end.data.get("reason") or "")
    reason = reason.removeprefix(f"{result}: ")
    told = f": {reason}." if reason else "."
    if not sent:
        return f"The robot was not moved. The stream ended: {result}{told}"
    there = np.flatnonzero(run.column("index") == end.index)
    motion_s = float(run.t_s[there[0]]) if len(there) else end.t_s
    return f"At waypoint {end.index}, {motion_s:.2f} s of motion, the stream ended: {result}{told}"


def _notes_of_following(
    run: ArmRecording, machines: ArmMachines | None, measured: Path, tracking: Tracking | None
) -> Iterator[str]:
    if run.waypoints and not len(measured):
        yield "The robot did not tell where it is: its delay and error are unknown."
    if tracking is not None and not tracking.delay_known:
        yield "The delay cannot be told from this motion; errors are taken without it."
    if machines is not None and machines.scale != 1.0:
        yield f"Translations were scaled by {machines.scale:g}: not the same motion."


def _notes(run: ArmRecording) -> list[str]:
    recording = run.recording
    notes = list(recording_notes(recording))
    if "outcome" in recording.metadata and recording.dropped:
        notes.append(f"{recording.dropped} entries were dropped and are missing.")
    elif run.missing:
        notes.append(f"{run.missing} waypoints are missing in the recording.")
    grave = [event for event in recording.events if event.kind is EventKind.FAULT]
    if grave:
        notes.append(f"{len(grave)} faults were latched; the first: {grave[0].message}")
    return notes
