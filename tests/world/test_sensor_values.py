"""What sensors measure, judged by closed forms, the document's own kinematics and differences."""

import math
from dataclasses import replace

import numpy as np
import pytest
from robot_documents import coordinates, furnished, shipped_text
from scipy.spatial.transform import Rotation
from sensor_robots import FLAT, G, block, measured, pendulum, world_of

from sim.world.engine.dynamics import RobotDynamics
from sim.world.engine.mjcf_scene import scene_text
from sim.world.engine.world import World
from sim.world.robots.bodies import placed_bodies
from sim.world.robots.body import BodyPlace, BodyShape, LinkInertia
from sim.world.robots.model import JointType, Robot, RobotJoint, RobotLink
from sim.world.robots.robot_checks import checked
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.sensors import RobotSensor, SensorKind
from sim.world.robots.tree import spanning_tree
from sim.world.scenes.model import Floor, Scene, SceneBody, SceneRobot, Stepping

K = SensorKind


def random_rotation(seed):
    return Rotation.random(random_state=seed)


def quaternion(rotation):
    return tuple(rotation.as_quat(scalar_first=True).tolist())


def arm_with_tool(*sensors):
    """Robot A with 2 kg bolted to its hand, their centre of mass off every axis."""
    arm = read_toml(shipped_text("robot_a", "toml"), "robot_a")
    hand = next(one for one in arm.links if one.number == 6)
    inertia = LinkInertia(2.0, (0.02, -0.03, 0.08), (0.01, 0.011, 0.012, 0.0, 0.001, 0.0))
    tool = RobotLink(7, (0.3, 0.01, -0.4, 0.12), inertia=inertia)
    links = (*(one for one in arm.links if one is not hand),
             replace(hand, leaving=(*hand.leaving, 8)), tool)  # fmt: skip
    joints = (*arm.joints, RobotJoint(8, JointType.FIXED, (), 6, 7))
    return checked(replace(arm, links=links, joints=joints, sensors=sensors))


def held(robot, seed):
    """A world in which drives hold an arm at rest anywhere, and the document's poses there."""
    world = world_of(robot)
    (one,) = world.robots
    rng = np.random.default_rng(seed)
    wanted = {number: (float(rng.uniform(-2.5, 2.5)),) for number in range(1, 7)}
    one.move_to(wanted)
    world.settle()
    one.command(RobotDynamics(world, one).holding())
    world.settle()
    return world, spanning_tree(robot).poses(wanted)


@pytest.mark.parametrize("seed", range(20))
def test_a_tool_at_rest_weighs_upwards_and_nothing_once_it_is_compensated(seed):
    place = BodyPlace((0.01, 0.02, 0.03), quaternion(random_rotation(seed)))
    turned = random_rotation(seed).as_matrix()
    centre = turned.T @ (np.array([0.02, -0.03, 0.08]) - place.position_m)
    bare = RobotSensor(K.WRENCH, "bare", link=7, place=place)
    freed = replace(bare, name="freed", tool_mass_kg=2.0, tool_centre_m=tuple(centre.tolist()))
    world, poses = held(arm_with_tool(bare, freed), seed + 100)
    found = measured(world)
    up_n = (poses[7][:3, :3] @ turned).T @ (0.0, 0.0, 2.0 * G)
    np.testing.assert_allclose(found["bare_force_n"], up_n, atol=1e-9)
    np.testing.assert_allclose(found["bare_torque_n_m"], np.cross(centre, up_n), atol=1e-9)
    assert np.linalg.norm(found["freed_force_n"]) <= 0.01
    assert np.linalg.norm(found["freed_torque_n_m"]) <= 0.01


