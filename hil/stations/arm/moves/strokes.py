"""Strokes for the identification of a controller: proved, held, each a recorded stream of its own.

The robot goes to and fro about where it stands, along each axis of its base and about its
gripper's own, at up to its limits of speed and turn. Let go, it rests at its next waypoint; that
stroke is driven to its end when it is held again, and does not count.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from arm_driver.contour import EndReason
from arm_driver.host_states import StreamResult
from arm_driver.host_values import Heard, LinkReport, Offer, StreamPlan
from arm_driver.kinematics import Joints, forward
from arm_driver.link import ArmLink
from arm_driver.location import Location
from arm_driver.pose import Pose
from arm_driver.strokes import (
    AXES,
    NoPlaceError,
    NotToldError,
    Stroke,
    plan_strokes,
    read_stroke,
)
from hil.config.errors import RefusedError
from hil.machines.robot_settings import RobotSettings
from hil.run.folder import new_run_dir
from hil.stations.arm.moves.hands import AlwaysHeld, Hand
from hil.stations.arm.moves.judge import RobotJudge
from hil.stations.arm.moves.session import Session, notes_of
from hil.stations.arm.moves.station import RobotStation
from hil.stations.arm.peers import ArmWire
from hil.stations.arm.realtime import arm_in_time
from hil.stations.arm.session import Streamed
from hil.stations.arm.step import Course, RobotStep, location_of
from hil.timing.clock import utc_stamp
from sim.world.space_arm.simulator import TICK_S

Array = NDArray[np.float64]

SHARE: Final = 0.99
"""Part of the robot's limits of speed and turn rate that the fastest strokes use."""
TURN_MOST_RAD: Final = np.radians(10.0)
"""Largest turn between two waypoints."""
ANY_DELAY_S: Final = (0.05, 2.0)
"""Delays of the controllers that can be met [s]."""
SETTLED_S: Final = 1.0
"""Rest between two strokes at least [s]; every other one lasts a period more, so that ends of
strokes fall into different parts of a step of the interpolation."""
HELD_WITHIN_S: Final = 60.0
"""A stroke that nobody begins to hold by then is not driven [s]."""


@dataclass(frozen=True, slots=True, eq=False)
class ProvedStroke:
    """One stroke that passed the gate.

    Args:
        axis: one of `arm_driver.strokes.AXES`.
        start: the robot's joints at its beginning.
        poses: X_RT at its beginning and at each waypoint.
    """

    axis: str
    start: Joints
    poses: tuple[Pose, ...]

    def station(self, robot: RobotSettings, hand: Hand) -> RobotStation:
        """Control of the robot along it, at its beginning, with a gate of its own."""
        judge = RobotJudge.at(robot, np.array(self.start.q_rad))
        return RobotStation(
            robot.geometry(), robot.oat_convention(), judge, StrokeMover(self.poses), hand
        )


class StrokeMover:
    """Goes from waypoint to waypoint while it is held, and rests at one while it is not.

    Args:
        poses: X_RT at the beginning and at each waypoint.
    """

    def __init__(self, poses: tuple[Pose, ...]) -> None:
        self._poses, self._at, self._moving = poses, 0, False

    @property
    def share(self) -> float:
        """Pace, 0 (at rest) or 1."""
        return 1.0 if self._moving else 0.0

    @property
    def at_rest(self) -> bool:
        """Whether the next waypoint repeats the last, unless it is held."""
        return not self._moving

    @property
    def done(self) -> bool:
        """Whether it has arrived."""
        return self._at == len(self._poses) - 1

    @property
    def note(self) -> str:
        """Nothing that the operator would not see."""
        return ""

    def next(self, *, held: bool) -> Pose:
        """X_RT a period later."""
        self._moving = held and not self.done
        self._at += self._moving
        return self._poses[self._at]


def with_any_delay(robot: RobotSettings) -> RobotSettings:
    """The robot, with a window of the delay that says nothing of what is to be found.

    Where each stroke ends is held as narrowly as ever.
    """
    watched = robot.supervision.model_copy(update={"delay_s": ANY_DELAY_S})
    return robot.model_copy(update={"supervision": watched})


