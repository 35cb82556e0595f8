"""A platform on six legs by Newton and Euler, body by body: shares nothing with what it judges.

Every body has a frame; poses of frames at five moments give its velocities and accelerations by
differences. Each leg has a universal joint (a force, a moment about its third axis), a slide (two
forces, three moments, the drive's force) and a ball joint (a force): 13 unknown numbers, and 2
bodies with 6 equations; with the platform's 6 there are as many equations as unknown numbers. They
are solved together: no Jacobian, no virtual work, no reduction to the platform.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

STEP_S = 2e-3
STENCIL = np.array([-2, -1, 0, 1, 2])
FIRST = np.array([1, -8, 0, 8, -1]) / 12.0
SECOND = np.array([-1, 16, -30, 16, -1]) / 12.0


@dataclass
class LegNumbers:
    """Of one leg, in m, kg, kg m²: centres from the joint at its own end."""

    tube_kg: float
    tube_centre: float
    tube_across: float
    tube_along: float
    rod_kg: float
    rod_centre: float
    rod_across: float
    rod_along: float
    rotor_kg: float


@dataclass
class PlatformNumbers:
    """Of platform and what stands on it: mass, centre and central tensor of each body."""

    bodies: list[tuple[float, np.ndarray, np.ndarray]]


def rx(t):
    return np.array([[1, 0, 0], [0, np.cos(t), -np.sin(t)], [0, np.sin(t), np.cos(t)]])


def ry(t):
    return np.array([[np.cos(t), 0, np.sin(t)], [0, 1, 0], [-np.sin(t), 0, np.cos(t)]])


def rz(t):
    return np.array([[np.cos(t), -np.sin(t), 0], [np.sin(t), np.cos(t), 0], [0, 0, 1]])


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def vee(matrix):
    return 0.5 * np.array(
        [matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]]
    )


def joint_frame(neutral_axis):
    """Axes of a leg's universal joint at rest: z along the leg, x horizontal."""
    z = neutral_axis / np.linalg.norm(neutral_axis)
    x = np.array([-z[1], z[0], 0.0])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def leg_frame(start, along):
    """Turned about the joint's first axis, then about its second."""
    x, y, z = start.T @ (along / np.linalg.norm(along))
    return start @ rx(np.arctan2(-y, z)) @ ry(np.arcsin(x))


def motion(points):
    """Value, first and second derivative of five values about a moment."""
    values = np.array(points)
    flat = values.reshape(5, -1)
    shape = values.shape[1:]
    return (
        values[2],
        (FIRST @ flat).reshape(shape) / STEP_S,
        (SECOND @ flat).reshape(shape) / STEP_S**2,
    )


def body_load(mass, tensor, rotations, centres, gravity):
    """Force and moment about its centre that a body needs."""
    turn, turn_dot, turn_ddot = motion(rotations)
    omega = vee(turn_dot @ turn.T)
    alpha = vee(turn_ddot @ turn.T + turn_dot @ turn_dot.T)
    place, _, acceleration = motion(centres)
    inside = turn @ tensor @ turn.T
    moment = inside @ alpha + np.cross(omega, inside @ omega)
    return place, mass * (acceleration - gravity), moment


def drive_forces(
    base: np.ndarray,
    platform: np.ndarray,
    neutral_axes: np.ndarray,
    load: PlatformNumbers,
    legs: list[LegNumbers],
    coordinates: Callable[[float], np.ndarray],
    t_s: float,
    gravity: np.ndarray,
) -> np.ndarray:
    """Force of each drive along its rod [N], the rotor's own among them, shape (6,).

    Args:
        base: joints of the base, shape (6, 3).
        platform: joints of the platform in its own axes, shape (6, 3).
        neutral_axes: legs' directions at rest, shape (6, 3).
        coordinates: x, y, z, alpha, beta, gamma by time.
    """
    times = t_s + STENCIL * STEP_S
    poses = [coordinates(t) for t in times]
    turns = [rz(q[3]) @ ry(q[4]) @ rx(q[5]) for q in poses]
    places = [q[:3] for q in poses]
    left, right = np.zeros((78, 78)), np.zeros(78)

    def balance(row, force_columns, moment_columns, centre):
        """Forces (columns, direction, point) and moments (columns, axis) on a body."""
        for column, direction, point in force_columns:
            left[row : row + 3, column] += direction
            left[row + 3 : row + 6, column] += np.cross(point - centre, direction)
        for column, axis in moment_columns:
            left[row + 3 : row + 6, column] += axis

    platform_row, platform_origin = 72, places[2]
    total_force, total_moment = np.zeros(3), np.zeros(3)
    for mass, centre, tensor in load.bodies:
        centres = [p + turn @ centre for p, turn in zip(places, turns, strict=True)]
        at, force, moment = body_load(mass, tensor, turns, centres, gravity)
        total_force += force
        total_moment += moment + np.cross(at - platform_origin, force)
    right[platform_row : platform_row + 3] = total_force
    right[platform_row + 3 : platform_row + 6] = total_moment

    rotor_n = np.zeros(6)
    unit = np.eye(3)
    for i, own in enumerate(legs):
        tops = [p + turn @ platform[i] for p, turn in zip(places, turns, strict=True)]
        along = [top - base[i] for top in tops]
        lengths = [np.linalg.norm(one) for one in along]
        start = joint_frame(neutral_axes[i])
        frames = [leg_frame(start, one) for one in along]
        tube = [base[i] + own.tube_centre * one[:, 2] for one in frames]
        rod = [
            base[i] + (length - own.rod_centre) * one[:, 2]
            for length, one in zip(lengths, frames, strict=True)
        ]
        tube_tensor = np.diag([own.tube_across, own.tube_across, own.tube_along])
        rod_tensor = np.diag([own.rod_across, own.rod_across, own.rod_along])
        tube_load = body_load(own.tube_kg, tube_tensor, frames, tube, gravity)
        rod_load = body_load(own.rod_kg, rod_tensor, frames, rod, gravity)
        rotor_n[i] = own.rotor_kg * motion(lengths)[2]
        frame, top = frames[2], tops[2]
        third = np.cross(start[:, 0], frame[:, 1])  # of the universal joint: it turns about x, y
        c = 13 * i
        # Columns: base force 0-2, base moment 3, slide's forces 4-5, its moments 6-8, drive 9,
        # ball's force 10-12. Slide, drive and ball act on the rod as they are written.
        for body, sign, (at, force, moment) in (("tube", -1.0, tube_load), ("rod", 1.0, rod_load)):
            row = 12 * i + (0 if body == "tube" else 6)
            right[row : row + 3], right[row + 3 : row + 6] = force, moment
            pushes = [
                (c + 4, sign * frame[:, 0], rod_load[0]),
                (c + 5, sign * frame[:, 1], rod_load[0]),
                (c + 9, sign * frame[:, 2], rod_load[0]),
            ]
            turnings = [(c + 6 + k, sign * frame[:, k]) for k in range(3)]
            if body == "tube":
                pushes += [(c + k, unit[k], base[i]) for k in range(3)]
                turnings += [(c + 3, third)]
            else:
                pushes += [(c + 10 + k, unit[k], top) for k in range(3)]
            balance(row, pushes, turnings, at)
        pushes = [(c + 10 + k, -unit[k], top) for k in range(3)]
        balance(platform_row, pushes, [], platform_origin)
    return np.linalg.solve(left, right)[9::13] + rotor_n
