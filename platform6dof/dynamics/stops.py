"""Forces of stops begun at any moment of a motion.

A controlled stop slows all six legs together, so that the platform goes on along its path: the leg
that needs longest brakes with its full deceleration, the others in the same time. A quick stop is
the drives' own: each leg brakes by itself with its full deceleration. Both begin from the motion's
pose and twist at that moment; both are what a drive has to give in their first instant, and
`braked_along` follows a controlled stop to its end, where its pose is another one.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil_common.arrays.pose import Pose
from platform6dof.dynamics.inverse_dynamics import LegLoads, loads_of_states
from platform6dof.dynamics.machine import Machine
from platform6dof.forward import forward
from platform6dof.jacobian import leg_jacobian
from platform6dof.kernels import dynamics as kernel
from platform6dof.kernels import legs
from platform6dof.pose import PlatformSetpoint

Array = NDArray[np.float64]

AT_REST_M_S: Final = 1e-9
"""Speed of a leg up to which it has nothing to stop [m/s]."""
INERTIA_MAX: Final = 1e12
"""Greatest condition of an inertia [kg, kg m²] that has an inverse."""
PARTS_OF_STOP: Final = (0.25, 0.5, 0.75, 1.0)
"""Shares of a stop's time at which it is followed."""


@dataclass(frozen=True, slots=True, eq=False)
class Decelerations:
    """Decelerations of the six legs, shape (6,)."""

    controlled_m_s2: Array
    """Decelerations of the controlled stop, which all legs end together [m/s²]."""
    quick_m_s2: Array
    """Decelerations of each drive's own quick stop [m/s²]."""


def braked(machine: Machine, setpoints: Array, wanted: Array) -> LegLoads:
    """Forces at packed setpoints with other accelerations of the legs.

    Args:
        setpoints: shape (N, 24).
        wanted: accelerations of the legs [m/s²], shape (N, 6).
    """
    states, rows = legs.leg_states_and_rows(machine.geometry.table, setpoints)
    return braked_states(machine, setpoints, states, rows, wanted)


def braked_states(
    machine: Machine, setpoints: Array, states: Array, rows: Array, wanted: Array
) -> LegLoads:
    """`braked` where the legs of the setpoints are known; see `loads_of_states`."""
    changed, legs_changed = np.empty_like(setpoints), np.empty_like(states)
    kernel.accelerate_legs(setpoints, states, rows, wanted, changed, legs_changed)
    return loads_of_states(machine, changed, legs_changed, rows)


def loads_of_legs(
    machine: Machine, poses: Array, speeds_m_s: Array, accelerations_m_s2: Array
) -> LegLoads:
    """Forces where poses and the motion of the legs are known, as in a recording.

    Args:
        poses: packed setpoints whose twists do not count, shape (N, 24).
        speeds_m_s: of the legs, shape (N, 6).
        accelerations_m_s2: of the legs, shape (N, 6).
    """
    moving = np.array(poses)
    moving[:, 12:] = 0.0
    _, rows = legs.leg_states_and_rows(machine.geometry.table, moving)
    known = np.isfinite(moving).all(axis=1) & np.isfinite(speeds_m_s).all(axis=1)
    twists = np.full((len(moving), 6), np.nan)
    if known.any():
        twists[known] = np.linalg.solve(rows[known, 1:], speeds_m_s[known, :, None])[..., 0]
    moving[:, 12:18] = twists
    return braked(machine, moving, np.ascontiguousarray(accelerations_m_s2))


def controlled(speeds_m_s: Array, limits: Decelerations) -> Array:
    """Accelerations of the legs in a controlled stop [m/s²], of speeds of shape (N, 6)."""
    stop_s = (np.abs(speeds_m_s) / limits.controlled_m_s2).max(axis=1, keepdims=True)
    moving = stop_s > AT_REST_M_S / limits.controlled_m_s2.max()
    return np.where(moving, -speeds_m_s / np.where(moving, stop_s, 1.0), 0.0)


def quick(speeds_m_s: Array, limits: Decelerations) -> Array:
    """Accelerations of the legs in a quick stop [m/s²], of speeds of shape (N, 6)."""
    return np.where(np.abs(speeds_m_s) > AT_REST_M_S, -np.sign(speeds_m_s) * limits.quick_m_s2, 0.0)


def braked_along(machine: Machine, setpoint: PlatformSetpoint, limits: Decelerations) -> Array:
    """Forces throughout one controlled stop, shape (moments, 6), its begin first [N].

    Poses are those of the legs' lengths; where none is found, the rest of the stop is left out.
    """
    state = np.empty((3, 6))
    legs.leg_state(machine.geometry.table, setpoint.packed, state)
    begin = controlled(state[1][None], limits)
    found = [braked(machine, np.array(setpoint.packed)[None], begin).force_n[0]]
    slowed = float(np.abs(begin[0]).max())
    if slowed == 0.0:
        return np.array(found)
    stop_s = float(np.abs(state[1]).max() / slowed)
    guess = setpoint.X_BP
    for share in PARTS_OF_STOP:
        lengths = state[0] + state[1] * stop_s * (share - 0.5 * share**2)
        result = forward(machine.geometry, lengths, guess)
        if not result.converged:
            break
        guess = result.X_BP
        found.append(_at(machine, guess, (1.0 - share) * state[1], begin))
    return np.array(found)


def braking_lost(machine: Machine, setpoints: Array, rows: Array, lacking_n: Array) -> Array:
    """Accelerations of the legs that forces which are not there would give [m/s²], shape (N, 6).

    J H^-1 J^T f, H the inertia at each pose as of `stiffness.mass_matrix`. Infinite where H has no
    inverse: a body without moments on legs without weight turns as fast as one likes.

    Args:
        setpoints: packed, shape (N, 24).
        rows: lengths and rows of the Jacobian, shape (N, 7, 6).
        lacking_n: forces, shape (N, 6).
    """
    weightless = Machine(machine.geometry, machine.bodies, machine.legs, np.zeros(3))
    units = np.repeat(setpoints, 6, axis=0)
    units[:, 12:] = 0.0
    for axis in range(6):
        units[axis::6, 18 + axis] = 1.0
    states, unit_rows = legs.leg_states_and_rows(machine.geometry.table, units)
    columns = loads_of_states(weightless, units, states, unit_rows).force_n.reshape(-1, 6, 6)
    J = rows[:, 1:]
    H = np.einsum("nji,nkj->nik", J, columns)
    wrench = np.einsum("nji,nj->ni", J, lacking_n)[..., None]
    lost = np.full(lacking_n.shape, np.inf)
    known = np.linalg.cond(H) < INERTIA_MAX
    lost[known] = (J[known] @ np.linalg.solve(H[known], wrench[known]))[..., 0]
    return lost


def _at(machine: Machine, X_BP: Pose, speeds_m_s: Array, wanted: Array) -> Array:
    """Forces at a pose with speeds and accelerations of the legs [N], shape (6,)."""
    twist = np.linalg.solve(leg_jacobian(machine.geometry, X_BP), speeds_m_s)
    moving = PlatformSetpoint(X_BP, np.asarray(twist, dtype=np.float64), np.zeros(6))
    return braked(machine, np.array(moving.packed)[None], wanted).force_n[0]
