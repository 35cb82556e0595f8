"""Sensors of documents: what is refused, with place, value and remedy; what the engine is told."""

import pytest
from robot_documents import furnished, shipped_text

from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_losses import mjcf_losses
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.mjcf_sensors import SensorTargetError
from sim.world.engine.world import World
from sim.world.robots.faults import RobotDocumentError, RobotError
from sim.world.robots.model import Robot
from sim.world.robots.robot_checks import checked
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.robot_toml_writer import write_toml
from sim.world.robots.sensor_checks import SENSORS_MAX
from sim.world.robots.sensors import RobotSensor, SensorKind, ValueDefects

FAULTS = {
    "no kind": ("link = 1", ["1:1: kind: not told; one of joint_place, joint_speed, joint_torque, "
        "joint_angle, wrench, touch, rangefinder, link_pose, link_speed, link_centre, imu, contact,"
        " camera"]),
    "another kind": ('kind = "force"\nlink = 1', ["2:8: kind = force: no such word; one of "
        "joint_place, joint_speed, joint_torque, joint_angle, wrench, touch, rangefinder, "
        "link_pose, link_speed, link_centre, imu, contact, camera"]),
    "no such link": ('kind = "imu"\nlink = 12', ["3:8: sensor 1 link = 12: no such link; the "
        "number of a link that is there"]),
    "nowhere": ('kind = "imu"', ["1:1: sensor 1 link: not told; link = ..., or end = ... for the "
        "joint of an end"]),
    "two places": ('kind = "imu"\nlink = 1\nend = 5', ["4:7: sensor 1 end = 5: a link is told as "
        "well; one of the two", "4:7: sensor 1 end = 5: no such end; a joint of type end: none is "
        "there"]),
    "no end": ('kind = "imu"\nend = 1', ["3:7: sensor 1 end = 1: no such end; a joint of "
        "type end: none is there"]),
    "a key of another kind": ('kind = "link_centre"\nlink = 1\nend = 5', ["4:7: end: no such key; "
        "one of bias_m, cutoff_hz, delay_s, dropout, kind, link, name, noise_m, quantisation_m, "
        "rate_hz"]),
    "a unit of another kind": ('kind = "touch"\nlink = 1\nshape = "sphere"\nsize_m = [0.1]\n'
        "noise_nm = 1", ["6:12: noise_nm: no such key; one of bias_n, cutoff_hz, delay_s, dropout, "
        "end, kind, link, name, noise_n, place, quantisation_n, rate_hz, shape, size_m"]),
    "a unit that no joint has": ('kind = "joint_angle"\nbias_m = 1', ["3:10: sensor 1 bias_m = "
        "(1.0): no value of this sensor has this unit; those that it has: rad"]),
    "axes in steps": ('kind = "link_pose"\nlink = 1\nquantisation_rad = 1', ["4:20: "
        "quantisation_rad: no such key; one of bias_m, bias_rad, cutoff_hz, delay_s, dropout, end, "
        "kind, link, name, noise_m, noise_rad, place, quantisation_m, rate_hz"]),
    "no such joint": ('kind = "joint_speed"\njoint = [1, 9]', ["3:9: sensor 1 joints = 9: no such "
        "joint; the number of a joint that is there"]),
    "a joint twice": ('kind = "joint_speed"\njoint = [1, 1]', ["3:9: sensor 1 joints = 1: told "
        "twice; each joint once"]),
    "a joint without coordinate": ('kind = "joint_torque"\njoint = 4', ["3:9: sensor 1 joints = 4: "
        "a hinge joint that closes a loop has no joint_torque; of the tree, hinge, slide, "
        "universal"]),
    "no joint": ('kind = "joint_torque"\njoint = []', ["3:9: joints = (): no joint; a number, a "
        'list of them, or "all"']),
    "noise below 0": ('kind = "wrench"\nlink = 1\nnoise_n = -1', ["4:11: sensor 1 noise_n = -1.0: "
        "below 0; 0 or more"]),
    "noise that is no number": ('kind = "wrench"\nlink = 1\nnoise_n = nan', ["4:11: sensor 1 "
        "noise_n = nan: not finite, or beyond 1e12; numbers are finite and at most 1e12"]),
    "two biases of three": ('kind = "wrench"\nlink = 1\nbias_nm = [1, 2]', ["4:11: sensor 1 "
        "bias_nm = (1.0, 2.0): 2 numbers; one for all, or 3, one each"]),
    "always lost": ('kind = "imu"\nlink = 1\ndropout = 1', ["4:11: sensor 1 dropout = 1.0: outside "
        "0 … 1; a probability below 1"]),
    "no rate": ('kind = "imu"\nlink = 1\nrate_hz = 0', ["4:11: sensor 1 rate_hz = 0.0: not above "
        "0; above 0, or left out for none"]),
    "too late": ('kind = "imu"\nlink = 1\ndelay_s = 11', ["4:11: sensor 1 delay_s = 11.0: outside "
        "0 … 10 s; at most 10 s"]),
    "not a number": ('kind = "imu"\nlink = 1\ndelay_s = inf', ["4:11: sensor 1 delay_s = inf: not "
        "finite, or beyond 1e12; numbers are finite and at most 1e12"]),
    "turned by nothing": ('kind = "imu"\nlink = 1\nplace = { position_m = [0, 0, 0], quaternion = '
        "[1, 1, 0, 0] }", ["4:9: sensor 1 place = (1.0, 1.0, 0.0, 0.0): the quaternion's length is "
        "1.41421356; w, x, y, z of length 1 (to 1e-9)"]),
    "a light tool": ('kind = "wrench"\nlink = 1\ntool_mass_kg = -1', ["4:16: sensor 1 tool_mass_kg "
        "= -1.0: below 0 kg; 0 kg or more"]),
    "no tool": ('kind = "wrench"\nlink = 1\ntool_centre_m = [0, 0, 1]', ["4:17: sensor 1 "
        "tool_centre_m = (0.0, 0.0, 1.0): the tool has no mass; tool_mass_kg = ..."]),
    "no volume": ('kind = "touch"\nlink = 1', ["1:1: sensor 1 shape: touch is felt in no volume; "
        "one of box, cylinder, capsule, sphere"]),
    "half a volume": ('kind = "touch"\nlink = 1\nshape = "box"\nsize_m = [1]', ["5:10: sensor 1 "
        "size_m = (1.0): 1 numbers; 3: width, height, length"]),
    "an empty volume": ('kind = "touch"\nlink = 1\nshape = "sphere"\nsize_m = [0]', ["5:10: sensor "
        "1 size_m = (0.0): not above 0 m; above 0 m"]),
    "no ray": ('kind = "rangefinder"\nlink = 1', ["1:1: sensor 1 directions = (): 0 rays; 1 to "
        "1000, such as [[1, 0, 0]]"]),
    "a ray to nowhere": ('kind = "rangefinder"\nlink = 1\ndirections = [[0, 0, 0]]', ["4:14: "
        "sensor 1 directions = ((0.0, 0.0, 0.0)): one has no direction; lengths of 1e-6 … 1e6, 1 "
        "is usual"]),
    "a ray that is no list": ('kind = "rangefinder"\nlink = 1\ndirections = [1, 0, 0]', ["4:14: "
        "directions = (1, 0, 0): not a list of directions; such as [[1, 0, 0], [0, 1, 0]]"]),
    "a flat picture": ('kind = "camera"\nlink = 1\nheight_px = 0', ["4:13: sensor 1 height_px = 0: "
        "outside 1 … 8192; 1 to 8192 px"]),
    "degrees of view": ('kind = "camera"\nlink = 1\nfov_rad = 45', ["4:11: sensor 1 fov_rad = "
        "45.0: no angle of view; above 0, below π; in rad, not degrees"]),
    "a name for people": ('kind = "imu"\nlink = 1\nname = "My IMU"', ["4:8: sensor 1 name = My "
        "IMU: no name of a sensor; small letters and digits joined by _, at most 60, such as "
        '"wrist_2"']),
    "two of one name": ('kind = "imu"\nlink = 1\n[[sensor]]\nkind = "imu"\nlink = 2', ["4:1: "
        "sensor 2 name = imu: sensor 1 has the same name; a name of its own; without one it has "
        "that of its kind"]),
}  # fmt: skip


