"""Contact of the body that the gripper holds with a fixture that does not move.

The fixture is felt through its faces, flat discs, at points of the body: see `kernels.contact` for
the law. Its wrench is held for short steps, whose length follows from the law and from how light
the last link is with its body: a free body gives way at least as much as one that an arm holds.

Contact gives no energy that it has not taken. An account is kept of the work of each step, from
where the gripper was and where it is; a step that would overdraw it is passed again with as much of
the wrench as the account pays for, or with none.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm
from sim.world.space_arm.integrators import Integrator, Span, SpanStatus, together
from sim.world.space_arm.kernels import contact as kernels
from sim.world.space_arm.kernels.chain import ArmArrays
from sim.world.space_arm.kernels.dynamics import gripper_pose, gripper_twist, make_scratch
from sim.world.space_arm.kernels.sdirk2 import Q, V
from sim.world.space_arm.links import SpaceArmError, numbers

Array = NDArray[np.float64]

STEP_MAX_S, STEP_MIN_S = 5e-3, 1e-4
"""Longest and shortest time for which a contact's wrench is held [s]."""
SPRING_SHARE, DAMPER_SHARE = 0.15, 0.1
"""Largest phase of the quickest swing within a step [rad], and largest share of a rate that its
dampers take away in one."""
NEAR_M = 0.02
"""Distance of a point from a face, besides what it may move, at which short steps begin [m]."""
CREDIT = 0.9999
"""Share of what a contact takes that it may give back; the rest covers the integrator's errors."""
OVERDRAWN = 0.9
"""Share of what the account pays for that a step which overdrew it is passed with."""

_set = object.__setattr__


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """A flat disc that pushes what comes through it back to its front. Arrays are read-only.

    Raises:
        SpaceArmError: not finite, no unit vector, no radius.
    """

    centre_m: Array
    """Centre of the disc in the base [m], shape (3,)."""
    normal: Array
    """Unit vector to its front, in base axes, shape (3,)."""
    radius_m: float = 1.0
    """Radius of the disc [m]."""

    def __post_init__(self) -> None:
        _set(self, "centre_m", numbers(self.centre_m, (3,), "face: centre_m"))
        normal = numbers(self.normal, (3,), "face: normal")
        length = float(np.linalg.norm(normal))
        if abs(length - 1.0) > 1e-9:
            raise SpaceArmError(f"face: normal {normal.tolist()} has length {length:g}, must be 1")
        _set(self, "normal", normal)
        _positive("face: radius_m", self.radius_m, "m")


@dataclass(frozen=True, slots=True)
class ContactLaw:
    """Law of a contact at one point.

    Raises:
        SpaceArmError: if a number is not finite or negative, or the stiffness 0.
    """

    stiffness_n_m: float = 20_000.0
    """Stiffness along the normal, and of the bristle across it [N/m]."""
    damping_n_s_m: float = 500.0
    """Damping along the normal and across it [N s/m]."""
    friction: float = 0.2
    """Coefficient of dry friction."""

    def __post_init__(self) -> None:
        _positive("contact: stiffness_n_m", self.stiffness_n_m, "N/m")
        for name, value in (("damping_n_s_m", self.damping_n_s_m), ("friction", self.friction)):
            if not (math.isfinite(value) and value >= 0.0):
                raise SpaceArmError(f"contact: {name} = {value!r}, must be finite and 0 or more")


