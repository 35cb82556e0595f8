"""Limits are complete, finite and fit each other, or there are none."""

from dataclasses import FrozenInstanceError, fields, replace

import pytest
from safety_samples import LEG, VALUES, make_limits

from safety.limits import GateLimits, LegLimits, LimitsError

POSITIVE = [
    "period_s",
    "following_base_m",
    "reaction_time_s",
    "late_cycles_max",
    "setpoint_age_max_s",
    "start_tolerance_m",
    "standstill_speed_m_s",
    "stuck_movement_m",
    "jump_speed_factor",
    "jump_base_m",
    "feedback_lag_max_s",
    "feedback_lag_growth_s",
]
COUNTS = {
    "following_cycles": 1,
    "missing_setpoints_max": 0,
    "missing_feedback_max": 0,
    "standstill_cycles": 1,
    "stuck_cycles": 1,
    "estop_discrepancy_cycles": 1,
    "force_cycles": 1,
}
LEG_FIELDS = [field.name for field in fields(LegLimits)]


@pytest.mark.parametrize("name", VALUES)
def test_a_limit_left_out_is_an_error(name):
    rest = {key: value for key, value in VALUES.items() if key != name}
    with pytest.raises(TypeError, match=name):
        GateLimits(**rest)


@pytest.mark.parametrize("name", LEG_FIELDS)
def test_a_leg_limit_left_out_is_an_error(name):
    rest = {key: getattr(LEG, key) for key in LEG_FIELDS if key != name}
    with pytest.raises(TypeError, match=name):
        LegLimits(**rest)


NO_NUMBER = [float("nan"), float("inf"), float("-inf"), True, "0.1", None]


@pytest.mark.parametrize("name", [*POSITIVE, "following_per_speed_s"])
@pytest.mark.parametrize("value", [*NO_NUMBER, -0.001])
def test_values_that_are_no_limits_are_refused(name, value):
    with pytest.raises(LimitsError, match=f"limits: {name} = "):
        make_limits(**{name: value})


@pytest.mark.parametrize("name", POSITIVE)
def test_zero_is_refused_where_it_means_nothing(name):
    with pytest.raises(LimitsError, match="not positive; need more than 0"):
        make_limits(**{name: 0.0})


def test_zero_growth_of_the_window_and_whole_numbers_are_fine():
    assert make_limits(following_per_speed_s=0.0).margin_m(0.0) == 0.004
    assert make_limits(late_cycles_max=1).late_cycles_max == 1


@pytest.mark.parametrize(("name", "least"), COUNTS.items())
@pytest.mark.parametrize("value", [True, 2.0, None])
def test_counts_are_whole_numbers(name, least, value):
    with pytest.raises(LimitsError, match=f"{name} = .* is not a whole number"):
        make_limits(**{name: value})


@pytest.mark.parametrize(("name", "least"), COUNTS.items())
def test_counts_have_a_least_value(name, least):
    assert getattr(make_limits(**{name: least}), name) == least
    with pytest.raises(LimitsError, match=f"{name} = {least - 1} cycles; need {least} or more"):
        make_limits(**{name: least - 1})


def test_late_cycles_below_one_would_trip_every_cycle():
    with pytest.raises(LimitsError, match=r"late_cycles_max = 0\.99 periods is below 1"):
        make_limits(late_cycles_max=0.99)


@pytest.mark.parametrize("number", range(1, 7))
@pytest.mark.parametrize("name", LEG_FIELDS)
@pytest.mark.parametrize("value", [*NO_NUMBER, 0.0, -1.0])
def test_bad_leg_limits_are_refused_with_the_leg_number(number, name, value):
    legs = list(make_limits().legs)
    legs[number - 1] = replace(legs[number - 1], **{name: value})
    with pytest.raises(LimitsError, match=f"leg {number}: {name} = "):
        make_limits(legs=tuple(legs))


@pytest.mark.parametrize("count", [0, 5, 7])
def test_six_legs_are_needed(count):
    with pytest.raises(LimitsError, match=f"{count} legs; need 6"):
        make_limits(legs=(LEG,) * count)


def legs_with(**changes):
    return (*(LEG,) * 5, replace(LEG, **changes))


@pytest.mark.parametrize("low", [1.30, 1.31])
def test_min_is_below_max(low):
    with pytest.raises(LimitsError, match=r"leg 6: soft_min_m = .* is not below"):
        make_limits(legs=legs_with(soft_min_m=low))


