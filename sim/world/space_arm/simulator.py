"""The space arm, tick by tick: commanded joint rates in, states of arm and drives out."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.actions import (
    BRAKES,
    ActionKind,
    DriveAction,
    TickActions,
    TimedAction,
    changed_drives,
)
from sim.world.space_arm.arm import Arm, Body
from sim.world.space_arm.capped_sdirk4 import CappedSdirk4
from sim.world.space_arm.contact import HeldContact
from sim.world.space_arm.drive import (
    BACK_EMF,
    BRAKE,
    FRICTION,
    HOLD,
    INERTIA,
    RIGID,
    RIGID_GAP,
    TORQUE_PER_VOLT,
    WINDING,
    DriveEffects,
    DriveModel,
)
from sim.world.space_arm.integrators import Integrator, Sdirk2, Span, SpanStatus, together
from sim.world.space_arm.kernels import stage
from sim.world.space_arm.kernels.drive_law import motor_torque, torque_rate
from sim.world.space_arm.kernels.dynamics import (
    ArmArrays,
    gripper_jacobian,
    gripper_pose,
    make_scratch,
)
from sim.world.space_arm.kernels.sdirk2 import (
    SLIP,
    STATE_ROWS,
    L,
    Q,
    T,
    V,
    W,
    mark_face_contacts,
)
from sim.world.space_arm.kernels.vectors import copied, table_of
from sim.world.space_arm.links import numbers
from sim.world.space_arm.payload import grapple_rates
from sim.world.space_arm.snapshot import Snapshot, active_of

Array = NDArray[np.float64]

TICK_S = 0.35
"""Time between two points of the robot's continuous path, and of the original's loop [s]."""
INSTANT_S = 1e-6
"""Length of the implicit step whose torques are taken for those of this moment [s]."""
INSIDE_M = 1e-9
"""Depth inside a fixture up to which a payload touches it at the start, for rounding [m]."""
ABSURD_RATIO = 10.0
"""Multiple of a joint's largest rate above which a command is a mistake."""


