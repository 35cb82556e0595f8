"""The emulated arm with weight, coupling and a table before it, judged from outside of it.

The gripper's place is computed from the joints by `arm_driver`, weights by heights of the centres
of mass in a Denavit-Hartenberg chain of this file's own.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from arm_scripted_host import PERIOD_S, ScriptedHost, waypoint_line

from arm_driver.kinematics.puma import forward
from hil.config.file_search import configs_dir, find_file
from hil.machines.robot.settings import RobotSettings
from hil.machines.space_arm.settings import ArmSettings
from hil.stations.arm.run.world import arm_plant, emulated_gears, world_of
from sim.devices.arm.console import ArmConsole
from sim.devices.arm.faults import ArmFault
from sim.devices.arm.plant_servos import EnvelopeSettings
from sim.devices.arm.program import ArmState
from sim.devices.arm.protocol import location_of
from sim.devices.arm.servo import GEARS, MOTOR_INERTIA, SERVO_S
from sim.devices.arm.settings import START_DEG, ArmControllerSettings
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.plants.arm_plant import ArmPlaceError, ArmPlant, geared
from sim.world.robots.model import JointType

RM01 = RobotSettings.load(find_file("rm01", folder="robots", key="ROBOT"))
PUMA = ArmSettings.load(configs_dir() / "arms" / "puma560.toml")
DOWN_DEG = (0.0, 45.0, -135.0, 0.0, -90.0, 0.0)
"""The hand points down, 0.857 m over the floor."""
TOUCH_M = 0.7103
"""Height of the gripper over the table of `table`: 0.7 m, and the radius of what it ends in."""
LIMITED = (97.6, 186.4, 89.4, 24.2, 20.1, 21.3)
FOREVER = EnvelopeSettings((math.inf,) * 6, math.inf)
NO_WINDOW = EnvelopeSettings((math.inf,) * 6)
NO_OVERLOAD = EnvelopeSettings(overload_s=math.inf)


def plant_in(scene: str, robot: RobotSettings = RM01) -> ArmPlant:
    return arm_plant(robot, world_of(robot, scene))


def host_in(scene: str, start_deg=DOWN_DEG, **more) -> ScriptedHost:
    settings = ArmControllerSettings(tool_m=RM01.tool_m, start_deg=start_deg, **more)
    return ScriptedHost(settings, plant=plant_in(scene) if scene else None)


def gripper_m(host: ScriptedHost) -> np.ndarray:
    return forward(RM01.geometry(), host.robot.motion.q_rad).position_m


def downwards(deep_m: float, speed_m_s: float = 0.05):
    """Straight down from `DOWN_DEG` to so deep below the touch."""
    way_m = 0.857034 - TOUCH_M + deep_m
    return lambda seq: (0.0, 0.0, -min((seq + 1) * speed_m_s * PERIOD_S, way_m))


def until(host: ScriptedHost, end_s: float, over=lambda: False) -> list[tuple[float, float]]:
    """Run; times and forces on the table."""
    found = []
    while host.now_s < end_s and not over():
        host.run(0.005)
        found.append((host.now_s, sum(force for _, force in host.robot.servos._plant.touches())))
    return found


@pytest.mark.parametrize(
    ("start_deg", "radius_m"), [(START_DEG, 0.15), ((30.0, 60.0, -170.0, 20.0, 50.0, 10.0), 0.1)]
)
def test_a_free_stream_stays_within_half_a_millimetre_of_the_untapped_gripper(start_deg, radius_m):
    """A circle at 100 mm/s; rest before and after count, too."""
    places = []
    for scene in ("", "empty"):
        host = host_in(scene, start_deg)
        turn = 0.035 / radius_m

        def circle(seq, turn=turn):
            at = turn * (seq + 1)
            return (0.0, radius_m * math.sin(at), radius_m * (1.0 - math.cos(at)))

        host.follow(circle, round(2.0 * math.pi / turn))
        track = []
        for _ in range(1400):
            host.run(0.01)
            track.append(gripper_m(host))
        assert host.robot.state is ArmState.DRY
        places.append(np.array(track))
    apart_m = np.linalg.norm(places[1] - places[0], axis=1)
    assert 0.05e-3 < apart_m.max() < 0.5e-3  # below: nothing would pull at it
    assert apart_m[-1] < 0.25e-3


def test_the_gripper_hangs_at_rest_and_without_gravity_does_not():
    host = host_in("empty", START_DEG)
    before_m = gripper_m(host)
    host.run(2.0)
    assert -0.2e-3 < (gripper_m(host) - before_m)[2] < -0.08e-3
    light = host_in("empty", START_DEG)
    light.robot.servos._plant.world.pull((0.0, 0.0, 0.0))
    light.run(2.0)
    np.testing.assert_allclose(gripper_m(light), before_m, atol=1e-6)


def centre_heights_weight_j(q_rad: np.ndarray) -> float:
    """Potential energy of the file's masses, by its table."""
    pose, energy = np.eye(4), 0.0
    for joint, q in zip(PUMA.joint, q_rad, strict=True):
        row = joint.dh
        c, s, ca, sa = np.cos(q), np.sin(q), np.cos(row.alpha_rad), np.sin(row.alpha_rad)
        pose = pose @ np.array(
            [
                [c, -s * ca, s * sa, row.a_m * c],
                [s, c * ca, -c * sa, row.a_m * s],
                [0.0, sa, ca, row.d_m],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )
        energy += 9.81 * joint.mass_kg * (pose @ np.array([*joint.com_m, 1.0]))[2]
    return energy


def weight_nm(q_rad: np.ndarray) -> np.ndarray:
    step = 1e-6 * np.eye(6)
    up = [centre_heights_weight_j(q_rad + d) - centre_heights_weight_j(q_rad - d) for d in step]
    return np.array(up) / 2e-6


@pytest.mark.parametrize("joint", [1, 2])
def test_a_joint_breaks_away_where_weight_and_friction_say(joint):
    """All others braked by exactly their weight: they stay, as friction holds what is left."""
    q_rad = np.radians(START_DEG)
    weight = weight_nm(q_rad)
    assert weight[joint] == pytest.approx((0.0, 31.6, 6.0)[joint], abs=0.1)
    friction = emulated_gears().friction_nm[joint]
    for sense in (1.0, -1.0):
        for part, moves in ((0.97, False), (1.03, True)):
            plant = plant_in("empty")
            plant.begin(q_rad.tolist())
            torque = weight.copy()
            torque[joint] += sense * part * friction
            for _ in range(60):
                plant.advance(torque.tolist(), False, SERVO_S)
            rate = sense * plant.rates_rad_s()[joint]
            assert (rate > 1e-3) is moves, f"{sense} {part}: {rate}"


def test_rotors_are_the_armature_and_the_column_s_moment_stays():
    robot = plant_in("empty").robot
    hinges = [one for one in robot.joints if one.type is JointType.HINGE]
    rotors = np.array(GEARS) ** 2 * MOTOR_INERTIA
    armature = np.array([one.armature for one in hinges])
    np.testing.assert_allclose(armature - rotors, [0.35, 0, 0, 0, 0, 0], atol=1e-9)
    assert tuple(drive.effort_max for drive in robot.drives) == LIMITED


def test_closed_brakes_stop_it_and_hold_its_weight():
    host = host_in("empty")
    host.follow(lambda seq: (0.0, 0.035 * (seq + 1), 0.0), 9)
    host.run(2.5)
    speed = float(np.abs(host.robot.motion.rate_rad_s).max())
    assert speed > 0.05
    host.robot.inject(ArmFault("estop"), host.now_s)
    host.run(0.3)
    stood = host.robot.motion.q_rad
    host.run(20.0)
    np.testing.assert_allclose(host.robot.motion.q_rad, stood, atol=2e-6)
    assert host.statuses[-1] == 3


def test_a_motor_at_its_limit_lets_the_brakes_fall_within_half_a_second():
    host = host_in("table", envelope=NO_WINDOW)
    host.follow(downwards(0.02), 1000)
    until(host, 8.0, lambda: host.robot.state is ArmState.FAULTED)
    servos = host.robot.servos
    assert 0.49 < host.now_s - servos.saturated_s < 0.6
    assert "joint 2: at its largest torque of 186.4 N m for 0.50 s" in host.robot.reason
    assert "table on robot/flange: 3" in host.robot.reason  # some 300 N
    host.run(1.0)
    assert set(host.statuses[-3:]) == {4}
    assert max(abs(host.robot.motion.rate_rad_s)) < 1e-9


def test_a_joint_out_of_its_window_lets_the_brakes_fall_sooner():
    host = host_in("table", envelope=NO_OVERLOAD)
    host.follow(downwards(0.02), 1000)
    until(host, 8.0, lambda: host.robot.state is ArmState.FAULTED)
    assert 0.0 < host.now_s - host.robot.servos.saturated_s < 0.4
    assert "joint 2: 1." in host.robot.reason
    assert "beside its lag 1 deg are allowed" in host.robot.reason


def test_with_both_switched_off_it_presses_on_for_ever():
    host = host_in("table", envelope=FOREVER)
    host.follow(downwards(0.02), 1000)
    found = until(host, 12.0)
    assert host.robot.state is ArmState.RUNNING
    assert all(250.0 < force < 400.0 for at_s, force in found if at_s > 5.0)
    assert set(host.statuses) == {0}


def test_a_started_program_lifts_the_brakes_and_goes_on_from_there():
    host = host_in("table")
    host.follow(downwards(0.02), 1000)
    until(host, 8.0, lambda: host.robot.state is ArmState.FAULTED)
    host.run(1.0)
    stood = gripper_m(host)
    assert "FAULTED" in ArmConsole(host.robot).execute("status", host.now_s)
    host.robot.start(host.now_s)
    assert host.robot.state is ArmState.WAITING
    assert not host.robot.motion.trip
    host.arm()
    asked = host.robot.seq
    host.follow(lambda seq: (0.0, 0.0, 0.0), 0)
    place = host.robot.gripper[0]
    host.start_m = place
    host.answers = lambda seq, first=asked: host_line(host, seq, first)
    host.run(3.0)
    assert gripper_m(host)[2] - stood[2] > 0.03
    assert host.robot.state in (ArmState.RUNNING, ArmState.DRY)


def host_line(host: ScriptedHost, seq: int, first: int) -> bytes | None:
    """Upwards, four waypoints."""
    step = seq - first
    if step >= 4:
        return None
    return waypoint_line(seq, host.location((0.0, 0.0, 0.0125 * (step + 1))))


def test_fast_joints_are_no_fault():
    """1 rad/s of the gripper: the lag of a joint alone is more than its window."""
    host = host_in("empty", (0.0, 45.0, -135.0, 0.0, 60.0, 0.0), envelope=EnvelopeSettings(
        (0.5, 0.5, 0.5, 0.5, 0.5, 0.5)))  # fmt: skip
    position_m, rotation = host.robot.gripper

    def turned(seq):
        at = 0.33 * (seq + 1)
        about_z = np.array([[math.cos(at), -math.sin(at), 0.0], [math.sin(at), math.cos(at), 0.0],
                            [0.0, 0.0, 1.0]])  # fmt: skip
        return waypoint_line(seq, location_of(position_m, rotation @ about_z))

    host.answers = lambda seq: turned(seq) if seq < 9 else None
    fastest = 0.0
    while host.now_s < 5.0:
        host.run(0.005)
        fastest = max(fastest, float(np.abs(host.robot.motion.rate_rad_s).max()))
    assert math.degrees(2.0 / 120.0 * fastest) > 0.85  # more than the window
    assert host.robot.state is ArmState.DRY
    assert not host.robot.reason


def test_it_does_not_begin_in_the_table():
    plant = plant_in("table")
    before = plant.angles_rad()
    with pytest.raises(
        ArmPlaceError, match=r"robot/wrist_roll would be \d+\.\d mm inside table, at most 1 mm"
    ):
        plant.begin(np.radians(START_DEG).tolist())
    assert plant.angles_rad() == before
    with pytest.raises(ValueError, match="move table in the scene"):
        host_in("table", START_DEG)


def test_moved_by_hand_into_the_table_it_stays_where_it_was():
    host = host_in("table")
    host.robot.inject(ArmFault("elsewhere", value=-0.17), host.now_s)
    host.run(0.1)
    assert "cannot be moved by -170 mm" in host.robot.reason
    assert gripper_m(host)[2] == pytest.approx(0.857, abs=1e-3)
    host.robot.inject(ArmFault("elsewhere", value=0.05), host.now_s)
    host.run(0.1)
    assert gripper_m(host)[2] == pytest.approx(0.907, abs=1e-3)


def test_a_cube_in_the_way_is_pushed_aside():
    """It weighs 0.2 kg and lies on the table: no fault, and it has moved."""
    host = host_in("table")
    cube = host.robot.servos._plant.world.bodies["cube"]
    before = np.array(cube.coordinates()[:3])

    def way(seq):
        ahead, down = min((seq + 1) * 0.0175, 0.063), min((seq + 1) * 0.0175, 0.12)
        return (ahead, min(max(seq - 8, 0) * 0.0175, 0.3), -down)

    host.follow(way, 30)
    host.run(12.0)
    moved_m = np.array(cube.coordinates()[:3]) - before
    assert not host.robot.reason
    assert moved_m[1] > 0.03


def test_two_runs_are_the_same_bit_for_bit_however_often_one_looks():
    tracks = []
    for look_s in (0.005, 0.05):
        host = host_in("table", envelope=NO_WINDOW)
        host.follow(downwards(0.02), 1000)
        while host.now_s < 5.0 - 1e-9:
            host.run(look_s)
        tracks.append(host.robot.motion.q_rad)
    np.testing.assert_array_equal(tracks[0], tracks[1])


def test_what_makes_no_envelope_or_plant_is_refused():
    with pytest.raises(ValueError, match="six angles above 0 deg"):
        EnvelopeSettings((1.0, 1.0, 1.0, 3.0, 3.0, 0.0))
    with pytest.raises(ValueError, match=r"overload_s = 0\.0: a time above 0 s"):
        EnvelopeSettings(overload_s=0.0)
    robot = plant_in("empty").robot
    with pytest.raises(ValueError, match="5 hinges, 6 needed"):
        geared(replace(robot, joints=robot.joints[:6]), emulated_gears())
    fast = replace(robot.drives[0], control="speed", speed_gain=100.0)
    text = model_text([PlacedRobot(replace(robot, drives=(fast, *robot.drives[1:])))])
    with pytest.raises(ValueError, match=r"drive of joint 1 \(speed\): an arm's drives are torque"):
        ArmPlant(text)
