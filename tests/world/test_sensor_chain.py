"""Readings of sensors from what they measure: statistics, lattices, delays, closed forms, seeds."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from scipy.stats import kstest
from sensor_robots import FLAT, block

from sim.world.robots.body import BodyShape
from sim.world.robots.model import JointType, Robot, RobotJoint, RobotLink
from sim.world.robots.robot_checks import checked
from sim.world.robots.sensors import RobotSensor, SensorKind, ValueDefects
from sim.world.sensors.distances import ReadingRows
from sim.world.sensors.draws import BLOCK
from sim.world.sensors.layout import sensor_layout
from sim.world.sensors.sensor_chain import SensorChain

K = SensorKind
STEP_S = 0.001


def a_chain(*sensors, seed=1, step_s=STEP_S, prefix=""):
    return SensorChain(sensor_layout(block(*sensors), step_s, prefix), seed)


def centre(name="here", noise=0.0, bias=(), quantisation=0.0, **timing):
    """Three values, in m."""
    defects = (ValueDefects("m", noise, bias, quantisation),)
    return RobotSensor(K.LINK_CENTRE, name, link=0, defects=defects, **timing)


def ramp(count, values=3):
    """Something else in each step and each value."""
    return np.arange(count)[:, None] + np.arange(values) / 8.0


def through(chain, measured):
    return np.array([chain.advance(one) for one in measured])


def test_without_defects_a_reading_is_what_is_measured():
    chain, measured = a_chain(centre()), ramp(600)
    np.testing.assert_array_equal(through(chain, measured), measured)


def test_noise_is_white_and_normal_and_as_large_as_told():
    count, sd = 40_000, 0.25
    found = through(a_chain(centre(noise=sd)), np.tile((1.0, 2.0, 3.0), (count, 1)))
    noise = (found - (1.0, 2.0, 3.0)) / sd
    limit = 4.5 / math.sqrt(count)  # four and a half of its own standard deviations
    assert np.abs(noise.mean(axis=0)).max() < limit
    assert np.abs(noise.std(axis=0) - 1.0).max() < limit / math.sqrt(2.0)
    for lag in (1, 2, 3, BLOCK - 1, BLOCK, BLOCK + 1):
        assert np.abs((noise[lag:] * noise[:-lag]).mean(axis=0)).max() < limit
    across = noise.T @ noise / count - np.eye(3)
    assert np.abs(across - np.diag(np.diag(across))).max() < limit
    assert kstest(noise[:, 0], "norm").pvalue > 1e-3


def test_a_bias_is_added_to_all_or_to_each():
    one = a_chain(centre(bias=(0.5,)), centre("there", bias=(1.0, 2.0, 4.0)))
    found = one.advance(np.zeros(6))
    assert found.tolist() == [0.5, 0.5, 0.5, 1.0, 2.0, 4.0]


@settings(max_examples=40)
@given(st.floats(1e-4, 10.0), st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3))
def test_values_are_the_nearest_of_the_lattice(step, values):
    found = a_chain(centre(quantisation=step)).advance(np.array(values))
    count = found / step
    np.testing.assert_allclose(count, np.rint(count), atol=1e-9 * max(1.0, np.abs(count).max()))
    assert np.abs(found - values).max() <= 0.5 * step * (1.0 + 1e-9)


def test_noise_is_on_the_lattice_too():
    found = through(a_chain(centre(noise=0.3, quantisation=0.25)), np.zeros((500, 3)))
    np.testing.assert_array_equal(found, np.rint(found / 0.25) * 0.25)
    assert len(np.unique(found)) > 4


@pytest.mark.parametrize("steps", [0, 1, 7, 250, 300])
def test_a_delay_is_of_whole_steps_exactly(steps):
    """Beside a sensor of another delay."""
    chain = a_chain(centre(delay_s=steps * STEP_S), centre("other", delay_s=3 * STEP_S))
    measured = ramp(700, 6) + 5.0
    found = through(chain, measured)
    late = np.concatenate([np.tile(measured[0], (steps, 1)), measured])[:700]
    np.testing.assert_array_equal(found[:, :3], late[:, :3])
    np.testing.assert_array_equal(found[3:, 3:], measured[:-3, 3:])


def test_a_delay_between_two_steps_is_the_nearer_one():
    measured = ramp(20)
    for delay_s, steps in ((0.0024, 2), (0.0026, 3), (0.0004, 0)):
        found = through(a_chain(centre(delay_s=delay_s)), measured)
        np.testing.assert_array_equal(found[5:], measured[5 - steps : 20 - steps])


@pytest.mark.parametrize("cutoff_hz", [3.0, 40.0, 400.0])
def test_the_filter_answers_a_step_as_its_closed_form(cutoff_hz):
    chain = a_chain(centre(cutoff_hz=cutoff_hz))
    chain.advance(np.array([2.0, 0.0, -1.0]))
    found = through(chain, np.tile((3.0, 0.0, 1.0), (400, 1)))
    time_s = STEP_S * np.arange(1, 401)
    rise = 1.0 - np.exp(-2.0 * np.pi * cutoff_hz * time_s)
    np.testing.assert_allclose(found[:, 0], 2.0 + rise, atol=1e-12)
    np.testing.assert_allclose(found[:, 1], 0.0, atol=1e-12)
    np.testing.assert_allclose(found[:, 2], -1.0 + 2.0 * rise, atol=1e-12)


@pytest.mark.parametrize("rate_hz", [1000.0, 5000.0, 500.0, 300.0, 290.0, 100.0, 7.0])
def test_samples_come_at_their_rate_and_stay_until_the_next(rate_hz):
    count = 3000
    found = through(a_chain(centre(rate_hz=rate_hz)), ramp(count))[:, 0]
    every = max(1000.0 / rate_hz, 1.0)
    taken = np.flatnonzero(np.diff(found, prepend=-1.0))
    wanted = np.unique(np.ceil(every * np.arange(math.ceil(count / every)) - 1e-3).astype(int))
    np.testing.assert_array_equal(taken, wanted[wanted < count])
    np.testing.assert_array_equal(found[taken], taken)


def test_noise_is_that_of_a_sample():
    found = through(a_chain(centre(noise=1.0, rate_hz=100.0)), np.zeros((1000, 3)))
    blocks = found.reshape(100, 10, 3)
    np.testing.assert_array_equal(blocks, np.repeat(blocks[:, :1], 10, axis=1))
    assert len(np.unique(found[:, 0])) == 100


@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_lost_samples_leave_the_last_one_in_their_share(share):
    count = 20_000
    sensors = (centre(dropout=share), centre("sure"))
    found = through(a_chain(*sensors), ramp(count, 6))
    np.testing.assert_array_equal(found[:, 3:], ramp(count, 6)[:, 3:])
    lost = np.diff(found[:, 0]) == 0.0
    assert abs(lost.mean() - share) < 4.5 * math.sqrt(share * (1.0 - share) / count)
    pairs = (lost[1:] & lost[:-1]).mean()
    assert abs(pairs - share**2) < 5.0 * share / math.sqrt(count)
    np.testing.assert_array_equal(np.diff(found[:, 1]) == 0.0, lost)  # a sensor as a whole
    held = np.maximum.accumulate(np.where(np.append(False, lost), 0, np.arange(count)))
    np.testing.assert_array_equal(found[:, 0], held)


def test_the_first_sample_is_never_lost():
    for seed in range(20):
        assert a_chain(centre(dropout=0.9), seed=seed).advance(np.full(3, 7.0))[0] == 7.0


def test_the_order_of_defects():
    """Bias before the filter, noise and steps behind rate and delay."""
    told = centre(bias=(1.0,), cutoff_hz=50.0, delay_s=2 * STEP_S, rate_hz=500.0, quantisation=0.1)
    measured = np.repeat([[0.0], [4.0]], [5, 60], axis=0) @ np.ones((1, 3))
    found = through(a_chain(told), measured)[:, 0]
    share, y, wanted = 1.0 - math.exp(-2.0 * math.pi * 50.0 * STEP_S), 1.0, []
    filtered = [y := y + share * (x + 1.0 - y) for x in measured[:, 0]]
    late = [filtered[0]] * 2 + filtered
    for step in range(65):
        wanted.append(round(late[step] / 0.1) * 0.1 if step % 2 == 0 else wanted[-1])
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_infinite_distances_pass_the_filter_and_come_back():
    rays = RobotSensor(K.RANGEFINDER, link=0, directions=((1.0, 0.0, 0.0),), cutoff_hz=20.0,
                       defects=(ValueDefects("m", 0.01, (0.1,), 0.001),))  # fmt: skip
    chain = a_chain(rays)
    found = through(chain, np.array([[2.0], [math.inf], [math.inf], [3.0], [3.0]]))[:, 0]
    assert np.isinf(found).tolist() == [False, True, True, False, False]
    np.testing.assert_allclose(found[[0, 3, 4]], (2.1, 3.1, 3.1), atol=0.06)


@settings(deadline=None)
@given(
    measured=st.lists(st.one_of(st.floats(0.0, 9.0), st.just(math.inf)), min_size=2, max_size=12),
    dropout=st.sampled_from([0.0, 0.4]), noise=st.sampled_from([0.0, 0.05]),
    delay=st.integers(0, 3), seed=st.integers(0, 99),
)  # fmt: skip
def test_a_ray_that_sees_nothing_tells_its_range_and_no_and_a_lost_sample_keeps_both(
    measured, dropout, noise, delay, seed
):
    """Oracle: each sample seen by itself, the last one kept where the chain lost one."""
    ray = RobotSensor(K.RANGEFINDER, link=0, directions=((1.0, 0.0, 0.0),), range_m=8.0,
                      dropout=dropout, delay_s=delay * STEP_S,
                      defects=(ValueDefects("m", noise),))  # fmt: skip
    robot = block(centre(), ray, centre("last"))
    rows, chain = ReadingRows(robot), a_chain(*robot.sensors, seed=seed)
    late = [measured[max(step - delay, 0)] for step in range(len(measured))]
    values = np.full((len(measured), 7), 0.25)
    values[:, 3] = [inf_beyond(one, 8.0) for one in measured]
    last = (math.nan, math.nan)
    for step, one in enumerate(values):
        reading = rows.reading(chain.advance(one))
        assert (reading[:3].tolist(), reading[5:].tolist()) == ([0.25] * 3, [0.25] * 3)
        distance_m, seen = reading[3:5].tolist()
        own = late[step]
        sees, far_m = float(own <= 8.0), min(own, 8.0)
        fresh = seen == sees and abs(distance_m - far_m) <= 6.0 * noise * sees
        assert fresh or (dropout > 0.0 and (distance_m, seen) == last)
        assert distance_m <= 8.0
        last = (distance_m, seen)


def inf_beyond(distance_m, range_m):
    return distance_m if distance_m <= range_m else math.inf


def test_contact_is_yes_or_no_through_a_filter():
    touch = RobotSensor(K.CONTACT, link=0, cutoff_hz=5.0, defects=(ValueDefects("n", 0.5),))
    chain = a_chain(touch)
    chain.advance(np.zeros(4))
    found = chain.advance(np.array([1.0, 0.0, 0.0, 10.0]))
    assert found[0] == 1.0
    assert 0.0 < abs(found[3]) < 5.0


def pose(noise=0.0, bias=(), **timing):
    defects = (ValueDefects("rad", noise, bias),)
    return RobotSensor(K.LINK_POSE, "hand", link=0, defects=defects, **timing)


def rotation(values):
    return Rotation.from_quat(values[..., 3:], scalar_first=True)


def at(turned):
    return np.append([1.0, 2.0, 3.0], turned.as_quat(scalar_first=True))


def test_axes_are_turned_about_their_own_by_bias_and_noise():
    true = Rotation.random(random_state=2)
    bias = (0.3, -0.2, 0.5)
    found = a_chain(pose(bias=bias)).advance(at(true))
    wanted = true * Rotation.from_rotvec(bias)
    assert (rotation(found).inv() * wanted).magnitude() < 1e-12
    count = 5000
    noisy = through(a_chain(pose(noise=0.02)), np.tile(at(true), (count, 1)))
    np.testing.assert_allclose(np.linalg.norm(noisy[:, 3:], axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(noisy[:, :3], np.tile((1.0, 2.0, 3.0), (count, 1)))
    turns = (true.inv() * rotation(noisy)).as_rotvec() / 0.02
    limit = 4.5 / math.sqrt(count)
    assert np.abs(turns.mean(axis=0)).max() < limit
    assert np.abs(turns.std(axis=0) - 1.0).max() < limit


def test_filtered_axes_stay_axes_and_take_the_short_way():
    """Also where the engine's quaternion changes its sign: the two mean the same axes."""
    axis, cutoff_hz = np.array([0.6, 0.0, 0.8]), 30.0
    chain = a_chain(pose(cutoff_hz=cutoff_hz))
    chain.advance(at(Rotation.identity()))
    small = at(Rotation.from_rotvec(0.01 * axis))
    small[3:] *= -1.0
    found = through(chain, np.tile(small, (50, 1)))
    np.testing.assert_allclose(np.linalg.norm(found[:, 3:], axis=1), 1.0, atol=1e-12)
    rise = 1.0 - np.exp(-2.0 * np.pi * cutoff_hz * STEP_S * np.arange(1, 51))
    turns = rotation(found).as_rotvec()
    np.testing.assert_allclose(turns, 0.01 * rise[:, None] * axis, atol=1e-6)


