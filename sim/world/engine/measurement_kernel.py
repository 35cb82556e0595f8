"""Corrections of the engine's measurements, compiled, for `sim.world.engine.sensor_measurement`."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@njit(cache=True)
def measure_values(
    sensed: Array,
    pick: Indices,
    rays: Indices,
    ranges_m: Array,
    touching: Indices,
    weights: Indices,
    masses_kg: Array,
    arms: Array,
    first_axes: Indices,
    site_axes: Array,
    joint_axes: Array,
    gravity_m_s2: Array,
    values: Array,
) -> None:
    """Work out the values of all sensors.

    Args:
        sensed: what the engine measures, shape (measurements,).
        pick: which of it are values, shape (values,).
        rays: values that are distances, shape (rays,).
        ranges_m: beyond which a ray sees nothing, shape (rays,).
        touching: values that count contacts, shape (count,).
        weights: the first value of a wrench, and its site, shape (tools, 2).
        masses_kg: of the tools, shape (tools,).
        arms: product with it is the moment of a force at the tool's centre, shape (tools, 3, 3).
        first_axes: value, first measurement, site and joint of universal ones, shape (joints, 4).
        site_axes: in the world, shape (sites, 9).
        joint_axes: in the world, shape (engine's joints, 3).
        gravity_m_s2: in the world, shape (3,).
        values: shape (values,); written.
    """
    for index in range(len(pick)):
        values[index] = sensed[pick[index]]
    for index in range(len(rays)):
        seen = values[rays[index]]
        if seen < 0.0 or seen > ranges_m[index]:  # -1 if nothing is hit
            values[rays[index]] = np.inf
    for at in touching:
        values[at] = min(values[at], 1.0)  # the engine counts
    weight_n = np.empty(3)
    for index in range(len(weights)):
        at, axes = weights[index, 0], site_axes[weights[index, 1]]
        for column in range(3):
            pull = gravity_m_s2[0] * axes[column]
            pull += gravity_m_s2[1] * axes[3 + column]
            pull += gravity_m_s2[2] * axes[6 + column]
            weight_n[column] = masses_kg[index] * pull
        for row in range(3):
            values[at + row] += weight_n[row]
            arm = arms[index, row]
            moment = arm[0] * weight_n[0] + arm[1] * weight_n[1] + arm[2] * weight_n[2]
            values[at + 3 + row] += moment
    for index in range(len(first_axes)):
        at, torque, site, joint = first_axes[index]
        axes, axis, about = site_axes[site], joint_axes[joint], 0.0
        for row in range(3):
            along = axes[3 * row] * sensed[torque] + axes[3 * row + 1] * sensed[torque + 1]
            about += axis[row] * (along + axes[3 * row + 2] * sensed[torque + 2])
        values[at] = about
