"""The governor: untouched motion, limits kept, braking, what it tells; judged by others."""

import dataclasses

import numpy as np
import pytest
from governor_bench import (
    NEUTRAL,
    RIGS,
    Ride,
    adversarial,
    governor,
    multisine,
    ride,
    ungoverned,
    wide_box,
)

from platform6dof.cueing.governor import GovernorError
from platform6dof.inverse import leg_setpoint
from platform6dof.pose import PlatformSetpoint
from platform6dof.workspace import PoseBox
from safety.verdict import Action

GENTLE = np.array([0.02, 0.02, 0.02, 0.03, 0.03, 0.03])
HERTZ = (0.5, 0.7, 0.9, 0.6, 0.8, 0.4)
names = pytest.mark.parametrize("name", RIGS)


def gentle(name, count=1500, period_s=0.002):
    return multisine(count, period_s, NEUTRAL[name], GENTLE, HERTZ)


def at_rest(q):
    return np.stack([np.asarray(q, float), np.zeros(6), np.zeros(6)])


@names
def test_motion_with_nothing_near_goes_through_bit_by_bit(name):
    wanted = gentle(name)
    found = ride(name, wanted, NEUTRAL[name])
    assert not found.wrong
    assert found.active == 0
    assert np.array(found.rows).tobytes() == wanted.tobytes()
    assert 0.3 < found.least_margin < 1.0


@names
def test_after_a_push_the_wanted_motion_is_taken_up_again_bit_by_bit(name):
    wanted = gentle(name, 3000)
    pushed = wanted.copy()
    pushed[500:600, 0, 0] += 0.3  # a jump beyond the box for 0.2 s, and back
    found = ride(name, pushed, NEUTRAL[name])
    assert not found.wrong
    rows = np.array(found.rows)
    assert rows[:500].tobytes() == wanted[:500].tobytes()
    assert 100 < found.active < 1200
    assert rows[-800:].tobytes() == wanted[-800:].tobytes()
    # On its way back it does not overshoot.
    away = rows[600:, 0, 0] - wanted[600:, 0, 0]
    assert away.max() > 0.05
    assert away.min() > -0.01


@names
@pytest.mark.parametrize("period_s", [0.001, 0.002, 0.01])
def test_a_wild_motion_keeps_all_limits(name, period_s):
    wanted = multisine(int(3.0 / period_s), period_s, NEUTRAL[name], 12 * GENTLE, HERTZ)
    found = ride(name, wanted, NEUTRAL[name], period_s)
    assert not found.wrong
    assert found.least_margin >= 0.0
    assert found.active > len(wanted) // 2
    assert {"speed"} <= found.bindings


@names
def test_the_same_motion_without_governor_is_stopped_by_the_gate(name):
    wanted = multisine(1500, 0.002, NEUTRAL[name], 12 * GENTLE, HERTZ)
    assert ungoverned(name, wanted)[-1] is Action.STOPPING


@names
def test_a_wide_box_leaves_cones_and_strokes_to_the_envelope(name):
    found_all = set()
    for seed in (0, 6, 1, 3):
        guard = governor(name, box=wide_box(name))
        wanted = adversarial(seed, 1500, 0.002, NEUTRAL[name], guard.tables.box)
        found = ride(name, wanted, NEUTRAL[name], guard=guard)
        assert not found.wrong
        found_all |= found.bindings
    assert found_all & {"base joint angle", "platform joint angle", "length"}
    assert "speed" in found_all


@names
def test_stop_requests_end_inside_all_limits_and_the_motion_goes_on(name):
    rng = np.random.default_rng(3)
    for seed in range(4):
        guard = governor(name, box=wide_box(name) if seed % 2 else None)
        wanted = adversarial(seed, 600, 0.002, NEUTRAL[name], guard.tables.box)
        stops = set(rng.integers(20, 590, 4).tolist())
        found = ride(name, wanted, NEUTRAL[name], guard=guard, stop_at=stops)
        assert not found.wrong
        assert found.stops == len(stops)


