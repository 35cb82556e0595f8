"""Stimuli and reduction of the cueing test against systems whose response is known."""

import math

import numpy as np
import pytest
from scipy import signal

from platform6dof.cueing.omct import (
    FREQUENCIES_RAD_S,
    TESTS,
    Stimulus,
    amplitude,
    fundamental,
    points,
)
from platform6dof.cueing.vehicle import GRAVITY_M_S2

AXES = ("surge", "sway", "heave", "roll", "pitch", "yaw")


def test_ten_tests_at_twelve_frequencies():
    assert [one.number for one in TESTS] == list(range(1, 11))
    assert [one.name for one in TESTS if not one.direct] == [
        "pitch to surge",
        "roll to sway",
        "surge to pitch",
        "sway to roll",
    ]
    ratios = np.diff(np.log10(FREQUENCIES_RAD_S))
    assert ratios == pytest.approx(0.2, abs=0.002)


@pytest.mark.parametrize(
    ("rad_s", "angle_deg", "rate_deg_s", "acceleration_deg_s2"),
    [(0.1, 6.0, 0.6, 0.06), (0.158, 6.0, 0.948, 0.15), (15.849, 0.04, 0.631, 10.0)],
)
def test_angles_rates_and_accelerations(rad_s, angle_deg, rate_deg_s, acceleration_deg_s2):
    angle = math.degrees(amplitude("roll", rad_s))
    assert angle == pytest.approx(angle_deg, rel=0.006)
    assert angle * rad_s == pytest.approx(rate_deg_s, rel=0.006)
    assert angle * rad_s**2 == pytest.approx(acceleration_deg_s2, rel=0.006)


@pytest.mark.parametrize("rad_s", FREQUENCIES_RAD_S[2:11])
def test_between_them_the_rate_is_one_degree_a_second(rad_s):
    assert math.degrees(amplitude("yaw", rad_s)) * rad_s == pytest.approx(1.0)
    assert amplitude("heave", rad_s) == 1.0


@pytest.mark.parametrize("rad_s", FREQUENCIES_RAD_S)
@pytest.mark.parametrize("axis", AXES)
def test_a_stimulus_measures_whole_periods_and_drives_one_axis(axis, rad_s):
    asked = Stimulus.at(axis, rad_s)
    periods = np.array([asked.settle_s, asked.measure_s]) * rad_s / (2 * math.pi)
    assert periods == pytest.approx(np.round(periods))
    assert asked.settle_s >= 30.0
    assert periods[1] >= 2
    t_s = asked.settle_s + np.arange(400) * 2 * math.pi / rad_s / 200
    force, rates, drates = asked.signals(t_s)
    k = AXES.index(axis)
    moved = np.hstack([force - [0, 0, -GRAVITY_M_S2], rates])
    assert np.abs(np.delete(moved, k, axis=1)).max() == 0.0
    size = amplitude(axis, rad_s) * (rad_s if k > 2 else 1.0)
    assert np.abs(moved[:, k]).max() == pytest.approx(size)
    if k > 2:
        assert np.gradient(rates[:, k - 3], t_s)[1:-1] == pytest.approx(
            drates[1:-1, k - 3], abs=0.001 * size * rad_s
        )


def test_a_stimulus_begins_at_rest():
    force, rates, drates = Stimulus.at("surge", 1.0).signals(np.array([0.0]))
    assert np.array_equal(force, [[0.0, 0.0, -GRAVITY_M_S2]])
    assert not rates.any()
    assert not drates.any()


def test_fundamental_of_a_distorted_sine():
    w = 3.981
    t_s = np.arange(0, 10 * 2 * math.pi / w, 0.002)
    shape = 0.7 * np.sin(w * t_s - 0.5) + 0.3 * np.sin(3 * w * t_s) + 4.0
    part, coherence = fundamental(t_s, shape, w)
    assert abs(part) == pytest.approx(0.7, rel=2e-4)
    assert math.atan2(part.imag, part.real) == pytest.approx(-0.5, abs=2e-3)
    assert coherence == pytest.approx(0.49 / (0.49 + 0.09), rel=1e-3)


def test_coherence_of_a_square_wave():
    t_s = np.arange(0, 20 * 2 * math.pi, 0.002)
    _, coherence = fundamental(t_s, np.sign(np.sin(t_s)), 1.0)
    assert coherence == pytest.approx(8 / math.pi**2, rel=1e-3)


def test_too_little_of_a_signal_is_refused():
    with pytest.raises(ValueError, match="period"):
        fundamental(np.arange(0, 1.0, 0.002), np.zeros(500), 1.0)
    with pytest.raises(ValueError, match="8 samples"):
        fundamental(np.arange(0, 10.0, 0.1), np.zeros(100), 15.849)


def answered(rad_s, driven, system, felt_axis):
    """Points of a ride in which one linear system stands between asked and felt."""
    asked = Stimulus.at(driven, rad_s)
    t_s = np.arange(0.0, asked.duration_s, 0.002)
    force, rates, _ = asked.signals(t_s)
    source = np.hstack([force - [0, 0, -GRAVITY_M_S2], rates])[:, AXES.index(driven)]
    _, out, _ = signal.lsim(system, source, t_s)
    felt, angles = np.zeros((len(t_s), 6)), np.zeros((len(t_s), 3))
    k = AXES.index(felt_axis)
    (felt[:, k] if k < 3 else angles[:, k - 3])[:] = out
    limited = (t_s > asked.settle_s) & (t_s < asked.settle_s + 0.25 * asked.measure_s)
    return points(asked, t_s, felt, angles, limited)


@pytest.mark.parametrize("rad_s", [0.398, 2.512, 15.849])
def test_force_to_force_is_the_systems_response(rad_s):
    system = ([1.0, 0.3], [1.0, 1.6, 2.0])
    direct, cross = answered(rad_s, "surge", system, "surge")
    _, (wanted,) = signal.freqresp(system, [rad_s])
    assert (direct.test, cross.test) == (6, 7)
    assert direct.modulus == pytest.approx(abs(wanted), rel=1e-3)
    assert direct.phase_deg == pytest.approx(math.degrees(np.angle(wanted)), abs=0.1)
    assert direct.coherence > 0.9999
    assert direct.limited_share == pytest.approx(0.25, abs=0.01)
    assert (cross.modulus, math.isnan(cross.coherence), math.isnan(cross.phase_deg)) == (
        0.0,
        True,
        True,
    )


def test_rate_to_angle_is_referred_to_the_angle_asked():
    """High-pass of a rate, integrated: s / (s + 1) of the angle, as closed form."""
    direct, _ = answered(1.0, "pitch", ([1.0], [1.0, 1.0]), "pitch")
    assert direct.modulus == pytest.approx(math.sqrt(0.5), rel=1e-3)
    assert direct.phase_deg == pytest.approx(45.0, abs=0.1)


def test_cross_tests_count_an_angle_as_force():
    _, tilt = answered(0.398, "surge", ([1.0 / GRAVITY_M_S2], [1e-6, 1.0]), "pitch")
    assert tilt.modulus == pytest.approx(1.0, rel=1e-3)
    _, slip = answered(0.398, "pitch", ([GRAVITY_M_S2], [1.0, 1e-6]), "surge")
    assert slip.modulus == pytest.approx(1.0, rel=1e-3)
