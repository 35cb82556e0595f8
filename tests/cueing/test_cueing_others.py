"""Adaptive, optimal and direct filters: their bounds, their equations, and what they refuse."""

import math
from dataclasses import replace

import numpy as np
import pytest
from campaign import count
from cueing_samples import G, T, felt_force, scales, state
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal
from scipy.linalg import solve_continuous_are
from scipy.spatial.transform import Rotation as Turn

from platform6dof.cueing.adaptive import Adaptation, Adaptive, AdaptiveParameters
from platform6dof.cueing.direct import Direct, DirectParameters
from platform6dof.cueing.optimal import Optimal
from platform6dof.cueing.optimal_washout import (
    CANAL_TA_S,
    CANAL_TL_S,
    OTOLITH,
    OptimalParameters,
    OptimalWeights,
    plane,
)
from platform6dof.cueing.parameters import ANGLE_SUM_MAX_RAD, CueingError
from platform6dof.cueing.vehicle import VehicleFlags

ADAPTIVE = AdaptiveParameters(force=scales(1.0, 5.0), rates=scales(1.0, math.radians(30.0)))  # pyright: ignore[reportArgumentType]
FIXED = replace(
    ADAPTIVE,
    force_gain=Adaptation(0.8, 0.8, 0.8, 0.0, 0.0),
    tilt_gain=Adaptation(0.04, 0.04, 0.04, 0.0, 0.0),
    rate_gain=Adaptation(0.6, 0.6, 0.6, 0.0, 0.0),
)
OPTIMAL = OptimalParameters(force=scales(1.0, 3.0), rates=scales(1.0, math.radians(20.0)))  # pyright: ignore[reportArgumentType]


def ride(filter_, force, omega):
    return np.array([
        filter_.step(state(f, w)) for f, w in zip(force, omega, strict=True)
    ])  # fmt: skip


def along(axis, values, offset=0.0):
    rows = np.zeros((len(values), 3))
    rows[:, axis] = values
    rows[:, 2] += offset
    return rows


# Adaptive


@pytest.mark.parametrize(("axis", "sign", "turn", "turn_sign"), [
    (0, 1.0, 4, -1.0), (1, -1.0, 5, -1.0),
])  # fmt: skip
def test_with_fixed_gains_it_is_the_linear_filter_of_the_paper(axis, sign, turn, turn_sign):
    rng = np.random.default_rng(3)
    f = 0.3 * np.cumsum(rng.normal(0.0, 0.1, 3000))
    f = np.clip(f, -1.2, 1.2)  # tilt stays below its rate
    rows = ride(Adaptive(FIXED, T), along(axis, f, -G), np.zeros((3000, 3)))
    one = FIXED.translation[axis]
    den = np.polymul([1, 2 * one.damping * one.wn_rad_s, one.wn_rad_s**2], [1, one.wb_rad_s])
    b, a = signal.bilinear([0.8, 0], den, 1 / T)
    assert sign * rows[:, 0, axis] == pytest.approx(signal.lfilter(b, a, f), abs=1e-8)
    b, a = signal.bilinear([0.04], [1, FIXED.turn_corner_rad_s], 1 / T)
    assert turn_sign * rows[:, 0, turn] == pytest.approx(signal.lfilter(b, a, f), abs=1e-9)


@pytest.mark.parametrize(("rate", "column", "sign"), [(0, 5, 1.0), (1, 4, -1.0), (2, 3, -1.0)])
def test_rates_turn_the_platform_the_same_way(rate, column, sign):
    omega = along(rate, np.full(1000, 0.1))
    rows = ride(Adaptive(FIXED, T), along(0, np.zeros(1000), -G), omega)
    t = np.arange(1000) * T
    wanted = 0.6 * 0.1 / 0.6 * (1.0 - np.exp(-0.6 * t))
    assert sign * rows[:, 0, column] == pytest.approx(wanted, abs=2e-4)
    others = [k for k in (3, 4, 5) if k != column]
    assert np.abs(rows[:, 0, others]).max() == 0.0


