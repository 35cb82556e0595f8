"""The torques of a wrench on the gripper: what acts there from outside, seen by each joint."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.kernels.chain import (
    AXIS,
    FRAME,
    LEVER,
    ArmArrays,
    Scratch,
    slides,
)
from sim.world.space_arm.kernels.vectors import add, cross, dot, frame_at, seen, vector_at

Array = NDArray[np.float64]


@njit(cache=True, error_model="numpy", forceinline=True)
def take_wrench(n: int, mixed: bool, arm: ArmArrays, t: Scratch, bias_out: Array) -> None:
    """Subtract the torques of the wrench on the gripper from the bias; nothing if it is 0.

    Args:
        t: work table in which `chain.lay_out` has left frames and levers.
        bias_out: bias of the joints [N m], shape (n,).
    """
    wrench = arm.wrench
    force, torque = (wrench[0], wrench[1], wrench[2]), (wrench[3], wrench[4], wrench[5])
    none = force[0] == 0.0 and force[1] == 0.0 and force[2] == 0.0
    if none and torque[0] == 0.0 and torque[1] == 0.0 and torque[2] == 0.0:
        return
    tool = (arm.tool_offset[0], arm.tool_offset[1], arm.tool_offset[2])
    torque = add(torque, cross(seen(frame_at(t, FRAME, n - 1), tool), force))
    for k in range(n):
        i = n - 1 - k
        bias_out[i] -= dot(vector_at(t, AXIS, i), force if slides(mixed, arm.links, i) else torque)
        torque = add(torque, cross(vector_at(t, LEVER, i), force))
