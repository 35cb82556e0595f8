"""A recording of the arm station prepared for pictures and tables."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from arm_driver.errors import ArmError
from arm_driver.supervision_settings import SupervisionSettings
from hil.config.settings import ConfigError
from hil.machines.robot.supervision import supervision_of
from hil.recording.events import CLOCK_NAME, SIMULATED_KEY, EventKind, EventRecord, Level
from hil.recording.header import simulated_in
from hil.recording.reader import Recording
from hil.report.phases import phases_of, times_s
from hil.report.recorded_run import RecordedRun, notes_of
from hil.report.run_verdict import EMPTY, Ending, Verdict, cut_off, failed, seen_from_outside
from hil.stations.arm.report.accuracy import Accuracy
from hil.stations.arm.report.clock import FetchTimes
from hil.stations.arm.report.recording import ArmRecording, reason_alone
from hil.stations.arm.report.tracking import TrackedPath, Tracking, path_of_controller, tracking_of
from hil.stations.arm.scene.machines import ArmMachines
from hil_common.arrays.pose import PoseError

Array = NDArray[np.float64]

DEFAULT_PERIOD_S = 0.35
_GOOD = {"completed": Ending.COMPLETED, "cancelled": Ending.STOPPED}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ArmView(RecordedRun):
    """Data of an arm's run for pictures and tables."""

    run: ArmRecording
    machines: ArmMachines | None
    """Both arms; None if the recording does not describe them."""
    result: str
    """Result of the last stream in its own words, empty without any."""
    fetches: FetchTimes
    """Times at which the robot fetched its waypoints, and which it was sent."""
    shown: NDArray[np.bool_]
    """Waypoints that are drawn: those sent, or all if none was, shape (N,)."""
    asked: TrackedPath
    """Poses of the industrial gripper that were asked, at the times they were fetched."""
    space: TrackedPath
    """The simulated gripper's poses at the same instants, seen with the robot's axes."""
    measured: TrackedPath
    """Poses reported by the robot."""
    modelled: bool
    """Whether the asked path is known as that of the controller's model."""
    tracking: Tracking | None
    """Delay and error of the robot; None without asked or measured poses."""
    accuracy: Accuracy | None
    """Distance of both grippers' paths; None if nothing was sent, or one is not recorded."""

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
        asked = TrackedPath.of(fetches.fetched_s, run.column("target_pose"), shown)
        measured = TrackedPath.of(fetches.pose_s, run.column("measured_pose"), fetches.has_pose)
        model = None if machines is None else machines.blend
        driven = path_of_controller(asked, model, None if machines is None else machines.X_RT0)
        tracking = tracking_of(driven, measured, period_s) if sent.any() else None
        notes += _notes_of_following(run, machines, measured, tracking)
        verdict, result = _verdict(run, int(sent.sum()))
        accuracy = None
        if machines is not None and machines.space is not None and sent.any():
            try:
                accuracy = Accuracy.of(run, machines, sent, whole=result == "completed")
            except (ArmError, PoseError) as error:
                notes.append(f"How accurate the robot's path is cannot be told: {error}.")
        times = times_s(run.recording)
        if fetches.known:
            times = np.maximum.accumulate(fetches.fetched_s)
            times.setflags(write=False)
        return cls(
            recording=run.recording, times=times, phases=phases_of(run.recording, times),
            verdict=seen_from_outside(verdict, run.recording), run=run, machines=machines,
            result=result, fetches=fetches, shown=shown, asked=asked,
            space=_aligned(run, machines, fetches.fetched_s, shown), measured=measured,
            modelled=driven is not asked, tracking=tracking, accuracy=accuracy,
            notes=tuple(notes),
        )  # fmt: skip

    @property
    def simulated(self) -> tuple[str, ...]:
        """Whether something was simulated, by the header or the robot itself."""
        found = simulated_in(self.facts())
        if any(SIMULATED_KEY in event.data for event in self.recording.events):
            found.setdefault("robot", f"SIMULATED {self.facts().get('robot', '')}")
        return tuple(found.values())

    @property
    def badges(self) -> tuple[str, ...]:
        """Result, a robot that was not simulated, clock, and what moved."""
        facts = self.facts()
        robot, clock = facts.get("robot", ""), facts.get("clock", "")
        badges = [f"result: {self.result}"] if self.result else []
        if robot and robot not in self.simulated:
            badges.append(f"robot: {robot}")
        if clock:
            badges.append(f"{clock} clock")
        if self.machines is not None:
            space = self.machines.space
            alone = facts.get("moves") or "the robot alone"
            moved = alone if space is None else f"{space.name} → industrial arm"
            badges.append(f"{moved}, a waypoint every {self.machines.period_s:g} s")
        return tuple(badges)

    @property
    def figures_note(self) -> str:
        """On which clock times are, and what is compared with what."""
        clock = (
            "Times are of the loop, from its start; that of a waypoint is when the robot fetched "
            "it."
            if self.fetches.known
            else "No request told its time: times are of the motion, a period for each waypoint."
        )
        return (
            f"{clock} "
            "Accuracy: the continuous path that the model of the robot's controller makes of the "
            "waypoints it was sent, against the simulated gripper's. Following and turn error: "
            "places that the robot told at its requests, against that path, the delay removed. "
            "Joints and speeds of the industrial arm are those that were asked of it."
        )

    def objections(self) -> tuple[EventRecord, ...]:
        """Return the objections of the gate, and bad ends of streams."""
        return tuple(
            event
            for event in self.recording.events
            if event.kind is EventKind.VIOLATION
            or ("result" in event.data and event.level >= Level.ERROR)
        )

    def of_motion(self, motion_s: Array | float) -> Array:
        """Convert times of the motion [s], waypoint n at n periods, to the page's times."""
        return self.fetches.of_motion(np.asarray(motion_s, np.float64), self.period_s)

    @property
    def actions(self) -> tuple[tuple[float, str], ...]:
        """Page's times of actions on the space arm's drives [s], with what was done, in words."""
        found: dict[float, dict[str, list[str]]] = {}
        for event in self.run.actions():
            at_s = float(self.of_motion(float(event.data.get("at_s") or 0.0)))
            kinds = found.setdefault(at_s, {})
            kinds.setdefault(str(event.data["action"]), []).append(str(event.data.get("joint")))
        return tuple(
            (at_s, ", ".join(map(_words_of, kinds.items()))) for at_s, kinds in found.items()
        )

    def event_s(self, event: EventRecord) -> float:
        """Find an event's time on the page's clock [s]; one that dates a waypoint has its time."""
        there = np.flatnonzero(self.run.column("index") == event.index)
        dates = event.name == CLOCK_NAME and len(there) > 0
        return float(self.times[there[0]]) if dates else event.t_s

    @property
    def robot_alone(self) -> bool:
        """Whether the robot moved without a simulated arm."""
        return self.machines is not None and self.machines.space is None

    @property
    def supervision(self) -> SupervisionSettings:
        """Windows of the run's supervision; the standard ones if the recording has none."""
        try:
            settings = supervision_of(self.run.recording.scenario or {})
        except ConfigError:
            settings = None
        return settings or SupervisionSettings()

    @property
    def period_s(self) -> float:
        """Time between waypoints [s]."""
        return DEFAULT_PERIOD_S if self.machines is None else self.machines.period_s


