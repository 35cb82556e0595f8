"""Where the drawn bodies are: at the joints of the machines' own mathematics."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_samples import ARM, PLATFORM
from scene_samples import (
    BKM,
    PAPER,
    RM01,
    arm_header,
    arm_row,
    platform,
    platform_header,
    platform_row,
    robot,
    space_arm,
)
from scipy.spatial.transform import Rotation, Slerp
from trace_form import link_pose

from arm_driver.kinematics import puma as kinematics
from hil.machines.rig.machine import geometry_of, soft_range_m
from hil.panel.scene.models.build import SceneError, scenes_of
from hil.recording.header import RunHeader
from hil.scene.colours import DARK, LIGHT, ROLES, SceneColours
from hil.scene.figure import TRACE_POINTS
from hil.scene.margins import margin_role
from hil.scene.solids import (
    Solid,
    arrow,
    axes_along,
    ball,
    bar,
    box,
    cylinder,
    frustum,
    prism,
)
from hil.scene.track import Trail, advance, between_poses, is_jump, rotation_of
from hil.stations.arm.scene.space_arm import payload_box
from hil_common.arrays.pose import Pose
from platform6dof.inverse import leg_lengths
from safety.modes import Mode

EXACT = 1e-12
GEOMETRY = geometry_of(PAPER)

coordinates = st.tuples(
    *[st.floats(-0.1, 0.1)] * 2, st.floats(0.75, 1.1), *[st.floats(-0.17, 0.17)] * 3
)
angles = st.tuples(*[st.floats(-1.5, 1.5)] * 6)


def named(scene, figure) -> dict[str, np.ndarray]:
    parts = [part.name for part in scene.build.parts]
    return dict(zip(parts, figure.transforms, strict=True))


def role_of(scene, figure, slot: str) -> str:
    return dict(zip(scene.build.slots, figure.roles, strict=True))[slot]


@given(coordinates)
def test_each_leg_reaches_from_its_base_joint_to_its_platform_joint(wanted):
    X_BP = Pose.from_coordinates(np.array(wanted))
    scene = platform()
    scene.take(platform_row(reached_pose=wanted)[None], 0.0)
    placed = named(scene, scene.figure(0.0))
    heads = X_BP.position_m + GEOMETRY.platform_joints_m @ X_BP.rotation.T
    lengths = leg_lengths(GEOMETRY, X_BP)
    for leg in range(6):
        body, rod = placed[f"leg {leg + 1}"], placed[f"rod {leg + 1}"]
        foot = body @ [0.0, 0.0, 0.0, 1.0]
        head = rod @ [0.0, 0.0, 1.0, 1.0]
        np.testing.assert_allclose(foot[:3], GEOMETRY.base_joints_m[leg], atol=EXACT)
        np.testing.assert_allclose(head[:3], heads[leg], atol=EXACT)
        assert np.linalg.norm(head - foot) == pytest.approx(lengths[leg], abs=EXACT)
        along = body @ [0.0, 0.0, lengths[leg], 1.0]  # the body points at the joint, too
        np.testing.assert_allclose(along, head, atol=EXACT)


def test_the_plate_is_where_it_was_reached_and_the_ghost_where_it_was_wanted():
    reached, wanted = (0.01, 0.02, 0.93, 0.0, 0.05, 0.10), (0.03, -0.02, 0.95, 0.1, 0.0, -0.05)
    scene = platform()
    scene.take(platform_row(reached_pose=reached, wanted_pose=wanted)[None], 0.0)
    placed = named(scene, scene.figure(0.0))
    for part, pose in (("plate", reached), ("ghost", wanted)):
        X_BP = Pose.from_coordinates(np.array(pose))
        np.testing.assert_allclose(placed[part][:3, :3], X_BP.rotation, atol=EXACT)
        np.testing.assert_allclose(placed[part][:3, 3], X_BP.position_m, atol=EXACT)


def test_a_roll_to_the_right_lowers_the_right_side_and_front_is_along_x():
    roll = math.radians(10.0)
    scene = platform()
    scene.take(platform_row(reached_pose=(0.0, 0.0, 0.935, 0.0, 0.0, roll))[None], 0.0)
    plate = named(scene, scene.figure(0.0))["plate"]
    right = plate @ [0.0, -0.5, 0.0, 1.0]
    assert right[2] == pytest.approx(0.935 - 0.5 * math.sin(roll), abs=EXACT)
    part = scene.build.parts[1]
    corners = {
        slot: np.vstack([p.solid.vertices_m for p in part.pieces if p.slot == slot])
        for slot in ("front", "seat", "plate")
    }
    assert corners["front"][:, 0].min() > 0.0 > corners["seat"][:, 0].mean()
    assert corners["seat"][:, 2].min() > corners["plate"][:, 2].max() - 1e-9


def test_without_a_pose_it_stands_at_reference_lengths_without_a_ghost_and_says_so():
    scene = platform()
    for rows in (np.zeros((0, platform_row().size)), platform_row()[None]):
        scene.take(rows, 0.0)
        figure = scene.figure(0.0)
        placed = named(scene, figure)
        assert figure.note == "Pose not known: drawn level at its reference lengths"
        assert not placed["ghost"].any()
        for leg in range(6):
            ends = placed[f"rod {leg + 1}"] @ [0.0, 0.0, 1.0, 1.0], placed[f"leg {leg + 1}"][:, 3]
            reference = PAPER.cylinders.reference_length_m[leg]
            assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(reference, abs=1e-8)
        assert role_of(scene, figure, "leg1") == "unknown"
    scene.take(platform_row(reached_pose=(0.0, 0.0, 0.935, 0.0, 0.0, 0.0))[None], 0.0)
    assert scene.figure(0.0).note == ""


@pytest.mark.parametrize(
    ("share", "role"),
    [(1.0, "ok"), (0.15, "ok"), (0.1499, "warn"), (0.05, "warn"), (0.0499, "fault"),
     (0.0, "fault"), (-0.2, "fault"), (math.nan, "unknown")],
)  # fmt: skip
def test_the_colour_of_a_margin(share, role):
    assert margin_role(share) == role


def test_a_leg_near_either_end_is_coloured_and_thicker():
    scene = platform()
    low, high = soft_range_m(PAPER, 0)
    half, middle = 0.5 * (high - low), 0.5 * (high + low)
    lengths = [middle, low + 0.1 * half, high - 0.1 * half, low + 0.01, high - 0.01, high + 0.01]
    fields = {"reached_pose": (0.0, 0.0, 0.935, 0.0, 0.0, 0.0), "measured_length_m": lengths}
    scene.take(platform_row(**fields)[None], 0.0)
    figure = scene.figure(0.0)
    roles = [role_of(scene, figure, f"leg{leg}") for leg in range(1, 7)]
    assert roles == ["ok", "warn", "warn", "fault", "fault", "fault"]
    thick = [np.linalg.norm(named(scene, figure)[f"leg {leg}"][:3, 0]) for leg in range(1, 7)]
    np.testing.assert_allclose(thick, [1.0, 1.2, 1.2, 1.45, 1.45, 1.45], atol=EXACT)


def test_before_homing_legs_are_grey_and_at_rest_none_is_a_warning():
    scene = platform()
    modes = [mode.name for mode in Mode]
    low = soft_range_m(PAPER, 0)[0]
    rest = [0.67, 0.67, 0.67, 0.67, low + 0.01, low - 0.01]
    known = {"reached_pose": (0.0, 0.0, 0.935, 0.0, 0.0, 0.0), "measured_length_m": rest}

    def roles_in(name):
        scene.take(platform_row(mode=modes.index(name), **known)[None], 0.0)
        return [role_of(scene, scene.figure(0.0), f"leg{leg}") for leg in range(1, 7)]

    for name in ("OFF", "IDLE", "HOMING", "FAULT"):
        assert roles_in(name) == ["unknown"] * 6, name
    for name in ("STANDBY", "ENGAGING", "PARKING", "HOLD"):
        assert roles_in(name) == ["ok"] * 4 + ["fault"] * 2, name
    for name in ("ENGAGED", "FAULT"):
        assert roles_in(name) == ["warn"] * 4 + ["fault"] * 2, name
    assert roles_in("IDLE") == ["unknown"] * 6


def test_only_the_newest_row_is_drawn():
    scene = platform()
    rows = [platform_row(reached_pose=(0.0, 0.0, z, 0.0, 0.0, 0.0)) for z in (0.9, 0.95)]
    scene.take(np.array(rows), 0.0)
    assert named(scene, scene.figure(0.0))["plate"][2, 3] == 0.95


@given(angles)
def test_the_links_of_the_space_arm_are_those_of_its_dynamics(q):
    arm, q_rad = BKM.arm(), np.array(q)
    placed = space_arm().placements(q_rad)
    for link in range(6):
        np.testing.assert_allclose(placed[link], link_pose(arm, q_rad, link), atol=EXACT * 20)
    tip = link_pose(arm, q_rad, 5) @ [*arm.tool_offset_m, 1.0]
    np.testing.assert_allclose(placed[6][:, 3], tip, atol=EXACT * 20)
    np.testing.assert_allclose(placed[6][:3, :3], placed[5][:3, :3] @ arm.tool_rotation, atol=EXACT)


@given(angles)
def test_a_tube_ends_in_the_next_joint_of_the_space_arm(q):
    scene, q_rad = space_arm(""), np.array(q)
    placed = scene.placements(q_rad)
    for number, joint in ((2, 2), (3, 3)):
        tube = scene.build.parts[number].pieces[1].solid.vertices_m
        offset = scene._arm.links[joint].offset_m
        reach = (tube @ offset).max() / np.linalg.norm(offset)
        assert reach == pytest.approx(np.linalg.norm(offset), abs=1e-12)
        end = placed[number - 1] @ [*offset, 1.0]
        np.testing.assert_allclose(end, placed[number][:, 3], atol=EXACT * 20)


@pytest.mark.parametrize("name", ["light", "heavy"])
def test_the_payload_has_the_size_of_a_box_of_its_inertia(name):
    body = BKM.payloads()[name]
    corners = payload_box(body).vertices_m
    a, b, c = np.ptp(corners, axis=0)
    moments = body.mass_kg / 12.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    np.testing.assert_allclose(moments, np.diag(body.inertia_kg_m2), rtol=1e-9)
    np.testing.assert_allclose(0.5 * (corners.max(0) + corners.min(0)), body.com_m, atol=1e-9)
    held = {piece.slot for piece in space_arm(name).build.parts[-1].pieces}
    assert "payload" in held
    assert "payload" not in {p.slot for p in space_arm("").build.parts[-1].pieces}


@given(angles)
def test_the_robot_is_where_its_kinematics_says(q):
    geometry, q_rad = RM01.geometry(), np.array(q)
    scene = robot()
    placed = scene.placements(q_rad)
    hand = kinematics.forward(geometry, q_rad)
    np.testing.assert_allclose(placed[6][:3, 3], hand.position_m, atol=EXACT)
    np.testing.assert_allclose(placed[6][:3, :3], hand.rotation, atol=EXACT)
    wrist = placed[4] @ [0.0, 0.0, geometry.d4_m, 1.0]
    at = hand.position_m - geometry.tool_m * hand.rotation[:, 2]
    np.testing.assert_allclose(wrist[:3], at, atol=EXACT)
    np.testing.assert_allclose(placed[1][:3, 3], [0.0, 0.0, geometry.base_height_m], atol=EXACT)


def pose7(pose) -> np.ndarray:
    quaternion = Rotation.from_matrix(pose.rotation).as_quat(scalar_first=True)
    return np.concatenate([pose.position_m, quaternion])


def test_the_robot_stands_where_it_was_measured_and_its_ghost_where_it_was_asked():
    geometry = RM01.geometry()
    asked_q = np.array([-0.58, 1.13, -3.1, 0.02, -0.49, -2.05])
    measured_q = asked_q + np.array([0.05, -0.03, 0.04, 0.02, 0.03, -0.06])
    asked, measured = (kinematics.forward(geometry, q) for q in (asked_q, measured_q))
    fields = {"robot_q": asked_q, "target_pose": pose7(asked)}
    scene = robot()
    scene.take(arm_row(0.0, **fields)[None], 0.0)
    figure = scene.figure(0.0)
    assert figure.note == "Not measured: drawn as asked"
    np.testing.assert_allclose(named(scene, figure)["gripper"][:3, 3], asked.position_m, atol=1e-9)
    scene.take(arm_row(0.35, measured_pose=pose7(measured), **fields)[None], 1.0)
    figure = scene.figure(2.0)
    assert figure.note == ""
    placed = named(scene, figure)
    np.testing.assert_allclose(placed["gripper"][:3, 3], measured.position_m, atol=1e-9)
    np.testing.assert_allclose(placed["ghost"][:3, 3], asked.position_m, atol=1e-9)
    np.testing.assert_allclose(placed["ghost"][:3, :3], asked.rotation, atol=1e-9)
    np.testing.assert_allclose(placed["forearm"], scene.placements(measured_q)[4], atol=1e-8)


def test_a_robot_out_of_its_own_reach_is_drawn_as_asked():
    scene = robot()
    far = np.array([9.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    scene.take(arm_row(0.0, robot_q=np.full(6, 0.3), measured_pose=far)[None], 0.0)
    figure = scene.figure(0.0)
    assert figure.note == "Not measured: drawn as asked"
    np.testing.assert_allclose(figure.transforms[:-1], scene.placements(np.full(6, 0.3)))


@pytest.mark.parametrize("make", [space_arm, robot])
def test_an_arm_without_joints_is_drawn_at_home(make):
    scene = make()
    for rows in (np.zeros((0, arm_row(0.0).size)), arm_row(0.0)[None]):
        scene.take(rows, 0.0)
        figure = scene.figure(0.0)
        assert figure.note == "Joints not known: drawn at home"
        assert np.isfinite(figure.transforms).all()


def test_between_frames_the_arm_moves_evenly_and_never_beyond_the_newest():
    scene = space_arm()
    for number, angle in enumerate((0.0, 0.1)):
        q = np.radians(BKM.home_deg) + angle
        scene.take(arm_row(0.35 * number, space_q=q)[None], 10.0 + 0.35 * number)
    for past_s, share in ((0.0, 0.0), (0.07, 0.2), (0.35, 1.0), (5.0, 1.0), (-1.0, 0.0)):
        expected = scene.placements(np.radians(BKM.home_deg) + 0.1 * share)
        got = scene.figure(10.35 + past_s).transforms[1:]
        np.testing.assert_allclose(got, expected, atol=1e-9)


def test_frames_that_come_faster_than_their_time_are_given_less():
    rows = np.array([arm_row(0.35 * k) for k in range(4)])
    known = advance(None, rows[:1], rows[:1, 1], 0.0)
    assert known is not None
    assert known.share(0.0) == 1.0
    known = advance(known, rows[1:2], rows[1:2, 1], 0.1)  # a replay at 3.5 times the rate
    assert known is not None
    assert known.share(0.15) == pytest.approx(0.5)
    known = advance(known, rows[2:4], rows[2:4, 1], 0.5)
    assert known is not None
    assert known.before[1] == pytest.approx(0.7)
    assert known.spacing_s == pytest.approx(0.2)
    assert advance(known, rows[:0], rows[:0, 1], 9.0) is known


@pytest.mark.parametrize(("t_s", "jump"), [(0.99, True), (1.0, False), (6.0, False), (6.01, True)])
def test_time_that_goes_back_or_far_ahead_is_a_jump(t_s, jump):
    row = arm_row(1.0)
    known = advance(None, row[None], row[None, 1], 0.0)
    assert is_jump(known, np.array([t_s])) is jump
    assert not is_jump(None, np.array([t_s]))
    after = advance(known, arm_row(t_s)[None], np.array([t_s]), 1.0)
    assert after is not None
    assert after.share(1.0) == 1.0  # too far apart to lead from one to the other


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 1.0))
def test_between_poses_is_a_straight_way_and_the_shorter_arc(seed, share):
    rng = np.random.default_rng(seed)
    turns = Rotation.random(2, rng)
    points = rng.normal(size=(2, 3))
    quaternions = turns.as_quat(scalar_first=True) * rng.choice([-1.0, 1.0], (2, 1))
    before, after = (np.concatenate([points[k], quaternions[k]]) for k in range(2))
    got = between_poses(before, after, share)
    np.testing.assert_allclose(got[:3], points[0] + share * (points[1] - points[0]), atol=1e-12)
    expected = Slerp([0.0, 1.0], turns)(share).as_matrix()
    np.testing.assert_allclose(rotation_of(got[3:]), expected, atol=1e-7)
    nowhere = np.full(7, np.nan)
    assert between_poses(nowhere, after, share) is after
    assert between_poses(before, nowhere, share) is before


def test_the_path_follows_the_gripper_and_begins_anew_after_a_jump():
    scene = robot()

    def place(x_m):
        return [x_m, 0.0, 0.9, 1.0, 0.0, 0.0, 0.0]

    rows = np.array([arm_row(0.35 * k, measured_pose=place(0.3 + 0.01 * k)) for k in range(5)])
    scene.take(rows, 0.0)
    first = scene.figure(0.0)
    np.testing.assert_allclose(first.trace_m[:, 0], [0.30, 0.31, 0.32, 0.33, 0.34])
    scene.take(rows[-1:], 0.1)
    assert scene.figure(0.1).trace_serial == first.trace_serial
    scene.take(rows[1:2], 0.2)
    again = scene.figure(0.2)
    assert again.trace_serial != first.trace_serial
    np.testing.assert_allclose(again.trace_m[:, 0], [0.31])


def test_a_path_is_bounded_and_leaves_out_what_is_not_known():
    trace = Trail(0.01)
    points = np.column_stack([np.arange(2000.0), np.zeros(2000), np.zeros(2000)])
    points[5] = np.nan
    trace.add(points)
    assert trace.points_m.shape == (TRACE_POINTS, 3)
    assert trace.points_m[-1, 0] == 1999.0
    serial = trace.serial
    trace.add(np.array([[1999.005, 0.0, 0.0]]))
    assert trace.serial == serial
    with pytest.raises(ValueError, match="read-only"):
        trace.points_m[0] = 0.0
    trace.clear()
    assert trace.points_m.shape == (0, 3)


SOLIDS = {
    "prism": prism([[0.0, 0.0], [2.0, 0.0], [1.0, 1.5], [1.0, 0.5]], -0.5, 1.0),
    "box": box((1.0, 2.0, 3.0)),
    "frustum": frustum(1.0, 0.4, 2.0),
    "cone": frustum(1.0, 0.0, 2.0),
    "cylinder": cylinder(0.5, 3.0),
    "ball": ball(2.0),
    "bar": bar([1.0, 2.0, 3.0], [-1.0, 0.0, 2.0], 0.2),
    "shaft": arrow([0.0, -1.0, 0.0], 1.0, 0.05)[0],
    "head": arrow([0.6, 0.0, 0.8], 1.0, 0.05)[1],
}


@pytest.mark.parametrize("name", SOLIDS)
def test_a_solid_is_closed_and_all_its_faces_look_outwards(name):
    solid = SOLIDS[name]
    points = solid.vertices_m
    a, b, c = (points[solid.faces[:, k]] for k in range(3))
    area = np.cross(b - a, c - a)
    real = np.linalg.norm(area, axis=1) > 1e-12  # at a tip two corners are one
    middle = points.mean(axis=0)
    assert (np.einsum("ij,ij->i", area, (a + b + c) / 3.0 - middle)[real] > 0.0).all()
    np.testing.assert_allclose(area.sum(axis=0), 0.0, atol=1e-9)
    for k in range(3):
        normals = solid.normals[solid.faces[:, k]]
        assert (np.einsum("ij,ij->i", area, normals)[real] > 0.0).all()
    np.testing.assert_allclose(np.linalg.norm(solid.normals, axis=1), 1.0)


def test_volumes_of_solids():
    def volume(solid: Solid) -> float:
        a, b, c = (solid.vertices_m[solid.faces[:, k]] for k in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)

    assert volume(box((1.0, 2.0, 3.0)).moved(4.0, -1.0, 2.0)) == pytest.approx(6.0)
    assert volume(ball(1.0, 40)) == pytest.approx(4.0 / 3.0 * math.pi, rel=0.02)
    assert volume(cylinder(0.5, 2.0)) == pytest.approx(0.5 * math.pi, rel=0.04)


@given(st.integers(0, 2**32 - 1))
def test_axes_along_a_direction_are_right_handed(seed):
    directions = np.random.default_rng(seed).normal(size=(5, 3))
    directions[0] = [1.0, 0.0, 0.0]
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    axes = axes_along(directions)
    np.testing.assert_allclose(axes[:, :, 2], directions)
    np.testing.assert_allclose(
        axes @ axes.transpose(0, 2, 1), np.tile(np.eye(3), (5, 1, 1)), atol=1e-12
    )
    np.testing.assert_allclose(np.linalg.det(axes), 1.0)


@pytest.mark.parametrize("make", [platform, space_arm, robot])
def test_a_scene_is_small_and_all_its_colours_exist(make):
    build = make().build
    packed = build.packed
    assert len(packed.solid_faces) + len(packed.ghost_faces) <= 5000
    assert 16 * len(build.parts) + 4 * len(build.slots) <= 1024  # uniforms every card has
    used = {*build.roles.values(), *(entry.role for entry in build.legend)}
    assert used <= set(ROLES)
    assert {label.role for label in build.labels} <= set(ROLES)
    for array in (packed.corners, packed.solid_faces, packed.ghost_faces, packed.pieces):
        assert not array.flags.writeable
    first, end, part, slot = packed.pieces[-1]
    assert end == len(packed.corners)
    assert set(packed.corners[first:end, 6]) == {float(part)}
    assert set(packed.corners[first:end, 7]) == {float(slot)}
    ghosts = {number for number, part in enumerate(build.parts) if part.ghost}
    assert set(packed.corners[packed.ghost_faces.ravel(), 6].astype(int)) == ghosts
    assert not make().figure(0.0).transforms.flags.writeable


def test_scenes_of_a_header():
    (scene,) = scenes_of(platform_header())
    assert scene.title == "Platform paper"
    arm, machine = scenes_of(arm_header())
    assert (arm.title.split()[-1], machine.title.split()[-1]) == ("bkm", "rm01")
    sides = np.ptp(arm.build.parts[-1].pieces[-1].solid.vertices_m, axis=0)
    np.testing.assert_allclose(sides, [6.0, math.sqrt(12.0), math.sqrt(12.0)])


@pytest.mark.parametrize(
    ("simulated", "words"), [("robot", "SIMULATED robot rm01"), ("", "Robot rm01")]
)
def test_a_robot_that_is_simulated_is_called_so_like_the_space_arm(simulated, words):
    header = arm_header()
    header.metadata.update({"robot": "rm01", "simulated": simulated})
    arm, machine = scenes_of(header)
    assert machine.title == words
    assert arm.title == "SIMULATED space arm bkm"


@pytest.mark.parametrize(
    ("header", "told"),
    [
        (RunHeader(PLATFORM), "rig"),
        (RunHeader(PLATFORM, {}, {"rig": {"name": "x"}}), "cylinders"),
        (RunHeader(ARM), "machines"),
    ],
)
def test_a_header_without_its_machines_is_refused_in_words(header, told):
    with pytest.raises(SceneError, match=told):
        scenes_of(header)


def test_colours_follow_the_theme():
    theme = SimpleNamespace(window="#101010", text="#FFFFFF", fault="#FF0000")
    colours = SceneColours.of(theme)
    assert colours.hex_of["background"] == "#101010"
    assert colours.hex_of["fault"] == "#FF0000"
    assert colours.hex_of["grid"] == DARK.hex_of["grid"]
    assert SceneColours.of(SimpleNamespace(window="#FAFAFA")).hex_of["grid"] == LIGHT.hex_of["grid"]
    assert SceneColours.of() is LIGHT
    assert LIGHT.rgba("background", 0.5) == (0xF4 / 255, 0xF6 / 255, 0xF8 / 255, 0.5)
    with pytest.raises(ValueError, match="#rrggbb"):
        SceneColours({**LIGHT.hex_of, "rod": "red"})
    with pytest.raises(ValueError, match="no colour for rod"):
        SceneColours({role: c for role, c in LIGHT.hex_of.items() if role != "rod"})


def test_frames_between_two_solved_poses_keep_the_pose_but_not_for_long():
    scene = platform()
    at = (0.05, 0.0, 0.935, 0.0, 0.0, 0.0)
    scene.take(np.array([platform_row(t_s=1.0, reached_pose=at), platform_row(t_s=1.002)]), 0.0)
    shown = scene.figure(0.0)
    assert shown.note == ""
    np.testing.assert_allclose(shown.transforms[1][:3, 3], at[:3])
    scene.take(platform_row(t_s=1.09)[None], 0.0)
    np.testing.assert_allclose(scene.figure(0.0).transforms[1][:3, 3], at[:3])
    scene.take(platform_row(t_s=1.11)[None], 0.0)
    assert scene.figure(0.0).note == "Pose not known: drawn level at its reference lengths"
    scene.take(platform_row(t_s=0.9)[None], 0.0)
    assert scene.figure(0.0).note == "Pose not known: drawn level at its reference lengths"
