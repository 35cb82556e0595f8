"""The classical filter against closed forms, scipy's own simulation, and its own promises."""

import math
from dataclasses import replace

import numpy as np
import pytest
from cueing_samples import (
    BASE,
    FREQUENCIES,
    TIGHT,
    UNIT,
    G,
    T,
    classical_set,
    felt_force,
    force,
    rotations,
    state,
    without_limiter,
)  # fmt: skip
from hypothesis import given
from hypothesis import strategies as st
from scipy import signal
from scipy.spatial.transform import Rotation as Turn

from platform6dof.cueing.blocks import rotation_block, tilt_block, translation_block
from platform6dof.cueing.classical import Classical
from platform6dof.cueing.parameters import (
    ANGLE_SUM_MAX_RAD,
    CueingError,
    Curve,
    Rotation,
    Scale,
    Tilt,
    TiltBy,
    Translation,
)  # fmt: skip

STILL = np.zeros((1, 3))
SLOW_TILT = replace(UNIT, tilt=replace(UNIT.tilt, acceleration_rad_s2=math.radians(100.0)))


def still(count):
    return np.broadcast_to(STILL, (count, 3))


def closed_surge(w):
    s = 1j * w
    return s**3 / ((s**2 + 5 * s + 6.25) * (s + 0.2)) + 25 / (s**2 + 10 * s + 25)


def fundamental(values, w, period_s, cycles):
    """Complex amplitude of the last whole cycles, against a sine of amplitude 1."""
    count = round(cycles * 2 * math.pi / w / period_s)
    t = np.arange(len(values))[-count:] * period_s
    return 2j * np.mean(values[-count:] * np.exp(-1j * w * t))


def test_a_step_of_surge_goes_as_worked_out_by_hand():
    rows = Classical(UNIT, T).ride(force(5001, x=1.0), still(5001))
    times = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)
    wanted = (0.00425, 0.05467, 0.10359, 0.11958, 0.06953, 0.02558)
    got = [rows[round(t / T), 0, 0] for t in times]
    assert got == pytest.approx(wanted, abs=1e-3)
    assert rows[:, 0, 0].max() == pytest.approx(0.12131, abs=1e-4)
    assert rows[:, 0, 0].argmax() * T == pytest.approx(1.699, abs=0.004)
    tilt = [math.degrees(-rows[round(t / T), 0, 4]) for t in times[:5]]
    assert tilt == pytest.approx((0.268, 1.468, 2.968, 5.848, 5.851), abs=0.004)


@pytest.mark.parametrize(("axis", "sign"), [(0, 1.0), (1, -1.0), (2, -1.0)])
def test_each_force_moves_its_axis_as_scipy_has_it(axis, sign):
    rng = np.random.default_rng(7)
    wanted = np.cumsum(rng.normal(0.0, 0.05, 2000))
    parameters = without_limiter(replace(UNIT, tilt=replace(UNIT.tilt, most_rad=0.0)))
    rows = Classical(parameters, T).ride(force(2000, **{"xyz"[axis]: wanted}), still(2000))
    one = parameters.translation[axis]
    den = np.polymul([1, 2 * one.damping * one.wn_rad_s, one.wn_rad_s**2], [1, one.wb_rad_s])
    for row, num in enumerate(([1, 0], [1, 0, 0], [1, 0, 0, 0])):
        b, a = signal.bilinear(num, den, 1.0 / T)
        assert sign * rows[:, row, axis] == pytest.approx(signal.lfilter(b, a, wanted), abs=1e-7)
    t = np.arange(2000) * T  # and near the continuous filter
    inside = signal.lsim((([1, 0]), den), wanted, t)[1]
    assert sign * rows[:, 0, axis] == pytest.approx(inside, abs=2e-3 * np.abs(inside).max())


