"""The chain of an arm's joint frames, from the base to the last link.

Frames: K_i sits on joint i, moves with link i, and has the joint's axis as its z. A revolute joint
turns it about that axis, a prismatic one slides it along.

Most arms have six revolute joints; for those loops are written out and nothing asks what slides:
the functions take the count ``n`` and ``mixed``, whether any joint may slide, as constants.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.kernels.trigonometry import sine_cosine
from sim.world.space_arm.kernels.vectors import (
    LANES,
    Frame,
    add,
    put_vector,
    scaled,
    seen,
    vector_at,
)

Array = NDArray[np.float64]

# Rows of an arm's table, a lane a link:
REST = 0
"""Axes x, y, z of K_i at q_i = 0 in K_(i-1) (the base for joint 1), nine rows."""
OFFSET = 9
"""Origin of K_i in K_(i-1) [m]."""
MASS = 12
"""Mass of the link [kg]."""
MOMENT = 13
"""Mass times centre of mass, in K_i [kg m]."""
INERTIA = 16
"""Inertia about the origin of K_i, in K_i: xx, yy, zz, xy, xz, yz [kg m2]."""
SLIDE = 22
"""1 for a prismatic joint, 0 for a revolute one."""
ARM_ROWS = 23


class ArmArrays(NamedTuple):
    """An arm in the frames K of the kernels; see :meth:`sim.world.space_arm.arm.Arm.arrays`."""

    lanes: int  # of a row: known to the compiler, it would write the loops out one by one
    links: Array  # the table of the rows above, flat, shape (23 * 8,)
    tool_rotation: Array  # axes of the gripper frame G in the last K, shape (3, 3)
    tool_offset: Array  # origin of G in the last K [m], shape (3,)
    gravity: Array  # in base axes [m/s2], shape (3,)
    wrench: (
        Array  # on the gripper, `mass_and_bias` counts it: force [N], moment about G [N m], (6,)
    )
    mixed: bool | None  # None for six revolute joints, which the compiler knows; else True


# Rows of the kernels' intermediate results, a lane a joint, all but the first in base axes:
LOCAL = 0
"""Axes x and y of K_i at the joint's angle, in K_(i-1), six rows."""
FRAME = 6
"""Axes of K_i, nine rows."""
AXIS = FRAME + 6
"""Axis of the joint, a unit vector: the last axis of its frame."""
LEVER = 15
"""Lever from the joint before (the base) to this one [m]."""
RATE = 18
"""Rate of rotation of the link [rad/s]."""
SPIN = 21
"""Acceleration of its rotation [rad/s2]."""
PULL = 24
"""Acceleration of the joint's origin against gravity's [m/s2]."""
SEEN_MOMENT = 27
"""Mass times centre of mass, from the joint's origin [kg m]."""
SEEN_INERTIA = 30
"""Inertia about the joint's origin [kg m2], six rows."""
FORCE = 36
"""Force of the link's motion [N]."""
TORQUE = 39
"""Torque of the link's motion about the joint's origin [N m]."""
ANGLE = 42
"""Angle of the joint [rad]; 0 of a prismatic one."""
SCRATCH_ROWS = 43

Scratch = Array
"""Work table of the kernels: the rows above, flat."""


def make_scratch() -> Scratch:
    """Make a work table for the kernels; one for each thread that calls them."""
    return np.zeros(SCRATCH_ROWS * LANES)


@njit(cache=True, error_model="numpy", forceinline=True)
def slides(mixed: bool, links: Array, i: int) -> bool:
    """Whether joint ``i`` is prismatic."""
    return mixed and links[LANES * SLIDE + i] != 0.0


@njit(cache=True, error_model="numpy", forceinline=True)
def _turn_joints(n: int, mixed: bool, lanes: int, links: Array, q: Array, t: Scratch) -> None:
    """Turn every K_i in the frame before it."""
    for i in range(n):
        t[LANES * ANGLE + i] = 0.0 if slides(mixed, links, i) else q[i]
    for i in range(lanes):
        s, c = sine_cosine(t[LANES * ANGLE + i])
        x, y = vector_at(links, REST, i), vector_at(links, REST + 3, i)
        put_vector(t, LOCAL, i, (c * x[0] + s * y[0], c * x[1] + s * y[1], c * x[2] + s * y[2]))
        put_vector(t, LOCAL + 3, i, (c * y[0] - s * x[0], c * y[1] - s * x[1], c * y[2] - s * x[2]))


@njit(cache=True, error_model="numpy", forceinline=True)
def lay_out(n: int, mixed: bool, arm: ArmArrays, q: Array, t: Scratch) -> Frame:
    """Compute frames and levers; return the last link's frame."""
    _turn_joints(n, mixed, arm.lanes, arm.links, q, t)
    frame = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    for i in range(n):
        lever = vector_at(arm.links, OFFSET, i)
        if slides(mixed, arm.links, i):
            lever = add(lever, scaled(q[i], vector_at(arm.links, REST + 6, i)))
        put_vector(t, LEVER, i, seen(frame, lever))
        frame = (
            seen(frame, vector_at(t, LOCAL, i)),
            seen(frame, vector_at(t, LOCAL + 3, i)),
            seen(frame, vector_at(arm.links, REST + 6, i)),
        )
        put_vector(t, FRAME, i, frame[0])
        put_vector(t, FRAME + 3, i, frame[1])
        put_vector(t, AXIS, i, frame[2])
    return frame
