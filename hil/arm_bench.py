"""A run of the arm station, put together from its plan: source, both arms, gate, link, recorder."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from arm_driver.host_values import HostSettings, StreamPlan
from arm_driver.kinematics import forward
from arm_driver.link import ArmLink, open_arm_link
from arm_driver.link_errors import ArmLinkError
from arm_driver.location import Location
from hil.arm_display import Shown
from hil.arm_header import robot_line, run_header
from hil.arm_journal import ArmJournal
from hil.arm_loop import ArmEnd, ArmLoop
from hil.arm_peers import ArmWire, Witness
from hil.arm_prepare import Prepared, prepare
from hil.arm_realtime import arm_in_time
from hil.arm_scenario import PLANNED as PLANNED
from hil.arm_scenario import SIM_URL, ArmPlan
from hil.arm_sources.settings import make_source
from hil.arm_sources.source import SourceError, VelocitySource
from hil.arm_start import RobotStart
from hil.arm_wire import VirtualArmLink
from hil.clock import Clock, VirtualClock, moment
from hil.console import RefusedError
from hil.operated.arm import led_arm
from hil.realtime_setup import RealtimeItem
from hil.recording.frame import EventRecord
from hil.recording.recorder import RecorderResult, RecordingSink
from hil.recording.ring import RecorderStatus
from hil.run_files import recording_sink, run_dir
from hil.signals import StopSignals
from hil.stations.arm_step import location_of
from sim.devices.arm_controller import ArmController
from sim.devices.arm_faults import ArmFault
from sim.devices.arm_settings import ArmControllerSettings


@dataclass(frozen=True, slots=True)
class ArmRunResult:
    """How a run went; figures are taken from its recording.

    Args:
        end: of the stream.
        prepared: what was proved before it.
        recorder: how the recording ended.
        events: what happened, in order.
        robot: the robot of the run in one line.
        setup: what the system granted for real time, empty in a dry run.
    """

    end: ArmEnd
    prepared: Prepared
    recorder: RecorderResult
    events: tuple[EventRecord, ...]
    robot: str
    setup: tuple[RealtimeItem, ...] = ()

    @property
    def ok(self) -> bool:
        """Completed, or stopped by the operator and at rest; and the recording is whole."""
        return self.end.ok and self.recorder.status is RecorderStatus.DONE


def prepare_plan(plan: ArmPlan, told: Callable[[int], None] | None = None) -> Prepared:
    """Find the robot's place, and prove a planned motion in full.

    Raises:
        ConfigError: if the source's file cannot be used.
        RefusedError: with arm, joint, value and limit; nothing has been sent.
    """
    if plan.scenario.source.kind not in PLANNED:
        return prepare(plan, _no_source, planned=False)
    return prepare(plan, lambda: source_of(plan, VirtualClock()), planned=True, told=told)


def _no_source() -> VelocitySource:
    raise AssertionError("a live motion is not played out beforehand")


def source_of(plan: ArmPlan, clock: Clock) -> VelocitySource:
    """The source of a plan, at its beginning.

    Raises:
        RefusedError: if a device or package is not there, or a live source is to run in no time.
    """
    source = plan.scenario.source
    if source.kind not in PLANNED and plan.scenario.clock == "virtual":
        raise RefusedError(
            f"source.kind = {source.kind!r} is moved by an operator, who needs the real clock: "
            "--clock real"
        )
    try:
        folder = Path(plan.scenario_file).parent
        return make_source(source, now_s=clock.now_s, base_dir=folder)
    except SourceError as error:
        raise RefusedError(f"source: {error}") from None


def host_settings(plan: ArmPlan) -> HostSettings:
    """Times and limits of the host's end of the link."""
    limits = plan.robot.gate_limits()
    return HostSettings(
        speed_max_m_s=limits.gripper_speed_max_m_s,
        turn_rate_max_rad_s=limits.gripper_turn_max_rad_s,
        a_zero_rad=plan.robot.oat_convention().zero_rad[1],
        supervision=plan.robot.supervision.settings(),
    )


def stream_plan(prepared: Prepared) -> StreamPlan:
    """Declared start and end of the stream."""
    robot = prepared.plan.robot
    start = forward(robot.geometry(), prepared.start.q_rad)
    end = prepared.steps[-1].location if prepared.steps else None
    return StreamPlan(location_of(start, robot.oat_convention()), end)


def emulated_settings(prepared: Prepared) -> ArmControllerSettings:
    """An emulated robot that stands where the motion begins."""
    angles = tuple(np.degrees(prepared.start.q_rad).tolist())
    return ArmControllerSettings(start_deg=angles, tool_m=prepared.plan.robot.tool_m, feedback=True)


