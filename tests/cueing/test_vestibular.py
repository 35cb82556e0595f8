"""The inner ear's models against step values, SciPy and closed forms."""

import numpy as np
import pytest
from scipy import signal

from platform6dof.cueing.vestibular import (
    AXES,
    MODELS,
    REID_NAHON,
    TELBAN_CARDULLO,
    response,
    sensed,
)

TIMES_S = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)
OTOLITH = (0.1391, 0.5105, 0.7228, 0.8113, 0.6633, 0.5032)
CANAL_PITCH = (0.6258, 0.9078, 0.8167, 0.6473, 0.2997, 0.0333)
SYSTEMS = [(name, axis) for name in MODELS for axis in range(6)]


def closed_step(model, t_s):
    """Step response by partial fractions, which knows no sampling."""
    parts, poles, _ = signal.residue(model.numerator, np.polymul(model.denominator, [1.0, 0.0]))
    return np.real(np.exp(np.outer(t_s, poles)) @ parts)


@pytest.mark.parametrize("rate_hz", [50, 100, 500])
@pytest.mark.parametrize(("name", "axis"), SYSTEMS)
def test_a_step_is_exact_at_any_rate(name, axis, rate_hz):
    model = MODELS[name].organs[axis]
    found = sensed(model, np.ones(10 * rate_hz + 1), 1.0 / rate_hz)
    wanted = closed_step(model, np.arange(len(found)) / rate_hz)
    assert found == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(("axis", "wanted"), [(0, OTOLITH), (4, CANAL_PITCH)])
def test_published_steps_of_reid_and_nahon(axis, wanted):
    """As computed by Tustin's rule at 1 ms, where a step comes half a period early."""
    model, half_s = REID_NAHON.organs[axis], 0.5e-3
    early = sensed(model, np.ones(20_001), half_s)
    at = [round((t_s + half_s) / half_s) for t_s in TIMES_S if t_s < 10.0]
    assert early[at] == pytest.approx(wanted[:-1], abs=1e-4)
    plain = sensed(model, np.ones(5001), 0.002)[[round(t_s * 500) for t_s in TIMES_S]]
    assert plain == pytest.approx(wanted, abs=2e-3)  # the canal's first value: 0.6240 for 0.6258
    assert plain[1:] == pytest.approx(wanted[1:], abs=1e-3)


@pytest.mark.parametrize(("name", "axis"), SYSTEMS)
def test_any_signal_as_scipy_has_it(name, axis):
    model = MODELS[name].organs[axis]
    period_s = 0.02
    u = np.random.default_rng(5).normal(size=700).cumsum()
    t_s = np.arange(len(u)) * period_s
    _, wanted, _ = signal.lsim((model.numerator, model.denominator), u, t_s)
    assert sensed(model, u, period_s) == pytest.approx(wanted, abs=1e-7 * np.abs(wanted).max())


@pytest.mark.parametrize(("name", "axis"), SYSTEMS)
def test_response_as_scipy_has_it(name, axis):
    model = MODELS[name].organs[axis]
    w = np.logspace(-2, 2, 40)
    _, wanted = signal.freqresp((model.numerator, model.denominator), w)
    assert response(model, w) == pytest.approx(wanted, rel=1e-9)


def test_telban_and_cardullo_as_their_transfer_functions_stand():
    s = 1j * np.logspace(-2, 2, 20)
    canal = 5.73 * 80 * s**2 * (1 + 0.06 * s)
    canal /= (1 + 80 * s) * (1 + 5.73 * s) * (1 + 0.005 * s)
    otolith = 0.4 * (1 + 10 * s) / ((1 + 5 * s) * (1 + 0.016 * s))
    assert response(TELBAN_CARDULLO.organs[5], s.imag) == pytest.approx(canal, rel=1e-9)
    assert response(TELBAN_CARDULLO.organs[1], s.imag) == pytest.approx(otolith, rel=1e-9)


def test_time_constants_and_thresholds_are_those_of_their_axis():
    slow = np.ones(501)
    ends = [float(sensed(one, slow, 0.02)[-1]) for one in REID_NAHON.organs]
    assert ends[0] == ends[1] == ends[2]
    assert ends[4] < ends[3] < ends[5]  # 5.3, 6.1, 10.2 s
    degrees = np.degrees(REID_NAHON.thresholds[3:])
    assert degrees == pytest.approx((3.0, 3.6, 2.6))
    assert REID_NAHON.thresholds[:3] == pytest.approx((0.17, 0.17, 0.28))


def test_six_columns_go_through_their_own_organs():
    felt = np.random.default_rng(2).normal(size=(300, 6))
    found = REID_NAHON.sensed(felt, 0.01)
    for axis in range(len(AXES)):
        alone = sensed(REID_NAHON.organs[axis], felt[:, axis].copy(), 0.01)
        assert np.array_equal(found[:, axis], alone)


@pytest.mark.parametrize(
    ("felt", "period_s", "says"),
    [
        (np.zeros((5, 5)), 0.01, "shape"),
        (np.full((5, 6), np.nan), 0.01, "finite"),
        (np.zeros((5, 6)), 0.0, "period of 0.0 s"),
        (np.zeros((5, 6)), np.nan, "period of nan s"),
    ],
)
def test_what_cannot_be_sensed_is_refused(felt, period_s, says):
    with pytest.raises(ValueError, match=says):
        REID_NAHON.sensed(felt, period_s)
