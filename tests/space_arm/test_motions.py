"""Slow motions: the same every time, slow, within limits, of the speeds that are told."""

from dataclasses import replace

import numpy as np
import pytest
from arms import shipped
from hil_arm_study.motions import (
    COUNT,
    JOINT_RATES_RAD_S,
    LONG_ARM_M,
    ROOM_RAD,
    SPEED_M_S,
    TICKS,
    TURN_RAD_S,
    _motion,
    motions,
)

from sim.world.space_arm.kernels.dynamics import gripper_jacobian, make_scratch
from sim.world.space_arm.simulator import TICK_S
from sim.world.space_arm.singularity import PostureSolver, reach_m

BKM = shipped("bkm")
ARM = BKM.arm()
ALL = motions(ARM, BKM.home_rad())
NAMES = [motion.name for motion in ALL]


def angles(motion):
    """Joint angles of an arm that follows exactly, at the start and after every tick."""
    moved = np.cumsum(motion.commands_rad_s * TICK_S, axis=0)
    return motion.q_start_rad + np.vstack([np.zeros(6), moved])


def twists(motion):
    """Twists of the gripper at the beginning of each tick."""
    jacobian, found = np.zeros((6, 6)), []
    for q, rates in zip(angles(motion), motion.commands_rad_s, strict=False):
        gripper_jacobian(ARM.arrays(), q, make_scratch(), jacobian)
        found.append(jacobian @ rates)
    return np.array(found)


def test_there_are_at_least_ten_and_all_differ():
    assert COUNT >= 10
    assert len(ALL) == COUNT
    assert len(set(NAMES)) == COUNT
    starts = np.array([motion.q_start_rad for motion in ALL])
    apart = np.abs(starts[:, None] - starts[None]).max(axis=2) + np.eye(COUNT)
    assert apart.min() > 0.05


def test_a_motion_is_the_same_however_many_are_asked_for():
    for one, again in zip(motions(ARM, BKM.home_rad(), 3), ALL, strict=False):
        assert np.array_equal(one.commands_rad_s, again.commands_rad_s)
        assert np.array_equal(one.q_start_rad, again.q_start_rad)


@pytest.mark.parametrize("motion", ALL, ids=NAMES)
def test_it_stays_within_limits_and_ends_at_rest(motion):
    assert motion.commands_rad_s.shape == (TICKS, 6)
    assert motion.duration_s == pytest.approx(19.6)
    q, rates = angles(motion), np.abs(motion.commands_rad_s)
    for joint, link in enumerate(ARM.links):
        assert q[:, joint].min() > link.position_min_rad
        assert q[:, joint].max() < link.position_max_rad
        assert rates[:, joint].max() <= link.rate_max_rad_s
    assert np.any(motion.commands_rad_s)
    assert not np.any(motion.commands_rad_s[-1])


@pytest.mark.parametrize("motion", ALL, ids=NAMES)
def test_it_starts_bent_and_never_becomes_singular(motion):
    solver = PostureSolver(ARM, reach_m(ARM))
    home = solver.at(BKM.home_rad()).smallest
    assert solver.at(motion.q_start_rad).smallest >= 0.5 * home
    assert min(solver.at(q).smallest for q in angles(motion)) > 0.15 * home


@pytest.mark.parametrize("motion", [m for m in ALL if "gripper" in m.what], ids=lambda m: m.name)
def test_the_gripper_has_the_speed_that_is_told(motion):
    assert reach_m(ARM) > LONG_ARM_M * 0.9
    twist = twists(motion)
    speed, turn = np.linalg.norm(twist[:, :3], axis=1), np.linalg.norm(twist[:, 3:], axis=1)
    slow = SPEED_M_S * min(1.0, reach_m(ARM) / LONG_ARM_M)
    assert speed.max() == pytest.approx(slow, rel=1e-6)
    assert np.median(speed[speed > 0.0]) == pytest.approx(slow, rel=1e-6)
    assert turn.max() == pytest.approx(0.0 if "no turn" in motion.what else TURN_RAD_S, abs=1e-7)