@names
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e308])
@pytest.mark.parametrize("row", [0, 1, 2])
def test_what_is_no_number_brakes_all_legs_with_one_factor(name, value, row):
    wanted = gentle(name, 900)
    wanted[600:, row, 2] = value
    made = Ride(name)
    made.begin(NEUTRAL[name])
    before = None
    moves = []
    for k, rows in enumerate(wanted):
        made.cycle(rows)
        lengths = np.array(made.gate.lengths)
        if before is not None:
            moves.append(lengths - before)
        before = lengths
        assert not made.found.wrong, k
    assert np.isfinite(np.array(made.found.rows)).all()
    if value == 1e308 and row > 0:
        return  # finite: followed as far as the limits let it
    last, stopping = moves[598], np.array(moves[599:])
    factor = stopping @ last / (last @ last)
    np.testing.assert_allclose(stopping, factor[:, None] * last, atol=1e-10)
    assert (np.diff(factor) <= 1e-9).all()
    assert (stopping[-1] == 0.0).all()
    brake = RIGS[name].limits.stop_deceleration_m_s2[0] * 0.002**2
    slowest = np.ceil(np.abs(last).max() / brake)
    assert np.count_nonzero(np.abs(stopping).max(axis=1)) <= slowest
    assert "not finite" in made.found.bindings


def test_a_single_bad_row_costs_one_cycle_of_braking_and_is_left_behind():
    wanted = gentle("paper", 2500)
    bad = wanted.copy()
    bad[700, 1, 1] = np.nan
    found = ride("paper", bad, NEUTRAL["paper"])
    assert not found.wrong
    rows = np.array(found.rows)
    assert np.abs(rows[:, 0] - wanted[:, 0]).max() < 2e-4
    assert rows[-1].tobytes() == wanted[-1].tobytes()
    assert found.active < 900


@names
def test_it_brakes_when_the_program_has_no_solution(name, monkeypatch):
    guard = governor(name)
    monkeypatch.setattr(guard, "_solve", lambda near: None)
    wanted = multisine(1500, 0.002, NEUTRAL[name], 12 * GENTLE, HERTZ)
    found = ride(name, wanted, NEUTRAL[name], guard=guard)
    assert not found.wrong
    assert found.failed > 0
    assert "no way found" in found.bindings


@names
def test_brake_comes_to_rest_and_stays(name):
    guard = governor(name)
    guard.reset(NEUTRAL[name])
    for rows in gentle(name, 600):
        guard.step(rows)
    first = guard.brake()
    assert first.active
    assert not first.failed
    for _ in range(400):
        last = guard.brake()
    assert (last.rows[1:] == 0.0).all()
    assert guard.brake().rows.tobytes() == last.rows.tobytes()


def test_the_binding_limit_is_told():
    guard = governor("paper")
    guard.reset(NEUTRAL["paper"])
    goal = NEUTRAL["paper"] + [0.3, 0.0, 0.0, 0.0, 0.0, 0.0]
    told = [guard.step(at_rest(goal)) for _ in range(1500)]
    assert told[2].binding.quantity == "acceleration"
    assert told[2].binding.leg in range(1, 7)
    assert told[2].binding.unit == "m/s²"
    last = told[-1]
    assert last.active
    assert not last.failed
    assert last.binding.quantity == "upper end of x"
    assert last.binding.leg is None
    assert last.binding.limit == pytest.approx(0.1)
    # At rest by the end of the box, the margin is that of this end.
    assert last.rows[0, 0] == pytest.approx(0.1 - 0.001, abs=1e-4)
    assert last.margin == pytest.approx((0.1 - last.rows[0, 0]) / 0.1)
    assert str(last.binding) == "platform: upper end of x 0.1 m, limit 0.1 m"


