"""A motion that runs into an end of the box of poses is braked early and gently.

Judged by second differences of what comes out: of the legs' lengths by the public inverse
kinematics, and of the place of a head 0.9 m above the platform, turned by SciPy.
"""

import itertools

import numpy as np
import pytest
from campaign import share_of
from governor_bench import NEUTRAL, RIGS, governor, ride
from scipy.spatial.transform import Rotation

from platform6dof.cueing.governor_ends import gentle_move
from platform6dof.inverse import leg_setpoints_batch

HEAD_M = np.array([0.0, 0.0, 0.9])
SPEEDS_M_S = (0.15, 0.25, 0.4)
"""Of angles, at the platform's radius."""
SHARP_M_S2 = 0.8
"""With which the wanted motion gets faster and slower."""
AXES = ("x", "y", "z", "alpha", "beta", "gamma")
FINELY = ("z", "alpha", "x", "beta", "y", "gamma")
"""The same axes, in the order in which a share of the campaign tries them at 500 Hz."""
names = pytest.mark.parametrize("name", RIGS)


def stroke(start, way, speed, sharp, period_s):
    """Places, speeds and accelerations of a coordinate that goes a way at a speed, and rests."""
    ramp, even = speed / sharp, way / speed - speed / sharp
    t = np.arange(int((2.0 * ramp + even + 1.0) / period_s)) * period_s
    up, level, down = (np.clip(t - at, 0.0, dt) for at, dt in (
        (0.0, ramp), (ramp, even), (ramp + even, ramp),
    ))  # fmt: skip
    x = 0.5 * sharp * up**2 + speed * level + speed * down - 0.5 * sharp * down**2
    v = sharp * (up - down)
    a = sharp * ((t < ramp) * 1.0 - ((t >= ramp + even) & (t < 2.0 * ramp + even)))
    return np.stack([start + x, v, a], axis=1)


def into(name, axis, side, speed_m_s, period_s):
    """Wanted rows: from the other half of the box through an end of it, to three times as far."""
    tables = governor(name, period_s).tables
    scale = 1.0 if axis < 3 else tables.geometry.length_scale_m
    half = 0.5 * (tables.box.upper - tables.box.lower)[axis]
    start = np.array(NEUTRAL[name])
    start[axis] -= side * 0.85 * half
    one = side * stroke(0.0, 4.0 * half, speed_m_s / scale, SHARP_M_S2 / scale, period_s)
    rows = np.zeros((len(one), 3, 6))
    rows[:, 0] = start
    rows[:, :, axis] += one
    return rows


def peaks(geometry, rows, period_s):
    """Greatest accelerations of a leg and of the head [m/s²]."""
    q = rows[:, 0]
    lengths = leg_setpoints_batch(geometry, q, np.zeros_like(q))[0]
    head = q[:, :3] + Rotation.from_euler("ZYX", q[:, 3:]).apply(HEAD_M)
    legs, felt = (np.diff(one, 2, axis=0) / period_s**2 for one in (lengths, head))
    return np.abs(legs).max(), np.linalg.norm(felt, axis=1).max()


def swing(name, axis, omega_rad_s, period_s):
    """Wanted rows: a sine that swells to 1.6 times the half of a box, out of both ends and back."""
    box = governor(name, period_s).tables.box
    size = 0.8 * (box.upper - box.lower)[axis]
    t = np.arange(int(8.0 / period_s)) * period_s
    x = size * (1.0 - np.exp(-((t / 1.5) ** 3))) * np.sin(omega_rad_s * t)
    v = np.gradient(x, period_s)
    rows = np.zeros((len(t), 3, 6))
    rows[:, 0] = NEUTRAL[name]
    rows[:, :, axis] += np.stack([x, v, np.gradient(v, period_s)], axis=1)
    return rows