@pytest.mark.parametrize("block", [
    (translation_block(Translation(3.0, 0.7, 0.3), T), [1, 0], ([1, 4.2, 9], [1, 0.3])),
    (translation_block(Translation(3.0, 0.7, 0.0), T), [1], ([1, 4.2, 9], [1])),
    (tilt_block(Tilt(4.0, 1.2), T), [16], ([1, 9.6, 16], [1])),
    (rotation_block(Rotation(1.5), T), [1], ([1, 1.5], [1])),
    (rotation_block(Rotation(1.5, 2, 0.8), T), [1, 0], ([1, 2.4, 2.25], [1])),
])  # fmt: skip
def test_blocks_are_those_of_scipy(block):
    packed, numerator, factors = block
    b, a = signal.bilinear(numerator, np.polymul(*factors), 1.0 / T)
    A, B, C, D = packed[:9].reshape(3, 3), packed[9:12], packed[12:15], packed[21]
    x, got = np.zeros(3), []
    for one in (unit := np.r_[np.zeros(3), np.ones(400)]):
        got.append(C @ x + D * one)
        x = A @ x + B * one
    assert got == pytest.approx(signal.lfilter(b, a, unit), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("w", FREQUENCIES[2:])
def test_surge_has_the_modulus_and_phase_of_the_closed_form(w):
    count = round((60.0 + 3 * 2 * math.pi / w) / T)
    amplitude = 0.25
    sine = np.sin(w * T * np.arange(count))
    rows = Classical(without_limiter(UNIT), T).ride(force(count, x=amplitude * sine), still(count))
    ratio = fundamental(felt_force(rows)[:, 0], w, T, 2) / amplitude / closed_surge(w)
    assert abs(ratio) == pytest.approx(1.0, abs=0.005)
    assert math.degrees(np.angle(ratio)) == pytest.approx(0.0, abs=0.3)


def test_the_closed_form_is_that_of_the_tables():
    modulus = [
        0.9993, 0.9974, 0.9909, 0.9727, 0.9274, 0.8285, 0.6547, 0.4614, 0.4203, 0.5730, 0.7625,
        0.8892,
    ]  # fmt: skip
    assert np.abs(closed_surge(FREQUENCIES)) == pytest.approx(modulus, abs=1e-4)


@pytest.mark.parametrize(
    ("amplitude", "w", "percent"),
    [
        (1.0, 0.398, 0.0), (1.0, 0.631, -3.8), (1.0, 3.981, 40.0), (1.0, 6.31, 37.0),
        (1.0, 10.0, 17.0), (0.25, 1.0, 0.0), (0.25, 2.512, 0.0), (0.25, 3.981, -9.1),
        (0.25, 6.31, -1.9), (0.25, 10.0, 0.0),
    ],
)  # fmt: skip
def test_the_limiter_breaks_the_response_as_measured(amplitude, w, percent):
    count = round((60.0 + 4 * 2 * math.pi / w) / T)
    sine = amplitude * np.sin(w * T * np.arange(count))
    rows = Classical(UNIT, T).ride(force(count, x=sine), still(count))
    ratio = fundamental(felt_force(rows)[:, 0], w, T, 3) / amplitude
    got = 100.0 * (abs(ratio) / abs(closed_surge(w)) - 1.0)
    assert got == pytest.approx(percent, abs=5.0)


@pytest.mark.parametrize(("axis", "sign"), [(3, -1.0), (4, -1.0), (5, 1.0)])
def test_a_rate_turns_as_its_high_pass(axis, sign):
    count = 4000
    rates = np.zeros((count, 3))
    rates[:, 5 - axis] = 0.1
    rows = Classical(UNIT, T).ride(force(count), rates)
    t = np.arange(count) * T
    assert sign * rows[:, 0, axis] == pytest.approx(0.1 * (1 - np.exp(-t)), abs=3e-4)
    assert sign * rows[1:, 1, axis] == pytest.approx(0.1 * np.exp(-t[1:]), abs=3e-4)


@pytest.mark.parametrize("degrees", [-12.0, 5.0, 15.0])
def test_a_held_attitude_is_felt_as_in_the_vehicle(degrees):
    angle = math.radians(degrees)
    filter_ = Classical(UNIT, T)
    for f, axis in (
        ((G * math.sin(angle), 0.0, -G * math.cos(angle)), 0),
        ((0.0, -G * math.sin(angle), -G * math.cos(angle)), 1),
    ):
        filter_.reset()
        rows = filter_.ride(np.tile(f, (25_000, 1)), still(25_000))
        felt = felt_force(rows[-1:])[0]
        assert felt[axis] == pytest.approx(f[axis], abs=1e-3)
        assert felt == pytest.approx(f, abs=0.02)
    assert rows[-1, 0, 5] == pytest.approx(angle, abs=1e-4)  # rolled to the right


def rough(seed, count, force_step=0.15, rate_step=0.01):
    rng = np.random.default_rng(seed)
    f = np.cumsum(rng.normal(0.0, force_step, (count, 3)), axis=0)
    return f - [0.0, 0.0, G], np.cumsum(rng.normal(0.0, rate_step, (count, 3)), axis=0)


def smooth(count, period_s):
    t = np.arange(count) * period_s
    rates = 0.3 * np.sin(t[:, None] * np.array((1.0, 1.7, 2.3)))
    return force(count, x=2 * np.sin(t), y=np.sin(2 * t)), rates


@pytest.mark.parametrize("turns", [False, True])
def test_rows_are_derivatives_of_each_other(turns):
    rows = Classical(replace(SLOW_TILT, tilt_turns_force=turns), T).ride(*rough(3, 6000))
    q, dq, ddq = rows[:, 0], rows[:, 1], rows[:, 2]
    by_rate = np.diff(q, axis=0) - 0.5 * T * (dq[1:] + dq[:-1])
    assert np.abs(by_rate[:, :3]).max() < 1e-14
    by_second = np.diff(dq[:, :3], axis=0) - 0.5 * T * (ddq[1:, :3] + ddq[:-1, :3])
    assert np.abs(by_second).max() < 1e-14
    assert np.abs(by_rate[:, 3:]).max() < 5e-8  # products of rotations: to T² and better


def test_angular_velocity_is_that_of_the_product_of_rotations():
    rows = Classical(without_limiter(UNIT), 1e-4).ride(*smooth(4000, 1e-4))
    R = rotations(rows)
    turn = Turn.from_matrix(np.einsum("nij,nkj->nik", R[2:], R[:-2])).as_rotvec() / 2e-4
    alpha, beta = rows[1:-1, 0, 3], rows[1:-1, 0, 4]
    da, db, dg = rows[1:-1, 1, 3:].T
    cb = np.cos(beta)
    omega = np.stack([
        -np.sin(alpha) * db + np.cos(alpha) * cb * dg,
        np.cos(alpha) * db + np.sin(alpha) * cb * dg,
        da - np.sin(beta) * dg,
    ], axis=1)  # fmt: skip
    assert np.abs(omega).max() > 0.2
    assert np.abs(turn - omega)[10:].max() < 1e-6


def test_second_derivatives_of_smooth_rates_are_theirs():
    rows = Classical(without_limiter(UNIT), T).ride(*smooth(4000, T))
    second = np.gradient(rows[:, 1, 3:], T, axis=0)[200:-5]
    assert rows[200:-5, 2, 3:] == pytest.approx(second, abs=4e-3)  # half a cycle late


@pytest.mark.parametrize("acceleration", [math.inf, math.radians(100.0)])
def test_the_limiter_keeps_its_rate_and_acceleration(acceleration):
    tilt = replace(UNIT.tilt, acceleration_rad_s2=acceleration)
    f, _ = rough(11, 20_000, 0.4)
    rows = Classical(replace(UNIT, tilt=tilt), T).ride(f, still(20_000))
    up = rotations(rows)[:, 2]  # of the base in the platform's axes
    pitch, roll = np.arcsin(up[:, 0]), np.arctan2(up[:, 1], up[:, 2])
    for angle in (pitch, roll):
        assert np.abs(np.diff(angle)).max() <= tilt.rate_rad_s * T * (1 + 1e-9)
        assert np.abs(np.diff(angle)).max() > 0.99 * tilt.rate_rad_s * T
        if math.isfinite(acceleration):
            assert np.abs(np.diff(angle, 2)).max() <= acceleration * T * T * (1 + 1e-6)


def test_a_limiter_that_is_not_needed_changes_nothing():
    t = np.arange(8000) * T
    f = force(8000, x=0.2 * np.sin(0.5 * t) ** 2, y=0.15 * np.sin(0.7 * t) ** 2)
    free = Classical(without_limiter(UNIT), T).ride(f, still(8000))
    for parameters in (UNIT, SLOW_TILT):
        assert Classical(parameters, T).ride(f, still(8000)) == pytest.approx(free, abs=1e-14)


@pytest.mark.parametrize("damping", [0.4, 1.0, 1.8])
def test_tilt_by_frequency_never_asks_for_more_than_the_rate(damping):
    tilt = Tilt(5.0, damping, TiltBy.FREQUENCY, math.radians(3.0), force_m_s2=2.0)
    parameters = replace(UNIT, tilt=tilt)
    w = tilt.corner_rad_s
    assert w < 5.0
    t = np.arange(0.0, 60.0 / w, 0.01 / w)  # worst of all inputs: full force against the response
    response = signal.impulse(([w * w, 0], [1, 2 * damping * w, w * w]), T=t)[1]
    angle = math.asin(2.0 / G)
    assert angle * np.trapezoid(np.abs(response), t) == pytest.approx(tilt.rate_rad_s, rel=0.01)
    sign = np.sign(np.interp(np.arange(0.0, t[-1], T), t, response))[::-1]
    rows = Classical(parameters, T).ride(force(len(sign), x=2.0 * sign), still(len(sign)))
    worst = np.abs(np.diff(rows[:, 0, 4])).max() / T
    assert 0.97 * tilt.rate_rad_s < worst <= tilt.rate_rad_s * (1 + 1e-3)


def test_weight_scales_what_differs_from_rest():
    filter_ = Classical(UNIT, T)
    f, omega = rough(2, 500, 0.02, 0.0005)
    whole = filter_.ride(f, omega)
    filter_.reset()
    rest = np.array([0.0, 0.0, -G])
    half = filter_.ride(f, omega, np.full(500, 0.5))
    filter_.reset()
    assert filter_.ride(rest + 0.5 * (f - rest), 0.5 * omega) == pytest.approx(half, abs=1e-12)
    assert np.abs(whole - half).max() > 1e-3
    filter_.reset()
    assert np.abs(filter_.ride(f, omega, 0.0)).max() < 1e-13


def test_steps_and_a_whole_ride_are_the_same():
    f, omega = rough(9, 300)
    whole = Classical(TIGHT, T).ride(f, omega)
    filter_ = Classical(TIGHT, T)
    for n in range(300):
        assert (filter_.step(state(f[n], omega[n])) == whole[n]).all()
    filter_.reset()
    assert (filter_.ride(f, omega) == whole).all()


huge = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(*[huge] * 6, st.floats(0.0, 1.0)), min_size=1, max_size=30))
def test_whatever_finite_comes_finite_goes(inputs):
    filter_ = Classical(BASE, T)
    for *six, weight in inputs:
        for _ in range(20):
            rows = filter_.step(state(six[:3], six[3:]), weight)
            assert np.isfinite(rows).all()
            assert np.abs(rows[0, 4]) < ANGLE_SUM_MAX_RAD + 0.01


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", range(7))
def test_what_is_not_finite_is_refused_and_moves_nothing(bad, place):
    filter_, twin = Classical(BASE, T), Classical(BASE, T)
    numbers = [0.1, 0.2, -G, 0.01, 0.02, 0.03, 1.0]
    good = state(numbers[:3], numbers[3:6])
    filter_.step(good), twin.step(good)
    numbers[place] = bad
    with pytest.raises(CueingError, match="finite"):
        filter_.step(state(numbers[:3], numbers[3:6]), numbers[6])
    assert (filter_.step(good) == twin.step(good)).all()