def test_the_smallest_margin_is_that_of_the_envelope():
    """Against the envelope's own values, quantity by quantity."""
    guard = governor("training_simulator")
    guard.reset(NEUTRAL["training_simulator"])
    rows = gentle("training_simulator", 400)
    for each in rows:
        out = guard.step(each)
    made = Ride("training_simulator")
    setpoint = PlatformSetpoint.from_rows(rows[-1])
    legs = leg_setpoint(made.geometry, setpoint)
    state = made.envelope.state(setpoint.X_BP)
    limits, box = made.envelope.limits, guard.tables.box
    low = made.geometry.closed_length_m + limits.soft_margin_m
    high = made.geometry.open_length_m - limits.soft_margin_m
    half = 0.5 * (high - low)
    q, middle = rows[-1, 0], 0.5 * (box.upper + box.lower)
    by_quantity = [
        (np.minimum(legs.length_m - low, high - legs.length_m) / half).min(),
        (1.0 - np.abs(legs.speed_m_s) / limits.speed_max_m_s).min(),
        (1.0 - np.abs(legs.acceleration_m_s2) / limits.acceleration_max_m_s2).min(),
        1.0 - state.base_angle_rad.max() / limits.joint_cone_base_rad,
        1.0 - state.platform_angle_rad.max() / limits.joint_cone_platform_rad,
        state.clearance_m / limits.leg_clearance_m - 1.0,
        state.smallest_singular_value / limits.singular_value_min - 1.0,
        (1.0 - np.abs(q - middle) / (0.5 * (box.upper - box.lower))).min(),
    ]
    assert out.margin == pytest.approx(min(by_quantity), abs=1e-12)


def test_rows_are_the_callers_no_more_and_cannot_be_written():
    guard = governor("paper")
    guard.reset(NEUTRAL["paper"])
    rows = at_rest(NEUTRAL["paper"])
    out = guard.step(rows)
    rows[0, 0] = 5.0
    assert out.rows[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        out.rows[0, 0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        out.active = True


def test_the_same_rows_give_the_same_bits():
    wanted = adversarial(2, 800, 0.002, NEUTRAL["paper"], governor("paper").tables.box)
    first, again = (ride("paper", wanted, NEUTRAL["paper"]) for _ in range(2))
    assert np.array(first.rows).tobytes() == np.array(again.rows).tobytes()


def test_where_it_cannot_begin_it_says_why():
    guard = governor("paper")
    with pytest.raises(GovernorError, match="reset it"):
        guard.step(at_rest(NEUTRAL["paper"]))
    with pytest.raises(GovernorError, match=r"upper end of x 0\.2 m, limit 0\.1 m"):
        guard.reset(NEUTRAL["paper"] + [0.2, 0, 0, 0, 0, 0])
    with pytest.raises(ValueError, match="finite"):
        guard.reset([np.nan] * 6)
    guard.reset(NEUTRAL["paper"])
    with pytest.raises(GovernorError, match=r"shape \(6,\)"):
        guard.step(NEUTRAL["paper"])
    with pytest.raises(ValueError, match="period_s"):
        governor("paper", 0.0)


def test_a_box_narrower_than_its_buffers_leaves_the_other_coordinates():
    box = governor("paper").tables.box
    thin = PoseBox(np.r_[-1e-4, box.lower[1:]], np.r_[1e-4, box.upper[1:]])
    guard = governor("paper", box=thin)
    wanted = multisine(1500, 0.002, NEUTRAL["paper"], np.array([0, 0.03, 0.03, 0, 0, 0.05]), HERTZ)
    found = ride("paper", wanted, NEUTRAL["paper"], guard=guard)
    assert not found.wrong
    assert found.active == 0


@names
def test_where_it_rests_it_can_begin_again_though_that_is_found_by_the_legs(name):
    """A place found from lengths is off by some last bits, and it may rest at what is kept free."""
    guard = governor(name)
    q = np.array(NEUTRAL[name])
    q[5] = guard.tables.box.upper[5] - 2e-4
    for away in (-1e-13, 0.0, 1e-13):
        guard.reset(q + np.r_[0.0, 0.0, 0.0, 0.0, 0.0, away])
        out = guard.step(at_rest(NEUTRAL[name]))
        assert not out.failed
        assert out.rows[0, 5] <= q[5] + 1e-13
    with pytest.raises(GovernorError, match="upper end of gamma"):
        guard.reset(q + np.r_[0.0, 0.0, 0.0, 0.0, 0.0, 1e-9])
