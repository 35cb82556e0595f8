"""Screws of cylinders: life, buckling, critical speed."""

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

STEEL_PA: Final = 206e9
"""Modulus of elasticity of steel [Pa]."""
STEEL_KG_M3: Final = 7850.0
"""Density of steel [kg/m³]."""
BUCKLING_SAFETY: Final = 0.5
"""Part of Euler's force that a screw is loaded with, as makers of ball screws write it."""
SPEED_SAFETY: Final = 0.8
"""Part of the critical speed that a screw is turned at, likewise."""


class EndFixing(NamedTuple):
    """How both ends of a screw or rod are held: factors of the Euler beam."""

    buckling: float
    """Factor of pi² E I / L², that is 1 over the square of the effective length's factor."""
    whirling: float
    """First root of the beam's frequency equation, lambda."""


FIXED_FREE: Final = EndFixing(0.25, 1.87510)
PINNED: Final = EndFixing(1.0, math.pi)
FIXED_PINNED: Final = EndFixing(2.04575, 3.92660)
FIXED: Final = EndFixing(4.0, 4.73004)


def cubic_mean_force_n(force_n: ArrayLike, path_m: ArrayLike) -> float:
    """Constant force with the same wear of the rolling elements as a varying one [N].

    F_m = (sum |F|³ ds / sum ds)^(1/3), over the path and not over the time. Source: ISO 3408-5,
    mean load under varying loads (exponent 3 for balls).

    Args:
        force_n: forces [N], shape (N,).
        path_m: path under each of them, 0 or more [m], shape (N,).

    Returns:
        The mean; 0.0 where nothing moves.
    """
    force, path = np.abs(np.asarray(force_n, np.float64)), np.asarray(path_m, np.float64)
    total = float(path.sum())
    return float((force**3 * path).sum() / total) ** (1.0 / 3.0) if total > 0.0 else 0.0


def life_m(dynamic_rating_n: float, mean_force_n: float, lead_m: float) -> float:
    """Path that nine of ten screws reach [m].

    L10 = (C / F_m)³ 10⁶ turns, times the lead. Source: ISO 3408-5, nominal life.
    """
    if mean_force_n <= 0.0:
        return math.inf
    return (dynamic_rating_n / mean_force_n) ** 3 * 1e6 * lead_m


def buckling_force_n(diameter_m: float, length_m: float, ends: EndFixing = PINNED) -> float:
    """Compressing force at which a steel rod buckles [N].

    F = n pi² E I / L², I = pi d⁴ / 64. Source: Euler's column; Shigley, Mechanical Engineering
    Design, section on long columns with central loading.

    Args:
        diameter_m: of the solid rod, or of the screw's root [m].
        length_m: between the supports [m].
        ends: how its ends are held.
    """
    inertia = math.pi * diameter_m**4 / 64.0
    return ends.buckling * math.pi**2 * STEEL_PA * inertia / length_m**2


def critical_speed_rpm(diameter_m: float, length_m: float, ends: EndFixing = FIXED_PINNED) -> float:
    """Turns per minute at which a steel screw whirls [1/min].

    n = 60 lambda² / (2 pi L²) sqrt(E I / (rho A)), and sqrt(I / A) = d / 4. Source: first bending
    frequency of a uniform beam; Timoshenko, Vibration Problems in Engineering, section 5.

    Args:
        diameter_m: of the screw's root [m].
        length_m: between the supports [m].
        ends: how its ends are held.
    """
    radius_of_gyration = diameter_m / 4.0
    wave = math.sqrt(STEEL_PA / STEEL_KG_M3) * radius_of_gyration
    return 60.0 * ends.whirling**2 / (2.0 * math.pi * length_m**2) * wave
