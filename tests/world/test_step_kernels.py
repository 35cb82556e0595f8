"""Compiled parts of a step against plain array arithmetic, and that none is compiled in a run."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from sensor_robots import block
from shipped_worlds import a_world

from hil.machines.world.robot_documents import robot_of
from sim.world.control.laws import Gains, JointLaw, JointMotion
from sim.world.engine.dynamics import RobotDynamics
from sim.world.robots.sensors import RobotSensor, SensorKind, ValueDefects
from sim.world.sensors.draws import BLOCK, SensorDraws
from sim.world.sensors.layout import sensor_layout
from sim.world.sensors.sensor_chain import SensorChain

K = SensorKind
STEP_S = 0.001
SEED = 3
ALL = (
    RobotSensor(
        K.LINK_POSE, "slow", link=0, cutoff_hz=30.0,
        defects=(ValueDefects("m", 1e-3, (1.0, 2.0, 3.0), 1e-3),
                 ValueDefects("rad", 1e-2, (0.1, 0.2, 0.3))),
    ),
    RobotSensor(
        K.LINK_POSE, "late", link=0, delay_s=0.003, rate_hz=300.0, dropout=0.1,
        defects=(ValueDefects("rad", 0.1),),
    ),
    RobotSensor(K.RANGEFINDER, "rays", link=0, directions=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
                cutoff_hz=10.0, delay_s=0.005),
    RobotSensor(
        K.IMU, link=0, rate_hz=100.0, cutoff_hz=50.0, dropout=0.05,
        defects=(ValueDefects("rad_s", 0.1, (), 0.01), ValueDefects("t", 0.1, (0.1,))),
    ),
    RobotSensor(K.CONTACT, link=0),
)  # fmt: skip


def of(name):
    return robot_of(name)[0]


class PlainChain:
    """The documented order of defects, an array operation each, without a compiler."""

    def __init__(self, layout):
        self.layout, self.step, count = layout, 0, len(layout.values)
        counts = np.bincount(layout.sensors, minlength=len(layout.names)).tolist()
        self.draws = SensorDraws(SEED, layout.names, counts, [True] * len(counts))
        self.depth = int(layout.delay.max()) + 1
        self.history, self.filtered = np.zeros((self.depth, count)), np.zeros(count)
        self.told = np.zeros(count)

    def turned(self, values, turns):
        half = 0.5 * np.linalg.norm(turns, axis=1, keepdims=True)
        w, xyz = np.cos(half), 0.5 * np.sinc(half / np.pi) * turns
        own, vector = values[:, :1], values[:, 1:]
        scalar = own * w - np.sum(vector * xyz, axis=1, keepdims=True)
        return np.hstack([scalar, own * xyz + w * vector + np.cross(vector, xyz)])

    def advance(self, measured):
        layout, axes = self.layout, self.layout.quaternions
        values = measured + layout.bias
        values[axes] = self.turned(values[axes], layout.turned)
        if not self.step:
            self.filtered[:] = self.history[:] = values
        cut = layout.share < 1.0
        slow = axes[cut[axes[:, 0]]]
        opposed = np.sum(values[slow] * self.filtered[slow], axis=1, keepdims=True) < 0.0
        values[slow] = np.where(opposed, -values[slow], values[slow])
        finite = np.isfinite(values) & np.isfinite(self.filtered)
        old = np.where(finite, self.filtered, values)
        way = np.subtract(values, old, where=finite, out=np.zeros(len(values)))
        self.filtered = np.where(cut, old + layout.share * way, self.filtered)
        self.filtered[slow] /= np.linalg.norm(self.filtered[slow], axis=1, keepdims=True)
        values = np.where(cut, self.filtered, values)
        self.history[self.step % self.depth] = values
        rows = (self.step - layout.delay) % self.depth
        values = self.history[rows, np.arange(len(values))]
        normals, uniforms = self.draws.block(self.step // BLOCK)
        normal, uniform = normals[self.step % BLOCK], uniforms[self.step % BLOCK]
        values = values + layout.noise * normal
        values[axes] = self.turned(values[axes], layout.turning * normal[axes[:, :3]])
        steps = layout.quantisation
        quanta = np.where(steps, steps, 1.0)
        whole = np.rint(values / quanta) * quanta
        values = np.where(steps > 0.0, whole, values)
        now, before = (np.floor(n * layout.rate + 1e-6) for n in (self.step, self.step - 1))
        lost = ((now == before) | (uniform < layout.dropout))[layout.sensors] & (self.step > 0)
        self.told = np.where(lost, self.told, values)
        self.step += 1
        return self.told


def test_readings_are_those_of_array_arithmetic_bit_by_bit():
    layout = sensor_layout(block(*ALL), STEP_S)
    chain, plain, rng = SensorChain(layout, SEED), PlainChain(layout), np.random.default_rng(0)
    rays = [at for at, name in enumerate(layout.values) if name.startswith("rays")]
    for _ in range(3 * BLOCK):
        measured = rng.normal(size=len(layout.values))
        turns = Rotation.random(len(layout.quaternions), random_state=rng).as_quat()
        measured[layout.quaternions] = turns
        measured[rays] = np.where(rng.random(len(rays)) < 0.2, np.inf, measured[rays])
        np.testing.assert_array_equal(chain.advance(measured), plain.advance(measured))


def least_squares(world, robot, accelerations):
    """The module's equation with every matrix written out, the engine asked for each."""
    jacobian, mass = world.tie_jacobian(), world.mass_matrix()
    driven = np.concatenate([robot.freedoms(one.joint) for one in robot.drives])
    others = np.setdiff1d(np.arange(len(mass)), driven)
    rates = np.linalg.lstsq(jacobian[:, others], -jacobian[:, driven], rcond=1e-9)[0]
    all_rates = np.zeros((len(mass), len(driven)))
    all_rates[driven], all_rates[others] = np.eye(len(driven)), rates
    bias, passive = world._data.qfrc_bias, world._data.qfrc_passive
    return all_rates.T @ (mass @ all_rates @ accelerations + bias - passive)