class HeldContact:
    """Contact of the points of a held body with the faces of a fixture.

    Args:
        points_m: points of the body in the gripper's frame G [m], shape (P, 3).
        faces: faces of the fixture, at least one.
        law: law of each pair of a point and a face.

    Raises:
        SpaceArmError: if there is no point or face, or a number is not finite.
    """

    def __init__(
        self, points_m: Array, faces: tuple[Face, ...], law: ContactLaw | None = None
    ) -> None:
        count = len(points_m)
        if not (count and faces):
            raise SpaceArmError(
                f"contact of {count} points and {len(faces)} faces: 1 of each, least"
            )
        self._points = np.array(numbers(points_m, (count, 3), "contact: points_m"))
        self._faces = np.array([[*one.centre_m, *one.normal, one.radius_m] for one in faces])
        self.law: ContactLaw = law or ContactLaw()
        self._law = kernels.ContactNumbers(
            self.law.stiffness_n_m, self.law.damping_n_s_m, self.law.friction
        )
        self._scratch = make_scratch()
        self._pairs = np.zeros((count * len(faces), kernels.PAIR_COLUMNS))
        self._wrench, self._twist, self._twist_before = np.zeros(6), np.zeros(6), np.zeros(6)
        self._pose, self._pose_after = _blank_pose(), _blank_pose()
        self._step_s = STEP_MAX_S
        self.absorbed_j = 0.0
        """Energy taken since the body last touched nothing, less what was given back [J]."""
        self.peak_force_n = 0.0
        """Largest force since the beginning [N]."""

    @property
    def touching(self) -> bool:
        """Whether any point touches a face."""
        return bool(self._pairs[:, kernels.TOUCHING].any())

    @property
    def wrench(self) -> Array:
        """Last force [N] and moment about G [N m] on the gripper, in base axes, shape (6,)."""
        return self._wrench.copy() if self.touching else np.zeros(6)

    @property
    def step_s(self) -> float:
        """Time for which a wrench is held [s]."""
        return self._step_s

    def hold(self, arm: Arm) -> None:
        """Begin with a body in the gripper that touches nothing yet; choose the step.

        Args:
            arm: the arm with the body as a part of its last link.

        Raises:
            SpaceArmError: if the law is too stiff for the shortest step with so light a body.
        """
        self.clear()
        give = _give_per_kg(arm, self._points) * len(self._pairs)
        spring, damper = give * self.law.stiffness_n_m, give * self.law.damping_n_s_m
        step_s = min(STEP_MAX_S, SPRING_SHARE / math.sqrt(spring))
        step_s = min(step_s, DAMPER_SHARE / damper) if damper > 0.0 else step_s
        if not step_s >= STEP_MIN_S:
            stiffness = (SPRING_SHARE / STEP_MIN_S) ** 2 / give
            damping = DAMPER_SHARE / STEP_MIN_S / give
            raise SpaceArmError(
                f"contact: stiffness_n_m = {self.law.stiffness_n_m:g} N/m and damping_n_s_m = "
                f"{self.law.damping_n_s_m:g} N s/m need steps of {step_s:.3g} s with this body; "
                f"at least {STEP_MIN_S:g} s are taken: at most {stiffness:.3g} N/m and "
                f"{damping:.3g} N s/m, or fewer points"
            )
        self._step_s = step_s

    def clear(self) -> None:
        """Forget what touched."""
        self._pairs[:] = 0.0
        self._wrench[:] = 0.0
        self.absorbed_j = 0.0

    def inside_m(self, arm: ArmArrays, q_rad: Array) -> float:
        """Compute how deep the body's points are behind the faces; 0 before all of them [m]."""
        rotation, position = self._pose
        gripper_pose(arm, q_rad, self._scratch, rotation, position)
        deepest = 0.0
        for point in position + self._points @ rotation.T:
            for face in self._faces:
                height = float(face[3:6] @ (point - face[:3]))
                beside = float(np.linalg.norm(point - face[:3] - height * face[3:6]))
                if beside <= face[kernels.RADIUS]:
                    deepest = max(deepest, -height)
        return deepest

    def add_wrench(self, arm: ArmArrays) -> ArmArrays:
        """Add the last wrench to that on an arm's gripper."""
        return arm._replace(wrench=_frozen(arm.wrench + self._wrench))

    def pass_time(
        self, integrator: Integrator, arm: ArmArrays, drive: Array, state: Array,
        held: tuple[Array, Array], span_s: float,
    ) -> Span:  # fmt: skip
        """Advance a state by ``span_s``, with the fixture's wrench besides that on the gripper.

        Args:
            integrator: how time passes.
            arm: the arm with its body, and with the wrench that acts on its gripper anyway.
            held: commanded rates [rad/s] and dry friction [N m], shape (n,) each.
        """
        begun = state.copy()
        if self._is_far(arm, state, span_s):
            span = integrator.pass_time(arm, drive, state, *held, span_s)
            if self._height_m(arm, state) > 0.0:
                return span
            state[:] = begun
        spans, count = list[Span](), max(1, math.ceil(span_s / self._step_s - 1e-9))
        self._put_twist(arm, state, self._twist_before)
        for _ in range(count):
            spans.append(self._pass_step(integrator, arm, drive, state, held, span_s / count))
            if spans[-1].status is SpanStatus.FAILED:
                break
        return together(spans)

    def _is_far(self, arm: ArmArrays, state: Array, span_s: float) -> bool:
        """Whether no point can come to a face within a span, as fast as it is."""
        height_m = self._height_m(arm, state)
        self._put_twist(arm, state, self._twist)
        lever_m = float(np.linalg.norm(self._points, axis=1).max())
        speed_m_s = float(
            np.linalg.norm(self._twist[:3]) + lever_m * np.linalg.norm(self._twist[3:])
        )
        return height_m > NEAR_M + 2.0 * speed_m_s * span_s

    def _height_m(self, arm: ArmArrays, state: Array) -> float:
        gripper_pose(arm, state[Q], self._scratch, *self._pose)
        return kernels.least_height(*self._pose, self._points, self._faces)

    def _put_twist(self, arm: ArmArrays, state: Array, twist: Array) -> None:
        gripper_twist(arm, state[Q], state[V], self._scratch, twist)

    def _pass_step(
        self, integrator: Integrator, arm: ArmArrays, drive: Array, state: Array,
        held: tuple[Array, Array], step_s: float,
    ) -> Span:  # fmt: skip
        """Advance by one step with a wrench that the account pays for."""
        gripper_pose(arm, state[Q], self._scratch, *self._pose)
        self._put_twist(arm, state, self._twist)
        foreseen = self._twist + 0.5 * (self._twist - self._twist_before)
        self._twist_before[:] = self._twist
        touches = kernels.press(
            *self._pose, self._twist, foreseen, self._points, self._faces, self._law, step_s,
            self._pairs, self._wrench,
        )  # fmt: skip
        if not touches:
            self.absorbed_j = 0.0
            return integrator.pass_time(arm, drive, state, *held, step_s)
        begun, share = state.copy(), 1.0
        while True:
            loaded = arm._replace(wrench=_frozen(arm.wrench + share * self._wrench))
            span = integrator.pass_time(loaded, drive, state, *held, step_s)
            gripper_pose(arm, state[Q], self._scratch, *self._pose_after)
            work = share * kernels.work_of(self._wrench, *self._pose, *self._pose_after)
            if share == 0.0 or work <= self.absorbed_j:
                break
            state[:] = begun
            share = OVERDRAWN * self.absorbed_j / work if share == 1.0 else 0.0
        self._wrench *= share
        self.absorbed_j -= work if work > 0.0 else CREDIT * work
        self.peak_force_n = max(self.peak_force_n, float(np.linalg.norm(self._wrench[:3])))
        return span


