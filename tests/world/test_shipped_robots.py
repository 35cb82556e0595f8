"""Shipped robots: their documents read by hand, D-H products and bodies worked out here."""

import math
import tomllib

import numpy as np
import pytest
from robot_documents import shipped_text
from scipy.spatial.transform import Rotation
from shipped_worlds import a_world, documented, on_a_floor

from sim.world.robots.tree import spanning_tree

TREES = (
    "robot_a",
    "robot_b",
    "torso",
    "torso_claw",
    "anthropomorph",
    "mf4",
    "mf4_wheels",
    "walker",
    "continuum",
)
NAMES = (*TREES, "delta", "four_bar")


def table_of(name):
    return tomllib.loads(shipped_text(name, "toml"))


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


def moved(joint, q):
    """By a hinge, slide or universal joint along coordinate axes, or a free one."""
    pose = np.eye(4)
    axis = np.array(joint.get("axis", ()), dtype=float)
    match joint["type"]:
        case "hinge":
            pose[:3, :3] = Rotation.from_rotvec(q[0] * axis).as_matrix()
        case "slide":
            pose[:3, 3] = q[0] * axis
        case "universal":
            for part, angle in zip((axis[:3], axis[3:]), q, strict=True):
                pose[:3, :3] = pose[:3, :3] @ Rotation.from_rotvec(angle * part).as_matrix()
        case "ball":
            pose[:3, :3] = Rotation.from_quat(np.roll(q, -1)).as_matrix()
        case "free":
            pose[:3, 3] = q[:3]
            pose[:3, :3] = Rotation.from_quat(np.roll(q[3:], -1)).as_matrix()
    return pose


def product_of(table, q):
    """Frames of all links as a product over the way from the base."""
    links = {link["number"]: link for link in table["link"]}
    poses = {-1: np.eye(4)}
    for joint in table["joint"]:
        if joint["type"] != "end" and "at_child_m" not in joint:
            child = joint["child"]
            at_rest = poses[joint["parent"]] @ dh_pose(links[child]["dh"])
            poses[child] = at_rest @ moved(joint, q.get(joint["number"], ()))
    return poses


def any_coordinates(table, rng):
    """Within the limits; followers at their ratio."""
    found = {}
    for joint in table["joint"]:
        limits = joint.get("limits_rad", joint.get("limits_m"))
        number = joint["number"]
        match joint["type"]:
            case "hinge" | "slide" if "mimic" in joint:
                follows = joint["mimic"]
                found[number] = (follows["ratio"] * found[follows["joint"]][0],)
            case "hinge" | "slide":
                found[number] = (float(rng.uniform(*(limits or (-3.0, 3.0)))),)
            case "universal":
                found[number] = tuple(rng.uniform(*zip(*limits, strict=True)).tolist())
            case "ball":
                turn = Rotation.random(random_state=rng).as_quat()
                found[number] = tuple(np.roll(turn, 1).tolist())
            case "free":
                turn = Rotation.random(random_state=rng).as_quat()
                found[number] = (*rng.normal(size=3).tolist(), *np.roll(turn, 1).tolist())
    return found


@pytest.mark.parametrize("name", TREES)
def test_links_are_where_a_product_of_dh_frames_says(name):
    table, robot = table_of(name), documented(name)
    world, rng = a_world(robot), np.random.default_rng(11)
    for _ in range(5):
        q = any_coordinates(table, rng)
        expected = product_of(table, q)
        world.robots[0].move_to(q)
        world.settle()
        poses = spanning_tree(robot).poses(q)
        for link in table["link"]:
            number = link["number"]
            np.testing.assert_allclose(poses[number], expected[number], atol=1e-12)
            np.testing.assert_allclose(world.robots[0].pose(number), expected[number], atol=1e-12)


