"""Readings that go on: bit by bit in another process, and over an edit by the sensors' names."""

import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from robot_documents import shipped_text
from sensor_robots import block

from sim.world.engine.mjcf import Stepping, model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.sensors import RobotSensor, SensorKind, ValueDefects
from sim.world.sensors.layout import sensor_layout
from sim.world.sensors.readings import RobotSensors
from sim.world.sensors.sensor_chain import SensorChain

SENSORS = """
[[sensor]]
kind = "joint_angle"
noise_rad = 1e-3
quantisation_rad = 1e-4
delay_s = 0.006
[[sensor]]
kind = "wrench"
link = 6
noise_n = 0.5
noise_nm = 0.1
cutoff_hz = 60
rate_hz = 300
dropout = 0.1
tool_mass_kg = 1
[[sensor]]
kind = "link_pose"
link = 6
noise_rad = 0.01
noise_m = 0.01
cutoff_hz = 20
delay_s = 0.02
[[sensor]]
kind = "rangefinder"
link = 6
directions = [[0, 0, 1], [0, 1, 0]]
noise_m = 0.01
rate_hz = 70
"""

THERE = """
import json, sys
import numpy as np
sys.path[:0] = json.loads(sys.argv[1])
from test_sensor_snapshot import readings, restored
world, sensors = restored(sys.argv[2])
np.save(sys.argv[3], readings(world, sensors, 5000))
"""


def swinging():
    """Robot A with sensors of every kind of memory, falling from where it starts."""
    robot = read_toml(shipped_text("robot_a", "toml") + SENSORS, "robot_a")
    world = World(model_text([PlacedRobot(robot)], Stepping(step_s=0.001)))
    return world, RobotSensors(world.robots[0], world.step_s, seed=7)


def readings(world, sensors, count):
    found = []
    for _ in range(count):
        world.step()
        found.append(sensors.read())
    return np.array(found)


def kept(world, sensors, path):
    """Everything in one file of plain arrays and words."""
    there, ours = world.snapshot(), sensors.snapshot()
    data = {"state": there.state, "ours": {}}
    plain = {k: v.hex() if isinstance(v, bytes) else v for k, v in asdict(ours).items()}
    data = {"state": there.state.hex(), "model": [one.hex() for one in there.model], "ours": plain}
    Path(path).write_text(json.dumps(data))


def restored(path):
    data = json.loads(Path(path).read_text())
    world, sensors = swinging()
    there, ours = world.snapshot(), sensors.snapshot()
    fields = {
        name: bytes.fromhex(data["ours"][name]) if isinstance(value, bytes) else data["ours"][name]
        for name, value in asdict(ours).items()
    }
    fields["values"] = tuple(fields["values"])
    model = tuple(map(bytes.fromhex, data["model"]))
    world.restore(replace(there, state=bytes.fromhex(data["state"]), model=model))
    sensors.restore(replace(ours, **fields))
    return world, sensors


@pytest.mark.parametrize("steps", [0, 1, 255, 777])
def test_another_process_goes_on_bit_by_bit(tmp_path, steps):
    world, sensors = swinging()
    readings(world, sensors, steps)
    kept(world, sensors, tmp_path / "kept.json")
    wanted = readings(world, sensors, 5000)
    path = [str(Path(__file__).parent), *sys.path]
    files = [str(tmp_path / "kept.json"), str(tmp_path / "found.npy")]
    subprocess.run([sys.executable, "-c", THERE, json.dumps(path), *files], check=True, timeout=100)
    found = np.load(tmp_path / "found.npy")
    assert found.tobytes() == wanted.tobytes()
    assert np.ptp(found[:, 1]) > 0.1  # it swings


def chain_of(*sensors, seed=3, step_s=0.001):
    return SensorChain(sensor_layout(block(*sensors), step_s), seed)


def a_sensor(name, **values):
    told = {"cutoff_hz": 30.0, "delay_s": 0.005, "rate_hz": 250.0, "dropout": 0.2, **values}
    defects = (ValueDefects("m", 0.5, (), 0.01),)
    return RobotSensor(SensorKind.LINK_CENTRE, name, link=0, defects=defects, **told)


def test_a_snapshot_of_others_or_of_another_seed_is_refused():
    chain, kept_one = chain_of(a_sensor("a")), chain_of(a_sensor("a")).snapshot()
    chain.restore(kept_one)
    with pytest.raises(ValueError, match="seed 4: not of these 3 and seed 3"):
        chain.restore(chain_of(a_sensor("a"), seed=4).snapshot())
    with pytest.raises(ValueError, match="snapshot of 6 values"):
        chain.restore(chain_of(a_sensor("a"), a_sensor("b")).snapshot())
    with pytest.raises(ValueError, match="history: 24 bytes and not 144"):
        chain.restore(chain_of(a_sensor("a", delay_s=0.0)).snapshot())


def test_a_snapshot_does_not_go_on_with_its_chain():
    chain = chain_of(a_sensor("a"))
    chain.advance(np.ones(3))
    first = chain.snapshot()
    ahead = [chain.advance(np.full(3, float(k))) for k in range(50)]
    chain.restore(first)
    again = [chain.advance(np.full(3, float(k))) for k in range(50)]
    np.testing.assert_array_equal(ahead, again)


def test_over_an_edit_sensors_go_on_by_their_names():
    """Another order, one gone, one new: those that stay read as if nothing had been edited."""
    measured = np.random.default_rng(0).normal(size=(300, 9)).cumsum(axis=0)
    a, b, c = (a_sensor(name) for name in "abc")
    old, never = chain_of(a, b, c), chain_of(a, b, c)
    for one in measured[:150]:
        old.advance(one)
        never.advance(one)
    new = chain_of(a_sensor("fresh", dropout=0.9), c, a)
    new.carry_over(old.snapshot())
    for step, one in enumerate(measured[150:]):
        wanted = never.advance(one)
        found = new.advance(np.concatenate([one[3:6], one[6:], one[:3]]))
        np.testing.assert_array_equal(found[3:], np.concatenate([wanted[6:], wanted[:3]]))
        if step == 0:  # as if it had stood for ever, and not lost
            np.testing.assert_allclose(found[:3], one[3:6], atol=3.0)


@pytest.mark.parametrize(("before", "after"), [(0.0, 0.004), (0.004, 0.0), (0.003, 0.008)])
def test_over_an_edit_of_a_delay_what_was_measured_keeps_its_age(before, after):
    def plain(delay_s):
        return RobotSensor(SensorKind.LINK_CENTRE, "a", link=0, delay_s=delay_s)

    old, new = chain_of(plain(before)), chain_of(plain(after))
    for step in range(40):
        old.advance(np.full(3, float(step)))
    new.carry_over(old.snapshot())
    found = [new.advance(np.full(3, float(step)))[0] for step in range(40, 60)]
    kept_since = 39 - round(before * 1000)
    wanted = [max(step - round(after * 1000), kept_since) for step in range(40, 60)]
    assert found == wanted


def test_a_world_s_readings_follow_their_signals():
    world, sensors = swinging()
    world.step()
    reading = sensors.read()
    last = sensors.signals[-1]
    assert last.at.stop == len(reading) == len(sensors.measured())
    assert [one.name for one in sensors.signals] == [
        "joint_angle_angle_rad", "wrench_force_n", "wrench_torque_n_m", "link_pose_pose",
        "rangefinder_distance_m", "rangefinder_seen",
    ]  # fmt: skip
    angles = sensors.signals[0]
    np.testing.assert_allclose(reading[angles.at], world.robots[0].positions(), atol=6e-3)
