"""A session with the robot alone: its link, its place, its posture, and one recorded move."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arm_driver.kinematics.puma import Joints, forward
from arm_driver.link import ArmLink, DeclaredPath, LinkOrder
from arm_driver.link_report import DisplayedPose
from hil.config.errors import RefusedError
from hil.config.scenario import RecordingSettings
from hil.machines.robot.offered_links import SIM_URL, has_power
from hil.machines.robot.settings import RobotSettings
from hil.recording.header import SIMULATED, RunHeader
from hil.run.facts import run_facts
from hil.stations.arm.cycle.judge import gate_at
from hil.stations.arm.cycle.robot_start import RobotStart
from hil.stations.arm.cycle.step import RobotStep
from hil.stations.arm.cycle.stream import Stream, Streamed, WaypointMaker
from hil.stations.arm.cycle.waypoint_gate import GatedArm
from hil.stations.arm.moves.approach import await_place
from hil.stations.arm.moves.move_operators import DRY_NOTE, AlwaysHeld, Hand
from hil.stations.arm.moves.proof import ProvedMove
from hil.stations.arm.run.session import arm_clock, arm_wire, run_stream, writer_of
from hil.stations.arm.run.wire import emulated_controller
from hil.stations.arm.scene.machines import MACHINES_KEY, ArmMachines
from hil.stations.arm.signals import SIGNALS
from hil.timing.clock import Clock, VirtualClock, moment
from hil.timing.stop import StopRequest, StopSignals
from hil_common.arrays.pose import Pose
from sim.devices.arm.controller import ArmController
from sim.devices.arm.faults import ArmFault
from sim.devices.arm.settings import START_DEG, ArmControllerSettings
from sim.world.space_arm.simulator import TICK_S

Array = NDArray[np.float64]

LONGEST_S: Final = 1800.0
"""A move that has not ended by then is ended [s]."""
VERSIONED: Final = ("numpy", "scipy", "numba", "mcap")


@dataclass(frozen=True, slots=True)
class Choice:
    """Choice of a robot, its line, and how it is operated."""

    robot: RobotSettings
    url: str = SIM_URL
    """URL of its line; ``sim:`` for an emulated one in this process."""
    clock: str = "virtual"
    shown: DisplayedPose | None = None
    """Place of the gripper shown by the controller, for one that does not send it by itself."""
    joints_deg: Array | None = None
    """Joint angles on its pendant [deg], shape (6,); of an emulated robot in this process at its
    place; None if nobody gave them."""
    seed: int = 0
    faults: tuple[ArmFault, ...] = ()
    """Faults of the emulated robot in this process."""

    @property
    def robot_line(self) -> str:
        """The robot in one line; an emulated one can never be taken for a real one."""
        return f"{'SIMULATED ' if self.virtual else ''}{self.robot.name} ({self.url})"

    @property
    def order(self) -> LinkOrder:
        """Settings of its link."""
        return self.robot.link_order(self.url)

    @property
    def virtual(self) -> bool:
        """Whether it is an emulated one, that may be met in a dry run."""
        return not has_power(self.url)

    @property
    def emulated_deg(self) -> tuple[float, ...]:
        """Joint angles of an emulated robot in this process [deg]."""
        return START_DEG if self.joints_deg is None else tuple(self.joints_deg.tolist())


@dataclass(frozen=True, slots=True)
class RobotSession:
    """An open link to a robot at rest; nothing has been sent."""

    choice: Choice
    clock: Clock
    wire: ArmLink
    stop_request: StopRequest
    place: DisplayedPose
    """Place of the robot."""
    say: Callable[[str], None]

    @property
    def dry(self) -> bool:
        """Whether no time passes."""
        return isinstance(self.clock, VirtualClock)

    def guard(self, start_rad: Array) -> GatedArm:
        """Return the link behind a gate for one stream, from where the robot rests.

        Raises:
            RefusedError: if it may not be moved from there, with joint, value and limit.
        """
        robot = self.choice.robot
        return GatedArm(gate_at(robot, start_rad), self.wire)

    def run(
        self,
        arm: GatedArm,
        station: WaypointMaker[RobotStep],
        start: Joints,
        end: Pose | None,
        name: str,
        out: Path,
        *,
        facts: dict[str, str],
        notes: tuple[str, ...] = (),
        shown_at: int | None = None,
    ) -> Streamed:
        """Run a station against the robot and record it.

        Args:
            station: what makes the waypoints, at its start, by that gate.
            end: X_RT of the last waypoint; None if it is not known before.
            shown_at: descriptor to show on what happens; None to show nothing.
        """
        robot = self.choice.robot
        X_RT0 = forward(robot.geometry(), start.q_rad)
        stream = Stream(
            self.clock, station, arm, DeclaredPath(X_RT0, end),
            RobotStart(robot, start, self.choice.shown), self.stop_request, LONGEST_S,
            robot.oat_convention(), writer_of(self.choice.order),
        )  # fmt: skip
        return run_stream(
            stream, _header(self, name, X_RT0, facts), out, name, RecordingSettings(),
            shown_at=shown_at, status=True, first_notes=notes,
        )  # fmt: skip

    def drive(
        self,
        move: ProvedMove,
        start: Joints,
        hand: Hand,
        out: Path,
        *,
        name: str,
        moves: str,
        shown_at: int | None = None,
    ) -> Streamed:
        """Run a proved move while it is held, recorded.

        Args:
            start: the robot's joints, in its posture.
            name: what the run's folder is called after.
            moves: where to, in a few words.
        """
        arm = self.guard(move.start_rad)
        return self.run(
            arm, move.station(hand, arm), Joints.of(move.start_rad, start.branch),
            move.path(1.0), name, out, facts={"moves": f"the robot alone, {moves}"},
            notes=notes_of(hand), shown_at=shown_at,
        )  # fmt: skip


@contextmanager
def session(
    choice: Choice, say: Callable[[str], None] = lambda text: None
) -> Iterator[RobotSession]:
    """Open the link, and wait until the robot's place is known.

    Raises:
        RefusedError: if the robot is not there, or does not send its place; nothing was sent.
    """
    if not choice.virtual and choice.clock != "real":
        raise RefusedError(f"a robot on a line ({choice.url}) needs the real clock: --clock real")
    clock = arm_clock(choice.clock)
    with ExitStack() as stack:
        stop_request = stack.enter_context(StopSignals())
        wire = arm_wire(choice.order, clock, lambda: emulated_robot(choice, clock))
        stack.callback(wire.close)
        place = await_place(choice.robot, clock, wire, choice.shown, stop_request, say)
        yield RobotSession(choice, clock, wire, stop_request, place, say)


def emulated_robot(choice: Choice, clock: Clock) -> ArmController:
    """Make settings of the emulated robot; raises RefusedError if it cannot be there."""
    settings = ArmControllerSettings(
        start_deg=choice.emulated_deg, tool_m=choice.robot.tool_m, feedback=True
    )
    try:
        return emulated_controller(settings, clock, choice.seed, choice.faults)
    except ValueError as error:
        raise RefusedError(f"--at-joints: the emulated robot cannot stand there: {error}") from None


def notes_of(hand: Hand) -> tuple[str, ...]:
    """Return the notes for the record about the person who holds a move."""
    return (DRY_NOTE,) if isinstance(hand, AlwaysHeld) else ()


def _header(session: RobotSession, name: str, X_RT0: Pose, facts: dict[str, str]) -> RunHeader:
    choice = session.choice
    robot = choice.robot
    machines = ArmMachines(
        space=None,
        robot=robot.geometry(),
        period_s=TICK_S,
        gripper_speed_max_m_s=robot.gripper_speed_max_m_s,
        X_RT0=X_RT0,
    )
    return RunHeader(
        SIGNALS,
        {
            "scenario": name,
            "robot": choice.robot_line,
            SIMULATED: "robot" if choice.virtual else "",
            "clock": choice.clock,
            "period_s": repr(TICK_S),
            **facts,
            **run_facts(choice.clock, moment(session.clock.now_s), VERSIONED),
            "station": SIGNALS.station,
        },
        {"robot": robot.model_dump(mode="json"), MACHINES_KEY: machines.to_json()},
    )
