"""Closed-form responses: against the tables, and against the filter's own sinusoids."""

import math
from dataclasses import replace

import numpy as np
import pytest
from cueing_samples import FREQUENCIES, UNIT, G, T, felt_force, force, without_limiter
from scipy import signal

from platform6dof.cueing.classical import Classical
from platform6dof.cueing.parameters import CueingError, Rotation, Tilt, TiltBy, Translation
from platform6dof.cueing.response import INPUTS, response

TABLES = {
    "f_x": (
        (0.9993, 0.9974, 0.9909, 0.9727, 0.9274, 0.8285, 0.6547, 0.4614, 0.4203, 0.5730, 0.7625,
         0.8892),
        (-2.3, -3.7, -6.0, -9.5, -14.6, -21.0, -25.7, -17.8, 8.7, 24.3, 23.1, 17.0),
    ),
    "f_z": (
        (0.0003, 0.0010, 0.0031, 0.0088, 0.0231, 0.0577, 0.1346, 0.2819, 0.4970, 0.7130, 0.8619,
         0.9400), None,
    ),
    "p": (
        (0.0995, 0.1561, 0.2434, 0.3698, 0.5336, 0.7071, 0.8457, 0.9291, 0.9699, 0.9877, 0.9950,
         0.9980), None,
    ),
}  # fmt: skip
"""Modulus and phase [deg] of the base set at gain 1."""


@pytest.mark.parametrize("what", TABLES)
def test_the_base_set_has_the_figures_of_the_tables(what):
    modulus, phase = TABLES[what]
    got = response(UNIT, what, FREQUENCIES)
    assert got.modulus == pytest.approx(modulus, abs=1e-4)
    if phase is not None:
        assert np.degrees(got.phase_rad) == pytest.approx(phase, abs=0.06)


def measured(parameters, what, w):
    """By a sinusoid through the filter, of an amplitude at which angles are small."""
    count = round((60.0 + 3 * 2 * math.pi / w) / T)
    sine = np.sin(w * T * np.arange(count))
    f, rates, k = force(count), np.zeros((count, 3)), INPUTS.index(what)
    amplitude = 0.1 if k < 3 else 0.02
    (f if k < 3 else rates)[:, k % 3] += amplitude * sine
    rows = Classical(parameters, T).ride(f, rates)
    if k < 3:
        felt = felt_force(rows)[:, k] - (-G if k == 2 else 0.0)
    else:
        felt = rows[:, 1, (5, 4, 3)[k - 3]] * (1.0, -1.0, -1.0)[k - 3]
    last = round(2 * 2 * math.pi / w / T)
    t = np.arange(count)[-last:] * T
    return 2j * np.mean(felt[-last:] * np.exp(-1j * w * t)) / amplitude


ODD = replace(
    UNIT,
    translation=(
        Translation(2.0, 0.7, 0.5),
        Translation(3.0, 1.2, 0.0),
        Translation(5.0, 1.0, 1.0),
    ),
    tilt=Tilt(3.0, 0.8, TiltBy.FREQUENCY, math.radians(3.0), force_m_s2=0.5),
    rotation=(Rotation(1.5), Rotation(2.0, 2, 0.7), Rotation(0.8)),
)


@pytest.mark.parametrize("parameters", [without_limiter(UNIT), ODD], ids=["base", "by frequency"])
@pytest.mark.parametrize("what", INPUTS)
@pytest.mark.parametrize("w", FREQUENCIES[[3, 6, 8, 10]])
def test_the_filter_answers_a_sinusoid_as_the_closed_form_says(parameters, what, w):
    ratio = measured(parameters, what, w) / response(parameters, what, [w]).felt[0]
    assert abs(ratio) == pytest.approx(1.0, abs=0.005)
    assert math.degrees(np.angle(ratio)) == pytest.approx(0.0, abs=0.3)


def test_travel_and_tilt_are_told():
    w = np.geomspace(0.05, 20.0, 400)
    got = response(UNIT, "f_x", w)
    wanted = signal.freqs([1.0, 0.0], np.polymul([1.0, 5.0, 6.25], [1.0, 0.2]), w)[1]
    assert got.moved == pytest.approx(wanted, rel=1e-12)
    assert np.abs(got.tilted[0]) * G == pytest.approx(1.0, abs=1e-3)
    assert np.abs(response(UNIT, "f_z", [1.0]).tilted).max() == 0.0


@pytest.mark.parametrize(("parameters", "what", "w"), [
    (UNIT, "f_q", [1.0]), (UNIT, "f_x", [0.0]), (UNIT, "f_x", [math.nan]), (UNIT, "f_x", 1.0),
    (replace(UNIT, tilt_turns_force=True), "f_x", [1.0]),
])  # fmt: skip
def test_what_has_no_closed_form_is_refused(parameters, what, w):
    with pytest.raises(CueingError):
        response(parameters, what, w)
