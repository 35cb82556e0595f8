"""A run of the arm station, put together from its plan: source, both arms, gate, link, recorder."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arm_driver.host_values import StreamPlan
from arm_driver.kinematics import forward
from arm_driver.location import Location
from hil.config.errors import RefusedError
from hil.recording.events import EventRecord
from hil.recording.recorder import RecorderResult, RecorderStatus
from hil.stations.arm.gated import GatedArm
from hil.stations.arm.header import robot_line, run_header
from hil.stations.arm.loop import ArmEnd
from hil.stations.arm.operator import led_arm
from hil.stations.arm.peers import ArmWire
from hil.stations.arm.prepare import ArmProof, prepare
from hil.stations.arm.scenario import PLANNED as PLANNED
from hil.stations.arm.scenario import ArmPlan
from hil.stations.arm.session import Stream, arm_clock, arm_wire, run_stream
from hil.stations.arm.sources.settings import make_source
from hil.stations.arm.sources.source import SourceError, VelocitySource
from hil.stations.arm.start import RobotStart
from hil.stations.arm.step import location_of
from hil.timing.clock import Clock, VirtualClock, moment
from hil.timing.realtime_setup import RealtimeItem
from hil.timing.stop import StopSignals
from sim.devices.arm_controller import ArmController
from sim.devices.arm_faults import ArmFault
from sim.devices.arm_settings import ArmControllerSettings


@dataclass(frozen=True, slots=True)
class ArmRunResult:
    """How a run went; figures are taken from its recording."""

    end: ArmEnd
    """Of the stream."""
    prepared: ArmProof
    """What was proved before it."""
    recorder: RecorderResult
    """How the recording ended."""
    events: tuple[EventRecord, ...]
    """What happened, in order."""
    robot: str
    """The robot of the run in one line."""
    setup: tuple[RealtimeItem, ...] = ()
    """What the system granted for real time, empty in a dry run."""

    @property
    def ok(self) -> bool:
        """Completed, or stopped by the operator and at rest; and the recording is whole."""
        return self.end.ok and self.recorder.status is RecorderStatus.DONE


def prepare_plan(plan: ArmPlan, told: Callable[[int], None] | None = None) -> ArmProof:
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


def stream_plan(prepared: ArmProof) -> StreamPlan:
    """Declared start and end of the stream."""
    robot = prepared.plan.robot
    start = forward(robot.geometry(), prepared.start.q_rad)
    end = prepared.steps[-1].location if prepared.steps else None
    return StreamPlan(location_of(start, robot.oat_convention()), end)


def emulated_settings(prepared: ArmProof) -> ArmControllerSettings:
    """An emulated robot that stands where the motion begins."""
    angles = tuple(np.degrees(prepared.start.q_rad).tolist())
    return ArmControllerSettings(start_deg=angles, tool_m=prepared.plan.robot.tool_m, feedback=True)


def run_arm(
    prepared: ArmProof,
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
    clock = arm_clock(plan.scenario.clock)
    with ExitStack() as stack:
        header = run_header(prepared, moment(clock.now_s))
        led = stack.enter_context(led_arm(plan, header, clock.now_s)) if operator else None
        source = source_of(plan, clock)
        stack.callback(source.close)
        held = source if led is None else led.holds(source, plan.scenario.source.limits.limits())
        signals = stack.enter_context(StopSignals())
        wish = signals if led is None else led.stops(signals)
        wire = _wire(prepared, clock, faults)
        stack.callback(wire.close)
        arm = GatedArm(prepared.gate(), wire, plan.robot.oat_convention())
        stream = Stream(
            clock, prepared.station(held, arm), arm, stream_plan(prepared),
            RobotStart(plan.robot, prepared.start, robot_at), wish, plan.scenario.longest_s,
            plan.robot.oat_convention(),
        )  # fmt: skip
        found = run_stream(
            stream, header, out, plan.scenario.name, plan.scenario.recording,
            shown_at=shown_at, status=plan.scenario.source.kind not in PLANNED,
            progress=progress, led=led,
        )  # fmt: skip
    robot = robot_line(plan)
    return ArmRunResult(found.end, prepared, found.recorder, found.events, robot, found.setup)


def _wire(prepared: ArmProof, clock: Clock, faults: tuple[ArmFault, ...]) -> ArmWire:
    plan = prepared.plan

    def emulated() -> ArmController:
        robot = ArmController(
            emulated_settings(prepared), now_s=clock.now_s(), seed=plan.scenario.seed
        )
        for fault in faults:
            robot.inject(fault, clock.now_s())
        return robot

    return arm_wire(plan.scenario.devices.arm, plan.robot.host_settings(), clock, emulated)