def prove_strokes(robot: RobotSettings, start: Joints) -> tuple[ProvedStroke, ...]:
    """All strokes, from where the robot stands and back there, through the gate.

    Let go at any waypoint and held again is proved as well.

    Args:
        robot: which.
        start: its joints.

    Raises:
        RefusedError: with axis, joint, value and limit; nothing has been sent.
    """
    step_m = SHARE * robot.gripper_speed_max_m_s * TICK_S
    turn_rad = min(SHARE * np.radians(robot.gripper_turn_max_deg_s) * TICK_S, TURN_MOST_RAD)
    found: list[ProvedStroke] = []
    now = start
    for axis in AXES:
        begin = forward(robot.geometry(), now.q_rad)
        offset = 0.0
        for steps, way in plan_strokes(turn_rad if axis == "turn" else step_m):
            places = offset + way * np.arange(steps + 1) / steps
            offset += way
            stroke = ProvedStroke(axis, now, tuple(_moved(begin, axis, s) for s in places))
            reached = now
            for let_go_at in range(steps):
                reached = _judged(robot, stroke, let_go_at, offset)
            found.append(stroke)
            now = reached
    return tuple(found)


def _judged(robot: RobotSettings, stroke: ProvedStroke, let_go_at: int, offset: float) -> Joints:
    """Play a stroke out, let go for a waypoint (0: never), and return the joints at its end."""
    hand = _LetsGo(let_go_at)
    station = stroke.station(robot, hand)
    step: RobotStep | None = None
    while station.course is Course.FOLLOWING:
        step = station.step()
        hand.steps += 1
        if step.violations:
            told = "\n".join(map(str, step.violations))
            away = f"{np.degrees(offset):.0f} deg" if stroke.axis == "turn" else (
                f"{1e3 * offset:.0f} mm"
            )  # fmt: skip
            raise RefusedError(
                f"the stroke along {stroke.axis} to {away} from where the robot stands was "
                f"refused, nothing has been sent:\n{told}\nit needs more room: hil arm goto"
            )
    if step is None or step.joints is None:
        raise AssertionError("a stroke has waypoints")
    return step.joints