def run_arm(
    prepared: Prepared,
    out: Path,
    *,
    faults: tuple[ArmFault, ...] = (),
    progress: Callable[[float], None] | None = None,
    shown_at: int | None = None,
    operator: bool = False,
    robot_at: Location | None = None,
) -> ArmRunResult:
    """Run a prepared motion against its robot.

    Args:
        prepared: the motion.
        out: folder that gets a new folder for this run.
        faults: of the emulated robot in this process.
        progress: called with the motion time now and then [s].
        shown_at: descriptor to show on what happens, as it happens; None to show nothing.
        operator: whether panels find a desk: to watch, to stop, to hold a live motion; real clock
            only.
        robot_at: where the robot's controller shows its gripper, as the operator read it there;
            for a robot that does not tell it by itself.

    Raises:
        RefusedError: if the robot is not there, or its source, or the desk; nothing has moved.
        RecordingError: if the run cannot be recorded.
    """
    plan = prepared.plan
    clock = _clock(plan)
    with ExitStack() as stack:
        header = run_header(prepared, moment(clock.now_s))
        led = stack.enter_context(led_arm(plan, header, clock.now_s)) if operator else None
        source = source_of(plan, clock)
        stack.callback(source.close)
        held = source if led is None else led.holds(source, plan.scenario.source.limits.limits())
        station = prepared.station(held)
        signals = stack.enter_context(StopSignals())
        wish = signals if led is None else led.stops(signals)
        wire = _wire(prepared, clock, faults)
        stack.callback(wire.close)
        folder = stack.enter_context(run_dir(out, plan.scenario.name))
        virtual = plan.scenario.clock == "virtual"
        sink = recording_sink(plan.scenario.recording, folder, header, virtual=virtual)
        journal = ArmJournal(
            sink, plan.robot.oat_convention(), wish, None if led is None else led.telemetry
        )
        if not virtual:
            journal.dated = partial(moment, clock.now_s)
        if led is not None:
            led.say = journal.operator
        with _finished(sink) as recorder:
            loop = ArmLoop(
                clock if progress is None else _Shown(clock, progress),
                station, wire, stream_plan(prepared),
                RobotStart(plan.robot, prepared.start, robot_at),
                _witness(journal, plan, shown_at), wish, plan.scenario.longest_s,
            )  # fmt: skip
            if led is not None:
                led.ending = lambda: loop.ending
            with _in_time(plan, wire) as setup:
                end = loop.run()
            journal.end(end.result, end.reason, end.report)
    robot = robot_line(plan)
    return ArmRunResult(end, prepared, recorder[0], tuple(journal.events), robot, setup)


def _witness(journal: ArmJournal, plan: ArmPlan, shown_at: int | None) -> Witness:
    if shown_at is None:
        return journal
    return Shown(journal, shown_at, live=plan.scenario.source.kind not in PLANNED)


@contextmanager
def _in_time(plan: ArmPlan, wire: ArmWire) -> Iterator[tuple[RealtimeItem, ...]]:
    """What the system grants to this process for real time; nothing is asked in a dry run."""
    if plan.scenario.clock == "virtual":
        yield ()
        return
    reader = wire.reader_thread if isinstance(wire, ArmLink) else None
    with arm_in_time(reader) as granted:
        yield granted


def _clock(plan: ArmPlan) -> Clock:
    if plan.scenario.clock == "virtual":
        return VirtualClock()
    from hil.realtime import RealClock  # Linux only

    return RealClock()


def _wire(prepared: Prepared, clock: Clock, faults: tuple[ArmFault, ...]) -> ArmWire:
    plan = prepared.plan
    url, settings = plan.scenario.devices.arm, host_settings(plan)
    if url == SIM_URL:
        robot = ArmController(
            emulated_settings(prepared), now_s=clock.now_s(), seed=plan.scenario.seed
        )
        for fault in faults:
            robot.inject(fault, clock.now_s())
        return VirtualArmLink(robot, settings, clock.now_s)
    try:
        return open_arm_link(url, now_s=clock.now_s, settings=settings)
    except ArmLinkError as error:
        raise RefusedError(f"nothing has moved: the robot at {url} is not there: {error}") from None


@contextmanager
def _finished(sink: RecordingSink) -> Iterator[list[RecorderResult]]:
    """The recording is ended on every way out."""
    result: list[RecorderResult] = []
    try:
        yield result
    finally:
        result.append(sink.finish())


class _Shown:
    """A clock that tells somebody the time now and then."""

    EVERY = 100

    def __init__(self, clock: Clock, progress: Callable[[float], None]) -> None:
        self._clock = clock
        self._progress = progress

    @property
    def overruns(self) -> int:
        return self._clock.overruns

    def now_s(self) -> float:
        return self._clock.now_s()

    def ticks(self, period_s: float):
        for tick in self._clock.ticks(period_s):
            if tick.index % self.EVERY == 0:
                self._progress(tick.t_s)
            yield tick
