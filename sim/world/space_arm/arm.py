"""A space arm: links on revolute and prismatic joints, a gripper frame, gravity, drives.

Link frame L_i sits on joint i and moves with link i; L_0 is the base B, which does not move.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.drive import DriveEffects, DriveModel, JointDrive, drive_table
from sim.world.space_arm.kernels.chain import (
    ARM_ROWS,
    INERTIA,
    MASS,
    MOMENT,
    OFFSET,
    REST,
    SLIDE,
    ArmArrays,
)
from sim.world.space_arm.kernels.vectors import COMMON_JOINTS, LANES
from sim.world.space_arm.links import (
    Body,
    Link,
    SpaceArmError,
    merged,
    numbers,
    rotate_tensor,
    rotation_matrix,
    steiner,
)

__all__ = ["JOINTS_MAX", "JOINTS_MIN", "Arm", "Body", "Link", "SpaceArmError"]

Array = NDArray[np.float64]

JOINTS_MIN, JOINTS_MAX = 3, LANES
"""Fewest and most joints of an arm."""
_ENTRIES = ([0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2])
"""Indices of a symmetric tensor's entries in the kernels' order: xx, yy, zz, xy, xz, yz."""

_set = object.__setattr__


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """A fixed-base arm of three to eight joints. Arrays are read-only.

    Raises:
        SpaceArmError: too few or too many links, not as many drives, or wrong numbers.
    """

    name: str
    """Name of the arm."""
    links: tuple[Link, ...]
    """The joints with their links, from the base."""
    tool_rotation: Array
    """Axes of the gripper frame G in the last link's frame, as columns, shape (3, 3)."""
    tool_offset_m: Array
    """Origin of G in the last link's frame [m], shape (3,)."""
    gravity_m_s2: Array
    """Gravity in base axes [m/s2], shape (3,); zeros in orbit."""
    drives: tuple[JointDrive, ...]
    """Drives of the joints, from the base."""
    followed: tuple[bool, ...] = (True,) * 6
    """Whether each component of a wanted velocity of the gripper is followed: linear, then angular,
    in base axes. An arm of few joints leaves the others as they come."""
    _arrays: ArmArrays = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for what in ("links", "drives"):
            _set(self, what, tuple(getattr(self, what)))
        count = len(self.links)
        if not JOINTS_MIN <= count <= JOINTS_MAX:
            raise SpaceArmError(
                f"arm {self.name}: {count} links, must be {JOINTS_MIN} to {JOINTS_MAX}"
            )
        if len(self.followed) != 6 or not any(self.followed):
            raise SpaceArmError(f"arm {self.name}: followed {self.followed}, must be six, one true")
        if len(self.drives) != count:
            raise SpaceArmError(f"arm {self.name}: {len(self.drives)} drives, must be {count}")
        _set(self, "tool_rotation", rotation_matrix(self.tool_rotation, "tool_rotation"))
        _set(self, "tool_offset_m", numbers(self.tool_offset_m, (3,), "tool_offset_m"))
        _set(self, "gravity_m_s2", numbers(self.gravity_m_s2, (3,), "gravity_m_s2"))
        _set(self, "_arrays", _kernel_arrays(self))

    @property
    def joints(self) -> int:
        """Number of joints."""
        return len(self.links)

    @property
    def mass_kg(self) -> float:
        """Mass of all moving links."""
        return math.fsum(link.mass_kg for link in self.links)

    def lacks(self, effects: DriveEffects) -> str:
        """Say what is not given that drives with these effects need; empty if nothing is."""
        pairs = zip(self.links, self.drives, strict=True)
        names = [link.name for link, drive in pairs if drive.inductance_h is None]
        if not (effects.inductance and names):
            return ""
        return f"inductance_h is not given for the drive of {', '.join(names)}"

    def models(self) -> tuple[DriveModel, ...]:
        """List the drive models that this arm's drives are described for."""
        return tuple(model for model in DriveModel if not self.lacks(model.effects))

    def drive_table(self, effects: DriveEffects) -> Array:
        """Make the drives' table for the kernels, see `drive.drive_table`.

        Raises:
            SpaceArmError: if a drive is not described for these effects.
        """
        lacking = self.lacks(effects)
        if lacking:
            raise SpaceArmError(f"arm {self.name}: {lacking}")
        return drive_table(self.drives, effects)

    def arrays(self) -> ArmArrays:
        """Kernels' form of the arm, in frames K_i whose z is the joint's axis."""
        return self._arrays

    def with_links(self, links: Sequence[Link]) -> Self:
        """Replace the links of the arm."""
        return replace(self, links=tuple(links))

    def with_payload(self, body: Body) -> Self:
        """Merge a held body into the last link by the parallel axis theorem."""
        last = merged(self.links[-1], self.tool_rotation, self.tool_offset_m, body)
        return self.with_links((*self.links[:-1], last))


def _kernel_arrays(arm: Arm) -> ArmArrays:
    """Turn each link frame L_i into K_i; A_i are the axes of K_i in L_i."""
    table = np.zeros((ARM_ROWS, LANES))
    before = np.eye(3)
    for i, link in enumerate(arm.links):
        turn = _axes_along(link.axis)
        table[REST : REST + 9, i] = (before.T @ link.rotation @ turn).T.ravel()  # column by column
        table[OFFSET : OFFSET + 3, i] = before.T @ link.offset_m
        table[MASS, i] = link.mass_kg
        table[MOMENT : MOMENT + 3, i] = link.mass_kg * (turn.T @ link.com_m)
        about_joint = link.inertia_kg_m2 + link.mass_kg * steiner(link.com_m)
        inertia = rotate_tensor(turn.T, about_joint)
        table[INERTIA : INERTIA + 6, i] = inertia[_ENTRIES]
        table[SLIDE, i] = link.prismatic
        before = turn
    arrays = ArmArrays(
        lanes=LANES,
        links=table.flatten(),
        tool_rotation=np.ascontiguousarray(before.T @ arm.tool_rotation),
        tool_offset=before.T @ arm.tool_offset_m,
        gravity=np.array(arm.gravity_m_s2),
        wrench=np.zeros(6),
        mixed=None if _is_common(arm) else True,
    )
    for array in arrays:
        if isinstance(array, np.ndarray):
            array.setflags(write=False)
    return arrays


def _is_common(arm: Arm) -> bool:
    """Whether the arm has six joints, all revolute."""
    return arm.joints == COMMON_JOINTS and not any(link.prismatic for link in arm.links)


def _axes_along(axis: Array) -> Array:
    """Make a rotation whose third column is ``axis``; exact if that is a coordinate axis."""
    first = np.zeros(3)
    first[int(np.argmin(np.abs(axis)))] = 1.0
    first -= axis * (first @ axis)
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(axis, first), axis])
