"""A robot's TOML worked out by hand: frames as products of screws, masses in closed forms.

Nothing of the project is used but the table that `tomllib` reads.
"""

import math

import numpy as np
from scipy.spatial.transform import Rotation


def screw(axis, angle, way):
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler(axis, angle).as_matrix()
    pose["xyz".index(axis), 3] = way
    return pose


def dh_pose(dh):
    keys = ("gamma_rad", "b_m"), ("alpha_rad", "d_m"), ("theta_rad", "r_m")
    pose = np.eye(4)
    for axis, (angle, way) in zip("zxz", keys, strict=True):
        pose = pose @ screw(axis, dh.get(angle, 0.0), dh.get(way, 0.0))
    return pose


def turned(quaternion):
    return Rotation.from_quat(quaternion, scalar_first=True).as_matrix()


def moved(joint, q):
    pose = np.eye(4)
    axis = np.array(joint.get("axis", ()), dtype=float)
    match joint["type"]:
        case "hinge":
            pose[:3, :3] = Rotation.from_rotvec(q[0] * axis / np.linalg.norm(axis)).as_matrix()
        case "slide":
            pose[:3, 3] = q[0] * axis / np.linalg.norm(axis)
        case "universal":
            for part, angle in zip((axis[:3], axis[3:]), q, strict=True):
                turn = Rotation.from_rotvec(angle * part / np.linalg.norm(part)).as_matrix()
                pose[:3, :3] = pose[:3, :3] @ turn
        case "ball":
            pose[:3, :3] = turned(q)
        case "free":
            pose[:3, 3] = q[:3]
            pose[:3, :3] = turned(q[3:])
    return pose


def closes(joint):
    return "at_child_m" in joint


def product_of(table, q):
    """Frames of all links in the world, each after the one that carries it."""
    links = {link["number"]: link for link in table["link"]}
    waiting = [one for one in table["joint"] if one["type"] != "end" and not closes(one)]
    poses = {-1: np.eye(4)}
    while waiting:
        ready = [one for one in waiting if one["parent"] in poses]
        for joint in ready:
            rest = poses[joint["parent"]] @ dh_pose(links[joint["child"]]["dh"])
            poses[joint["child"]] = rest @ moved(joint, q.get(joint["number"], ()))
        waiting = [one for one in waiting if one not in ready]
    return poses


def far_point(table, link):
    """What a body reaches to: the first joint that leaves it, or one that closes a loop there."""
    if link.get("leaving"):
        joint = next(one for one in table["joint"] if one["number"] == link["leaving"][0])
        if "at_parent_m" in joint:
            return np.array(joint["at_parent_m"], dtype=float)
        row = next(one for one in table["link"] if one["number"] == joint["child"])
        return dh_pose(row["dh"])[:3, 3]
    found = [one["at_child_m"] for one in table["joint"] if closes(one)
             and one["child"] == link["number"]]  # fmt: skip
    return np.array(found[0], dtype=float) if found else None


def body_of(table, link):
    """Mass, centre and inertia about it in the link's axes; bodies are as long as they say."""
    shape, size, place = link["shape"], list(link.get("size_m", ())), link.get("place")
    far = far_point(table, link)
    apart = 0.0 if far is None else float(np.linalg.norm(far))
    turn, centre = np.eye(3), np.zeros(3)
    if place is not None:
        centre, turn = np.array(place["position_m"]), turned(place["quaternion"])
    elif shape != "mesh" and far is not None:
        centre = far / 2.0
        if shape not in ("sphere", "box") and apart > 1e-9:
            turn = np.column_stack([np.zeros(3), np.zeros(3), far / apart])
    elif shape not in ("mesh", "sphere"):
        centre = np.array([0.0, 0.0, size[-1] / 2.0])
    volume, moments = solid(shape, size, link)
    density = link["mass_kg"] / volume if "mass_kg" in link else link["density_kg_m3"]
    tensor = turn @ np.diag(moments) @ turn.T
    if not turn[:, 0].any():  # round bodies along a line: only that line counts
        line = np.outer(turn[:, 2], turn[:, 2])
        tensor = moments[0] * np.eye(3) + (moments[2] - moments[0]) * line
    return density * volume, centre, density * tensor


def solid(shape, size, link):
    """Volume and principal moments of density 1; a mesh here is a cube of edge 2, scaled."""
    if shape in ("box", "mesh"):
        a, b, c = size if shape == "box" else [2.0 * one for one in link["mesh"]["scale"]]
        volume = a * b * c
        return volume, volume / 12.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    if shape == "sphere":
        volume = 4.0 * math.pi / 3.0 * size[0] ** 3
        return volume, 0.4 * volume * size[0] ** 2 * np.ones(3)
    r, h = size
    tube, half = math.pi * r * r * h, 2.0 * math.pi / 3.0 * r**3 * (shape == "capsule")
    across = tube * (3.0 * r * r + h * h) / 12.0
    # Each half ball about its own centre of mass, then moved out to where that is.
    across += 2.0 * half * (83.0 / 320.0 * r * r + (h / 2.0 + 3.0 * r / 8.0) ** 2)
    along = tube * r * r / 2.0 + 2.0 * half * 0.4 * r * r
    return tube + 2.0 * half, np.array([across, across, along])