def test_a_seed_gives_the_same_readings_and_another_one_others():
    told = (centre(noise=1.0, dropout=0.2), pose(noise=0.1))
    measured = np.tile(np.append(np.zeros(3), at(Rotation.identity())), (400, 1))
    first, again = (through(a_chain(*told, seed=5), measured) for _ in range(2))
    other = through(a_chain(*told, seed=6), measured)
    np.testing.assert_array_equal(first, again)
    assert np.mean(first == other) < 0.5


def test_other_sensors_and_their_order_change_no_reading():
    a, b, c = (centre(name, noise=1.0, dropout=0.1, rate_hz=400.0) for name in "abc")
    measured = ramp(800)
    alone = through(a_chain(b), measured)
    three = through(a_chain(a, b, c), np.tile(measured, 3))
    turned = through(a_chain(c, b, a), np.tile(measured, 3))
    np.testing.assert_array_equal(three[:, 3:6], alone)
    np.testing.assert_array_equal(turned[:, 3:6], alone)
    np.testing.assert_array_equal(turned[:, :3], three[:, 6:])
    assert np.mean(three[:, :3] == alone) < 0.5  # names differ
    of_another_robot = through(a_chain(b, prefix="left/"), measured)
    assert np.mean(of_another_robot == alone) < 0.5