def test_a_reversal_runs_the_same_way_back():
    twist = twists(next(motion for motion in ALL if motion.name == "sideways"))
    assert twist[20, :3] == pytest.approx([0.0, SPEED_M_S, 0.0], abs=1e-8)
    assert twist[40, :3] == pytest.approx([0.0, -SPEED_M_S, 0.0], abs=1e-8)
    assert twist[20, 3:] == pytest.approx([0.0, 0.0, TURN_RAD_S], abs=1e-8)


@pytest.mark.parametrize(
    ("name", "joints"),
    [("all-joints", 6), ("shoulder", 2), ("wrist", 3), ("elbow", 3)],
)
def test_joints_have_the_rates_that_are_told(name, joints):
    rates = np.abs(next(motion for motion in ALL if motion.name == name).commands_rad_s)
    moved = rates[rates > 0.0]
    assert np.count_nonzero(rates.any(axis=0)) == joints
    assert moved.min() >= JOINT_RATES_RAD_S[0]
    assert moved.max() <= JOINT_RATES_RAD_S[1]


def test_a_short_arm_is_moved_in_proportion():
    puma = shipped("puma560")
    arm, home = puma.arm(), np.radians([0.0, 30.0, -120.0, 20.0, 60.0, 0.0])
    low = np.array([link.position_min_rad for link in arm.links])
    high = np.array([link.position_max_rad for link in arm.links])
    assert np.all((low < home) & (home < high))
    motion = motions(arm, home, 4)[3]
    jacobian = np.zeros((6, 6))
    gripper_jacobian(arm.arrays(), motion.q_start_rad, make_scratch(), jacobian)
    speed = np.linalg.norm(jacobian[:3] @ motion.commands_rad_s[3])
    assert speed < SPEED_M_S * reach_m(arm) / LONG_ARM_M * 1.01


def test_arrays_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        ALL[0].commands_rad_s[0, 0] = 1.0


@pytest.mark.parametrize("count", [0, COUNT + 1])
def test_a_count_that_is_not_there_is_refused(count):
    with pytest.raises(ValueError, match=f"1 to {COUNT}"):
        motions(ARM, BKM.home_rad(), count)


def test_a_stretched_home_is_refused_with_the_remedy(monkeypatch):
    monkeypatch.setattr("hil_arm_study.motions.BEND_RAD", 0.01)
    assert len(motions(ARM, BKM.home_rad(), 1)) == 1
    with pytest.raises(ValueError, match="bent posture"):
        motions(ARM, np.zeros(6), 1)


def test_a_home_at_a_limit_is_refused():
    tight = replace(ARM.links[1], position_max_rad=float(BKM.home_rad()[1]) + 1e-3)
    tight = replace(tight, position_min_rad=float(BKM.home_rad()[1]) - 1e-3)
    arm = ARM.with_links((ARM.links[0], tight, *ARM.links[2:]))
    with pytest.raises(ValueError, match="every limit"):
        motions(arm, BKM.home_rad(), 1)


@pytest.mark.parametrize("number", [1, 4, 8, 10])
def test_joints_turn_back_before_near_limits(number, monkeypatch):
    """Each joint has only so much travel that a start near home is just permitted."""
    monkeypatch.setattr("hil_arm_study.motions.BEND_RAD", 0.02)
    home = BKM.home_rad()
    links = [
        replace(
            link,
            position_min_rad=float(angle) - ROOM_RAD - 0.02,
            position_max_rad=float(angle) + ROOM_RAD + 0.02,
        )
        for link, angle in zip(ARM.links, home, strict=True)
    ]
    motion = _motion(ARM.with_links(links), home, number)
    off = np.abs(angles(motion) - home)
    assert off.max() <= ROOM_RAD + 0.02
    assert off.max() > 0.1
