"""What readings hold, told so that a recording can have it as it is."""

import pytest
from robot_documents import furnished, shipped_text
from sensor_robots import block

from hil.recording.signals import QUATERNION, Signal, Signals
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.sensors import RobotSensor, SensorKind
from sim.world.sensors.layout import sensor_layout
from sim.world.sensors.sensor_signals import sensor_signals

K = SensorKind


def recorded(robot):
    told = (
        Signal(one.name, "f8", one.count, one.unit, one.frame, one.child, one.parts)
        for one in sensor_signals(robot)
    )
    return tuple(told)


@pytest.mark.parametrize("seed", range(8))
def test_signals_are_fields_of_a_recording_and_cover_each_reading_once(seed):
    robot = furnished(seed)
    told, layout = sensor_signals(robot), sensor_layout(robot, 0.002)
    fields = recorded(robot)
    for half in (fields[: len(fields) // 2], fields[len(fields) // 2 :]):  # rows have a bound
        head = (Signal("index", "u8"), Signal("t_s", "f8", unit="s"))
        columns = Signals("world", (*head, *half)).columns()
        assert len(set(columns)) == 2 + sum(one.count for one in half)
    places = [at for one in told for at in range(one.at.start, one.at.stop)]
    seen = sum(one.count for one in told if one.boolean)
    assert places == list(range(len(layout.values) + seen))


def test_names_units_parts_and_frames():
    sensors = (
        RobotSensor(K.WRENCH, "wrist", link=0), RobotSensor(K.LINK_POSE, "hand", link=0),
        RobotSensor(K.IMU, link=0), RobotSensor(K.CONTACT, "sole", link=0),
        RobotSensor(K.RANGEFINDER, "eye", link=0, directions=((1.0, 0.0, 0.0),)),
        RobotSensor(K.LINK_SPEED, "pace", link=0),
    )  # fmt: skip
    found = {one.name: one for one in recorded(block(*sensors))}
    told = {name: (one.unit, one.frame, one.child, one.parts) for name, one in found.items()}
    xyz = ("x", "y", "z")
    assert told == {
        "wrist_force_n": ("N", "wrist", "", xyz),
        "wrist_torque_n_m": ("N m", "wrist", "", xyz),
        "hand_pose": ("m,1", "world", "l0", QUATERNION),
        "imu_turning_rad_s": ("rad/s", "imu", "", xyz),
        "imu_acceleration_m_s2": ("m/s2", "imu", "", xyz),
        "imu_field_t": ("T", "imu", "", xyz),
        "sole_touching": ("1", "", "", ()),
        "sole_force_n": ("N", "world", "", xyz),
        "eye_distance_m": ("m", "", "", ()),
        "eye_seen": ("1", "", "", ()),
        "pace_speed_m_s": ("m/s", "world", "", xyz),
        "pace_turning_rad_s": ("rad/s", "world", "", xyz),
    }
    torques = [f"wrist_torque_{one}_n_m" for one in xyz]
    assert found["wrist_torque_n_m"].columns() == torques
    assert found["wrist_force_n"].columns() == [f"wrist_force_{one}_n" for one in xyz]


def test_joints_are_told_by_their_numbers():
    text = shipped_text("robot_a", "toml") + '\n[[sensor]]\nkind = "joint_angle"\njoint = [3, 1]\n'
    (found,) = recorded(read_toml(text, "robot_a"))
    assert found.columns() == ["joint_angle_angle_joint3_rad", "joint_angle_angle_joint1_rad"]
