"""A long motion is tried in excerpts, and nothing that the gate objects to is left out."""

import numpy as np
import pytest
from campaign import share_of
from hypothesis import given
from hypothesis import strategies as st

from hil.machines.rig.machine import gate_limits
from hil.stations.platform.motion import excerpts
from hil.stations.platform.motion import recorded_motion as recorded
from hil.stations.platform.motion.multi_sine_motion import MultiSine
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.recording_scenario import recorded_table
from hil.stations.platform.plan.scenario import plan_from_table
from hil.stations.platform.proof import check

STEP_S = 0.02
LONG_S = 340.0


def ride(tmp_path, z_m):
    """A plan that replays heave, at rest at both ends."""
    t_s = np.arange(len(z_m)) * STEP_S
    file = tmp_path / "ride.csv"
    rows = [f"{t:.2f},{z:.9f}" for t, z in zip(t_s, z_m, strict=True)]
    file.write_text("\n".join(["t_s,z_m", *rows]))
    made = recorded_table("paper", file, [])
    return plan_from_table(made, tmp_path / "command line", ["rate_hz=50.0"])


def calm(begin_s=0.0, end_s=LONG_S):
    t_s = np.arange(0.0, end_s - begin_s, STEP_S)
    window = np.minimum(1.0, np.minimum(t_s, t_s[-1] - t_s) / 5.0)
    return 0.02 * window**3 * np.sin(0.8 * t_s)


def burst(at_s, rise_m, brake_s=0.16):
    """Up at 0.45 m/s, stopped within `brake_s`, and slowly back: harder than a stop of the gate."""
    z_m = 0.1 * calm()
    t_s = np.arange(len(z_m)) * STEP_S - at_s
    speed_m_s = 0.45
    rise_s = rise_m / speed_m_s  # with a raised cosine of acceleration at either end
    back_s = 5.0 + 10.0 * rise_s
    pulses = [(-rise_s, 0.4, 1.0), (0.0, brake_s, -1.0), (5.0, 2.0, -0.1), (back_s, 2.0, 0.1)]
    for begin_s, lasting_s, share in pulses:
        u = np.clip((t_s - begin_s) / lasting_s + 0.5, 0.0, 1.0)
        way = 0.5 * u**2 + (np.cos(2 * np.pi * u) - 1.0) / (4 * np.pi**2)
        after = np.maximum((t_s - begin_s) / lasting_s - 0.5, 0.0)
        z_m = z_m + share * speed_m_s * lasting_s * (way + after)
    return z_m


@pytest.mark.campaign
@pytest.mark.parametrize("at_s", share_of([171.3, 90.0, 260.0]))
def test_what_the_gate_objects_to_is_found_with_the_time_of_a_whole_run(
    tmp_path, monkeypatch, at_s
):
    """The envelope knows no stopping point: only the gate refuses this."""
    plan = ride(tmp_path, burst(at_s, 0.38))
    motion = motion_of(plan)
    in_parts = check.check_plan(plan, motion)
    monkeypatch.setattr(check, "WHOLE_MAX_S", np.inf)
    whole = check.check_plan(plan, motion)
    assert {found.phase for found in whole.violations} == {"gate"}
    assert "braking" in {found.quantity for found in whole.violations}
    assert in_parts == whole


def test_a_long_motion_is_tried_in_parts_and_says_how_much(tmp_path):
    plan = ride(tmp_path, calm())
    proof = check.check_plan(plan, motion_of(plan))
    assert proof.ok
    assert 2.0 * excerpts.PART_S < proof.gate_tried_s < 0.7 * proof.duration_s
    short = ride(tmp_path, calm(end_s=20.0))
    proof = check.check_plan(short, motion_of(short))
    assert proof.gate_tried_s == proof.duration_s


def test_the_hardest_times_are_those_that_were_planted(tmp_path):
    plan = ride(tmp_path, burst(123.0, 0.38))
    motion, geometry = motion_of(plan), check.machine_of(plan).geometry
    limits = gate_limits(plan.rig, plan.scenario.period_s)
    found = np.array(excerpts.hardest_s(motion, geometry, limits)) - motion.lead_in_s - 123.0
    assert np.abs(found[:6]).max() < 0.15, "a stop ends nearest to the end of the stroke"
    assert -1.0 < found[6] < 0.1, "fastest on the way up"
    assert abs(found[7]) < 0.1, "the hardest change of speed"


def sine():
    neutral = np.array([0.01, -0.02, 0.935, 0.02, -0.03, 0.04])
    return MultiSine(neutral, [(), (), [(0.1, 0.3, 0.3)], [(0.05, 0.5, 0.0)], (), ()], 60.0, 2.0)


@given(st.floats(0.0, 1.0), st.sampled_from([(0.0, 20.0), (12.5, 41.0), (44.0, 64.0)]))
def test_a_part_is_on_the_way_and_its_rates_are_derivatives(share, span):
    motion = sine()
    part = excerpts.Excerpt(motion, *span)
    t_s, h = share * part.duration_s, 1e-4
    before, at, after = (part.sample(t_s + d) for d in (-h, 0.0, h))
    inside = h < t_s < part.duration_s - h
    if inside:
        slope = (after.X_BP.position_m - before.X_BP.position_m) / (2 * h)
        assert at.V_BP[:3] == pytest.approx(slope, abs=2e-6)
        change = (after.V_BP - before.V_BP) / (2 * h)
        kinks = (excerpts.RAMP_S, part.duration_s - excerpts.RAMP_S)
        if all(abs(t_s - kink) > 2 * h for kink in kinks):
            assert pytest.approx(change, abs=1e-5) == at.A_BP
    way = np.linspace(*span, 4001)
    places = motion.rows(way)[:, 0, :3]
    assert np.abs(places - at.X_BP.position_m).max(axis=1).min() < 2e-3


@pytest.mark.parametrize("span", [(0.0, 20.0), (12.5, 41.0)])
def test_a_part_rests_at_both_ends(span):
    motion = sine()
    part = excerpts.Excerpt(motion, *span)
    for t_s, own_s in ((0.0, span[0]), (part.duration_s, span[1])):
        at = part.sample(t_s)
        assert np.abs(at.V_BP).max() == 0.0
        assert np.abs(at.A_BP).max() == 0.0
        assert at.X_BP.coordinates() == pytest.approx(motion.rows(np.array([own_s]))[0, 0])
    middle = part.sample(0.5 * part.duration_s)
    own_s = span[0] + 0.5 * part.duration_s - 0.5 * excerpts.RAMP_S
    assert pytest.approx(motion.sample(own_s).V_BP, abs=1e-12) == middle.V_BP


def test_a_spline_in_blocks_is_the_spline(monkeypatch):
    """Beside scipy's own of the whole, which knows no blocks."""
    from scipy.interpolate import make_interp_spline

    samples = np.random.default_rng(3).normal(size=(2000, 6))
    monkeypatch.setattr(recorded, "BLOCK", 300)
    made = recorded.fit_quintic(samples, 0.5)
    t_s = 0.5 * np.arange(2000)
    whole = make_interp_spline(t_s, samples, k=5)
    for order in range(3):
        assert made[:, :, order] == pytest.approx(whole(t_s, nu=order), rel=1e-9, abs=1e-9)
