"""Stability of six drives' servos on a coupled body: its six modes against their gains.

Each drive has the same law: force = k_v (1 + 1 / (T_i s)) (v* - v) with v* = v_ref + k_p (x_ref -
x). The body moves with H z'' = J^T f, its rods with x = J z, so x'' = (J H^-1 J^T) f. As all six
laws are one, the eigenvectors of J H^-1 J^T are modes of the closed loop too, each a single mass m
= 1 / eigenvalue under one drive:

    m s^3 + k_v s^2 + k_v (k_p + 1 / T_i) s + k_v k_p / T_i = 0

which by Routh's criterion is stable for m < k_v (T_i + 1 / k_p): too great a mass swings against
the integral. A sampled drive sets its force once a step h, which a small mass answers too fast: the
sampled polynomial has its root at z = -1 at m = k_v h / 2 (1 + k_p h / 2) (1 + h / (2 T_i)), Jury's
criterion (Åström and Wittenmark, Computer-Controlled Systems, 3rd ed., section 3.2).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

AXES: Final = ("surge", "sway", "heave", "roll", "pitch", "yaw")
"""Names of motions along and about x, y, z."""
ARM_M: Final = 0.7
"""Length by which turning is compared with moving [m]."""
PAYLOAD_MAX_KG: Final = 1e5
"""Greatest payload up to which the largest stable one is searched."""


@dataclass(frozen=True, slots=True)
class PlatformMode:
    """One mode of the rods."""

    axis: str
    """Motion of `AXES` with the largest share."""
    mass_kg: float
    """Mass that one drive would feel at its rod."""


@dataclass(frozen=True, slots=True)
class MassRange:
    """Modal masses that a servo holds."""

    least_kg: float
    greatest_kg: float

    @classmethod
    def of(cls, k_p: float, k_v: float, t_i_s: float, step_s: float) -> "MassRange":
        """Compute the range of a law (see the module).

        Args:
            k_p: of the position loop [1/s].
            k_v: of the speed loop [N s/m].
            t_i_s: its integral time [s].
            step_s: in which the drive computes [s].
        """
        sampled = (1.0 + 0.5 * k_p * step_s) * (1.0 + 0.5 * step_s / t_i_s)
        return cls(0.5 * k_v * step_s * sampled, k_v * (t_i_s + 1.0 / k_p))

    def holds(self, mass_kg: float) -> bool:
        """Whether a mode of this mass is damped."""
        return self.least_kg < mass_kg < self.greatest_kg


class UnstableModeError(ValueError):
    """Unstable mode of the servos: its mass, the limits, the largest payload."""

    def __init__(
        self, mode: PlatformMode, masses: MassRange, payload_kg: float, largest_kg: float
    ) -> None:
        self.mode: PlatformMode = mode
        self.masses: MassRange = masses
        self.payload_kg: float = payload_kg
        self.largest_kg: float = largest_kg
        held = f"({masses.least_kg:.0f}, {masses.greatest_kg:.0f}) kg"
        remedy = f"at most {largest_kg:.0f} kg hold" if largest_kg > 0.0 else "no payload holds"
        super().__init__(
            f"platform and payload of {payload_kg:g} kg: {mode.axis} has a modal mass of "
            f"{mode.mass_kg:.0f} kg at the drives, outside {held} that their gains hold "
            f"(k_v (T_i + 1/k_p) at most): {remedy}; or a greater k_v or T_i, a smaller k_p"
        )


def platform_modes(J: Array, H: Array) -> tuple[PlatformMode, ...]:
    """Compute the modes of the rods, the heaviest first: eigenvalues of (J H^-1 J^T)^-1.

    Args:
        J: of the rods by the platform's twist, shape (6, 6).
        H: inertia of the whole machine for that twist, shape (6, 6).
    """
    yielding, shapes = np.linalg.eigh(J @ np.linalg.solve(H, J.T))  # ascending
    twists = np.linalg.solve(H, J.T @ shapes)  # a mode's motion of the platform, a column each
    weights = np.abs(twists) * np.array([1.0, 1.0, 1.0, ARM_M, ARM_M, ARM_M])[:, None]
    axes = [AXES[int(index)] for index in weights.argmax(axis=0)]
    return tuple(
        PlatformMode(axis, 1.0 / float(value)) for axis, value in zip(axes, yielding, strict=True)
    )


def largest_payload_kg(H_of: Callable[[float], Array], J: Array, masses: MassRange) -> float:
    """Find the largest payload whose modes are all held, 0 if none is; by halving.

    Modal masses grow with the payload, for H grows (Weyl's monotonicity).

    Args:
        H_of: inertia by the payload's mass [kg].
    """

    def held(payload_kg: float) -> bool:
        return platform_modes(J, H_of(payload_kg))[0].mass_kg < masses.greatest_kg

    low_kg, high_kg = 0.0, PAYLOAD_MAX_KG
    while high_kg - low_kg > 1e-3:
        middle_kg = 0.5 * (low_kg + high_kg)
        low_kg, high_kg = (middle_kg, high_kg) if held(middle_kg) else (low_kg, middle_kg)
    return low_kg if low_kg > 0.0 and held(low_kg) else 0.0


def require_stable(
    J: Array, H_of: Callable[[float], Array], payload_kg: float, masses: MassRange
) -> tuple[PlatformMode, ...]:
    """Compute the modes of a rig with a payload, and refuse unstable ones.

    Args:
        J: of the rods, shape (6, 6).
        H_of: inertia by the payload's mass [kg], shape (6, 6).

    Raises:
        UnstableModeError: if the servos do not hold one of them.
    """
    modes = platform_modes(J, H_of(payload_kg))
    for mode in modes:
        if not masses.holds(mode.mass_kg):
            largest_kg = largest_payload_kg(H_of, J, masses)
            raise UnstableModeError(mode, masses, payload_kg, largest_kg)
    return modes