def test_quantities_of_a_sensor_have_defects_of_their_own():
    """Each unit is its own; slides and hinges of one sensor too."""
    ball = RobotLink(0, FLAT, (1,), shape=BodyShape.SPHERE, size_m=(0.1,), mass_kg=1.0)
    links = (ball, replace(ball, number=1, leaving=(2,)), replace(ball, number=2, leaving=()))
    joints = (
        RobotJoint(0, JointType.FIXED, (), -1, 0),
        RobotJoint(1, JointType.SLIDE, (1.0, 0.0, 0.0), 0, 1),
        RobotJoint(2, JointType.HINGE, (0.0, 1.0, 0.0), 1, 2),
    )
    defects = (ValueDefects("rad", 0.0, (0.25,)), ValueDefects("m", 0.0, (2.0,)))
    wrench = (ValueDefects("n", 0.0, (1.0, 2.0, 3.0)), ValueDefects("nm", 0.0, (), 0.5))
    sensors = (RobotSensor(K.JOINT_ANGLE, defects=defects),
               RobotSensor(K.WRENCH, link=1, defects=wrench))  # fmt: skip
    robot = checked(Robot(links, joints, sensors=sensors))
    layout = sensor_layout(robot, STEP_S)
    assert layout.bias.tolist() == [0.25, 2.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0]
    assert layout.quantisation.tolist() == [0.0] * 5 + [0.5] * 3
    assert layout.values[0] == "joint_angle/angle_rad/joint2"
    with pytest.raises(ValueError, match="read-only"):
        layout.bias[0] = 1.0


def test_a_reading_is_the_caller_s_own():
    chain = a_chain(centre(dropout=0.9))
    found = chain.advance(np.zeros(3))
    found[:] = 99.0
    assert not through(chain, np.zeros((50, 3))).any()


def test_what_is_measured_is_left_alone():
    chain = a_chain(centre(noise=1.0, bias=(1.0,), cutoff_hz=10.0))
    measured = np.ones(3)
    chain.advance(measured)
    assert measured.tolist() == [1.0, 1.0, 1.0]


def test_a_robot_without_sensors_has_readings_without_values():
    chain = a_chain(RobotSensor(K.CAMERA, link=0))
    assert chain.advance(np.zeros(0)).shape == (0,)
    assert chain.advance(np.zeros(0)).shape == (0,)