def body_of(table, link):
    """Mass, centre and inertia about it in the link's axes, from its row and those after it."""
    place, size = link.get("place"), list(link["size_m"])
    far = np.zeros(3)
    if place is None and link["leaving"]:
        after = next(joint for joint in table["joint"] if joint["number"] == link["leaving"][0])
        far = np.array(after.get("at_parent_m", (0.0, 0.0, 0.0)))
        if "at_parent_m" not in after:
            row = next(one for one in table["link"] if one["number"] == after["child"])
            far = dh_pose(row["dh"])[:3, 3]
    length = np.linalg.norm(far)
    turn, centre = np.eye(3), far / 2.0
    if place is not None:
        centre = np.array(place["position_m"])
        turn = Rotation.from_quat(np.roll(place.get("quaternion", (1, 0, 0, 0)), -1)).as_matrix()
    elif length and link["shape"] != "sphere":
        size += [length] * (len(size) < 1 + (link["shape"] == "box") + 1)
        turn = np.column_stack([np.zeros(3), np.zeros(3), far / length])
    density = 1.0
    if link["shape"] == "box":
        a, b, c = size
        mass = a * b * c
        principal = mass / 12.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    elif link["shape"] == "sphere":
        mass = 4.0 * math.pi / 3.0 * size[0] ** 3
        principal = 0.4 * mass * size[0] ** 2 * np.ones(3)
    else:
        r, h = size
        tube, half = math.pi * r * r * h, 2.0 * math.pi / 3.0 * r**3 * (link["shape"] == "capsule")
        mass = tube + 2.0 * half
        across = tube * (3.0 * r * r + h * h) / 12.0
        # Each half ball about its own centre of mass, then moved out to where that is.
        across += 2.0 * half * (83.0 / 320.0 * r * r + (h / 2.0 + 3.0 * r / 8.0) ** 2)
        principal = np.array([across, across, tube * r * r / 2.0 + 2.0 * half * 0.4 * r * r])
    density = link["mass_kg"] / mass if "mass_kg" in link else link["density_kg_m3"]
    u = turn[:, 2]
    tensor = turn @ np.diag(principal) @ turn.T
    if not turn[:, 0].any():  # round bodies along a line: only that line counts
        tensor = principal[0] * np.eye(3) + (principal[2] - principal[0]) * np.outer(u, u)
    return density * mass, centre, density * tensor


@pytest.mark.parametrize(
    "name",
    ["torso", "torso_claw", "anthropomorph", "delta", "mf4", "mf4_wheels", "walker", "continuum"],
)
def test_bodies_weigh_and_turn_as_their_shapes_say(name):
    table, world = table_of(name), a_world(documented(name))
    model = world._model
    for link in table["link"]:
        mass, centre, tensor = body_of(table, link)
        body = model.body(f"l{link['number']}").id
        turn = Rotation.from_quat(np.roll(model.body_iquat[body], -1)).as_matrix()
        found = turn @ np.diag(model.body_inertia[body]) @ turn.T
        assert model.body_mass[body] == pytest.approx(mass, rel=1e-9)
        np.testing.assert_allclose(model.body_ipos[body], centre, atol=1e-9)
        np.testing.assert_allclose(found, tensor, atol=1e-9 * np.abs(tensor).max())


@pytest.mark.parametrize("name", [name for name in NAMES if name != "four_bar"])
def test_robots_that_stand_or_hang_begin_above_the_floor(name):
    """Their bodies do not touch it where they start; wheels stand on it."""
    world = on_a_floor(documented(name))
    deepest = world._data.contact.dist.min(initial=0.0)
    assert deepest > -1e-6


@pytest.mark.parametrize("name", NAMES)
def test_a_second_without_commands_does_not_diverge(name):
    world = a_world(documented(name))
    assert world.gap_max_m <= 1e-9
    world.step(500)
    assert world.time_s == pytest.approx(1.0)
    speeds = np.abs(world._data.qvel)
    assert speeds.max() < 40.0, speeds


def test_every_joint_of_the_anthropomorph_has_limits_and_is_driven_or_follows():
    robot = documented("anthropomorph")
    driven = {drive.joint for drive in robot.drives}
    hinges = [joint for joint in robot.joints if joint.type == "hinge"]
    assert len(hinges) == 3 + 2 * (7 + 5 * 3)
    for joint in hinges:
        assert joint.limits
        assert (joint.number in driven) is (joint.mimic is None)
        assert joint.mimic is None or joint.mimic.joint in driven
    hands = {joint.name for joint in hinges if joint.name.endswith(("_1", "_2", "_3"))}
    torso = [joint.name for joint in documented("torso").joints if joint.type == "hinge"]
    assert torso == [joint.name for joint in hinges if joint.name not in hands]
    assert len(torso) == 17


def test_the_continuum_has_thirty_universal_joints_that_sum_up():
    """All bent alike it is a regular chain: the tip turned by 30 times one joint's angle."""
    robot = documented("continuum")
    bent = {joint.number: (0.05, 0.0) for joint in robot.joints if joint.type == "universal"}
    assert len(bent) == 30
    tree = spanning_tree(robot)
    (tip,) = tree.end_poses(tree.poses(bent)).values()
    angles = 0.05 * np.arange(1, 31)
    turned = Rotation.from_rotvec((math.pi - 30 * 0.05) * np.array([1.0, 0.0, 0.0])).as_matrix()
    assert tip[0, 3] == pytest.approx(0.0, abs=1e-12)
    assert tip[2, 3] == pytest.approx(1.2 - 0.03 * np.cos(angles).sum(), abs=1e-12)
    assert abs(tip[1, 3]) == pytest.approx(0.03 * np.sin(angles).sum(), abs=1e-12)
    assert np.abs(np.abs(tip[:3, :3]) - np.abs(turned)).max() < 1e-12
