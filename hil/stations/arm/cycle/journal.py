"""Records of the arm station: a row per waypoint, and an event for what happened."""

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import reduce
from operator import or_
from typing import Any

import numpy as np

from arm_driver.kinematics.puma import Joints
from arm_driver.link import Writer
from arm_driver.link_errors import WaypointRefusedError
from arm_driver.link_report import LinkReport, SupervisionReport
from arm_driver.link_states import StreamResult
from hil.recording.events import EventKind, Level
from hil.recording.recorder import RecordingSink
from hil.recording.signals import Signals
from hil.run.journal import Audience, Journal
from hil.stations.arm.arm_summaries import SupervisionSummary
from hil.stations.arm.cycle.step import ArmStep, RobotStep, path_of, pose_of
from hil.stations.arm.report.recording import (
    LINK_TALLY,
    SUPERVISION,
    action_event,
    link_tally,
    simulated_event,
    stream_result,
)
from hil.stations.arm.signals import (
    ACTION_CODE,
    NAN3,
    NAN6,
    NAN7,
    NAN_WAY,
    SIGNALS,
    STATE_CODE,
    WAY_PLACES,
    ArmFlag,
)
from hil.timing.clock import Tick
from hil.timing.stop import StopRequest
from hil_common.arrays.pose import Pose
from hil_common.arrays.rotation import quaternion_of
from safety.arm_limits import ArmAction
from sim.world.space_arm.simulator import TICK_S

OFFERED_KEPT = 4
"""Waypoints offered last: of these the robot has all but the one in the slot."""


class ArmJournal(Journal):
    """The journal of a run of this station.

    Args:
        writer: writes waypoints in the numbers of the wire; None if it has none.
        stop: the operator's request to end, as a flag of the waypoints after it.
    """

    def __init__(
        self,
        sink: RecordingSink,
        writer: Writer | None,
        stop: StopRequest,
        audience: Audience | None = None,
    ) -> None:
        super().__init__(sink, audience)
        self._writer = writer
        self._stop = stop
        self.signals: Signals = SIGNALS
        """Signals of a row."""
        self.shown: Callable[[], Mapping[str, float]] = dict
        """Further values of a row, by the names of signals."""
        self._last: RobotStep | None = None
        self._offered: deque[RobotStep] = deque(maxlen=OFFERED_KEPT)
        self._index = 0
        self._t_s = 0.0
        self._empty_slots = 0
        self._simulated_noted = False

    def step(self, tick: Tick, step: RobotStep, report: LinkReport) -> None:
        """Put a waypoint down: wanted, simulated, asked of the robot, and where it is now."""
        self._t_s = tick.t_s
        if not _space_alone(step):
            self._index = step.index
            self._offered.append(step)
        action = ArmAction.REFUSED if step.violations else ArmAction.PASSED
        rate, speed = self._changes(step)
        measured = NAN7 if report.measured is None else _packed(report.measured.X_RT)
        X_RT, joints = self._asked(step, report)
        values: dict[str, float | Sequence[float]] = {
            "index": step.index,
            "t_s": step.t_s,
            "late_s": tick.late_s,
            "state": STATE_CODE[report.state],
            "action": ACTION_CODE[action],
            "flags": int(self._flags(step, report)),
            "target_pose": NAN7 if X_RT is None else _packed(X_RT),
            "robot_q": NAN6 if joints is None else joints.q_rad.tolist(),
            "robot_q_rate": rate,
            "sent_location": self._sent(step.waypoint),
            "sent_seq": float(report.streamed),
            "measured_pose": measured,
            "measured_at_s": math.nan if report.measured is None else tick.t_s - report.silence_s,
            "margins": step.margins if len(step.margins) == 3 else NAN3,
            "watched": watched(report),
            "gripper_speed_m_s": speed,
            "answer_latency_s": report.latency.last_s if report.latency.count else math.nan,
            "requests": report.counts.requests,
            "repeats": report.counts.repeats,
        }
        if isinstance(step, ArmStep):
            values |= _of_space_arm(step)
            self._put_actions(tick, step)
        self.row(self.signals.row(**values, **self.shown()), step.t_s, step.index)
        if report.simulated and not self._simulated_noted:
            self._simulated_noted = True
            self.event(simulated_event(tick.t_s, step.index))
        for violation in step.violations:
            self.put(
                tick.t_s, step.index, str(violation), violation.data,
                who="gate", kind=EventKind.VIOLATION, level=Level.ERROR,
            )  # fmt: skip
        self._last = step
        self.service()

    def _put_actions(self, tick: Tick, step: ArmStep) -> None:
        """Put down what was done to the space arm's drives before a waypoint."""
        for one in step.actions:
            self.event(action_event(tick.t_s, step.index, one))

    @property
    def waypoint(self) -> int:
        """Number of the last one that was put down."""
        return self._index

    def late(self, text: str) -> None:
        """Put down what was not done any more."""
        self.put(self._t_s, self._index, text, level=Level.WARNING)

    def note(self, tick: Tick, text: str) -> None:
        """Put a line of text down."""
        self._t_s = tick.t_s
        self.put(tick.t_s, self._index, text)

    def operator(self, text: str, data: dict[str, str | bool]) -> None:
        """Put down what the operator did at a panel, and what came of it."""
        self.put(self._t_s, self._index, text, data, who="operator")

    def end(self, result: StreamResult | None, reason: str, report: LinkReport) -> None:
        """Put down how the stream ended, and what was counted on the link."""
        word = "refused" if result is None else result.value
        self.event(stream_result(self._t_s, self._index, word, reason))
        counts = asdict(report.counts)
        counts |= {"answer_p50_s": report.latency.p50_s, "answer_p99_s": report.latency.p99_s}
        seen: dict[str, Any] = {**supervised(report.supervision)}
        for name, values in ((LINK_TALLY, counts), (SUPERVISION, seen)):
            finite_values = {key: value for key, value in values.items() if math.isfinite(value)}
            self.event(link_tally(self._t_s, self._index, finite_values, name))
        self.service()

    def _flags(self, step: RobotStep, report: LinkReport) -> ArmFlag:
        missed = report.counts.empty_slot > self._empty_slots
        self._empty_slots = report.counts.empty_slot
        facts = {
            ArmFlag.OUT_OF_REACH: step.joints is None and bool(step.violations),
            ArmFlag.RESTING: step.share < 1.0,
            ArmFlag.BEHIND: step.gap_m > 0.0,
            ArmFlag.STOP_ASKED: self._stop.asked is not None,
            ArmFlag.MISSED: missed,
            ArmFlag.USUAL: isinstance(step, ArmStep) and step.usual,
        }
        return reduce(or_, (flag for flag, is_so in facts.items() if is_so), ArmFlag(0))

    def _asked(self, step: RobotStep, report: LinkReport) -> tuple[Pose | None, Joints | None]:
        """Return the pose asked of the robot: while the space arm is alone, the last sent."""
        if _space_alone(step):
            for sent in self._offered:
                if sent.index == report.streamed:
                    return sent.X_RT, sent.joints
        return step.X_RT, step.joints

    def _changes(self, step: RobotStep) -> tuple[Sequence[float], float]:
        """Return joint rates of the robot and speed of its gripper since the waypoint before."""
        last = self._last
        if last is None or last.joints is None or step.joints is None:
            return NAN6, math.nan
        rate = (step.joints.q_rad - last.joints.q_rad) / TICK_S
        if last.X_RT is None or step.X_RT is None:
            return rate.tolist(), math.nan
        way = float(np.linalg.norm(step.X_RT.position_m - last.X_RT.position_m))
        return rate.tolist(), way / TICK_S

    def _sent(self, X_RT: Pose | None) -> Sequence[float]:
        """Convert a waypoint to the wire's numbers; NaN without one, or if it is unwritable."""
        if X_RT is None or self._writer is None:
            return NAN6
        try:
            return self._writer(X_RT)
        except WaypointRefusedError:
            return NAN6