def test_gains_go_down_the_slope_of_the_cost():
    """Against the same equations by Euler's method in plain floats, and differences of the cost."""
    one = replace(
        ADAPTIVE, force_gain=Adaptation(0.9, 0.1, 1.0, 0.3, 0.2),
        tilt_gain=Adaptation(0.04, 0.01, 0.07, 5e-3, 0.2),
        rate_gain=Adaptation(0.8, 0.2, 1.0, 0.5, 0.2), rate_weight=300.0,
    )  # fmt: skip
    filter_ = Adaptive(one, T)
    f = 1.5 * np.sin(2.0 * np.arange(2500) * T)
    q = 0.1 * np.cos(1.3 * np.arange(2500) * T)
    p = [one.force_gain.start, one.tilt_gain.start, one.rate_gain.start]
    x, v, u = 0.0, 0.0, 0.0  # third state: x's integral through wb
    s, sv, su, th, s2, s3 = (0.0,) * 6
    w, z, wb = one.translation[0].wn_rad_s, one.translation[0].damping, one.translation[0].wb_rad_s
    c = one.turn_corner_rad_s
    fine, starts, far = 10, np.array(p), np.zeros(3)

    for n in range(2500):
        filter_.step(state((f[n], 0.0, -G), (0.0, q[n], 0.0)))
        for _ in range(fine):
            h = T / fine
            # x''' + (2zw + wb) x'' + (w² + 2zw wb) x' + w² wb x = p1 f' : u is its last state
            acceleration = u + p[0] * f[n]
            sensitivity = su + f[n]
            tilt = p[1] * f[n]
            clipped = abs(tilt) >= one.tilt_rate_rad_s
            tilt = min(max(tilt, -one.tilt_rate_rad_s), one.tilt_rate_rad_s)
            dth = tilt + p[2] * q[n] - c * th
            d2, d3 = (0.0 if clipped else f[n]) - c * s2, q[n] - c * s3
            lack, slip = f[n] - acceleration - G * th, q[n] - dth
            slopes = (
                -lack * sensitivity + one.speed_weight * v * sv + one.travel_weight * x * s,
                -lack * G * s2 - one.rate_weight * slip * d2,
                -lack * G * s3 - one.rate_weight * slip * d3,
            )
            for k, gain in enumerate((one.force_gain, one.tilt_gain, one.rate_gain)):
                p[k] += h * (-gain.step * slopes[k] + gain.back_per_s * (gain.start - p[k]))
                p[k] = min(max(p[k], gain.least), gain.most)
            a1, a2, a3 = 2 * z * w + wb, w * w + 2 * z * w * wb, w * w * wb
            x, v, u = (
                x + h * v,
                v + h * acceleration,
                u + h * (-a1 * acceleration - a2 * v - a3 * x),
            )
            s, sv, su = (
                s + h * sv, sv + h * sensitivity, su + h * (-a1 * sensitivity - a2 * sv - a3 * s)
            )  # fmt: skip
            th, s2, s3 = th + h * dth, s2 + h * d2, s3 + h * d3
        far = np.maximum(far, np.abs(filter_.gains[0] - starts))
    assert filter_.gains[0] == pytest.approx(p, rel=0.02)
    assert (far > 0.05 * starts).all()


numbers = st.floats(-1e6, 1e6) | st.sampled_from([1e300, -1e300, 0.0, 5.0, -5.0])


@settings(deadline=None)
@given(
    st.lists(st.tuples(*[numbers] * 6, st.integers(1, 400), st.booleans()), max_size=8),
    st.floats(0.0, 100.0), st.floats(0.0, 1.0),
)  # fmt: skip
def test_gains_stay_in_their_bounds_for_any_input(pieces, step, back):
    """Pieces are held, or turn their sign in each cycle."""
    gains = [Adaptation(0.5, 0.1, 0.9, step, back)] * 2
    parameters = replace(
        ADAPTIVE, force_gain=gains[0], rate_gain=gains[1],
        tilt_gain=Adaptation(0.05, 0.01, 0.07, step, back),
    )  # fmt: skip
    filter_ = Adaptive(parameters, T)
    for *six, cycles, turns in pieces:
        for n in range(cycles):
            sign = -1.0 if turns and n % 2 else 1.0
            one = [sign * value for value in six]
            rows = filter_.step(state(one[:3], one[3:]))
            assert np.isfinite(rows).all()
            assert np.abs(rows[0, 3:]).max() < ANGLE_SUM_MAX_RAD
        held(filter_, parameters)


def held(filter_, parameters):
    gains = filter_.gains
    used = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2), (1, 2), (3, 2)]
    bounds = (parameters.force_gain, parameters.tilt_gain, parameters.rate_gain)
    for row, k in used:
        assert bounds[k].least <= gains[row, k] <= bounds[k].most


