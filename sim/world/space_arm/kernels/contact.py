"""Contact of a held body's points with faces: springs, dampers and bristles of dry friction.

Each pair of a point and a face is a law of its own. Along the normal of the face a spring and a
damper push, never pull. Across it a bristle, a spring from where the point first stuck, with a
damper of its own, holds as long as friction does and is dragged along beyond that.

The wrench is held for a short step. The penetration that counts is that of the middle of the step,
so that the spring alone gives back what it took: for a mass on a spring the step is symplectic.
The rate that counts is led on to there by half its last change.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.kernels.vectors import Vector, add, cross, dot, scaled

Array = NDArray[np.float64]

NORMAL, RADIUS, FACE_COLUMNS = 3, 6, 7
"""Columns of a table of faces: centre [m], normal, radius [m]."""
BRISTLE, TOUCHING, PAIR_COLUMNS = 0, 3, 4
"""Columns of a table of pairs: deflection of the bristle in base axes [m], 1 if they touch."""


class ContactNumbers(NamedTuple):
    """A law of contact for the kernels."""

    stiffness_n_m: float
    damping_n_s_m: float
    friction: float


@njit(cache=True, error_model="numpy", forceinline=True)
def _row(table: Array, i: int, column: int) -> Vector:
    """Read a vector from three columns of a row."""
    return (table[i, column], table[i, column + 1], table[i, column + 2])


@njit(cache=True, error_model="numpy", forceinline=True)
def _rotated(rotation: Array, a: Vector) -> Vector:
    """Rotate a vector by a matrix of shape (3, 3)."""
    return (
        rotation[0, 0] * a[0] + rotation[0, 1] * a[1] + rotation[0, 2] * a[2],
        rotation[1, 0] * a[0] + rotation[1, 1] * a[1] + rotation[1, 2] * a[2],
        rotation[2, 0] * a[0] + rotation[2, 1] * a[1] + rotation[2, 2] * a[2],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def _face_height(faces: Array, f: int, place: Vector) -> tuple[float, float]:
    """Compute how far a place is before a face, and how far from the axis of its disc [m]."""
    off = add(place, scaled(-1.0, _row(faces, f, 0)))
    normal = _row(faces, f, NORMAL)
    height = dot(normal, off)
    beside = add(off, scaled(-height, normal))
    return height, math.sqrt(dot(beside, beside))


@njit(cache=True, error_model="numpy")
def least_height(rotation: Array, position: Array, points: Array, faces: Array) -> float:
    """Compute the least height of a body's points before the planes of the faces [m].

    Args:
        rotation: axes of the body's frame in the base, as columns, shape (3, 3).
        position: its origin [m], shape (3,).
        points: points of the body in its frame [m], shape (P, 3).
        faces: table of faces, shape (F, 7).
    """
    least = np.inf
    for p in range(points.shape[0]):
        lever = _rotated(rotation, _row(points, p, 0))
        place = add((position[0], position[1], position[2]), lever)
        for f in range(faces.shape[0]):
            least = min(least, _face_height(faces, f, place)[0])
    return least


@njit(cache=True, error_model="numpy", forceinline=True)
def _pushed(law: ContactNumbers, depth: float, closing: float) -> float:
    """Compute the force along the normal, never a pull [N]."""
    return max(0.0, law.stiffness_n_m * depth + law.damping_n_s_m * closing)


@njit(cache=True, error_model="numpy", forceinline=True)
def _rub(law: ContactNumbers, push: float, stretched: Vector, slip: Vector) -> tuple[Vector, float]:
    """Compute the force of a bristle [N], and the part of its deflection that is left.

    Args:
        push: force along the normal [N].
        stretched: deflection with what the step adds to it [m].
        slip: rate across the normal [m/s].
    """
    spring, most = law.stiffness_n_m * math.sqrt(dot(stretched, stretched)), law.friction * push
    left = min(1.0, most / spring) if spring > 0.0 else 1.0
    force = add(scaled(-law.stiffness_n_m * left, stretched), scaled(-law.damping_n_s_m, slip))
    size = math.sqrt(dot(force, force))
    return (scaled(most / size, force) if size > most else force), left


@njit(cache=True, error_model="numpy")
def press(
    rotation: Array, position: Array, twist: Array, twist_mid: Array, points: Array, faces: Array,
    law: ContactNumbers, step_s: float, pairs: Array, wrench_out: Array,
) -> bool:  # fmt: skip
    """Compute the wrench of a body's contacts for the step that begins; bristles are led on.

    Args:
        rotation: axes of the body's frame G in the base, as columns, shape (3, 3).
        position: origin of G [m], shape (3,).
        twist: linear velocity of that origin [m/s], then angular [rad/s], base axes, shape (6,).
        twist_mid: the same as foreseen for the middle of the step.
        points: points of the body in G [m], shape (P, 3).
        faces: table of faces, shape (F, 7).
        step_s: length of the step [s].
        pairs: table of pairs, a row for each point and face, shape (P F, 4); changed in place.
        wrench_out: gets force [N] and moment about the origin of G [N m], base axes, shape (6,).

    Returns:
        Whether anything touches.
    """
    touches = False
    total, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    turn = (twist[3], twist[4], twist[5])
    turn_mid = (twist_mid[3], twist_mid[4], twist_mid[5])
    for p in range(points.shape[0]):
        lever = _rotated(rotation, _row(points, p, 0))
        rate = add((twist[0], twist[1], twist[2]), cross(turn, lever))
        rate_mid = add((twist_mid[0], twist_mid[1], twist_mid[2]), cross(turn_mid, lever))
        lever = add(lever, scaled(0.5 * step_s, cross(turn, lever)))
        place = add((position[0], position[1], position[2]), lever)
        place = add(place, scaled(0.5 * step_s, (twist[0], twist[1], twist[2])))
        for f in range(faces.shape[0]):
            row = p * faces.shape[0] + f
            height, beside = _face_height(faces, f, place)
            if height >= 0.0 or beside > faces[f, RADIUS]:
                pairs[row, :] = 0.0
                continue
            touches = True
            normal = _row(faces, f, NORMAL)
            push = _pushed(law, -height, -dot(normal, rate_mid))
            slip = add(rate, scaled(-dot(normal, rate), normal))
            slip_mid = add(rate_mid, scaled(-dot(normal, rate_mid), normal))
            kept = _row(pairs, row, BRISTLE)
            force, left = _rub(law, push, add(kept, scaled(0.5 * step_s, slip)), slip_mid)
            kept = scaled(left, add(kept, scaled(step_s, slip)))
            pairs[row, 0], pairs[row, 1], pairs[row, 2], pairs[row, TOUCHING] = (
                kept[0], kept[1], kept[2], 1.0,
            )  # fmt: skip
            force = add(force, scaled(push, normal))
            total = add(total, force)
            moment = add(moment, cross(lever, force))
    for k in range(3):
        wrench_out[k] = total[k]
        wrench_out[3 + k] = moment[k]
    return touches


@njit(cache=True, error_model="numpy")
def work_of(
    wrench: Array, rotation: Array, position: Array, rotation_after: Array, position_after: Array
) -> float:
    """Compute the work of a held wrench on a frame that has moved a little [J].

    The turn is the axial part of the rotation between the two, exact to its third power.
    """
    work = 0.0
    for k in range(3):
        work += wrench[k] * (position_after[k] - position[k])
        i, j = (k + 1) % 3, (k + 2) % 3
        turn = 0.0
        for m in range(3):
            turn += rotation_after[j, m] * rotation[i, m] - rotation_after[i, m] * rotation[j, m]
        work += wrench[3 + k] * 0.5 * turn
    return work