def with_sensors(text, name="four_bar"):
    """The shipped document with tables of sensors after it, and how many lines it has."""
    begin = shipped_text(name, "toml").rstrip() + "\n"
    return begin + f"[[sensor]]\n{text}\n", begin.count("\n")


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_place_value_and_remedy(name):
    text, wanted = FAULTS[name]
    whole, begin = with_sensors(text)
    with pytest.raises(RobotDocumentError) as caught:
        read_toml(whole, "a.toml")
    lines = [f"{fault.line - begin}:{fault.column}: {fault.text}" for fault in caught.value.faults]
    assert lines == wanted


def test_all_is_read_as_it_stands():
    text, _ = with_sensors(
        'kind = "wrench"\nname = "wrist"\nlink = 3\nplace = { position_m = [0, 0, 0.1] }\n'
        "tool_mass_kg = 2\ntool_centre_m = [0, 0, 0.05]\nnoise_n = 0.1\nbias_nm = [1, 2, 3]\n"
        "quantisation_nm = 0.5\ndelay_s = 0.01\nrate_hz = 100\ncutoff_hz = 30\ndropout = 0.25\n"
        '[[sensor]]\nkind = "joint_angle"\njoint = "all"\n[[sensor]]\nkind = "joint_speed"\n'
        "joint = 2"
    )
    wrist, angles, speed = read_toml(text, "a.toml").sensors
    assert (wrist.kind, wrist.name, wrist.link, wrist.end) == (SensorKind.WRENCH, "wrist", 3, None)
    assert wrist.place is not None
    assert wrist.place.position_m == (0.0, 0.0, 0.1)
    assert (wrist.tool_mass_kg, wrist.tool_centre_m) == (2.0, (0.0, 0.0, 0.05))
    assert wrist.defects == (ValueDefects("n", 0.1), ValueDefects("nm", 0.0, (1.0, 2.0, 3.0), 0.5))
    assert (wrist.delay_s, wrist.rate_hz, wrist.cutoff_hz) == (0.01, 100.0, 30.0)
    assert (wrist.dropout, angles.joints, speed.joints) == (0.25, (), (2,))
    assert angles.called == "joint_angle"