@pytest.mark.campaign
def test_gains_stay_in_their_bounds_under_inputs_that_push_them():
    """The input that at each moment drives a gain hardest, at all speeds of adaptation."""
    for seed in range(count(200, 4)):
        rng = np.random.default_rng(seed)
        step = float(10 ** rng.uniform(-2, 2))
        parameters = replace(
            ADAPTIVE, force_gain=Adaptation(0.5, 0.1, 1.0, step, 0.1),
            tilt_gain=Adaptation(0.04, 0.01, 0.07, 0.01 * step, 0.1),
            rate_gain=Adaptation(0.5, 0.2, 1.0, step, 0.1),
        )  # fmt: skip
        filter_ = Adaptive(parameters, T)
        w = rng.uniform(0.1, 30.0, 6)
        for n in range(5000):
            signs = np.sign(np.sin(w * n * T)) * rng.choice([1.0, 50.0])
            rows = filter_.step(state(5.0 * signs[:3], signs[3:]))
            assert np.isfinite(rows).all()
            if n % 50 == 0:
                held(filter_, parameters)
        assert np.abs(filter_.gains - Adaptive(parameters, T).gains).max() > 0.05


@pytest.mark.parametrize(("change", "name"), [
    ({"force_gain": Adaptation(0.5, 0.6, 1.0, 1.0, 0.2)}, "adaptive.force_gain.start"),
    ({"tilt_gain": Adaptation(0.05, 0.01, 2.0, 1.0, 0.2)}, "adaptive.tilt_gain.most"),
    ({"rate_gain": Adaptation(0.5, 0.1, 1.0, -1.0, 0.2)}, "adaptive.rate_gain.step"),
    ({"rate_gain": Adaptation(0.5, 0.1, 1.0, 1.0, math.inf)}, "adaptive.rate_gain.back_per_s"),
    ({"turn_corner_rad_s": 0.1}, "adaptive.turn_corner_rad_s"),
    ({"travel_weight": -1.0}, "adaptive.travel_weight"),
])  # fmt: skip
def test_impossible_adaptation_is_refused(change, name):
    with pytest.raises(CueingError) as refused:
        replace(ADAPTIVE, **change)
    assert refused.value.name == name


# Optimal


def cost_of(w, parameters, made):
    """Cost density of W at a frequency for the noise 1/(s + G), by transfer functions alone."""
    s = 1j * w
    gain, lead, lag = OTOLITH
    otolith = gain * (lead * s + 1) / (lag * s + 1)
    tl, ta = CANAL_TL_S["pitch"], CANAL_TA_S
    canal = tl * ta * s * s / ((tl * s + 1) * (ta * s + 1))
    outputs = made.C @ np.linalg.solve(s * np.eye(len(made.A)) - made.A, made.B) + made.D
    x, v, a, angle, rate = outputs
    k = parameters.weights
    noise = 1.0 / abs(s + parameters.noise_rad_s) ** 2
    total = 0.0
    for j in range(2):
        rate_error = canal * (rate[j] - (j == 0))
        force_error = otolith * (a[j] + G * angle[j] - (j == 1))
        total += (
            k.rate * abs(rate_error) ** 2 + k.force * abs(force_error) ** 2
            + k.drift * abs(x[j] / s) ** 2 + k.travel * abs(x[j]) ** 2 + k.speed * abs(v[j]) ** 2
            + k.angle * abs(angle[j]) ** 2 + k.turning * abs(rate[j]) ** 2
            + k.acceleration * abs(a[j]) ** 2
        )  # fmt: skip
    return noise * total


def total_cost(parameters, made):
    w = np.geomspace(1e-4, 1e3, 4000)
    density = [cost_of(one, parameters, made) for one in w]
    return np.trapezoid(density, w) / math.pi


def test_no_other_filter_near_it_costs_less():
    """The cost by an integral over frequencies, without any Riccati equation."""
    made = plane(OPTIMAL, "pitch")
    best = total_cost(OPTIMAL, made)
    rng = np.random.default_rng(8)
    n, m = made.B.shape
    e = n - 4
    inputs = np.zeros((n, m))  # how u_s enters, without the gains: from B and D
    inputs[e + 2, 1] = inputs[e + 3, 0] = 1.0
    organs = np.linalg.lstsq(made.D[[4, 2]].T, (made.B - 0.0)[:e].T, rcond=None)[0]
    assert organs.shape == (2, e)
    for _ in range(12):
        change = rng.normal(0.0, 0.03, (m, m))
        D = made.D.copy()
        D[[4, 2]] += change
        B = made.B.copy()
        B[e + 2] += change[1]
        B[e + 3] += change[0]
        # the organs' own states are of no use to another W: they only filter its input
        B[:e] += organ_inputs(e) @ change
        assert total_cost(OPTIMAL, replace(made, B=B, D=D)) > best * (1 + 1e-6)