def test_a_cubic_goes_from_its_slope_to_its_end():
    channel = Scale(0.5, 4.0, Curve.CUBIC, 12.0, 0.1)
    parameters = without_limiter(replace(UNIT, force=(channel,) * 3))
    tilt = replace(parameters.tilt, most_rad=0.0)
    filter_ = Classical(replace(parameters, tilt=tilt), T)

    def out(u):
        filter_.reset()
        gain = translation_block(parameters.translation[0], T)[23]  # acceleration at once
        return filter_.step(state((u, 0.0, -G)))[2, 0] / gain

    assert out(12.0) == pytest.approx(4.0)
    assert out(-30.0) == pytest.approx(-4.0)
    assert out(1e-5) / 1e-5 == pytest.approx(0.5, abs=1e-4)
    assert (out(12.0) - out(12.0 - 1e-4)) / 1e-4 == pytest.approx(0.1, abs=1e-3)
    values = [out(u) for u in np.linspace(0, 12, 60)]
    assert (np.diff(values) > 0.0).all()


@pytest.mark.parametrize(("change", "name"), [
    ({"force_gain": -0.1}, "force.x.gain"),
    ({"force_gain": math.nan}, "force.x.gain"),
    ({"force_most_m_s2": math.inf}, "force.x.most"),
    ({"rate_most_rad_s": math.radians(70.0)}, "rates.p.most"),
    ({"wn_rad_s": (2.5, 0.0, 4.0)}, "translation.y.wn_rad_s"),
    ({"wb_rad_s": -0.2}, "translation.x.wb_rad_s"),
    ({"wl_rad_s": 100.0}, "tilt.wl_rad_s"),
    ({"damping": 0.0}, "translation.x.damping"),
    ({"tilt": Tilt(rate_rad_s=-1.0)}, "tilt.rate_rad_s"),
    ({"tilt": Tilt(rate_rad_s=math.nan)}, "tilt.rate_rad_s"),
    ({"wr_rad_s": 0.1}, "rates.p.most"),
])  # fmt: skip
def test_parameters_out_of_bounds_are_refused_by_name(change, name):
    base = {
        "force_gain": 0.5,
        "rate_gain": 0.5,
        "wn_rad_s": (2.5, 2.5, 4.0),
        "wb_rad_s": 0.2,
        "wl_rad_s": 5.0,
    }
    with pytest.raises(CueingError) as refused:
        classical_set(**(base | change))
    assert refused.value.name == name
    assert name in str(refused.value)


