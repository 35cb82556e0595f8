"""Control of the platform: from a motion to six leg setpoints, and from six lengths to a pose.

One object per run. In each cycle it takes the gate's last verdict, requests what the course of the
run needs next, samples the present path (the slow rise, the motion, or parking) and solves the
inverse kinematics. It never touches a drive.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from drives.bank import BankFeedback
from hil.stations.platform.cycle.gated_bank import NEVER_S
from hil.stations.platform.cycle.supervisor import RunCourse
from hil.stations.platform.motion.first_path import first_path
from hil.stations.platform.motion.motion_sequence import MotionSequence
from hil.stations.platform.motion.moves import MoveLimits, move
from hil.stations.platform.motion.source import MotionSource
from hil.timing.clock import Tick
from hil_common.arrays.pose import Pose
from hil_common.legs import LegTarget
from platform6dof.forward import ForwardResult, forward
from platform6dof.geometry import HexapodGeometry
from platform6dof.inverse import leg_lengths_and_speeds
from platform6dof.pose import PlatformSetpoint
from safety.modes import Mode, Request
from safety.verdict import Action, Setpoint, Verdict

REACHED_HZ = 100.0
"""Rate at which the reached pose is solved [Hz]: for people; the gate needs lengths."""


class ForwardKinematicsError(Exception):
    """No pose was found for the lengths from which a path should start."""


@dataclass(frozen=True, slots=True)
class PlatformMachine:
    """Kinematics of a rig, as control needs them."""

    geometry: HexapodGeometry
    """Joints and lengths of the legs."""
    park: Pose
    """X_BP with every rod at its reference length."""
    slow_moves: MoveLimits
    """Bounds of the rise and of parking."""


class ParkingProof(Protocol):
    """Proof of a path to park, a part of it per cycle."""

    @property
    def path(self) -> MotionSource | None:
        """Path to park, once it is proved."""
        ...

    @property
    def refused(self) -> str:
        """Reason why there is no path; empty while that is not known."""
        ...

    def begin(self) -> None:
        """Discard the path: the platform is elsewhere."""
        ...

    def work(self, here: Callable[[], Pose]) -> None:
        """Do the part of one cycle.

        Args:
            here: returns X_BP of the platform now.
        """
        ...


class Control(NamedTuple):
    """Control's part of one cycle."""

    wanted: PlatformSetpoint | None
    """Setpoint of the platform; None when no path is followed."""
    asked: Setpoint | None
    """Setpoint of the six legs, for the gate."""
    requests: tuple[Request, ...]
    """Requests to the modes."""
    reset: bool = False
    """Whether the operator presses reset."""
    act_s: float = NEVER_S
    """Time of a person's last press for something to begin, monotonic [s]."""
    beside: bytes = b""
    """Bytes of the row besides this station's signals; empty for a run without an extension."""


STOP_ASKED = Control(None, None, (Request.HOLD,))
"""Controlled stop, requested when control has no valid setpoint."""
ABSENT = Control(None, None, ())
"""Control of a cycle of the gate that control was too late for: no request."""