def organ_inputs(e):
    """How u_s enters the states of canal and otolith, in controllable canonical form."""
    made = np.zeros((e, 2))
    made[1, 0] = made[2, 1] = 1.0
    return made


@pytest.mark.parametrize("noise", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("kind", ["pitch", "roll", "yaw", None])
def test_the_riccati_equation_is_solved_and_the_filter_is_stable(kind, noise):
    made = plane(replace(OPTIMAL, noise_rad_s=noise), kind, moves=kind != "yaw")
    assert made.residual <= 1e-8
    assert np.linalg.eigvals(made.A).real.max() < -1e-3
    assert made.slowest_per_s == np.linalg.eigvals(made.A).real.max()


@pytest.mark.parametrize("seed", range(12))
def test_it_is_so_for_other_weights_too(seed):
    rng = np.random.default_rng(seed)
    weights = OptimalWeights(*(10 ** rng.uniform(-1, 2, 8)))
    made = plane(replace(OPTIMAL, weights=weights), "pitch")
    assert made.residual <= 1e-8
    assert made.slowest_per_s < 0.0


def test_weights_that_cannot_be_solved_are_refused(monkeypatch):
    from platform6dof.cueing import optimal_washout

    def coarse(*arguments, **others):
        return solve_continuous_are(*arguments, **others) * (1 + 1e-3)

    monkeypatch.setattr(optimal_washout, "solve_continuous_are", coarse)
    monkeypatch.setattr(optimal_washout, "solve_continuous_lyapunov", lambda a, q: np.zeros_like(q))
    with pytest.raises(CueingError, match="Riccati equation leaves"):
        plane(OPTIMAL, "pitch")


def test_it_runs_as_its_continuous_filter():
    filter_ = Optimal(OPTIMAL, T)
    t = np.arange(5000) * T
    f, q = np.sin(1.1 * t), 0.2 * np.sin(0.7 * t)
    rows = ride(filter_, along(0, f, -G), along(1, q))
    one = filter_.planes[0]
    wanted = signal.lsim((one.A, one.B, one.C, one.D), np.stack([q, f], axis=1), t)[1]
    assert rows[:, 0, 0] == pytest.approx(wanted[:, 0], abs=1e-5)
    assert rows[:, 1, 0] == pytest.approx(wanted[:, 1], abs=1e-5)
    assert rows[:, 2, 0] == pytest.approx(wanted[:, 2], abs=2e-3)
    assert -rows[:, 0, 4] == pytest.approx(wanted[:, 3], abs=1e-5)
    assert -rows[:, 1, 4] == pytest.approx(wanted[:, 4], abs=1e-3)


def test_its_rows_are_derivatives_of_each_other():
    rng = np.random.default_rng(5)
    f = np.cumsum(rng.normal(0, 0.05, (2000, 3)), axis=0) - [0, 0, G]
    rows = ride(Optimal(OPTIMAL, T), f, np.cumsum(rng.normal(0, 0.005, (2000, 3)), axis=0))
    q, dq, ddq = rows[:, 0], rows[:, 1], rows[:, 2]
    assert np.abs(np.diff(q, axis=0) - 0.5 * T * (dq[1:] + dq[:-1])).max() < 1e-14
    assert np.abs(np.diff(dq[:, 3:], axis=0) - T * ddq[1:, 3:]).max() < 1e-14
    assert np.abs(rows[-1, 0]).min() > 0.0


def test_each_axis_is_felt_the_right_way():
    for axis in range(3):
        w = 0.6 if axis < 2 else 10.0
        f = along(axis, np.sin(w * np.arange(8000) * T), -G)
        felt = felt_force(ride(Optimal(OPTIMAL, T), f, np.zeros((8000, 3))))
        correlation = np.corrcoef(felt[3000:, axis], f[3000:, axis])[0, 1]
        assert correlation > 0.85


def test_it_refuses_inputs_that_could_turn_it_too_far():
    with pytest.raises(CueingError, match="can turn the platform by") as refused:
        Optimal(replace(OPTIMAL, rates=scales(1.0, math.radians(120.0))), T)
    assert refused.value.name == "optimal"


# Direct


def pose(position=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0)):
    attitude = tuple(np.roll(Turn.from_rotvec(turn).as_quat(), 1).tolist())
    return state(position_m=position, attitude=attitude, flags=VehicleFlags.POSE)


def settled(filter_, one, weight=1.0):
    for _ in range(2000):
        rows = filter_.step(one, weight)
    return rows  # pyright: ignore[reportPossiblyUnboundVariable]