def test_values_made_in_python_are_judged_too():
    robot = read_toml(shipped_text("four_bar", "toml"), "four_bar")
    defects = (ValueDefects("n", 1.0), ValueDefects("m"), ValueDefects("m"))
    sensor = RobotSensor(SensorKind.LINK_CENTRE, link=1, range_m=2.0, defects=defects)
    many = (RobotSensor(SensorKind.LINK_CENTRE, link=1),) * (SENSORS_MAX + 1)
    with pytest.raises(RobotError) as caught:
        checked(Robot(robot.links, robot.joints, sensors=(sensor,)))
    told = str(caught.value).splitlines()
    assert told[0] == "sensor 1 range_m = 2.0: no link_centre has it; leave it out"
    assert len(told) == 4
    assert all("no unit of this sensor, or told twice" in line for line in told[1:])
    with pytest.raises(RobotError, match=f"robot {SENSORS_MAX} = 501: there are more sensors"):
        checked(Robot(robot.links, robot.joints, sensors=many))


@pytest.mark.parametrize("seed", range(10))
def test_a_robot_with_every_kind_stands_in_the_engine_and_loses_only_defects(seed):
    robot = furnished(seed)
    assert read_toml(write_toml(robot), "again") == robot
    World(model_text([PlacedRobot(robot)]))
    lost = {(loss.subject, loss.field) for loss in mjcf_losses(robot)}
    for sensor in robot.sensors:
        subject = f"sensor {sensor.called}"
        own = {field for name, field in lost if name == subject}
        timed = {"delay_s", "rate_hz", "cutoff_hz", "dropout"}
        assert own >= timed or sensor.kind is SensorKind.CAMERA
        assert {f"noise_{one.unit}" for one in sensor.defects} <= own
        assert ("tool_mass_kg" in own) == (sensor.kind is SensorKind.WRENCH)


def test_contact_with_what_is_not_there_is_refused():
    text, _ = with_sensors('kind = "contact"\nlink = 1\nother = "tabel"')
    robot = read_toml(text, "a.toml")
    with pytest.raises(SensorTargetError) as caught:
        model_text([PlacedRobot(robot)])
    assert str(caught.value) == (
        "sensor contact: other = tabel: no such body; the floor if there is one, l0, l1, l2, l3"
    )
