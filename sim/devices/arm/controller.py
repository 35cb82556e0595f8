"""An emulated arm controller of the Sfera-36 kind with its RM-01, stepped by time and bytes.

    controller = ArmController(ArmControllerSettings(), now_s=0.0)
    said = controller.advance(0.35)        # bytes that have left the controller by then
    controller.receive(answer, 0.36)       # bytes that the host wrote

The robot sets the pace. While it moves, it asks every 0.35 s for the waypoint after the one it is
on the way to; the answer has to be complete within that period. A blend begins one period after the
request at the earliest, so what the path does never depends on how fast the answer came:

    request at t, answer by t + 0.35 s, under way to it from t + 0.45 s, there at t + 0.8 s

All of the path is later by the setting `delay_s`.

No answer after 250 ms: it asks once more, without its position so that the answer still fits. An
answer with a wrong checksum is asked for again with status 1 as long as one more fits.

With a plant its joints bear weight and touch things. One that does not follow lets the brakes fall
at once; the controller reports that with status 4, as of any error of its own.

Not modelled: the dialogue at power-up, the teach pendant, other programs and their language; the
arm's own heat and wear.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sim.devices.arm.faults import ArmFault, ArmFaultBoard
from sim.devices.arm.limits import LimitedArm, LimitError
from sim.devices.arm.messages import MessageLine
from sim.devices.arm.motion import ArmMotion
from sim.devices.arm.plant_servos import JointPlant, PlantServos
from sim.devices.arm.program import LISTENING, STATUS, ArmCounts, ArmEvent, ArmState, step
from sim.devices.arm.protocol import (
    SEQ_COUNT,
    SIMULATED,
    ArmStatus,
    HostEnd,
    HostWaypoint,
    LineError,
    decode_answer,
    encode_request,
    location_of,
    pose_of,
)
from sim.devices.arm.servo import JointServos
from sim.devices.arm.settings import ArmControllerSettings

Array = NDArray[np.float64]

_BRAKES = frozenset({ArmState.HELD, ArmState.NOT_CALIBRATED, ArmState.FAULTED})
_WAITS = frozenset({ArmState.WAITING, ArmState.DRY})
_AT_REST = frozenset({ArmState.OFF, ArmState.WAITING, ArmState.DRY, *_BRAKES})


class ArmController:
    """Controller with its arm.

    Args:
        seed: Seed of the noise.
        plant: The body that its motors move; None for joints that bear nothing.

    Raises:
        ValueError: If the arm cannot be at its start.
    """

    def __init__(
        self,
        settings: ArmControllerSettings,
        *,
        now_s: float,
        seed: int = 0,
        plant: JointPlant | None = None,
    ) -> None:
        self._settings = settings
        self.faults: ArmFaultBoard = ArmFaultBoard(self._fault_changed)
        rng = np.random.default_rng(seed)
        self._line = MessageLine(settings.baud, self.faults, rng, echo=settings.echo)
        model = LimitedArm(settings.reach, settings.tool_m)
        q_rad = np.radians(settings.start_deg)
        model.check_joints(q_rad)
        self._loaded = plant is not None
        self.servos: JointServos = (
            JointServos(settings.servos, q_rad)
            if plant is None
            else PlantServos(settings.servos, settings.envelope, plant, q_rad)
        )
        """Servos of the joints."""
        self.motion: ArmMotion = ArmMotion(
            model, settings.blends, self.servos, now_s, loaded=self._loaded
        )
        self.counts: ArmCounts = ArmCounts()
        self.state: ArmState = ArmState.OFF
        self.reason: str = ""
        """Reason why the last waypoint was refused, or the brakes fell."""
        self._calibrated = settings.calibrated
        self._shift_m = 0.0
        self._seq, self._seq_used = settings.first_seq, False
        self._open = self._tried = False
        self._asked_s = self._ask_s = self._retry_s = math.inf
        if settings.autostart:
            self.start(now_s)

    @property
    def seq(self) -> int:
        """Sequence number of the newest request."""
        return self._seq

    @property
    def left_s(self) -> float:
        """Time at which the last byte from `advance` had left [s]; -inf before the first."""
        return self._line.left_s

    @property
    def gripper(self) -> tuple[Array, Array]:
        """True pose of the gripper: position [m], shape (3,), and rotation, shape (3, 3)."""
        pose = self.motion.measured
        return pose[:, 3], pose[:, :3]

    def start(self, now_s: float) -> None:
        """Start the program, as the operator does at the controller (monotonic time [s])."""
        if self._rest_s() < math.inf:  # refused, and still on the way to rest
            return
        self._happen(now_s, ArmEvent.START, *self._obstacles())

    def stop(self, now_s: float) -> None:
        """Abort the program; the brakes fall (monotonic time [s])."""
        self._happen(now_s, ArmEvent.STOP)

    def calibrate(self, now_s: float) -> None:
        """Calibrate the arm (monotonic time [s])."""
        self._calibrated = True
        if self.faults.value("uncalibrated") is None:
            self._happen(now_s, ArmEvent.CALIBRATED)

    def inject(self, fault: ArmFault, now_s: float) -> None:
        """Schedule a fault (monotonic time [s])."""
        self._run(now_s)
        self.faults.start(fault, now_s)

    def receive(self, data: bytes, now_s: float) -> None:
        """Take bytes that the host wrote at a time (monotonic time [s])."""
        self._run(now_s)
        self._line.receive(data, now_s)

    def advance(self, now_s: float) -> bytes:
        """Let time pass.

        Returns:
            Bytes that have left the controller by then.
        """
        self._run(now_s)
        self.motion.run(now_s)
        self._follow_joints(now_s)
        return self._line.take(now_s)

    def next_due_s(self) -> float:
        """Return when the next event is due [s]; inf if only received bytes can bring one about."""
        return min(self._next_event_s(), self._line.departure_s(), self.motion.next_check_s())

    def discard(self) -> None:
        """Forget the bytes under way: the cable was pulled out."""
        self._line.discard()

    def _next_event_s(self) -> float:
        timers = (self._ask_s, self._retry_s, self._rest_s(), self._line.late_s())
        return min(self.faults.due_s(), self._line.arrival_s(), *timers)

    def _run(self, now_s: float) -> None:
        while (due_s := self._next_event_s()) <= now_s:
            if self._loaded:
                self.motion.run(due_s)
                self._follow_joints(due_s)
                if self._next_event_s() != due_s:
                    continue
            if self.faults.due_s() <= due_s:
                self.faults.advance(due_s)
            elif self._line.arrival_s() <= due_s:
                for line in self._line.read():
                    self._judge(line, due_s)
            elif self._line.late_s() <= due_s:
                self._line.send_late(due_s)
            elif self._rest_s() <= due_s:
                self.motion.run(due_s)
                self.motion.rest()
                self._happen(due_s, ArmEvent.AT_REST)
            elif self._retry_s <= due_s:
                self._retry_s = math.inf
                self._tried = True
                self._repeat(ArmStatus.RUNNING, due_s)
            else:
                self._period_over(due_s)

    def _follow_joints(self, now_s: float) -> None:
        """Register brakes that fell by themselves."""
        if self.servos.trip and self.state not in _BRAKES | {ArmState.OFF}:
            self.reason = self.servos.trip
            self._happen(now_s, ArmEvent.TRIPPED)

    def _rest_s(self) -> float:
        ends = (ArmState.ENDING, ArmState.STARVING, ArmState.REFUSED)
        rest_s = self.motion.path.rest_s if self.state in ends else -math.inf
        return rest_s if rest_s > -math.inf else math.inf

    def _period_over(self, now_s: float) -> None:
        if self.motion.failure:
            self._refuse(self.motion.failure, now_s)
            self.motion.failure = ""
            return
        if self.state is ArmState.RUNNING:
            if self._open:
                self.counts.dry += 1
                self._happen(now_s, ArmEvent.MISSED)
                return
            self._next_seq()
        self._ask(now_s)

    # Requests.

    def _next_seq(self) -> None:
        if self._seq_used:
            self._seq, self._seq_used = (self._seq + 1) % SEQ_COUNT, False

    def _ask(self, now_s: float) -> None:
        """Send a request or a report, and begin a period."""
        self.motion.run(now_s)
        self._asked_s, self._ask_s = now_s, now_s + self._period_s()
        running = self.state is ArmState.RUNNING
        self._retry_s = now_s + self._settings.retry_after_s if running else math.inf
        self._open, self._tried = self.state in LISTENING, False
        self._seq_used = True
        self.counts.requests += 1
        self._send(STATUS[self.state], now_s, with_position=self._settings.feedback)

    def _repeat(self, status: ArmStatus, now_s: float) -> None:
        self.counts.repeats += 1
        self._send(status, now_s, with_position=False)

    def _period_s(self) -> float:
        return self.faults.value("period") or self._settings.period_s

    def _send(self, status: ArmStatus, now_s: float, *, with_position: bool) -> None:
        location = location_of(*self._reported_pose()) if with_position else None
        mark = SIMULATED if self.state in _WAITS else b""
        self._line.send(mark + encode_request(self._seq, status, location), now_s)

    def _reported_pose(self) -> tuple[Array, Array]:
        position_m, rotation = self.gripper
        return position_m + np.array([0.0, 0.0, self.faults.value("beside") or 0.0]), rotation

    # Answers.

    def _judge(self, line: bytes, now_s: float) -> None:
        if not self._open:
            self.counts.unasked += 1
            return
        try:
            answer = decode_answer(line)
        except LineError:
            self.counts.garbled += 1
            if self._asked_s + self._period_s() - now_s >= self._settings.exchange_s():
                if self._retry_s < math.inf:  # the wait begins again
                    self._retry_s = now_s + self._settings.retry_after_s
                running = self.state is ArmState.RUNNING  # at rest it never asks for a repeat
                self._repeat(ArmStatus.CHECKSUM if running else STATUS[self.state], now_s)
            return
        if isinstance(answer, HostEnd):
            self._end(now_s)
        elif answer.seq != self._seq:
            self.counts.stale += 1
        else:
            self._follow(answer, now_s)

    def _end(self, now_s: float) -> None:
        self.counts.ends += 1
        self._open, self._retry_s = False, math.inf
        self._next_seq()  # the end is taken, and not asked for again
        self._happen(now_s, ArmEvent.ENDED)

    def _follow(self, answer: HostWaypoint, now_s: float) -> None:
        position_m, rotation = pose_of(answer.location)
        pose = np.column_stack([rotation, position_m])
        period_s = self._period_s()
        begin_s = self._asked_s + period_s + self._settings.blends.longest_s
        begin_s += self._settings.delay_s
        if self.state in _AT_REST and self.motion.pace is not None:
            self.motion.restart_path(now_s)
        try:
            self.motion.extend(pose, begin_s, begin_s + period_s)
        except LimitError as error:
            self._refuse(str(error), now_s)
            return
        self.counts.waypoints += 1
        self._open, self._retry_s = False, math.inf
        self._happen(now_s, ArmEvent.ACCEPTED)

    def _refuse(self, reason: str, now_s: float) -> None:
        self.counts.refused += 1
        self.reason = f"waypoint {self._seq}: {reason}"
        self._happen(now_s, ArmEvent.REJECTED)

    # States.

    def _happen(self, now_s: float, *events: ArmEvent) -> None:
        """Process simultaneous events as one: no state between them is entered."""
        before = self.state
        for event in events:
            self.state = step(self.state, event)
        if self.state is not before:
            self._enter(before, now_s)

    def _enter(self, before: ArmState, now_s: float) -> None:
        self._apply_shift(now_s)
        if self.state is ArmState.RUNNING:
            return  # the period of the answered request continues
        self._open = False
        self._ask_s = self._retry_s = math.inf
        if self.state is ArmState.OFF or self.state in _BRAKES:
            self.motion.brake(now_s)
        elif self.state is ArmState.WAITING:
            self.motion.release(now_s)
        if self.state not in STATUS:
            return
        if self.state is not ArmState.REFUSED:  # that one names the waypoint
            self._next_seq()
        self._ask(now_s)

    def _obstacles(self) -> tuple[ArmEvent, ...]:
        """List what keeps the program from moving the arm."""
        if not self._calibrated or self.faults.value("uncalibrated") is not None:
            return (ArmEvent.UNCALIBRATED,)
        if self.faults.value("estop") is not None or self.faults.value("power_off") is not None:
            return (ArmEvent.HOLD,)
        return ()

    # Faults.

    def _fault_changed(self, kind: str, begins: bool, now_s: float) -> None:
        if kind == "slow":
            self.motion.run(now_s)
            self.motion.pace = self.faults.value(kind) if begins else 1.0
        elif kind == "elsewhere":
            if begins:
                self._shift_m += self.faults.value(kind) or 0.0
                self._apply_shift(now_s)
        elif kind == "uncalibrated" and not begins:
            self.calibrate(now_s)
        elif begins:
            self._happen(now_s, *self._obstacles())

    def _apply_shift(self, now_s: float) -> None:
        if self._shift_m and self.state in _AT_REST:
            shift_m, self._shift_m = self._shift_m, 0.0
            try:
                self.motion.shift(shift_m, now_s)
            except ValueError as error:  # a limit, or an obstacle
                self.reason = f"cannot be moved by {shift_m * 1e3:g} mm: {error}"