def test_a_pose_is_taken_as_it_is_told():
    rows = settled(Direct(DirectParameters(), T), pose((0.05, 0.04, -0.03), (0.1, -0.12, 0.15)))
    assert rows[0, :3] == pytest.approx((0.05, -0.04, 0.03), abs=1e-9)
    platform = Turn.from_euler("ZYX", rows[0, 3:]).as_matrix()
    vehicle = Turn.from_rotvec((0.1, -0.12, 0.15)).as_matrix()
    sign = np.diag([1.0, -1.0, -1.0])
    assert platform == pytest.approx(sign @ vehicle @ sign, abs=1e-9)
    assert np.abs(rows[1:]).max() < 1e-9


def test_a_pose_is_followed_without_an_error_of_speed():
    filter_ = Direct(DirectParameters(), T)
    t = np.arange(3000) * T
    x = 0.015 * t
    rows = np.array([filter_.step(pose((one, 0.0, 0.0))) for one in x])
    assert rows[1000:, 0, 0] == pytest.approx(x[1000:], abs=1e-6)
    assert rows[1000:, 1, 0] == pytest.approx(0.015)
    filter_.reset()
    x = 0.05 * np.sin(5.0 * t)
    rows = np.array([filter_.step(pose((one, 0.0, 0.0))) for one in x])
    b, a = signal.bilinear([3 * 60**2, 60**3], np.polymul([1, 60], [1, 120, 3600]), 1 / T)
    assert rows[:, 0, 0] == pytest.approx(signal.lfilter(b, a, x), abs=1e-8)
    steps = np.diff(rows[:, 0], axis=0) - 0.5 * T * (rows[1:, 1] + rows[:-1, 1])
    assert np.abs(steps).max() < 1e-15


def test_a_pose_beyond_the_box_is_held_at_its_edge():
    rows = settled(Direct(DirectParameters(), T), pose((1e300, -5.0, 2.0), (0.0, 2.5, 0.0)))
    assert rows[0] == pytest.approx((0.1, 0.1, -0.1, 0.0, -math.radians(15.0), 0.0), abs=1e-9)


def test_weight_and_gain_take_a_share_of_the_way():
    filter_ = Direct(DirectParameters(gain=0.5), T)
    rows = settled(filter_, pose((0.08, 0.0, 0.0), (0.0, 0.0, 0.2)), 0.5)
    assert rows[0, 0] == pytest.approx(0.02)
    assert rows[0, 3] == pytest.approx(-0.05)
    filter_.reset()
    assert np.abs(filter_.step(state())).max() == 0.0


def test_no_pose_asks_for_neutral():
    filter_ = Direct(DirectParameters(), T)
    settled(filter_, pose((0.08, 0.0, 0.0)))
    assert np.abs(settled(filter_, state(position_m=(0.08, 0, 0)))).max() < 1e-9


@pytest.mark.parametrize("bad", [
    pose((math.nan, 0.0, 0.0)), replace(pose(), attitude=(math.nan, 0.0, 0.0, 0.0)),
    replace(pose(), attitude=(0.0, 0.0, 0.0, 0.0)), pose((0.0, math.inf, 0.0)),
])  # fmt: skip
def test_a_pose_that_is_none_is_refused_and_moves_nothing(bad):
    filter_, twin = Direct(DirectParameters(), T), Direct(DirectParameters(), T)
    good = pose((0.01, 0.0, 0.0))
    filter_.step(good), twin.step(good)  # pyright: ignore[reportUnusedExpression]
    with pytest.raises(CueingError, match="finite"):
        filter_.step(bad)
    assert (filter_.step(good) == twin.step(good)).all()


@pytest.mark.parametrize("make", [
    lambda: Adaptive(ADAPTIVE, T), lambda: Optimal(OPTIMAL, T),
])  # fmt: skip
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_finite_moves_nothing(make, bad):
    filter_, twin = make(), make()
    good = state((0.5, 0.1, -G), (0.1, 0.0, 0.0))
    filter_.step(good), twin.step(good)  # pyright: ignore[reportUnusedExpression]
    for wrong, weight in (
        (state((bad, 0.0, -G)), 1.0), (state(omega=(0.0, bad, 0.0)), 1.0), (good, bad),
    ):  # fmt: skip
        with pytest.raises(CueingError, match="finite"):
            filter_.step(wrong, weight)
    assert (filter_.step(good) == twin.step(good)).all()
    filter_.reset()
    assert (filter_.step(good) == make().step(good)).all()
