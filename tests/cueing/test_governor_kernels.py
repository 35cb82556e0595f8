"""Shortcuts of the governor are on the safe side, one by one.

Each is judged by what it stands for, computed here from joints and rotations with NumPy and SciPy.
"""

import numpy as np
import pytest
from governor_bench import NEUTRAL, RIGS, Ride, governor, multisine, wide_box
from hypothesis import given
from hypothesis import strategies as st
from properties import at_least
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation

from platform6dof.cueing.governor_ends import too_fast
from platform6dof.cueing.governor_stop import GOOD, check_along, is_far
from platform6dof.geometry import HexapodGeometry

BASE_CONES, BOX = np.arange(6), np.arange(28, 40)
names = pytest.mark.parametrize("name", RIGS)
TABLES = {name: governor(name, box=wide_box(name)).tables for name in RIGS}
NARROW = {name: governor(name).tables for name in RIGS}


def rods(geometry: HexapodGeometry, q):
    """Vectors from base joint to platform joint [m], shape (6, 3)."""
    joints = Rotation.from_euler("ZYX", q[3:]).apply(np.array(geometry.platform_joints_m))
    return q[:3] + joints - geometry.base_joints_m


def base_angles(geometry, q):
    legs = rods(geometry, q)
    along = np.sum(legs * geometry.neutral_axes[0], axis=1) / np.linalg.norm(legs, axis=1)
    return np.arccos(np.clip(along, -1.0, 1.0))


def margins_of(tables, q):
    """Margins of a pose's 40 quantities; those that are not judged here are far."""
    margins = np.full(40, np.inf)
    margins[BASE_CONES] = tables.envelope.joint_cone_base_rad - base_angles(tables.geometry, q)
    margins[28:34], margins[34:] = q - tables.box.lower, tables.box.upper - q
    return margins


def way_of_lengths(geometry, q, delta, shares):
    """Poses in which all six lengths have gone the same share of their way, shape (n, 6)."""
    first, last = (np.linalg.norm(rods(geometry, pose), axis=1) for pose in (q, q + delta))
    return np.array([
        fsolve(
            lambda pose, share=share: np.linalg.norm(rods(geometry, pose), axis=1)
            - (first + share * (last - first)),
            q + share * delta,
        )
        for share in shares
    ])  # fmt: skip


@names
def test_what_is_called_far_is_not_come_to_on_the_way(name):
    """On the straight way and on one twice as long: no margin falls to its buffer there."""
    tables, rng, far = TABLES[name], np.random.default_rng(8), 0
    for n in range(300):
        q = NEUTRAL[name] + rng.uniform(-1.0, 1.0, 6) * [0.1, 0.1, 0.1, 0.15, 0.15, 0.15]
        turn = (n % 3) * 0.05
        delta = rng.uniform(0.0, 1.0) * rng.uniform(-1.0, 1.0, 6) * ([0.1] * 3 + [turn] * 3)
        lengths = np.linalg.norm(rods(tables.geometry, q), axis=1)
        here, numbers = margins_of(tables, q), tables.numbers
        along = [margins_of(tables, q + share * delta) for share in np.linspace(0.0, 2.0, 9)]
        least = np.min(along, axis=0)
        far += is_far(delta, lengths, numbers, here, np.full(40, -9.0))
        for j in (*BASE_CONES, *BOX):
            if least[j] < here[j] - 1e-6:
                buffers = np.full(40, -9.0)
                buffers[j] = least[j] + 1e-7
                assert not is_far(delta, lengths, numbers, here, buffers), j
    assert far > 200, "with nothing to keep most of them are far"