def test_a_cubic_that_turns_back_is_refused():
    with pytest.raises(CueingError, match="turns back"):
        replace(UNIT, force=(Scale(1.0, 1.0, Curve.CUBIC, 20.0, 0.0),) * 3)


@pytest.mark.parametrize("period_s", [0.0, -0.002, 1.0, math.nan])
def test_an_impossible_period_is_refused(period_s):
    with pytest.raises(CueingError, match="period_s"):
        Classical(BASE, period_s)


def turned_first(rates, cycles):
    """A filter without tilt that rates have turned for some cycles, and its last rows."""
    parameters = replace(UNIT, tilt=replace(UNIT.tilt, most_rad=0.0), rotation=(Rotation(0.6),) * 3)
    filter_ = Classical(parameters, T)
    return filter_, filter_.ride(force(cycles), np.tile(rates, (cycles, 1)))[-1]


def test_force_is_turned_by_the_attitude_of_the_rotation():
    filter_, before = turned_first((0.0, 0.0, 0.5), 400)
    after = filter_.step(state((1.0, 0.0, -G), (0.0, 0.0, 0.5)))
    assert before[0, 3] < -0.25
    x, y = after[2, :2] - before[2, :2]
    assert y / x == pytest.approx(math.tan(after[0, 3]), abs=1e-6)
    assert x == pytest.approx(math.cos(after[0, 3]), abs=0.02)


def test_body_rates_become_rates_of_angles():
    filter_, before = turned_first((0.5, 0.0, 0.0), 500)
    roll = before[0, 5]
    assert roll > 0.3
    rows = filter_.step(state(omega=(0.0, 0.0, 0.3)))
    assert rows[1, 4] == pytest.approx(0.3 * math.sin(roll), abs=2e-3)
    assert rows[1, 3] == pytest.approx(-0.3 * math.cos(roll), abs=2e-3)


def test_rates_of_angles_are_limited_near_a_quarter_turn():
    most = UNIT.rates[2].most
    filter_, before = turned_first((0.0, most, 0.0), 3000)
    assert abs(before[0, 4]) > 1.0
    rows = filter_.step(state(omega=(0.0, most, most)))
    assert 0.95 * most < abs(rows[1, 3]) <= most