def _blank_pose() -> tuple[Array, Array]:
    return np.empty((3, 3)), np.empty(3)


def _frozen(wrench: Array) -> Array:
    """Make an array read-only, of the type for which the kernels are compiled."""
    wrench.setflags(write=False)
    return wrench


def _give_per_kg(arm: Arm, points_m: Array) -> float:
    """Bound what a newton at any of the points accelerates them by, if the last link were free.

    Returns:
        Largest inverse of an effective mass [1/kg].

    Raises:
        SpaceArmError: if the last link with its body has no mass or no inertia.
    """
    last = arm.links[-1]
    least = float(np.linalg.eigvalsh(last.inertia_kg_m2)[0])
    if not (last.mass_kg > 0.0 and least > 0.0):
        raise SpaceArmError(
            f"contact: {last.name} with its body has a mass of {last.mass_kg:g} kg and a least "
            f"moment of inertia of {least:g} kg m2, both must be above 0"
        )
    levers = arm.tool_offset_m + points_m @ arm.tool_rotation.T - last.com_m
    return 1.0 / last.mass_kg + float((levers**2).sum(axis=1).max()) / least


def _positive(name: str, value: float, unit: str) -> None:
    if not (math.isfinite(value) and value > 0.0):
        raise SpaceArmError(f"{name} = {value!r} {unit}, must be finite and above 0 {unit}")