@names
def test_a_way_whose_middle_is_too_near_is_not_good(name):
    """Both ends keep more than the middle: rods swing away from their neutral axes and back."""
    tables = TABLES[name]
    geometry, found = tables.geometry, 0
    rng = np.random.default_rng(5)
    shares = np.linspace(0.0, 1.0, 13)
    while found < 10:
        q = NEUTRAL[name] + rng.uniform(-1.0, 1.0, 6) * [0.1, 0.1, 0.1, 0.3, 0.3, 0.3]
        delta = rng.uniform(-1.0, 1.0, 6) * [0.15, 0.15, 0.15, 0.6, 0.6, 0.6]
        middle = base_angles(geometry, q + 0.5 * delta)
        if (middle - np.maximum(*(base_angles(geometry, p) for p in (q, q + delta)))).max() < 0.01:
            continue
        way = way_of_lengths(geometry, q, delta, shares)
        angles = np.array([base_angles(geometry, pose) for pose in way])
        ends = np.maximum(angles[0], angles[-1])
        leg = int(np.argmax(angles[4:9].min(axis=0) - ends))
        if angles[4:9, leg].min() < ends[leg] + 0.004:
            continue
        found += 1
        lengths = np.linalg.norm(rods(geometry, q), axis=1)
        travel = np.linalg.norm(rods(geometry, q + delta), axis=1) - lengths
        for limit, good in ((ends[leg] + 0.002, False), (angles[:, leg].max() + 0.05, True)):
            buffers = np.full(40, -9.0)
            buffers[leg] = tables.envelope.joint_cone_base_rad - limit
            seen = check_along(
                geometry.table, tables.joints, tables.pose, buffers, tables.numbers, q, delta,
                lengths, travel, np.zeros(18),
            )  # fmt: skip
            assert (seen == GOOD) is good, (seen, leg)


@names
@at_least(100)
@given(
    end=st.integers(0, 11),
    room=st.floats(0.002, 0.05),
    share=st.floats(0.2, 3.0),
    unit=st.booleans(),
)
def test_an_end_is_come_to_too_fast_if_the_gentle_stop_passes_it(name, end, room, share, unit):
    """The way of that stop, added up: all movements after this one, each smaller by a part."""
    tables = NARROW[name]
    axis, side = end % 6, 1.0 if end < 6 else -1.0
    scale = 1.0 if axis < 3 else tables.geometry.length_scale_m
    change = tables.numbers[6] / scale * tables.period_s**2
    move = share * np.sqrt(2.0 * change * room)
    ratio = move / change
    way = sum(move * (1.0 - i / ratio) for i in range(1, int(ratio) + 1))
    q = np.array(NEUTRAL[name])
    limit = (tables.box.lower if end < 6 else tables.box.upper)[axis]
    q[axis] = limit + side * (room + tables.buffers[0, 28 + end])
    before = q.copy()
    before[axis] += side * move
    fast = too_fast(tables.pose, tables.buffers[0], tables.numbers, before, q)
    if abs(way / room - 1.0) > 1e-6:
        assert fast == (46 + end if way > room else GOOD)


@names
def test_a_margin_below_what_a_motion_keeps_is_brought_back(name):
    """Begun a little nearer to a cone's limit than is kept in motion, resting there is wanted."""
    q = np.add(NEUTRAL[name], [0.04, 0.0, 0.0, 0.0, 0.0, 0.0])
    geometry = TABLES[name].geometry
    limit = base_angles(geometry, q).max() + 0.004
    made = Ride(name, guard=governor(name, box=wide_box(name), joint_cone_base_rad=limit))
    made.begin(q)
    rest = np.zeros((3, 6))
    rest[0] = q
    for _ in range(1000):
        made.cycle(rest)
    assert not made.found.wrong
    kept = limit - base_angles(geometry, made.found.rows[-1][0]).max()
    assert kept == pytest.approx(0.010, abs=5e-4)


@names
@pytest.mark.parametrize("size", [1.0, 0.01])
def test_after_a_row_that_is_no_number_the_wanted_motion_is_not_taken_for_known(name, size):
    guard = governor(name)
    guard.reset(NEUTRAL[name])
    gentle = size * np.array([0.02, 0.02, 0.02, 0.03, 0.03, 0.03])
    wanted = multisine(600, 0.002, NEUTRAL[name], gentle, (0.5, 0.7, 0.9, 0.6, 0.8, 0.4))
    assert not any(guard.step(rows).active for rows in wanted[:400])
    bad = wanted[400].copy()
    bad[0, 2] = np.nan
    assert guard.step(bad).failed
    assert [guard.step(rows).active for rows in wanted[401:404]] == [True] * 3
