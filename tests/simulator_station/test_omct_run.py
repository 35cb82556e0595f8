"""The cueing test of whole chains against closed forms and published figures."""

import math
from dataclasses import replace

import numpy as np
import pytest
from campaign import share_of
from cueing_samples import BASE

from hil.config.file_search import find_file
from hil.machines.rig.governor import governor_of
from hil.stations.platform.plan.scenario import load_plan
from hil.stations.simulator.cue.omct_run import OmctChain, run_omct
from platform6dof.cueing.classical import Classical

SURGE = {
    0.398: (0.9727, -9.5),
    1.0: (0.8285, -21.0),
    3.981: (0.4203, 8.7),
    10.0: (0.7625, 23.1),
    15.849: (0.8892, 17.0),
}
"""Modulus and phase [deg] of the base set at gain 1, without limiter."""
LIMITED = {
    0.398: (0.0, 0.0),
    0.631: (-3.8, -4.7),
    1.0: (-36.0, -40.0),
    1.585: (-64.0, -107.0),
    2.512: (-31.0, 139.0),
    3.981: (40.0, 68.0),
    6.31: (37.0, 25.0),
    10.0: (17.0, 9.0),
}
"""Change of modulus [%] and phase [deg] by a limiter of 3 deg/s at 1 m/s²."""


@pytest.fixture(scope="module")
def plan():
    return load_plan(find_file("heave", folder="scenarios", key="x"), ['clock="virtual"'])


def at_gain_one(**tilt):
    whole = tuple(replace(one, gain=1.0) for one in BASE.force)
    rates = tuple(replace(one, gain=1.0) for one in BASE.rates)
    return replace(BASE, force=whole, rates=rates, tilt=replace(BASE.tilt, **tilt))


def chain_of(plan, parameters, *, governed=False, gain=1.0, head_m=(0.0, 0.0, 0.0)):
    period_s = plan.scenario.period_s
    governor = governor_of(plan.rig, period_s) if governed else None
    neutral = np.array(plan.rig.neutral.coordinates())
    return OmctChain(Classical(parameters, period_s), governor, neutral, head_m, gain)


def unwrapped(degrees):
    return (degrees + 180.0) % 360.0 - 180.0


@pytest.mark.campaign
@pytest.mark.parametrize("rad_s", share_of(SURGE, least=2))
def test_surge_without_limiter_is_the_closed_form(plan, rad_s):
    chain = chain_of(plan, at_gain_one(rate_rad_s=math.inf))
    (point,) = run_omct(plan, chain, tests=(6,), frequencies=(rad_s,), drives=False).points
    modulus, phase = SURGE[rad_s]
    assert point.modulus == pytest.approx(modulus, rel=0.005)
    assert point.phase_deg == pytest.approx(phase, abs=0.3)
    assert point.coherence > 0.9999
    assert point.limited_share == 0.0


@pytest.mark.campaign
@pytest.mark.parametrize("rad_s", share_of(LIMITED, least=3))
def test_the_limiter_bends_the_curve_as_published(plan, rad_s):
    curves = []
    for rate in (math.radians(3.0), math.inf):
        chain = chain_of(plan, at_gain_one(rate_rad_s=rate))
        curves += run_omct(plan, chain, tests=(6,), frequencies=(rad_s,), drives=False).points
    limited, linear = curves
    modulus, phase = LIMITED[rad_s]
    assert limited.coherence >= 0.9
    assert 100 * (limited.modulus / linear.modulus - 1) == pytest.approx(modulus, abs=5.0)
    assert unwrapped(limited.phase_deg - linear.phase_deg - phase) == pytest.approx(0.0, abs=4.0)
    assert (limited.limited_share > 0.5) is (rad_s > 0.5)


@pytest.mark.parametrize("test", [1, 3, 5])
def test_a_rotation_is_its_high_pass(plan, test):
    chain = chain_of(plan, at_gain_one())
    (point,) = run_omct(plan, chain, tests=(test,), frequencies=(1.0,), drives=False).points
    assert point.modulus == pytest.approx(math.sqrt(0.5), rel=1e-3)
    assert point.phase_deg == pytest.approx(45.0, abs=0.1)


def test_the_angle_asked_is_felt_as_force_along_the_other_axis(plan):
    """What turns the cab by 0.7071 of the angle lets gravity be felt by as much."""
    chain = chain_of(plan, at_gain_one())
    surge, sway = run_omct(plan, chain, tests=(2, 4), frequencies=(3.981,), drives=False).points
    assert 0.5 < surge.modulus < 1.5
    assert sway.modulus == pytest.approx(surge.modulus, rel=1e-6)
    assert unwrapped(surge.phase_deg - sway.phase_deg) == pytest.approx(-180.0, abs=1e-3)


def test_governor_and_drives_leave_a_small_motion_as_it_is(plan):
    parameters = at_gain_one(rate_rad_s=math.inf)
    bare = chain_of(plan, parameters, gain=0.25)
    whole = chain_of(plan, parameters, gain=0.25, governed=True)
    (a,) = run_omct(plan, bare, tests=(6,), frequencies=(3.981,), drives=False).points
    (b,) = run_omct(plan, whole, tests=(6,), frequencies=(3.981,)).points
    assert b.limited_share == 0.0
    assert b.coherence > 0.999
    assert b.modulus == pytest.approx(a.modulus, rel=0.01)
    assert b.phase_deg < a.phase_deg  # the drives come later
    assert b.phase_deg == pytest.approx(a.phase_deg, abs=1.5)


def test_a_governor_that_acts_is_told(plan):
    chain = chain_of(plan, at_gain_one(rate_rad_s=math.inf), governed=True)
    (point,) = run_omct(plan, chain, tests=(6,), frequencies=(1.0,), drives=False).points
    assert point.limited_share > 0.3
    assert point.coherence < 0.9


def test_a_head_above_the_platform_feels_the_turn(plan):
    """dω × r: at 15.849 rad/s a pitch of A gives w² A h of surge at a head h above."""
    parameters, w, up = at_gain_one(), 15.849, 1.0
    low = chain_of(plan, parameters)
    high = chain_of(plan, parameters, head_m=(0.0, 0.0, up))
    a, b = (
        run_omct(plan, one, tests=(2,), frequencies=(w,), drives=False).points[0]
        for one in (low, high)
    )
    assert b.modulus == pytest.approx(abs(a.modulus - w**2 * up / 9.80665), rel=0.1)


def test_points_come_by_test_and_frequency_and_progress_is_told(plan):
    told = []
    chain = chain_of(plan, at_gain_one())
    run = run_omct(
        plan,
        chain,
        tests=(7, 6, 10),
        frequencies=(10.0, 3.981),
        drives=False,
        report=lambda done, of: told.append((done, of)),
    )
    assert [(one.test, one.rad_s) for one in run.points] == [
        (6, 3.981), (6, 10.0), (7, 3.981), (7, 10.0), (10, 3.981), (10, 10.0)
    ]  # fmt: skip
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert [one.rad_s for one in run.of(7)] == [3.981, 10.0]