@pytest.mark.parametrize("name", ["rig:paper", "delta", "four_bar"])
def test_efforts_of_closed_chains_are_those_of_least_squares(name):
    world, rng = a_world(of(name)), np.random.default_rng(4)
    (robot,) = world.robots
    dynamics = RobotDynamics(world, robot)
    for _ in range(10):
        world.step(3)
        world.settle()
        wanted = rng.normal(size=len(robot.drives))
        for accelerations in (wanted, np.zeros(len(wanted))):
            found = dynamics.moving(accelerations)
            expected = least_squares(world, robot, accelerations)
            np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())
        np.testing.assert_array_equal(dynamics.holding(), found)


@pytest.mark.parametrize("name", ["mf4_wheels", "walker", "robot_a"])
def test_efforts_at_rest_are_to_the_bit_those_of_no_acceleration(name):
    """Neither with joints that follow others nor with a free base, where no mass is asked for."""
    world = a_world(of(name))
    (robot,) = world.robots
    dynamics, rng = RobotDynamics(world, robot), np.random.default_rng(8)
    still = np.zeros(len(robot.drives))
    for _ in range(10):
        robot.command(rng.normal(size=len(still)))
        world.step(3)
        assert dynamics.holding().tobytes() == dynamics.moving(still).tobytes()


def test_the_gap_of_loops_is_the_greatest_distance_of_tied_points():
    world = a_world(of("rig:paper"))
    world.step(20)
    model, places_m = world._model, world._data.site_xpos
    pairs = zip(model.eq_obj1id, model.eq_obj2id, strict=True)
    gaps_m = [float(np.linalg.norm(places_m[a] - places_m[b])) for a, b in pairs]
    assert len(gaps_m) == 6
    assert world.gap_max_m == pytest.approx(max(gaps_m), rel=1e-12)
    assert a_world(of("robot_a")).gap_max_m == 0.0


@pytest.mark.parametrize("control", ["torque", "voltage"])
def test_a_law_is_its_equation_bit_by_bit(control):
    rng, drives = np.random.default_rng(6), of("robot_a").drives
    kp, ki, kd, most = 900.0, 300.0, 40.0, np.array([one.effort_max for one in drives])
    gains = Gains(*(np.full(6, gain) for gain in (kp, ki, kd)))
    law, integral = JointLaw(drives, control, "computed", gains, STEP_S), np.zeros(6)
    for _ in range(300):
        q, v, wanted_q, wanted_v, needed = rng.normal(0.0, 0.5, size=(5, 6))
        error, slip = wanted_q - q, wanted_v - v
        asked = kp * error + integral + kd * slip + needed
        effort = np.clip(asked, -most, most)
        integral += np.where((asked != effort) & (asked * error > 0.0), 0.0, ki * error * STEP_S)
        command = effort
        if control == "voltage":
            speeds = np.array([one.speed_max for one in drives])
            command = np.clip(v / speeds + effort / most, -1.0, 1.0)
        motions = JointMotion(wanted_q, wanted_v, q), JointMotion(q, v, q)
        np.testing.assert_array_equal(law.command(*motions, needed), command)
        np.testing.assert_array_equal(law.integrals, integral)
    assert np.any(asked != effort)


FIRST_STEPS = """
import numpy as np
from hil.machines.world.robot_documents import robot_of
from sim.world.control.laws import Gains, JointLaw, JointMotion
from sim.world.control.laws_kernel import efforts
from sim.world.engine.dynamics import RobotDynamics
from sim.world.engine.measurement_kernel import measure_values
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.ties_kernel import bear, follow
from sim.world.engine.world import World
from sim.world.sensors.chain_kernel import read_sensors
from sim.world.sensors.readings import RobotSensors

robot = robot_of("rig:paper")[0]
world = World(model_text([PlacedRobot(robot)]))
(one,) = world.robots
sensors, dynamics = RobotSensors(one, world.step_s, 1), RobotDynamics(world, one)
law = JointLaw(robot.drives, "torque", "computed", Gains(*np.ones((3, 6))), world.step_s)
kernels = read_sensors, measure_values, follow, bear, efforts
before = [list(kernel.nopython_signatures) for kernel in kernels]
assert all(before), before
for _ in range(3):
    world.step()
    sensors.read()
    still = JointMotion(one.positions().copy(), np.zeros(6), np.zeros(6))
    found = JointMotion(one.positions(), one.speeds(), np.zeros(6))
    one.command(law.command(still, found, dynamics.moving(np.zeros(6))))
after = [list(kernel.nopython_signatures) for kernel in kernels]
assert after == before, after
"""


def test_nothing_is_compiled_after_a_run_has_begun():
    """A kernel that is met for the first time in a step would hold it up for a second."""
    done = subprocess.run([sys.executable, "-c", FIRST_STEPS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