def governed(name, wanted, period_s):
    """What a governor makes of it, with which the judges of limits and gate find nothing wrong."""
    guard = governor(name, period_s)
    found = ride(name, wanted, wanted[0, 0], period_s, guard)
    assert not found.wrong
    assert found.least_margin >= 0.0
    assert found.failed == 0
    return found, np.array(found.rows), guard.tables


@names
@pytest.mark.campaign
@pytest.mark.parametrize(
    ("axis", "period_s"),
    share_of([*((axis, 0.008) for axis in AXES), *((axis, 0.002) for axis in FINELY)], least=8),
)
def test_an_end_of_the_box_is_come_to_gently(name, period_s, axis):
    for side, speed_m_s in itertools.product((-1, 1), SPEEDS_M_S):
        wanted = into(name, AXES.index(axis), side, speed_m_s, period_s)
        found, rows, tables = governed(name, wanted, period_s)
        hard, felt = peaks(tables.geometry, rows, period_s)
        print(f"{side:+d} {speed_m_s} m/s: legs {hard:.2f} m/s², head {felt:.2f} m/s²")
        assert hard < 0.3 * tables.envelope.acceleration_max_m_s2.min()
        assert felt < 2.0
        # It goes to the end, less its buffer, and the end is told.
        end = tables.box.upper if side > 0 else tables.box.lower
        assert side * (end - rows[-1, 0])[AXES.index(axis)] == pytest.approx(1e-3, abs=2e-5)
        assert f"{'upper' if side > 0 else 'lower'} end of {axis}" in found.bindings


@names
@pytest.mark.campaign
@pytest.mark.parametrize(
    ("axis", "period_s"),
    share_of(
        [("x", 0.008), ("z", 0.008), ("beta", 0.008), ("beta", 0.002), ("x", 0.002), ("z", 0.002)],
        least=4,
    ),
)
def test_out_of_the_box_and_back_costs_little_beside_the_motion_itself(name, period_s, axis):
    wanted = swing(name, AXES.index(axis), 2.0, period_s)
    _, rows, tables = governed(name, wanted, period_s)
    own = peaks(tables.geometry, wanted, period_s)
    got = peaks(tables.geometry, rows, period_s)
    print(f"legs {own[0]:.2f} m/s² wanted, {got[0]:.2f} made; head {own[1]:.2f}, {got[1]:.2f}")
    gentle = 0.2 * tables.envelope.acceleration_max_m_s2.min()
    assert got[0] < own[0] + gentle
    assert got[1] < own[1] + gentle


@names
def test_a_motion_that_brakes_gently_by_itself_is_left_alone(name):
    """To within 2 mm of an end, braking with 0.19 of the legs' acceleration."""
    for axis, side in itertools.product(range(6), (-1, 1)):
        tables = governor(name).tables
        scale = 1.0 if axis < 3 else tables.geometry.length_scale_m
        sharp = 0.19 * tables.envelope.acceleration_max_m_s2.min() / scale
        way = 0.5 * (tables.box.upper - tables.box.lower)[axis] - 0.002
        speed = min(0.4 / scale, 0.99 * np.sqrt(sharp * way))
        one = side * stroke(0.0, way, speed, sharp, 0.002)
        wanted = np.zeros((len(one), 3, 6))
        wanted[:, 0] = NEUTRAL[name]
        wanted[:, :, axis] += one
        found, rows, _ = governed(name, wanted, 0.002)
        assert found.active == 0, (axis, side)
        assert rows.tobytes() == wanted.tobytes()


def test_a_gentle_move_ends_just_where_the_room_does():
    """Movements of a stop from it, each a change smaller than the one before, added up."""
    rng = np.random.default_rng(11)
    for room, change in 10.0 ** rng.uniform([-6.0, -7.0], [0.0, -3.0], (200, 2)):
        moves = gentle_move(room, change) - change * np.arange(10_000)
        assert moves[moves > 0.0].sum() == pytest.approx(room, rel=1e-9)
    assert gentle_move(0.0, 1e-5) == gentle_move(-0.1, 1e-5) == 0.0
