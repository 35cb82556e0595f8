"""Documents at random: trees to 60 links, 0 to 6 loops, every joint and shape, as TOML.

Half of the robots are as laboratories build them: their joints are geared, with a rotor's inertia,
and sink under their own weight at 1 to 10 rad/s (or that many m/s); the others swing freely,
however light a link is that bears a heavy one. One in five has something wrong with it.
"""

import re
from dataclasses import replace

import numpy as np
from mesh_bodies import QUADS, files_of
from plain_judge import dh_pose, moved
from robot_documents import generated

from sim.world.robots.body import BodyPlace, BodyShape, LinkMesh, LinkVisual
from sim.world.robots.model import REST, JointType
from sim.world.robots.robot_toml_writer import write_toml

FILES = files_of(cube_obj=QUADS)
LINKS_MAX, LOOPS_MAX = 60, 6
WRONG = ("far", "size", "nan", "twice", "cycle", "degrees", "mesh")
G = 9.81


def random_document(seed):
    """Text, whether its joints are geared, and what is wrong with it."""
    rng = np.random.default_rng((seed, 41))
    robot = shaped(generated(seed, LINKS_MAX, LOOPS_MAX), rng)
    is_geared = seed % 2 == 0
    robot = geared(robot, rng) if is_geared else robot
    wrong = WRONG[seed // 5 % len(WRONG)] if seed % 5 == 4 else ""
    return damaged(write_toml(robot), robot, wrong), is_geared, wrong


def shaped(robot, rng):
    """Sizes of parts of machines; some bodies are meshes, and some have a place of their own."""
    links = []
    for link in robot.links:
        size = tuple(rng.uniform(0.03, 0.1, len(link.size_m)).tolist())
        link = replace(link, size_m=size, density_kg_m3=float(rng.uniform(500.0, 8000.0)))
        if rng.random() < 0.2:
            scale = tuple(rng.uniform(0.03, 0.1, 3).tolist())
            mesh = LinkMesh("cube.obj", scale)
            seen = LinkVisual(BodyShape.MESH, mesh=replace(mesh, scale=(0.1, 0.1, 0.1)))
            link = replace(link, shape=BodyShape.MESH, size_m=(), mesh=mesh,
                           visual=seen if rng.random() < 0.3 else None)  # fmt: skip
        if rng.random() < 0.3:
            turned = rng.normal(size=4)
            at = tuple(rng.normal(scale=0.1, size=3).tolist())
            link = replace(
                link, place=BodyPlace(at, tuple((turned / np.linalg.norm(turned)).tolist()))
            )
        if rng.random() < 0.3:
            link = replace(link, density_kg_m3=0.0, mass_kg=float(rng.uniform(0.5, 20.0)))
        links.append(link)
    return replace(robot, links=tuple(links))


def geared(robot, rng):
    """Joints with rotors, that sink slowly under what they bear where the robot starts."""
    poses, children = {-1: np.eye(4)}, {}
    rows = {link.number: link for link in robot.links}
    tree = [one for one in robot.joints if not one.closes and one.type is not JointType.END]
    for joint in tree:
        names = ("gamma_rad", "b_m", "alpha_rad", "d_m", "theta_rad", "r_m")
        dh = rows[joint.child].dh
        rest = dh_pose(dict(zip(names[-len(dh) :], dh, strict=True)))
        still = {"type": joint.type.value, "axis": joint.axis}
        poses[joint.child] = poses[joint.parent] @ rest @ moved(still, REST[joint.type])
        children.setdefault(joint.parent, []).append(joint.child)
    joints = []
    for joint in robot.joints:
        if joint in tree and REST[joint.type] and joint.type is not JointType.FREE:
            borne, waiting = [], [joint.child]
            while waiting:
                borne.append(waiting.pop())
                waiting += children.get(borne[-1], ())
            at = poses[joint.child][:3, 3]
            ways = [float(np.linalg.norm(poses[one][:3, 3] - at)) + 0.05 for one in borne]
            heavy = 15.0 * G * (len(ways) if joint.type is JointType.SLIDE else sum(ways))
            joint = replace(joint, damping=heavy / float(rng.uniform(1.0, 10.0)),
                            armature=float(rng.uniform(0.05, 0.5)))  # fmt: skip
        joints.append(joint)
    return replace(robot, joints=tuple(joints))


def damaged(text, robot, wrong):
    """A document with one thing wrong, or as it is."""
    base, last = robot.links[0], robot.links[-1]
    none = "dh = { alpha_rad = 0, d_m = 0, theta_rad = 0, r_m = 0 }"
    joint = "\n[[joint]]\nnumber = 900\n"
    match wrong:
        case "far":
            text += f'{joint}type = "ball"\nparent = 0\nchild = 1\n'
            text += "at_parent_m = [0, 0, 0]\nat_child_m = [900, 0, 0]\n"
            old = f"leaving = [{', '.join(map(str, base.leaving))}]"
            return text.replace(old, f"{old[:-1]}, 900]", 1)
        case "size":
            return text.replace("size_m = [", "size_m = [-", 1)
        case "nan":
            return re.sub(r"d_m = [^,]*", "d_m = nan", text, count=1)
        case "twice":
            return f"{text}\n[[link]]\nnumber = {last.number}\n{none}\n"
        case "cycle":
            more = f'{joint}type = "hinge"\naxis = [0, 0, 1]\n'
            return f"{text}{more}parent = {last.number}\nchild = 1\n"
        case "degrees":
            return re.sub(r"theta_rad = [^,]*", "theta_rad = 90", text, count=1)
        case "mesh":
            mesh = 'shape = "mesh"\nmesh = { file = "b.obj" }\n'
            return f"{text}\n[[link]]\nnumber = 901\n{none}\n{mesh}"
        case _:
            return text


def random_coordinates(table, rng):
    """Of every joint of the tree, anywhere."""
    found = {}
    for joint in table["joint"]:
        kind = JointType(joint["type"])
        if kind is JointType.END or "at_child_m" in joint:
            continue
        values = rng.uniform(-3.0, 3.0, len(REST[kind]))
        if kind in (JointType.BALL, JointType.FREE):
            values[-4:] /= np.linalg.norm(values[-4:])
        found[joint["number"]] = tuple(values.tolist())
    return found