class PlatformStation:
    """Control of one platform through one run.

    Args:
        motion: motion to play; begins and ends at rest.
        parking: proves the path to park from wherever a stop has left the platform; without one
            parking leads straight there.
    """

    def __init__(
        self,
        machine: PlatformMachine,
        motion: MotionSource,
        supervisor: RunCourse,
        period_s: float,
        parking: ParkingProof | None = None,
    ) -> None:
        self._machine = machine
        self._motion = motion
        self._supervisor = supervisor
        self._period_s = period_s
        self._parking = parking
        self._mode = Mode.OFF
        self._path: MotionSource | None = None
        self._path_start = 0
        self._waiting = False
        self._reached = machine.park
        self._homing_legs: tuple[int, ...] = ()
        self._first_due = False
        self._reached_every = max(1, round(1.0 / (REACHED_HZ * period_s)))

    def step(self, tick: Tick, verdict: Verdict | None) -> Control:
        """Control's part of this cycle.

        Args:
            verdict: the gate's verdict of the last cycle.

        Raises:
            ForwardKinematicsError: if the commanded lengths belong to no pose.
        """
        if verdict is not None and verdict.mode is not self._mode:
            self._enter(verdict, tick.index)
        elif self._waiting and verdict is not None and verdict.action is Action.HOLDING:
            # The gate holds until it has a first setpoint, so the path has not begun yet:
            # planning it took longer than a cycle.
            self._path_start = tick.index
        else:
            self._waiting = False
        path = self._path
        path_s = (tick.index - self._path_start) * self._period_s
        # Two cycles later the commanded state stands, however coarse the cycle: then leaving the
        # path is no stop.
        path_done = path is not None and path_s >= path.duration_s + 1.5 * self._period_s
        requests = self._supervisor.ask(verdict, path_done)
        if Request.PARK in requests and verdict is not None and not path_done:
            requests = self._prove_parking(tick, verdict)
        if path is None:
            return Control(None, None, requests)
        wanted = path.sample(path_s)
        length_m, speed_m_s = leg_lengths_and_speeds(self._machine.geometry, wanted)
        return Control(wanted, Setpoint(tick.index, length_m, speed_m_s), requests)

    def end_when_homed(self, legs: tuple[int, ...]) -> None:
        """End the run as soon as these legs (1 to 6) are homed, whatever the others are."""
        self._homing_legs = legs

    def expect_first_motion(self) -> None:
        """Let the first rise begin with the first motion of the drives; anew if it is stopped."""
        self._first_due = True

    def reached(self, tick: Tick, feedback: BankFeedback) -> ForwardResult | None:
        """Pose by the forward kinematics of the measured lengths.

        Returns:
            The pose, or why there is none; None in cycles in which nobody needs to know.
        """
        legs = self._homing_legs
        if legs and all(feedback.homed[leg - 1] for leg in legs):
            self._supervisor.finish()
        if tick.index % self._reached_every:
            return None
        measured = np.array(feedback.length_m)
        result = forward(self._machine.geometry, measured, self._reached)
        if result.converged and all(feedback.homed):
            self._reached = result.X_BP
        return result

    def _prove_parking(self, tick: Tick, verdict: Verdict) -> tuple[Request, ...]:
        """Requests instead of PARK until a path there is proved: a stop, then nothing."""
        proof = self._parking
        if proof is None:
            return (Request.PARK,)
        if verdict.mode is not Mode.HOLD:
            return (Request.HOLD,)
        if proof.path is None and not proof.refused:
            proof.work(lambda: self._commanded_pose(verdict.allowed))
        if proof.refused:
            return self._give_up_parking(tick, proof.refused)
        return () if proof.path is None else (Request.PARK,)

    def _give_up_parking(self, tick: Tick, why: str) -> tuple[Request, ...]:
        """Shut down, as no path to park is free and nobody is there to find one."""
        self._supervisor.trip(f"parking: {why}")
        return (Request.SHUT_DOWN,)

    def _enter(self, verdict: Verdict, index: int) -> None:
        """Choose the path of a mode that has just been entered."""
        self._mode = verdict.mode
        self._path_start = index
        self._waiting = verdict.action is Action.HOLDING
        slow = self._machine.slow_moves
        match verdict.mode:
            case Mode.ENGAGING:
                here, start = self._commanded_pose(verdict.allowed), self._motion.sample(0.0).X_BP
                self._path = move(here, start, slow)
                if self._first_due:
                    first = first_path(self._machine.geometry, here)
                    self._path = MotionSequence((first, self._path))
            case Mode.ENGAGED:
                self._path, self._first_due = self._motion, False
            case Mode.PARKING:
                here = self._commanded_pose(verdict.allowed)
                proof = self._parking
                proved = None if proof is None else proof.path
                self._path = proved or move(here, self._machine.park, slow)
                if proof is not None:
                    proof.begin()  # the way holds from where it was proved, and only once
            case Mode.HOLD:
                self._path = None
                if self._parking is not None:
                    self._parking.begin()
            case _:
                self._path = None

    def _commanded_pose(self, commanded: LegTarget | None) -> Pose:
        """Pose of the last lengths that the gate has let through."""
        if commanded is None:
            raise ForwardKinematicsError("the gate lets nothing through, so no path can start")
        lengths = np.array(commanded.length_m)
        result = forward(self._machine.geometry, lengths, self._reached)
        if not result.converged:
            raise ForwardKinematicsError(
                f"no pose found for the commanded lengths {lengths.round(4).tolist()} m: "
                f"{result.reason} (residual {result.residual_m:.2e} m)"
            )
        return result.X_BP