class SpaceArm:
    """A simulated arm with its drives and, if it holds one, a payload.

    The same commands from the same state give the same result, bit for bit.

    Args:
        effects: what of its drives is simulated.
        q_rad: angles of the joints at the start, at rest [rad], shape (n,).
        payload: what the gripper holds at the start.
        integrator: how time passes; None = SDIRK2 with the usual accuracy.
        contact: what a held body may touch; it belongs to this arm alone.

    Raises:
        ValueError: if the angles are not finite or out of the joints' limits, or the payload is
            inside what it may touch.
    """

    def __init__(
        self,
        arm: Arm,
        effects: DriveEffects | DriveModel,
        q_rad: Sequence[float] | Array,
        *,
        payload: Body | None = None,
        integrator: Integrator | None = None,
        contact: HeldContact | None = None,
    ) -> None:
        self._empty = arm
        self.effects: DriveEffects = effects.effects if isinstance(effects, DriveModel) else effects
        self._rated = self._drive = arm.drive_table(self.effects)
        self._torque_per_ampere = np.array(
            [drive.gear_ratio * drive.torque_constant_nm_a for drive in arm.drives]
        )
        self._integrator = integrator or Sdirk2(levers_m(arm))
        self._scratch = make_scratch()
        self._stage = stage.make_stage(arm.joints)
        self._brakes = np.zeros(arm.joints, dtype=np.bool_)
        self._wrench: Array | None = None
        self._time_s = 0.0
        self._state = table_of(STATE_ROWS, arm.joints)
        self._state[Q] = self._checked_angles(q_rad)
        self.contact: HeldContact | None = contact
        self.payload = payload
        self._load(payload)
        if contact is not None and payload is not None:
            depth_m = contact.inside_m(self._arrays, self._state[Q])
            if depth_m > INSIDE_M:
                raise ValueError(
                    f"the payload begins {1e3 * depth_m:.3g} mm inside the fixture: begin before it"
                )

    def _checked_angles(self, q_rad: Sequence[float] | Array) -> Array:
        q = np.array(q_rad, dtype=np.float64)
        if q.shape != (self.joints,):
            raise ValueError(f"q_rad of shape {q.shape}: {self.joints} angles are needed")
        for link, angle in zip(self._empty.links, q, strict=True):
            low, high = link.position_min_rad, link.position_max_rad
            if not low <= angle <= high:
                raise ValueError(
                    f"{link.name}: {angle:.6g} {link.unit} outside "
                    f"[{low:.6g}, {high:.6g}] {link.unit}"
                )
        return q

    def _load(self, payload: Body | None) -> None:
        arm = self._empty if payload is None else self._empty.with_payload(payload)
        if self.contact is not None:
            if payload is None:
                self.contact.clear()
            else:
                self.contact.hold(arm)
        self.payload, self.arm = payload, arm
        self._arrays = arm.arrays()

    @property
    def joints(self) -> int:
        """Number of joints."""
        return self._empty.joints

    @property
    def drive(self) -> Array:
        """Drive table of the kernels."""
        return self._drive

    @property
    def state(self) -> Array:
        """Copy of the state, shape (6, n); see `kernels.sdirk2`."""
        return copied(self._state)

    @state.setter
    def state(self, state: Array) -> None:
        if state.shape != self._state.shape or not np.isfinite(state).all():
            raise ValueError(f"a state is finite and of shape {self._state.shape}")
        self._state[:] = state
        if self.contact is not None:
            self.contact.clear()

    @property
    def brakes(self) -> tuple[bool, ...]:
        """Whether each brake is closed."""
        return tuple(bool(closed) for closed in self._brakes)

    @brakes.setter
    def brakes(self, closed: Sequence[bool]) -> None:
        if len(closed) != self.joints:
            raise ValueError(f"{len(closed)} brakes: one a joint, {self.joints}, are needed")
        self._brakes[:] = closed

    def act(self, action: DriveAction) -> None:
        """Change a clutch, a brake, a motor's power or the payload; rates stay what they are.

        Raises:
            ValueError: if there is no such joint, clutch or payload; nothing has changed then.
        """
        if action.kind is ActionKind.RELEASE:
            self.release()
            return
        if not 1 <= action.joint <= len(self._brakes):
            raise ValueError(f"joint {action.joint}: the arm has 1 to {len(self._brakes)}")
        if action.kind in BRAKES:
            self._brakes[action.joint - 1] = action.kind is ActionKind.BRAKE_CLOSED
        else:
            self._drive = changed_drives(self._drive, self._rated, self._empty.drives, action)

    def advance(
        self,
        rate_cmd_rad_s: Sequence[float] | Array,
        duration_s: float = TICK_S,
        samples: int = 1,
        actions: Sequence[TimedAction] = (),
        wrench: Sequence[float] | Array | None = None,
    ) -> Snapshot:
        """Advance by a tick with constant commanded rates.

        A brake that is closed takes the command from its motor: a drive does not work against it.

        Args:
            duration_s: length of the tick [s].
            samples: how often within the tick it is noted where the gripper is; the tick is passed
                in so many parts.
            actions: what is done to the drives within it, at times from its beginning [s].
            wrench: what acts on the gripper from outside all the time: force [N], then moment about
                the origin of G [N m], in base axes, shape (6,); None for nothing.

        Raises:
            ValueError: if a command is not finite or absurd, or the duration not above 0, or there
                is no look, or an action is not within the tick, or the wrench not six finite
                numbers; nothing has moved then.
        """
        asked = self._checked_command(rate_cmd_rad_s)
        if not (math.isfinite(duration_s) and duration_s > 0.0):
            raise ValueError(f"duration_s = {duration_s!r} s: a finite time above 0 is needed")
        if samples < 1:
            raise ValueError(f"samples = {samples!r}: at least 1 is needed")
        for one in actions:
            if not 0.0 <= one.at_s < duration_s:
                raise ValueError(f"{one.action} at {one.at_s!r} s: not in [0, {duration_s:g}) s")
        self._wrench = None if wrench is None else numbers(wrench, (6,), "wrench [N; N m]")
        slip = self._state[SLIP].copy()
        span, path_m = self._pass(asked, duration_s, samples, actions)
        self._time_s += duration_s
        return self._snapshot(*self._braked(asked), slip, span, path_m)

    def _braked(self, asked: Array) -> tuple[Array, Array]:
        """Return the commands [rad/s] and the dry friction [N m] with the brakes as they are."""
        dry = self._drive[FRICTION] + np.where(self._brakes, self._drive[BRAKE], 0.0)
        return np.where(self._brakes, 0.0, asked), dry

    def _pass(
        self, asked: Array, duration_s: float, samples: int, actions: Sequence[TimedAction]
    ) -> tuple[Span, Array]:
        """Advance; return the outcome, and the gripper's place at each sample [m], (samples, 3).

        A part that reached the cap on its work is the last one: the rest passes at once, and its
        samples lie on a line.
        """
        path_m, rotation, spans, left = (
            np.empty((samples, 3)),
            np.empty((3, 3)),
            list[Span](),
            samples,
        )
        if isinstance(self._integrator, CappedSdirk4):
            self._integrator.begin_tick()
        held, coming = self._braked(asked), TickActions(actions)
        while left:
            parts = left if spans and spans[-1].status is not SpanStatus.DONE else 1
            span_s, begun_s = parts * duration_s / samples, (samples - left) * duration_s / samples
            while actions and (one := coming.next_before(begun_s + span_s, last=parts == left)):
                if (until_s := one.at_s - begun_s) > 0.0:
                    spans.append(self._lead(held, until_s))
                    begun_s, span_s = one.at_s, span_s - until_s
                self.act(one.action)
                held = self._braked(asked)
            if span_s > 0.0:
                spans.append(self._lead(held, span_s))
            left -= parts
            place = path_m[samples - left - 1]
            gripper_pose(self._arrays, self._state[Q], self._scratch, rotation, place)
            if parts > 1:
                before, share = path_m[samples - parts - 1], np.arange(1, parts)[:, None] / parts
                path_m[samples - parts : samples - 1] = before + share * (place - before)
        return together(spans), path_m

    def _lead(self, held: tuple[Array, Array], span_s: float) -> Span:
        """Lead the state through a span without an action in it [s]."""
        arrays, drive, state, integrator = (
            self._loaded(),
            self._drive,
            self._state,
            self._integrator,
        )
        if self.contact is None or self.payload is None:
            return integrator.pass_time(arrays, drive, state, *held, span_s)
        return self.contact.pass_time(integrator, arrays, drive, state, held, span_s)

    def _loaded(self) -> ArmArrays:
        """Return the arm with what acts on its gripper from outside."""
        return self._arrays if self._wrench is None else self._arrays._replace(wrench=self._wrench)

    def snapshot(self) -> Snapshot:
        """Return the arm's present state, without letting time pass; nothing is commanded.

        The wrench on the gripper is that of the last tick.
        """
        return self._snapshot(
            *self._braked(np.zeros(self.joints)),
            self._state[SLIP],
            Span(SpanStatus.DONE, 0),
            np.empty((0, 3)),
        )

    def _checked_command(self, rate_cmd_rad_s: Sequence[float] | Array) -> Array:
        command = np.array(rate_cmd_rad_s, dtype=np.float64)
        if command.shape != (self.joints,):
            raise ValueError(f"commanded rates of shape {command.shape}: {self.joints} are needed")
        for link, rate in zip(self._empty.links, command, strict=True):
            most = ABSURD_RATIO * link.rate_max_rad_s
            if not abs(rate) <= most:
                raise ValueError(
                    f"{link.name}: commanded rate {rate!r} {link.unit}/s; at most {most:.3g} "
                    f"{link.unit}/s ({ABSURD_RATIO:g} times the joint's largest) are taken for "
                    "meant"
                )
        return command

    def _snapshot(
        self, command: Array, dry: Array, slip: Array, span: Span, path_m: Array
    ) -> Snapshot:
        state, drive = self._state, self._drive
        rotation, position, jacobian = np.zeros((3, 3)), np.zeros(3), np.zeros((6, self.joints))
        gripper_pose(self._arrays, state[Q], self._scratch, rotation, position)
        gripper_jacobian(self._arrays, state[Q], self._scratch, jacobian)
        twist = jacobian @ state[V]
        motor, voltage = self._motors(command)
        current = motor / self._torque_per_ampere
        return Snapshot(
            self._time_s, state[Q].copy(), state[V].copy(), state[Q] + state[L] + state[SLIP],
            state[W].copy(), rotation, position, twist[:3].copy(), twist[3:].copy(),
            self._gear_torques(command, dry), current, voltage,
            tuple(
                active_of(
                    drive, state, j, float(command[j]), float(dry[j]), float(slip[j]),
                    float(motor[j]),
                )
                for j in range(self.joints)
            ),
            span, path_m,
        )  # fmt: skip

    def _motors(self, command: Array) -> tuple[Array, Array]:
        """Compute the motors' present torques [N m] and voltages [V]."""
        state, drive, motors = self._state, self._drive, range(len(command))
        if drive[WINDING, 0] == 0.0:
            motor = np.array([motor_torque(drive, j, state[W, j], command[j])[0] for j in motors])
            return motor, motor / self._rated[TORQUE_PER_VOLT] + drive[BACK_EMF] * state[W]
        motor = state[T].copy()
        change = [torque_rate(drive, j, motor[j], state[W, j], command[j]) for j in motors]
        resistive_and_inductive = motor + drive[WINDING] * np.array(change)
        volts = resistive_and_inductive / self._rated[TORQUE_PER_VOLT]
        return motor, volts + drive[BACK_EMF] * state[W]

    def _gear_torques(self, command: Array, dry: Array) -> Array:
        """Compute the present torques through the gears, whatever holds the links."""
        state, drive, s = self._state, self._drive, self._stage
        arrays = self._loaded()
        if self.contact is not None and self.contact.touching:
            arrays = self.contact.add_wrench(arrays)
        stage.put_masses(arrays, state[Q], state[V], self._scratch, s)
        s[stage.SIDE] = 0.0
        if drive[HOLD, 0] == RIGID_GAP:
            mark_face_contacts(drive, state, s)
        s[stage.LINK_R], s[stage.MOTOR_R], s[stage.WINDUP_R] = state[V], state[W], state[L]
        s[stage.LINK], s[stage.MOTOR] = state[V], state[W]
        s[stage.COMMAND], s[stage.DRY], s[stage.MOTOR_TORQUE_R] = command, dry, state[T]
        stage.solve_stage(drive, INSTANT_S, s)
        return s[stage.TORQUE].copy()

    def grapple(self, body: Body, twist: Array) -> None:
        """Grapple a body that moves freely: a plastic blow, momentum is kept.

        Args:
            twist: of the point of the body where the gripper is: linear velocity [m/s], then
                angular [rad/s], in base axes; shape (6,).

        Raises:
            ValueError: if the gripper holds something already, or the twist is not finite.
        """
        if self.payload is not None:
            raise ValueError("the gripper holds a payload already: release it first")
        twist = np.array(twist, dtype=np.float64)
        if twist.shape != (6,) or not np.isfinite(twist).all():
            raise ValueError(f"twist {twist!r}: six finite numbers are needed")
        firm = self._drive[INERTIA] if self._drive[HOLD, 0] == RIGID else np.zeros(self.joints)
        state = self._state
        rates = grapple_rates(self._empty, state[Q], state[V], body, twist, firm)
        self._load(body)
        state[V] = rates
        if self._drive[HOLD, 0] == RIGID:
            state[W] = state[V]

    def release(self) -> Array:
        """Let the payload go; joints keep their rates, and so does the body.

        Returns:
            Twist of the gripper's frame, and so of the body, when it goes: linear velocity [m/s],
            then angular [rad/s], in base axes; shape (6,).

        Raises:
            ValueError: if there is no payload.
        """
        if self.payload is None:
            raise ValueError("there is no payload to release")
        jacobian = np.zeros((6, self.joints))
        gripper_jacobian(self._arrays, self._state[Q], self._scratch, jacobian)
        self._load(None)
        return jacobian @ self._state[V]


def levers_m(arm: Arm) -> Array:
    """Distance at which an error of each joint's angle moves the gripper, at most [m], shape (n,).

    It is the length of the arm beyond the joint when stretched; at least a third of the whole, so
    that the gripper's direction counts, too. An error of a prismatic joint moves it as far: 1.
    """
    beyond, levers = float(np.linalg.norm(arm.tool_offset_m)), list[float]()
    for link in reversed(arm.links):
        levers.append(beyond)
        beyond += float(np.linalg.norm(link.offset_m))
        if link.prismatic:
            beyond += max(abs(link.position_min_rad), abs(link.position_max_rad))
    lengths = np.maximum(np.array(levers[::-1]), max(levers) / 3.0)
    return np.where([link.prismatic for link in arm.links], 1.0, lengths)