class _LetsGo(AlwaysHeld):
    """A hand that lets go for the waypoint of a number."""

    def __init__(self, at: int) -> None:
        self.at, self.steps = at, 0

    @property
    def held(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether it holds now."""
        return self.steps != self.at or self.at == 0


def _moved(pose: Pose, axis: str, way: float) -> Pose:
    """A pose further along an axis [m or rad]."""
    if axis == "turn":
        return Pose(pose.rotation @ Rotation.from_euler("z", way).as_matrix(), pose.position_m)
    shift = way * np.eye(3)[AXES.index(axis)]
    return Pose(pose.rotation, pose.position_m + shift)


@dataclass(frozen=True, slots=True)
class Driven:
    """What came of the strokes.

    Args:
        strokes: those that can be evaluated.
        spoilt: why others cannot, one text each.
        last: how the last stream went.
        folder: of the recordings.
        day: in UTC, YYYY-MM-DD.
    """

    strokes: tuple[Stroke, ...]
    spoilt: tuple[str, ...]
    last: Streamed
    folder: Path
    day: str

    @property
    def ok(self) -> bool:
        """Whether every stroke ended where it was to."""
        return self.last.ok and self.last.end.result is StreamResult.COMPLETED


class ListeningWire:
    """A link that outlives its streams, and keeps each request of the robot with its time.

    Args:
        wire: the link; closed by whoever opened it.
    """

    def __init__(self, wire: ArmWire) -> None:
        self._wire = wire
        self.heard: list[Heard] = []

    def start(self, plan: StreamPlan, measured: Location | None = None) -> None:
        """Begin a stream."""
        self._wire.start(plan, measured)
        self.heard.clear()

    def offer(self, location: Location) -> Offer:
        """Put the next waypoint into the slot."""
        return self._wire.offer(location)

    def poll(self) -> LinkReport:
        """Return the link as it is now, and note a request that is new."""
        report = self._wire.poll()
        if report.heard is not None and (not self.heard or self.heard[-1] != report.heard):
            self.heard.append(report.heard)
        return report

    def end(self, reason: EndReason) -> None:
        """End the stream."""
        self._wire.end(reason)

    def close(self) -> None:
        """Nothing: the next stroke needs it."""

    def asked(self) -> tuple[Heard, ...]:
        """The requests of this stream, the first for each number."""
        first = {one.request.seq: one for one in reversed(self.heard)}
        return tuple(sorted(first.values(), key=lambda one: one.at_s))


def drive_strokes(
    session: Session,
    strokes: tuple[ProvedStroke, ...],
    hand: Hand,
    out: Path,
    *,
    baud: int,
    say: Callable[[str], None],
    shown_at: int | None = None,
) -> Driven:
    """Drive strokes one after the other while they are held; the first that goes wrong is the last.

    Args:
        session: with the robot.
        strokes: proved.
        hand: the operator.
        out: folder that gets a new folder for all of them.
        baud: of the line.
        say: tells the operator how far it has come, and what is waited for.
        shown_at: descriptor to show on what happens; None to show nothing.

    Raises:
        RefusedError: if nobody holds, or the robot does not tell where it is while it moves.
    """
    wire = ListeningWire(session.wire)
    kept = replace(session, wire=wire)
    robot, convention = session.choice.robot, session.choice.robot.oat_convention()
    folder = new_run_dir(out, f"identify-{robot.name}")
    reader = session.wire.reader_thread if isinstance(session.wire, ArmLink) else None
    read: list[Stroke] = []
    spoilt: list[str] = []
    streamed: Streamed | None = None
    with nullcontext() if session.dry else arm_in_time(reader):
        for number, stroke in enumerate(strokes, 1):
            _rest(kept, hand, SETTLED_S + (number % 2) * TICK_S, say)
            name = f"stroke_{number:02d}_{stroke.axis}"
            say(f"{number} of {len(strokes)}: along {stroke.axis}")
            streamed = kept.run(
                stroke.station(robot, hand), stroke.start, stroke.poses[-1], name, folder,
                told={"moves": "the robot alone, to identify its controller"},
                notes=notes_of(hand), shown_at=shown_at,
            )  # fmt: skip
            if streamed.end.result is not StreamResult.COMPLETED or not streamed.ok:
                break
            steps = len(stroke.poses) - 1
            ends = tuple(location_of(stroke.poses[k], convention) for k in (0, -1))
            heard = wire.asked()
            try:
                one = read_stroke(stroke.axis, ends, steps, heard, baud=baud, convention=convention)
                read.append(one)
            except NoPlaceError as error:
                raise RefusedError(f"ended after stroke {number}, at rest: {error}") from None
            except NotToldError as error:
                spoilt.append(f"stroke {number}: {error}")
    if streamed is None:
        raise AssertionError("there are strokes")
    day = utc_stamp()[:8]
    day = f"{day[:4]}-{day[4:6]}-{day[6:]}"
    return Driven(tuple(read), tuple(spoilt), streamed, folder, day)


def _rest(session: Session, hand: Hand, least_s: float, say: Callable[[str], None]) -> None:
    """Let the robot rest, and wait until it is held."""
    told = False
    for tick in session.clock.ticks(0.01):
        session.wire.poll()
        hand.listen()
        if session.wish.asked is not None or hand.end_reason:
            why = hand.end_reason or "stopped by the operator"
            raise RefusedError(f"ended between two strokes, at rest: {why}")
        if tick.t_s < least_s:
            continue
        if hand.held:
            return
        if tick.t_s > least_s + 2.0 and not told:
            told = True
            say("waiting for the space key to be held")
        if tick.t_s > HELD_WITHIN_S:
            raise RefusedError(
                f"nobody has held the space key for {HELD_WITHIN_S:g} s; the robot rests"
            )