def supervised(report: SupervisionReport) -> SupervisionSummary:
    """Return the observations of the supervision, as numbers with names."""
    period, following = report.period, report.following
    return SupervisionSummary(
        periods=period.count,
        period_mean_s=period.mean_s,
        period_jitter_s=period.jitter_s,
        period_shortest_s=period.shortest_s,
        period_longest_s=period.longest_s,
        places_measured=following.measured,
        off_path_max_m=following.largest_m,
        off_path_max_rad=following.largest_rad,
    )


def _space_alone(step: RobotStep) -> bool:
    return isinstance(step, ArmStep) and step.alone


def _of_space_arm(step: ArmStep) -> dict[str, Sequence[float]]:
    snapshot, way_m = step.snapshot, path_of(step.snapshot)
    return {
        "wanted_twist": [*step.wanted.linear_m_s.tolist(), *step.wanted.angular_rad_s.tolist()],
        "rate_command": step.command.rates_rad_s.tolist(),
        "space_q": snapshot.q_rad.tolist(),
        "space_v": snapshot.v_rad_s.tolist(),
        "space_motor": snapshot.motor_position_rad.tolist(),
        "space_torque": snapshot.torque_nm.tolist(),
        "space_pose": _packed(pose_of(snapshot)),
        "space_way": way_m.ravel().tolist() if len(way_m) == WAY_PLACES else NAN_WAY,
    }


def watched(report: LinkReport) -> Sequence[float]:
    """Return the observations of the supervision so far, in the order of `WATCHED`."""
    period, following = report.supervision.period, report.supervision.following
    gaps_s = [gap_s for gap_s in (report.gap_s, report.silence_s) if gap_s < math.inf]
    return (
        following.last_share,
        period.ahead_s if period.count else math.nan,
        period.behind_s if period.count else math.nan,
        max(gaps_s, default=math.nan),
        float(following.blank) if following.measured else math.nan,
    )


def _packed(pose: Pose) -> Sequence[float]:
    return *pose.position_m.tolist(), *quaternion_of(pose.rotation)
