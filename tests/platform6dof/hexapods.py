"""Hexapods and poses for the tests: the paper's, and one without any symmetry."""

import math

import numpy as np
from hypothesis import strategies as st

from platform6dof.geometry import HexapodGeometry

DEG = math.radians(1.0)


def paper() -> HexapodGeometry:
    return HexapodGeometry.from_circles(1.0, 14 * DEG, 0.70, 0.0, 0.64, 0.74)


def lopsided(screw_lead_m: float = 0.0) -> HexapodGeometry:
    """Six joints each anywhere: a swapped leg, axis or sign shows."""
    base = [
        [1.02, 0.21, 0.03],
        [-0.27, 0.95, -0.05],
        [-0.71, 0.83, 0.08],
        [-0.77, -0.69, 0.01],
        [-0.31, -1.04, -0.07],
        [0.94, -0.33, 0.05],
    ]
    top = [
        [0.47, 0.49, -0.04],
        [0.19, 0.66, 0.02],
        [-0.68, 0.11, -0.06],
        [-0.61, -0.17, 0.05],
        [0.21, -0.63, 0.03],
        [0.45, -0.47, -0.01],
    ]
    closed = [0.60, 0.64, 0.61, 0.66, 0.62, 0.63]
    stroke = [0.70, 0.72, 0.75, 0.69, 0.74, 0.71]
    return HexapodGeometry(base, top, closed, stroke, screw_lead_m=screw_lead_m)


def every_kind() -> list[HexapodGeometry]:
    return [paper(), lopsided(), lopsided(screw_lead_m=0.025)]


def numbers(bound: float) -> st.SearchStrategy[float]:
    return st.floats(-bound, bound, allow_nan=False, width=64)


@st.composite
def coordinates(draw: st.DrawFn) -> np.ndarray:
    """Poses well inside the workspace of each of the hexapods."""
    x, y, z = draw(numbers(0.12)), draw(numbers(0.12)), 0.95 + draw(numbers(0.15))
    return np.array([x, y, z, *(draw(numbers(0.2)) for _ in range(3))])


@st.composite
def vectors(draw: st.DrawFn, bound: float = 2.0) -> np.ndarray:
    return np.array([draw(numbers(bound)) for _ in range(6)])
