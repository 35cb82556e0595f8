"""What the arm station tells the recorder: a frame per waypoint, and an event for what happened."""

import math

import numpy as np
from scipy.spatial.transform import Rotation

from arm_driver.host_states import HostState, StreamResult
from arm_driver.host_values import LinkReport
from arm_driver.location import Location
from arm_driver.pose import Pose
from arm_driver.val import OatConvention, from_oat
from hil.arm_prepare import X_WB
from hil.clock import Tick
from hil.recording.arm_frame import NAN3, NAN7, ArmFlag, ArmFrame, Seven, stream_result
from hil.recording.frame import (
    CYCLE_KIND,
    EVENT_KIND,
    NAN6,
    EventKind,
    EventRecord,
    Level,
    Six,
)
from hil.recording.recorder import RecordingSink
from hil.stations.arm import ArmStep, pose_of
from safety.arm_limits import ArmAction
from sim.world.space_arm.simulator import TICK_S

STATES = tuple(state.value for state in HostState)
ACTIONS = tuple(action.value for action in ArmAction)
STATE_CODE = {state: code for code, state in enumerate(HostState)}
ACTION_CODE = {action: code for code, action in enumerate(ArmAction)}


class ArmJournal:
    """Writes a run into the ring of a recorder; it never waits.

    Args:
        sink: the recorder.
        convention: of the controller's angles, to read where the robot says it is.
    """

    def __init__(self, sink: RecordingSink, convention: OatConvention) -> None:
        self._sink = sink
        self._convention = convention
        self._last: ArmStep | None = None
        self._index = 0
        self._t_s = 0.0
        self._stopping = False
        self.events: list[EventRecord] = []

    def step(self, tick: Tick, step: ArmStep, report: LinkReport) -> None:
        """Put a waypoint down: wanted, simulated, asked of the robot, and where it is now."""
        self._index, self._t_s = step.index, step.t_s
        action = ArmAction.REFUSED if step.refusals else ArmAction.PASSED
        flags = ArmFlag(0)
        if step.joints is None:
            flags |= ArmFlag.OUT_OF_REACH
        if self._stopping:
            flags |= ArmFlag.STOP_ASKED
        if report.counts.empty_slot:
            flags |= ArmFlag.MISSED
        rate, speed = self._changes(step)
        measured = NAN7 if report.measured is None else self._seven(report.measured)
        snapshot, joints, location = step.snapshot, step.joints, step.location
        frame = ArmFrame(
            index=step.index,
            t_s=step.t_s,
            late_s=tick.late_s,
            state=STATE_CODE[report.state],
            action=ACTION_CODE[action],
            flags=int(flags),
            wanted_twist=[*step.wanted.linear_m_s.tolist(), *step.wanted.angular_rad_s.tolist()],  # pyright: ignore[reportArgumentType]
            rate_command=step.command.rates_rad_s.tolist(),
            space_q=snapshot.q_rad.tolist(),
            space_v=snapshot.v_rad_s.tolist(),
            space_motor=snapshot.motor_position_rad.tolist(),
            space_torque=snapshot.torque_nm.tolist(),
            space_pose=_packed(pose_of(snapshot, X_WB)),
            target_pose=NAN7 if step.X_RT is None else _packed(step.X_RT),
            robot_q=NAN6 if joints is None else joints.q_rad.tolist(),
            robot_q_rate=rate,
            sent_location=_sent(location),
            sent_seq=float(report.streamed),
            measured_pose=measured,
            measured_at_s=math.nan if report.measured is None else tick.t_s - report.silence_s,
            margins=step.margins if len(step.margins) == 3 else NAN3,
            gripper_speed_m_s=speed,
            answer_latency_s=report.latency.last_s if report.latency.count else math.nan,
            requests=report.counts.requests,
            repeats=report.counts.repeats,
        )
        self._sink.ring.push(CYCLE_KIND, frame.to_bytes())
        for violation in step.violations:
            kind, text, data = EventKind.VIOLATION, str(violation), violation.data
            self._event(EventRecord(step.t_s, step.index, kind, Level.ERROR, "gate", text, data))
        self._last = step
        self._sink.service()

    def note(self, tick: Tick, text: str) -> None:
        """Put a line of text down."""
        self._event(EventRecord(tick.t_s, self._index, EventKind.NOTE, Level.INFO, "loop", text))

    def stopping(self) -> None:
        """Note that the end was asked for."""
        self._stopping = True

    def end(self, result: StreamResult | None, reason: str) -> None:
        """Put down how the stream ended."""
        word = "refused" if result is None else result.value
        self._event(stream_result(self._t_s, self._index, word, reason))
        self._sink.service()

    def _changes(self, step: ArmStep) -> tuple[Six, float]:
        """Joint rates of the robot and speed of its gripper since the waypoint before."""
        last = self._last
        if last is None or last.joints is None or step.joints is None:
            return NAN6, math.nan
        rate = (step.joints.q_rad - last.joints.q_rad) / TICK_S
        if last.X_RT is None or step.X_RT is None:
            return rate.tolist(), math.nan
        way = float(np.linalg.norm(step.X_RT.position_m - last.X_RT.position_m))
        return rate.tolist(), way / TICK_S

    def _seven(self, location: Location) -> Seven:
        rotation = from_oat(location.oat_rad, self._convention)
        return _packed(Pose(rotation, np.array(location.position_m)))

    def _event(self, event: EventRecord) -> None:
        self.events.append(event)
        self._sink.ring.push(EVENT_KIND, event.to_bytes())


def _sent(location: Location | None) -> Six:
    if location is None:
        return NAN6
    x, y, z, o, a, t = map(float, location.counts)
    return x, y, z, o, a, t


def _packed(pose: Pose) -> Seven:
    quaternion = Rotation.from_matrix(pose.rotation).as_quat(canonical=True, scalar_first=True)
    return (*map(float, pose.position_m), *map(float, quaternion))  # pyright: ignore[reportReturnType]
