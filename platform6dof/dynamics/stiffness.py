"""Stiffness of the platform on its screws, what bends it, and how it swings.

A leg yields along itself only, by its axial stiffness k. A wrench w on the platform then moves it
by K x = w with K = Jᵀ diag(k) J (Gosselin, "Stiffness mapping for parallel manipulators", IEEE
Trans. Robotics and Automation 6 (1990) 377-382). A force alone at its origin moves the origin by
the upper left quarter of K⁻¹ = J⁻¹ diag(1/k) J⁻ᵀ, whose greatest eigenvalue is the greatest
compliance of any direction; its reciprocal is the least stiffness of translation.

Held by locked rotors it swings on these springs with the frequencies of K x = ω² H x, H the inertia
of all that moves then; played by the drives it is moved with the rotors too, and the masses that
they feel are the eigenvalues of (J H⁻¹ Jᵀ)⁻¹.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.arrays.pose import Pose
from platform6dof.dynamics.inverse_dynamics import loads_of_setpoints
from platform6dof.dynamics.machine import Machine
from platform6dof.geometry import HexapodGeometry
from platform6dof.jacobian import inverse_jacobians, leg_jacobian
from platform6dof.pose import PlatformSetpoint

Array = NDArray[np.float64]

AXES: Final = ("surge", "sway", "heave", "roll", "pitch", "yaw")
"""Names of motions along and about x, y, z."""


@dataclass(frozen=True, slots=True)
class SwingingMode:
    """Mode of a platform that swings on its screws."""

    axis: str
    """Motion of `AXES` with the largest share."""
    frequency_hz: float
    """Natural frequency [Hz]."""


def mass_matrix(machine: Machine, X_BP: Pose, *, rotors: bool = True) -> Array:
    """Inertia of the whole machine for twists in base axes, shape (6, 6).

    Column k is the wrench of a unit acceleration without weight: H = Jᵀ f of `loads_of_setpoints`.

    Args:
        rotors: whether they turn along.
    """
    bodies = machine.legs if rotors else replace(machine.legs, rotor_kg=0.0)
    weightless = Machine(machine.geometry, machine.bodies, bodies, np.zeros(3))
    rows = [PlatformSetpoint(X_BP, np.zeros(6), unit).packed for unit in np.eye(6)]
    forces_n = loads_of_setpoints(weightless, np.array(rows)).force_n  # (6, 6), a row each
    H = leg_jacobian(machine.geometry, X_BP).T @ forces_n.T
    return np.asarray(0.5 * (H + H.T), dtype=np.float64)


def stiffness_matrix(machine: Machine, X_BP: Pose, axial_n_m: ArrayLike) -> Array:
    """Stiffness for twists in base axes, [N/m, N; N, N m/rad], shape (6, 6).

    Args:
        axial_n_m: stiffness along each leg, one for all or six [N/m].
    """
    J = leg_jacobian(machine.geometry, X_BP)
    k = np.broadcast_to(np.asarray(axial_n_m, dtype=np.float64), (6,))
    return np.asarray(J.T @ (k[:, None] * J), dtype=np.float64)


def deflection(K: Array, wrench: ArrayLike) -> Array:
    """Shift [m] and turn [rad] of the platform under a wrench at its origin, shape (6,)."""
    return np.asarray(np.linalg.solve(K, np.asarray(wrench, dtype=np.float64)), dtype=np.float64)


def least_stiffness_n_m(
    geometry: HexapodGeometry, axial_n_m: ArrayLike, coordinates: Array
) -> Array:
    """Least stiffness of translation at many poses [N/m], shape (N,); not a number if singular.

    The force per shift of the platform's origin in the direction in which it yields most to a force
    there without moment; the platform may turn meanwhile.

    Args:
        axial_n_m: stiffness along each leg, one for all or six [N/m].
        coordinates: x, y, z, alpha, beta, gamma [m, rad], shape (N, 6).
    """
    _, inverses = inverse_jacobians(geometry, coordinates)
    compliance = 1.0 / np.broadcast_to(np.asarray(axial_n_m, dtype=np.float64), (6,))
    place = inverses[:, :3]
    quarter = (place * compliance) @ place.transpose(0, 2, 1)  # (N, 3, 3)
    known = np.isfinite(quarter).all(axis=(1, 2))
    found = np.full(len(quarter), np.nan)
    found[known] = 1.0 / np.linalg.eigvalsh(quarter[known])[:, 2]
    return found


def swinging_modes(machine: Machine, X_BP: Pose, axial_n_m: ArrayLike) -> tuple[SwingingMode, ...]:
    """Six modes of the platform on its screws, rotors locked, the lowest first."""
    K = stiffness_matrix(machine, X_BP, axial_n_m)
    H = mass_matrix(machine, X_BP, rotors=False)
    root = np.linalg.inv(np.linalg.cholesky(H))
    squares, shapes = np.linalg.eigh(root @ K @ root.T)
    scale = np.array([1.0, 1.0, 1.0, *[machine.geometry.length_scale_m] * 3])
    weights = np.abs(root.T @ shapes) * scale[:, None]
    frequencies = np.sqrt(squares) / (2.0 * np.pi)
    return tuple(
        SwingingMode(AXES[int(axis)], float(frequency))
        for axis, frequency in zip(weights.argmax(axis=0), frequencies, strict=True)
    )