def test_an_arm_that_presses_sends_its_force_and_a_pull_changes_the_weight():
    """The sign: what is sent to the surroundings, which push back on the tool."""
    sensor = RobotSensor(K.WRENCH, link=0, tool_mass_kg=2.0)
    world = world_of(block(sensor, kind=JointType.FIXED))
    world.push("l0", (3.0, -4.0, 12.0), 1.0)
    world.step()
    np.testing.assert_allclose(measured(world)["wrench_force_n"], (-3.0, 4.0, -12.0), atol=1e-9)
    world.pull((0.0, 5.0, 0.0))
    world.step()
    np.testing.assert_allclose(measured(world)["wrench_force_n"], (-3.0, 4.0, -12.0), atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_at_rest_an_imu_feels_up_and_the_field_in_its_own_axes(seed):
    base, own = random_rotation(seed), random_rotation(seed + 50)
    pose = np.eye(4)
    pose[:3, :3] = base.as_matrix()
    place = BodyPlace((0.3, 0.1, -0.2), quaternion(own))
    field_t = (2.0e-5, -1.0e-5, -4.5e-5)
    robot = block(RobotSensor(K.IMU, link=0, place=place), kind=JointType.FIXED)
    found = measured(world_of(robot, pose, magnetic_t=field_t))
    to_own = (base * own).inv()
    np.testing.assert_allclose(
        found["imu_acceleration_m_s2"], to_own.apply((0.0, 0.0, G)), atol=1e-12
    )
    np.testing.assert_allclose(found["imu_field_t"], to_own.apply(field_t), atol=1e-18)
    np.testing.assert_allclose(found["imu_turning_rad_s"], 0.0, atol=1e-15)


def test_on_a_turntable_an_imu_feels_the_way_inwards():
    own = random_rotation(3)
    place = BodyPlace((0.4, 0.0, 0.2), quaternion(own))
    robot = pendulum(RobotSensor(K.IMU, link=1, place=place), axis=(0.0, 0.0, 1.0),
                     centre_m=(0.0, 0.0, 0.0))  # fmt: skip
    world = world_of(robot)
    world._data.qvel[:] = 5.0
    world._data.qpos[:] = 0.7
    world.settle()
    found = measured(world)
    inwards = (-0.4 * 25.0, 0.0, G)
    np.testing.assert_allclose(found["imu_acceleration_m_s2"], own.inv().apply(inwards), atol=1e-9)
    np.testing.assert_allclose(
        found["imu_turning_rad_s"], own.inv().apply((0.0, 0.0, 5.0)), atol=1e-12
    )


@pytest.mark.parametrize("angle_rad", [-2.0, -0.4, 0.0, 0.3, 1.0, 1.6, 3.0])
def test_a_pendulum_that_is_held_weighs_m_g_l_sin(angle_rad):
    """By a drive, and by friction alone: the sensor sits behind both."""
    sensor = RobotSensor(K.JOINT_TORQUE, joints=(1,))
    wanted = -2.0 * G * 0.5 * math.sin(angle_rad)  # about y, which takes -z to -x
    world = world_of(pendulum(sensor, start=(angle_rad,)))
    (one,) = world.robots
    one.command([-wanted])
    world.settle()
    assert measured(world)["joint_torque_torque_n_m"] == pytest.approx([-wanted], abs=1e-9)
    stuck = world_of(pendulum(sensor, start=(angle_rad,), damping=1e9, drives=False))
    stuck.step(3)
    assert measured(stuck)["joint_torque_torque_n_m"] == pytest.approx([-wanted], abs=1e-6)


def test_a_joint_torque_leaves_out_what_the_rotor_and_damping_take():
    """J of the load, I of the rotor: τ_c = J α, (J + I) α = τ - c ω."""
    sensor = RobotSensor(K.JOINT_TORQUE)
    robot = pendulum(sensor, axis=(0.0, 0.0, 1.0), centre_m=(0.0, 0.0, 0.0), armature=0.1,
                     damping=0.5)  # fmt: skip
    world = world_of(robot)
    world._data.qvel[:] = 2.0
    world.robots[0].command([7.0])
    world.settle()
    wanted = 0.04 / (0.04 + 0.1) * (7.0 - 0.5 * 2.0)
    assert measured(world)["joint_torque_torque_n_m"] == pytest.approx([wanted], rel=1e-9)


def test_a_slide_bears_its_weight_as_a_force():
    robot = pendulum(RobotSensor(K.JOINT_TORQUE), kind=JointType.SLIDE, axis=(0.0, 3.0, 4.0))
    world = world_of(robot)
    world.robots[0].command([2.0 * G * 0.8])
    world.settle()
    assert measured(world) == {"joint_torque_force_n": pytest.approx([2.0 * G * 0.8], rel=1e-9)}


def test_both_axes_of_a_universal_joint_bear_their_parts_of_the_weight():
    """Judge: the potential's slopes, at a place where the second axis has turned far."""
    axis, start = (1.0, 0.0, 0.0, 0.0, 0.6, 0.8), (0.5, -1.1)
    centre = (0.1, 0.2, -0.5)
    robot = pendulum(RobotSensor(K.JOINT_TORQUE), kind=JointType.UNIVERSAL, axis=axis, start=start,
                     centre_m=centre, damping=1e9)  # fmt: skip
    world = world_of(robot)
    world.step(3)

    def potential(first, second):
        turned = Rotation.from_rotvec(first * np.array(axis[:3]))
        turned *= Rotation.from_rotvec(second * np.array(axis[3:]))
        return 2.0 * G * turned.apply(centre)[2]

    h = 1e-6
    slopes = [
        (potential(start[0] + h, start[1]) - potential(start[0] - h, start[1])) / (2.0 * h),
        (potential(start[0], start[1] + h) - potential(start[0], start[1] - h)) / (2.0 * h),
    ]
    assert measured(world)["joint_torque_torque_n_m"] == pytest.approx(slopes, abs=1e-6)


def test_rays_end_at_the_floor_at_spheres_and_nowhere():
    rng = np.random.default_rng(5)
    directions = rng.normal(size=(60, 3))
    own = random_rotation(8)
    directions[:20] = own.inv().apply((2.0, 0.3, 0.25) + 0.25 * directions[:20])  # to the sphere
    place = BodyPlace((0.0, 0.0, 0.15), quaternion(own))
    told = tuple(tuple(one) for one in directions.tolist())
    rays = RobotSensor(K.RANGEFINDER, link=0, place=place, directions=told)
    near = replace(rays, name="near", range_m=1.5)
    robot = block(rays, near, kind=JointType.FIXED, at_m=0.0)
    scene = Scene(
        "s", floor=Floor(),
        robots=(SceneRobot("r", "block", position_m=(0.0, 0.0, 0.5)),),
        bodies=(SceneBody("ball", BodyShape.SPHERE, (0.4,), position_m=(2.0, 0.3, 0.9)),),
    )  # fmt: skip
    world = World(scene_text(scene, {"r": robot}))
    wanted = []
    begin = np.array([0.0, 0.0, 0.65])
    for direction in directions:
        way = own.apply(direction / np.linalg.norm(direction))
        to_ball = np.array([2.0, 0.3, 0.9]) - begin
        along = to_ball @ way
        under = 0.4**2 - (to_ball @ to_ball - along**2)
        ball = along - math.sqrt(under) if under > 0.0 and along > 0.0 else math.inf
        floor = -begin[2] / way[2] if way[2] < 0.0 else math.inf
        wanted.append(min(ball, floor))
    wanted = np.array(wanted)
    found = measured(world)
    np.testing.assert_allclose(found["rangefinder_distance_m"], wanted, rtol=1e-9)
    assert np.isfinite(wanted[:20]).sum() >= 10
    assert np.isfinite(wanted[20:]).sum() >= 10
    assert np.isinf(wanted).sum() >= 10
    assert found["rangefinder_seen"].tolist() == np.isfinite(wanted).tolist()
    cut = np.where(wanted > 1.5, 1.5, wanted)
    np.testing.assert_allclose(found["near_distance_m"], cut, rtol=1e-9)
    assert found["near_seen"].tolist() == (wanted <= 1.5).tolist()
    assert 0 < (wanted <= 1.5).sum() < np.isfinite(wanted).sum()


@pytest.mark.parametrize("name", ["robot_a", "four_bar"])
def test_joints_and_links_are_where_the_document_has_them(name):
    robot = read_toml(shipped_text(name, "toml"), name)
    links = tuple(RobotSensor(K.LINK_CENTRE, f"centre_{one.number}", link=one.number)
                  for one in robot.links)  # fmt: skip
    robot = checked(replace(robot, sensors=(RobotSensor(K.JOINT_PLACE), *links)))
    world = world_of(robot)
    (one,) = world.robots
    wanted = dict(one.start) | {1: (0.9,)}  # which opens a loop: its points are apart
    one.move_to(wanted)
    world.settle()
    poses = spanning_tree(robot).poses(wanted)
    places = []
    for joint in robot.joints:
        if joint.type is JointType.FIXED:
            continue
        on_parent = joint.type is JointType.END or joint.closes
        pose = poses[joint.parent if on_parent else joint.child]
        point = joint.at_parent_m if on_parent else (0.0, 0.0, 0.0)
        places += (pose @ (*point, 1.0))[:3].tolist()
    found = measured(world)
    np.testing.assert_allclose(found["joint_place_place_m"], places, atol=1e-12)
    for number, body in placed_bodies(robot).items():
        centre = (poses[number] @ (*body.mass.centre_m, 1.0))[:3]
        np.testing.assert_allclose(found[f"centre_{number}_centre_m"], centre, atol=1e-12)


def test_a_sensor_on_an_end_is_put_from_its_place():
    arm = read_toml(shipped_text("robot_a", "toml"), "robot_a")
    place = BodyPlace((0.1, 0.2, 0.3), quaternion(random_rotation(1)))
    robot = checked(replace(arm, sensors=(RobotSensor(K.LINK_POSE, end=7, place=place),)))
    world = world_of(robot)
    (end,) = (one for one in robot.joints if one.number == 7)
    pose = spanning_tree(robot).poses(dict(world.robots[0].start))[end.parent]
    wanted = (pose @ (*np.add(end.at_parent_m, place.position_m), 1.0))[:3]
    np.testing.assert_allclose(measured(world)["link_pose_pose"][:3], wanted, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_poses_are_those_of_the_document_and_speeds_their_differences(seed):
    """On any tree in motion: differences of pose over two steps against the speed between."""
    robot = furnished(seed)
    link = robot.links[-1].number
    place = BodyPlace((0.1, -0.2, 0.05), quaternion(random_rotation(seed)))
    sensors = (
        RobotSensor(K.LINK_POSE, "hand", link=link, place=place),
        RobotSensor(K.LINK_SPEED, "hand_speed", link=link, place=place),
    )
    bare = tuple(replace(one, mimic=None, limits=()) for one in robot.joints if not one.closes)
    names = {one.number for one in bare}
    links = tuple(replace(one, leaving=tuple(n for n in one.leaving if n in names))
                  for one in robot.links)  # fmt: skip
    robot = checked(replace(robot, links=links, joints=bare, drives=(), sensors=sensors))
    world = world_of(robot, gravity_m_s2=(0.0, 0.0, 0.0))
    (one,) = world.robots
    wanted = coordinates(robot, seed)
    one.move_to(wanted)
    speeds = np.random.default_rng(seed).normal(size=world._model.nv)
    world.settle()
    pose = spanning_tree(robot).poses(wanted)[link]
    found = measured(world)
    at = (pose @ (*place.position_m, 1.0))[:3]
    np.testing.assert_allclose(found["hand_pose"][:3], at, atol=1e-12)
    axes = Rotation.from_quat(found["hand_pose"][3:], scalar_first=True).as_matrix()
    own = Rotation.from_quat(place.quaternion, scalar_first=True).as_matrix()
    np.testing.assert_allclose(axes, pose[:3, :3] @ own, atol=1e-12)
    seen = []
    h, began = 1e-5, world._data.qpos.copy()
    for way in (-h, h, 0.0):
        world._data.qpos[:] = began
        world._engine.mj_integratePos(world._model, world._data.qpos, speeds, way)
        world._data.qvel[:] = speeds
        world.settle()
        seen.append(measured(world))
    before, after, now = seen
    moved = (after["hand_pose"][:3] - before["hand_pose"][:3]) / (2.0 * h)
    first, last = (Rotation.from_quat(s["hand_pose"][3:], scalar_first=True) for s in seen[:2])
    turned = (last * first.inv()).as_rotvec() / (2.0 * h)
    np.testing.assert_allclose(now["hand_speed_speed_m_s"], moved, atol=1e-7)
    np.testing.assert_allclose(now["hand_speed_turning_rad_s"], turned, atol=1e-7)
    assert np.linalg.norm(moved) > 1e-3


def test_coordinates_and_speeds_are_told_turning_joints_first():
    ball = RobotLink(0, FLAT, (1,), shape=BodyShape.SPHERE, size_m=(0.1,), mass_kg=1.0)
    links = (ball, replace(ball, number=1, leaving=(2,)), replace(ball, number=2, leaving=()))
    joints = (
        RobotJoint(0, JointType.FIXED, (), -1, 0),
        RobotJoint(1, JointType.SLIDE, (1.0, 0.0, 0.0), 0, 1, start=(0.25,)),
        RobotJoint(2, JointType.UNIVERSAL, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0), 1, 2, start=(0.5, 0.75)),
    )
    sensors = (RobotSensor(K.JOINT_ANGLE, "q"), RobotSensor(K.JOINT_SPEED, "v"))
    robot = Robot(links, joints, sensors=sensors)
    world = world_of(checked(robot))
    world._data.qvel[:] = (1.0, 2.0, 3.0)
    world.settle()
    found = {name: values.tolist() for name, values in measured(world).items()}
    assert found == {"q_angle_rad": [0.5, 0.75], "q_way_m": [0.25], "v_speed_rad_s": [2.0, 3.0],
                     "v_speed_m_s": [1.0]}  # fmt: skip


def test_what_lies_on_the_floor_presses_with_its_weight_and_off_it_touches_nothing():
    zone = BodyPlace((0.0, 0.0, -0.1))
    sensors = (
        RobotSensor(K.CONTACT, "any", link=0),
        RobotSensor(K.CONTACT, "below", link=0, other="floor"),
        RobotSensor(K.CONTACT, "beside", link=0, other="post"),
        RobotSensor(K.TOUCH, link=0, shape=BodyShape.BOX, size_m=(0.3, 0.3, 0.05), place=zone),
        RobotSensor(K.TOUCH, "top", link=0, shape=BodyShape.SPHERE, size_m=(0.05,)),
    )
    scene = Scene(
        "s", floor=Floor(), robots=(SceneRobot("r", "block"),),
        bodies=(SceneBody("post", BodyShape.SPHERE, (0.1,), position_m=(1.0, 0.0, 0.1)),),
    )  # fmt: skip
    world = World(scene_text(scene, {"r": block(*sensors)}))
    world.step(1000)
    weight = [0.0, 0.0, -2.0 * G]
    found = measured(world)
    for name in ("any", "below"):
        assert found[f"{name}_touching"] == [1.0]
        np.testing.assert_allclose(found[f"{name}_force_n"], weight, atol=1e-6)
    assert found["beside_touching"] == [0.0]
    np.testing.assert_array_equal(found["beside_force_n"], 0.0)
    assert found["touch_force_n"] == pytest.approx([2.0 * G], rel=1e-6)
    assert found["top_force_n"] == [0.0]
    world.robots[0].move_to({0: (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)})
    world.settle()
    found = measured(world)
    assert not any(values.any() for values in found.values())


def test_two_robots_have_sensors_of_the_same_names():
    sensor = RobotSensor(K.LINK_CENTRE, "here", link=0)
    robots = (SceneRobot("a", "block", position_m=(1.0, 0.0, 0.0)),
              SceneRobot("b", "block", position_m=(0.0, 2.0, 0.0)))  # fmt: skip
    robot = block(sensor, kind=JointType.FIXED)
    world = World(scene_text(Scene("s", robots=robots), {"a": robot, "b": robot}))
    assert measured(world, 0)["here_centre_m"].tolist() == [1.0, 0.0, 0.0]
    assert measured(world, 1)["here_centre_m"].tolist() == [0.0, 2.0, 0.0]


def test_a_camera_is_declared_with_its_place_size_and_view():
    own = random_rotation(4)
    place = BodyPlace((0.1, 0.2, 0.3), quaternion(own))
    camera = RobotSensor(K.CAMERA, "eye", link=0, place=place, width_px=320, height_px=200,
                         fov_rad=1.2)  # fmt: skip
    world = world_of(block(camera, kind=JointType.FIXED))
    assert measured(world) == {}
    found = world._model.camera("s/eye")
    assert found.fovy[0] == pytest.approx(math.degrees(1.2), rel=1e-12)
    assert world._model.cam_resolution[found.id].tolist() == [320, 200]
    np.testing.assert_allclose(found.pos, (0.1, 0.2, 0.3))
    axes = Rotation.from_quat(found.quat, scalar_first=True).as_matrix()
    np.testing.assert_allclose(axes, own.as_matrix(), atol=1e-12)


def test_values_are_those_of_the_step_s_beginning_until_the_world_is_settled():
    robot = pendulum(RobotSensor(K.JOINT_ANGLE), RobotSensor(K.JOINT_SPEED), axis=(0.0, 0.0, 1.0))
    world = world_of(robot)
    world._data.qvel[:] = 2.0
    world.step(3)
    assert measured(world)["joint_angle_angle_rad"] == pytest.approx([2.0 * 2 * 0.002])
    world.settle()
    assert measured(world)["joint_angle_angle_rad"] == pytest.approx([2.0 * 3 * 0.002])


def test_the_field_of_a_scene_is_felt():
    scene = Scene("s", Stepping(magnetic_t=(1e-5, 2e-5, 3e-5)), robots=(SceneRobot("r", "block"),))
    robot = block(RobotSensor(K.IMU, link=0), kind=JointType.FIXED)
    found = measured(World(scene_text(scene, {"r": robot})))
    assert found["imu_field_t"].tolist() == [1e-5, 2e-5, 3e-5]


def test_the_tracked_robot_sees_no_part_of_itself_and_a_wall_in_front():
    robot = read_toml(shipped_text("mf4", "toml"), "mf4")
    sides = ("left_distance_m", "front_distance_m", "right_distance_m")
    alone = measured(world_of(robot))
    for side in sides:
        assert alone[side].shape == (5,)
        assert alone[side].tolist() == [12.0] * 5
        assert not alone[side.replace("distance_m", "seen")].any()
    centre, front = alone["places_place_m"].reshape(2, 3)
    np.testing.assert_allclose(front - centre, (0.3, 0.0, 0.0), atol=1e-12)
    wall = SceneBody("wall", BodyShape.BOX, (0.2, 8.0, 2.0), position_m=(2.1, 0.0, 0.5))
    scene = Scene("s", floor=Floor(), robots=(SceneRobot("r", "mf4"),), bodies=(wall,))
    found = measured(World(scene_text(scene, {"r": robot})))
    begin = found["places_place_m"][0] + 0.31
    wanted = (2.0 - begin) / np.cos(np.radians((40.0, 20.0, 0.0, 20.0, 40.0)))
    np.testing.assert_allclose(found["front_distance_m"], wanted, rtol=1e-5)