def _words_of(done: tuple[str, list[str]]) -> str:
    """Return a kind of action and its joints in words."""
    kind, joints = done
    return kind if joints == ["0"] else f"{kind} ({', '.join(joints)})"


def recorded(recording: Recording) -> ArmView:
    """Return a recording of this station prepared for its page."""
    return ArmView.of(ArmRecording(recording))


def _aligned(
    run: ArmRecording, machines: ArmMachines | None, t_s: Array, used: NDArray[np.bool_]
) -> TrackedPath:
    """Return the simulated gripper's motion with the axes of the industrial gripper, scaled."""
    path = TrackedPath.of(t_s, run.column("space_pose"), used)
    if machines is None or not len(path):
        return path
    turn = Rotation.from_matrix(np.asarray(machines.alignment))
    rotations = (path.rotations * turn).as_quat(scalar_first=True)
    start = path.position_m[0]
    moved = start + machines.scale * (path.position_m - start)
    return TrackedPath.of(path.t_s, np.hstack([moved, rotations]))


def _verdict(run: ArmRecording, sent: int) -> tuple[Verdict, str]:
    """Return the verdict by the last stream's result, else by what is missing."""
    recording = run.recording
    results = [event for event in recording.events if "result" in event.data]
    if not run.waypoints and not results:
        return EMPTY, ""
    result = str(results[-1].data["result"]) if results else ""
    if found := failed(recording):
        return found, result
    if results:
        before = [str(event.data["result"]) for event in results[:-1]]
        more = f" Streams before it: {', '.join(before)}." if before else ""
        words = _words_of_end(run, results[-1], sent) + more
        return Verdict(_GOOD.get(result, Ending.TRIPPED), words), result
    if found := cut_off(recording, ()):
        return found, result
    return Verdict(Ending.UNFINISHED, "The recording tells of no stream's end."), result


def _words_of_end(run: ArmRecording, end: EventRecord, sent: int) -> str:
    result, reason = str(end.data["result"]), str(end.data.get("reason") or "")
    reason = reason_alone(result, reason)
    text = f": {reason}." if reason else "."
    if not sent:
        return f"The robot was not moved. The stream ended: {result}{text}"
    there = np.flatnonzero(run.column("index") == end.index)
    motion_s = float(run.t_s[there[0]]) if len(there) else end.t_s
    return f"At waypoint {end.index}, {motion_s:.2f} s of motion, the stream ended: {result}{text}"


def _notes_of_following(
    run: ArmRecording,
    machines: ArmMachines | None,
    measured: TrackedPath,
    tracking: Tracking | None,
) -> Iterator[str]:
    if run.waypoints and not len(measured):
        yield "The robot did not tell where it is: its delay and error are unknown."
    if tracking is not None and not tracking.delay_known:
        yield "The delay cannot be told from this motion; errors are taken without it."
    if machines is not None and machines.scale != 1.0:
        yield f"Translations were scaled by {machines.scale:g}: not the same motion."


def _notes(run: ArmRecording) -> list[str]:
    notes = list(notes_of(run.recording))
    grave = [event for event in run.recording.events if event.kind is EventKind.FAULT]
    if grave:
        notes.append(f"{len(grave)} faults were latched; the first: {grave[0].message}")
    return notes