def test_the_stop_never_needs_more_than_the_permitted_acceleration():
    make_limits(legs=legs_with(stop_deceleration_m_s2=3.0))
    with pytest.raises(LimitsError, match=r"leg 6: stop_deceleration_m_s2 = 3\.1 m/s"):
        make_limits(legs=legs_with(stop_deceleration_m_s2=3.1))


def test_invariant_24_braking_way_is_below_half_the_stroke():
    # v^2/(2a) = 0.3 m at v = sqrt(1.2) m/s and a = 2 m/s^2; half of the stroke is 0.3 m.
    few = {"following_base_m": 1e-6, "following_per_speed_s": 0.0, "reaction_time_s": 1e-6}
    make_limits(legs=legs_with(speed_max_m_s=1.095), **few)
    with pytest.raises(LimitsError, match=r"leg 6: braking from speed_max_m_s = 1.096"):
        make_limits(legs=legs_with(speed_max_m_s=1.096), **few)
    exactly_half = legs_with(soft_min_m=0.75, soft_max_m=1.25, speed_max_m_s=1.0)
    words = r"takes 0\.25 m; need less than half of the soft stroke, 0\.25 m"
    with pytest.raises(LimitsError, match=words):
        make_limits(legs=exactly_half, **few)


def test_the_following_window_leaves_room_in_the_stroke():
    # margin = base + (k + t) * v = 0.05 + 0.25 * 1.0 = 0.3 m at each end of 0.6 m: nothing left.
    wide = {"following_base_m": 0.05, "following_per_speed_s": 0.15}
    legs = (replace(LEG, speed_max_m_s=1.0),) * 6
    make_limits(legs=legs, reaction_time_s=0.099, **wide)
    words = r"0\.301 m at each end, leave nothing .* of 0\.6 m; need less than 0\.3 m"
    with pytest.raises(LimitsError, match=words):
        make_limits(legs=legs, reaction_time_s=0.101, **wide)


def test_a_margin_of_exactly_half_the_stroke_leaves_nothing():
    # Powers of two, so that nothing is rounded: 1/32 + (1/8 + 1/8) * 7/8 = 1/4 m.
    leg = replace(LEG, soft_min_m=0.5, soft_max_m=1.0, speed_max_m_s=0.875)
    wide = {"following_base_m": 1 / 32, "following_per_speed_s": 1 / 8, "reaction_time_s": 1 / 8}
    with pytest.raises(LimitsError, match="leave nothing"):
        make_limits(legs=(leg,) * 6, **wide)
    make_limits(legs=(replace(leg, soft_max_m=1.001),) * 6, **wide)


def test_margin_grows_with_the_speed_in_either_direction():
    limits = make_limits()
    assert limits.margin_m(0.1) == pytest.approx(0.004 + 0.1 * 0.026)
    assert limits.margin_m(-0.1) == limits.margin_m(0.1)


def test_limits_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        make_limits().period_s = 1.0
    with pytest.raises(FrozenInstanceError):
        make_limits().legs[0].soft_max_m = 9.0
    assert not hasattr(make_limits(), "__dict__")
    assert not hasattr(LEG, "__dict__")


def test_digest_tells_every_value():
    base = make_limits()
    assert base.digest() == make_limits().digest()
    assert len(base.digest()) == 64
    seen = {base.digest()}
    for name in (name for name in VALUES if name != "legs"):
        value = VALUES[name]
        other = value + 1 if isinstance(value, int) else value * 1.01
        if isinstance(value, bool):
            other = not value
        seen.add(make_limits(**{name: other}).digest())
    for i in range(6):
        for name in LEG_FIELDS:
            legs = list(base.legs)
            legs[i] = replace(legs[i], **{name: getattr(legs[i], name) * 0.999})
            seen.add(make_limits(legs=tuple(legs)).digest())
    assert len(seen) == 1 + 21 + 42
    assert make_limits(late_cycles_max=3).digest() == base.digest()


def test_a_jump_is_never_less_than_the_permitted_speed():
    make_limits(jump_speed_factor=1.0)
    with pytest.raises(LimitsError, match=r"jump_speed_factor = 0\.99 is below 1"):
        make_limits(jump_speed_factor=0.99)


@pytest.mark.parametrize("value", [0, 1, None, "yes"])
def test_whether_an_emergency_stop_is_fitted_is_yes_or_no(value):
    with pytest.raises(LimitsError, match="estop_fitted = "):
        make_limits(estop_fitted=value)
