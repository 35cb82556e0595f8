"""Arms and joint angles for the tests: the PUMA 560, and one whose lengths are all different."""

import math

import numpy as np
from hypothesis import strategies as st

from arm_driver.kinematics.geometry import PumaGeometry

DEG = math.radians(1.0)


def puma() -> PumaGeometry:
    return PumaGeometry()


def lopsided() -> PumaGeometry:
    """Negative forearm offset, long tool, ranges of more than a turn: a swapped length shows."""
    return PumaGeometry(
        a2_m=0.37,
        a3_m=-0.05,
        d3_m=0.11,
        d4_m=0.45,
        base_height_m=0.5,
        tool_m=0.17,
        position_min_rad=np.radians([-350.0, -170.0, -300.0, -400.0, -120.0, -266.0]),
        position_max_rad=np.radians([200.0, 225.0, 120.0, 170.0, 110.0, 500.0]),
    )


def every_arm() -> list[PumaGeometry]:
    return [puma(), lopsided()]


def links(geometry: PumaGeometry) -> list[tuple[float, float, float]]:
    """d [m], a [m] and alpha [rad] of each joint: the table as the literature prints it."""
    quarter = math.pi / 2
    return [
        (geometry.base_height_m, 0.0, quarter),
        (0.0, geometry.a2_m, 0.0),
        (geometry.d3_m, geometry.a3_m, -quarter),
        (geometry.d4_m, 0.0, quarter),
        (0.0, 0.0, -quarter),
        (geometry.tool_m, 0.0, 0.0),
    ]


def denavit_hartenberg(geometry: PumaGeometry, q) -> list[np.ndarray]:
    """Homogeneous transforms of the frames 0..6 in the base, by plain matrix products."""
    frames = [np.eye(4)]
    for angle, (d, a, alpha) in zip(q, links(geometry), strict=True):
        turn, shift, tilt = np.eye(4), np.eye(4), np.eye(4)
        turn[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
        shift[0, 3], shift[2, 3] = a, d
        tilt[1:3, 1:3] = [[math.cos(alpha), -math.sin(alpha)], [math.sin(alpha), math.cos(alpha)]]
        frames.append(frames[-1] @ turn @ shift @ tilt)
    return frames


def anywhere(geometry: PumaGeometry) -> st.SearchStrategy[np.ndarray]:
    """Joint angles over the whole joint space, its borders and singularities among them."""
    special = [0.0, math.pi / 2, -math.pi / 2, -math.atan2(geometry.d4_m, geometry.a3_m)]
    each = []
    for low, high in zip(geometry.position_min_rad, geometry.position_max_rad, strict=True):
        inside = [x for x in special if low <= x <= high]
        each.append(st.one_of(st.floats(low, high), st.sampled_from([low, high, *inside])))
    return st.tuples(*each).map(np.array)


def sample(geometry: PumaGeometry, count: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return generator.uniform(geometry.position_min_rad, geometry.position_max_rad, (count, 6))
