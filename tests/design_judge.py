"""Judge of a designed platform: joints, lengths, statics and errors in numpy alone.

It reads numbers of a rig's table and shares no code with the product: no geometry, Jacobian,
rotation, kernel or figure of it.
"""

import itertools

import numpy as np

DEG = np.pi / 180.0
BOX = ("x_m", "y_m", "z_m", "alpha_deg", "beta_deg", "gamma_deg")


def rotation(angles):
    """Rz(alpha) Ry(beta) Rx(gamma), written out."""
    (sa, sb, sg), (ca, cb, cg) = np.sin(angles), np.cos(angles)
    z = np.array([[ca, -sa, 0], [sa, ca, 0], [0, 0, 1]])
    y = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    return z @ y @ np.array([[1, 0, 0], [0, cg, -sg], [0, sg, cg]])


def joints(radius, half, turn):
    """Six joints on a circle, pairs about 0°, 120° and 240°, in the order of the legs."""
    middles = np.array([0, 1, 1, 2, 2, 0]) * 2.0 * np.pi / 3.0
    angles = turn + middles + half * np.array([1, -1, 1, -1, 1, -1])
    return radius * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(6)])


def plates_of(table):
    """Joints of both plates of a rig's table, each in its own axes, shapes (6, 3)."""
    of = table["geometry"]
    base = joints(of["base_radius_m"], of["base_half_angle_deg"] * DEG, 0.0)
    turn = of.get("plate_rotation_deg", 0.0) * DEG
    return base, joints(of["platform_radius_m"], of["platform_half_angle_deg"] * DEG, turn)


def at_pose(base, top, place, turn):
    """Lengths of the legs and the slopes of them by place and small turns, shapes (6,), (6, 6)."""
    arms = top @ turn.T
    legs = place + arms - base
    length = np.linalg.norm(legs, axis=1)
    unit = legs / length[:, None]
    return length, np.hstack([unit, np.cross(arms, unit)])


def poses_of(table):
    """Corners of a rig's pose box, middles of its faces and edges, its middle, shape (729, 6)."""
    ends = np.array([table["pose_box"][key] for key in BOX], dtype=float)
    ends[3:] *= DEG
    middles = ends.mean(axis=1)
    return np.array([*itertools.product(*np.column_stack([ends[:, 0], middles, ends[:, 1]]))])


def judged(table, mass_kg, centre_m, accelerations, gravity=9.80665):
    """Stroke without margins, error per error of all legs, and peak force over a rig's box."""
    base, top = plates_of(table)
    lengths, error, force = [], 0.0, 0.0
    for pose in poses_of(table):
        turn = rotation(pose[3:])
        length, slopes = at_pose(base, top, pose[:3], turn)
        lengths.append(length)
        error = max(error, np.linalg.norm(np.linalg.inv(slopes)[:3]))
        arm = turn @ centre_m
        for signs in itertools.product((-1.0, 1.0), repeat=3):
            push = mass_kg * (np.array(signs) * accelerations + np.array([0.0, 0.0, gravity]))
            wrench = np.concatenate([push, np.cross(arm, push)])
            force = max(force, np.abs(np.linalg.solve(slopes.T, wrench)).max())
    return np.max(lengths) - np.min(lengths), error, force
