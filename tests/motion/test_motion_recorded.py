"""Recorded motions: through every sample, consistent, resampled, filtered, faded."""

import math

import numpy as np
import pytest
from motion_checks import (
    NEUTRAL,
    assert_consistent,
    assert_rests_at_both_ends,
    assert_same_pose,
    assert_smooth,
    pose,
    recording,
)
from scipy.interpolate import make_interp_spline

from hil.config.errors import MotionError
from hil.stations.platform.motion import kernels
from hil.stations.platform.motion.columns import ColumnMap, TimeMap
from hil.stations.platform.motion.recorded_motion import RecordedMotion, fit_quintic
from platform6dof.geometry import HexapodGeometry
from platform6dof.inverse import leg_setpoint

STEP_S = 0.02


def wave(t):
    """A smooth motion in all six coordinates, in mid-motion at both ends, shape (N, 6)."""
    t = np.asarray(t)[:, None]
    rates = 2 * np.pi * np.array([0.5, 0.4, 0.6, 0.3, 0.7, 0.2])
    sizes = np.array([0.03, 0.02, 0.04, 0.05, 0.04, 0.06])
    return sizes * np.sin(rates * t + np.arange(6))


def write(path, header, rows):
    lines = [",".join(header), *(",".join(repr(float(x)) for x in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def motion():
    return RecordedMotion(wave(np.arange(300) * STEP_S), STEP_S, NEUTRAL, 1.5)


def test_the_motion_passes_through_every_sample(motion):
    assert motion.duration_s == pytest.approx(299 * STEP_S + 3.0)
    assert (motion.lead_in_s, motion.lead_out_s) == (1.5, 1.5)
    for k in range(300):
        wanted = pose(*(NEUTRAL + wave([k * STEP_S])[0]))
        assert_same_pose(motion.sample(1.5 + k * STEP_S).X_BP, wanted, 1e-12)


def test_between_the_samples_it_is_the_motion_that_was_sampled(motion):
    for t in np.linspace(0.3, 5.5, 131):
        assert_same_pose(motion.sample(1.5 + t).X_BP, pose(*(NEUTRAL + wave([t])[0])), 1e-9)


def test_it_begins_and_ends_at_rest_at_neutral_and_is_smooth(motion):
    assert_rests_at_both_ends(motion)
    for t in (0.0, motion.duration_s):
        assert_same_pose(motion.sample(t).X_BP, pose(*NEUTRAL))
    joins = [1e-7, 1.5, motion.duration_s - 1.5, motion.duration_s - 1e-7]
    assert_smooth(motion, joins + [1.5 + k * STEP_S for k in range(0, 300, 23)], acceleration=1e-3)


def test_velocity_and_acceleration_are_the_derivatives(motion):
    times = np.linspace(0.011, motion.duration_s - 0.011, 67)
    assert_consistent(motion, times, acceleration=1e-3)


def test_before_and_after_it_goes_on_by_odd_reflection():
    t = np.arange(300) * STEP_S
    motion = RecordedMotion(wave(t), STEP_S, NEUTRAL, 1.5)
    first = wave([0.0])[0]
    for k in range(1, 60):
        u = 1.0 - k * STEP_S / 1.5
        w = 10 * u**3 - 15 * u**4 + 6 * u**5
        wanted = NEUTRAL + w * (2 * first - wave([k * STEP_S])[0])
        assert_same_pose(motion.sample(1.5 - k * STEP_S).X_BP, pose(*wanted), 1e-9)
        end = NEUTRAL + w * (2 * wave([299 * STEP_S])[0] - wave([(299 - k) * STEP_S])[0])
        late = motion.sample(1.5 + (299 + k) * STEP_S)
        assert_same_pose(late.X_BP, pose(*end), 1e-9)


def test_the_spline_is_that_of_scipy_up_to_its_last_interval():
    samples = np.random.default_rng(3).normal(size=(20, 6))
    knots = fit_quintic(samples, 0.1)
    spline = make_interp_spline(np.arange(20) * 0.1, samples, k=5)
    for t in np.linspace(0.0, 1.9, 77):
        values = kernels.polynomial(t, 0.1, knots)
        for order in range(3):
            assert values[order] == pytest.approx(spline(t, nu=order), rel=1e-7, abs=1e-7)


def test_a_fade_need_not_be_a_whole_number_of_steps():
    motion = RecordedMotion(wave(np.arange(100) * STEP_S), STEP_S, NEUTRAL, 0.777)
    assert motion.lead_in_s == 0.777
    assert_same_pose(motion.sample(0.777).X_BP, pose(*(NEUTRAL + wave([0.0])[0])))
    assert_rests_at_both_ends(motion)


def test_a_recording_that_rests_at_its_ends_is_not_faded():
    t = np.arange(400) * STEP_S
    bump = np.where((t > 2) & (t < 6), np.sin(np.pi * (t - 2) / 4) ** 6, 0.0)
    motion = RecordedMotion(np.outer(bump, [0.05, 0, 0, 0, 0.1, 0]), STEP_S, NEUTRAL)
    assert motion.duration_s == pytest.approx(399 * STEP_S)
    assert_rests_at_both_ends(motion, speed=1e-6, acceleration=1e-3)


def test_a_fade_longer_than_the_recording_is_refused():
    with pytest.raises(MotionError, match=r"fade_s is 5 s, longer than the recording of 0.38 s"):
        RecordedMotion(wave(np.arange(20) * STEP_S), STEP_S, NEUTRAL, 5.0)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan])
def test_a_fade_that_is_needed_must_be_positive(bad):
    with pytest.raises(MotionError, match=f"fade_s is {bad} s"):
        RecordedMotion(wave(np.arange(100) * STEP_S), STEP_S, NEUTRAL, bad)


@pytest.mark.parametrize(
    ("samples", "text"),
    [
        (np.zeros((7, 6)), "7 samples: 8 to 1000000"),
        (np.zeros((8, 5)), r"shape \(8, 5\)"),
        (np.full((8, 6), np.nan), "sample 0, x is nan"),
        (np.diag([0.0, 0, 0, 0, 1e9, 0, 0, 0])[:, :6], "sample 4, beta is 1000000000"),
    ],
)
def test_samples_that_make_no_motion_are_refused(samples, text):
    with pytest.raises(MotionError, match=text):
        RecordedMotion(samples, STEP_S, NEUTRAL)


# From a file


def test_axis_unit_scale_and_bias_of_each_column(tmp_path):
    t = np.arange(100) * STEP_S
    raw = wave(t)
    rows = np.column_stack(
        (
            t * 1e3,
            raw[:, 0] * 100.0 + 7.0,  # cm, with an offset
            -raw[:, 2] * 1e3,  # mm, pointing down
            raw[:, 1] / 0.0254,
            np.degrees(raw[:, 3]),
            raw[:, 4] * 1e3 / 2.0,  # half mrad
        )
    )
    path = write(tmp_path / "a.csv", ("time_ms", "cm", "mm", "inch", "deg", "half"), rows)
    maps = [
        ColumnMap("x", "cm", "cm", bias=7.0),
        ColumnMap("z", "mm", "mm", scale=-1.0),
        ColumnMap("y", "inch", "in"),
        ColumnMap("alpha", "deg", "deg"),
        ColumnMap("beta", "half", "mrad", scale=2.0),
    ]
    motion = RecordedMotion.from_csv(path, maps, NEUTRAL, fade_s=1.0, time=TimeMap("time_ms", "ms"))
    raw[:, 5] = 0.0
    for k in range(0, 100, 7):
        wanted = pose(*(NEUTRAL + raw[k]))
        assert_same_pose(motion.sample(1.0 + k * STEP_S).X_BP, wanted, 1e-9)


def test_all_units():
    lengths = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}
    for unit, factor in lengths.items():
        assert ColumnMap("y", "c", unit).to_si(np.array([2.0])) == pytest.approx(2.0 * factor)
    angles = {"rad": 1.0, "deg": math.pi / 180, "mrad": 0.001}
    for unit, factor in angles.items():
        assert ColumnMap("gamma", "c", unit).to_si(np.array([2.0])) == pytest.approx(2.0 * factor)


def uneven(tmp_path, seed=4):
    rng = np.random.default_rng(seed)
    t = np.cumsum(rng.uniform(0.6, 1.4, 500)) * STEP_S
    return t, write(tmp_path / "u.csv", ("t_s", "x"), np.column_stack((t, wave(t)[:, 0])))


def test_uneven_stamps_are_resampled_to_the_motion_that_was_recorded(tmp_path):
    t, path = uneven(tmp_path)
    motion = RecordedMotion.from_csv(path, [ColumnMap("x", "x", "m")], NEUTRAL)
    assert motion.duration_s == pytest.approx(t[-1] - t[0] + 4.0)
    for at in np.linspace(0.5, t[-1] - t[0] - 0.5, 50):
        x = motion.sample(2.0 + at).X_BP.position_m[0]
        assert x == pytest.approx(NEUTRAL[0] + wave([t[0] + at])[0, 0], abs=5e-7)
    assert_consistent(motion, np.linspace(0.5, motion.duration_s - 0.5, 41), acceleration=1e-3)


def test_a_rate_of_ones_own_for_the_grid(tmp_path):
    t, path = uneven(tmp_path)
    maps = [ColumnMap("x", "x", "m")]
    fine = RecordedMotion.from_csv(path, maps, NEUTRAL, 200.0)
    assert 1.0 / fine._step_s == pytest.approx(200.0, rel=1e-3)
    own = RecordedMotion.from_csv(path, maps, NEUTRAL)
    assert 1.0 / own._step_s == pytest.approx(1.0 / np.median(np.diff(t)), rel=1e-2)
    assert fine.duration_s == pytest.approx(own.duration_s)


@pytest.mark.parametrize("rate", [0.0, -1.0, math.nan, math.inf, 0.01, 1e9])
def test_a_rate_that_makes_no_grid_is_refused(tmp_path, rate):
    _, path = uneven(tmp_path)
    with pytest.raises(MotionError, match=r"rate_hz is|intervals: 7 to 999999"):
        RecordedMotion.from_csv(path, [ColumnMap("x", "x", "m")], NEUTRAL, rate)


def test_stamps_rounded_by_the_recorder_are_taken_as_they_are_meant(tmp_path):
    t = np.round(np.arange(200) / 60.0, 6)  # 60 Hz cannot be written in whole microseconds
    path = write(tmp_path / "r.csv", ("t_s", "x"), np.column_stack((t, wave(t)[:, 0])))
    motion = RecordedMotion.from_csv(path, [ColumnMap("x", "x", "m")], NEUTRAL)
    assert motion._step_s == pytest.approx(1.0 / 60.0, rel=1e-6)
    assert len(motion._knots) == 200 + 2 * 120
    for k in range(0, 200, 9):  # the samples are kept, not interpolated at slightly other times
        x = motion.sample(2.0 + k * motion._step_s).X_BP.position_m[0]
        assert x == pytest.approx(NEUTRAL[0] + wave(t[k : k + 1])[0, 0], abs=1e-12)


def test_stamps_that_jitter_about_a_grid_are_not_taken_for_the_grid(tmp_path):
    t = (np.arange(300) + 0.3 * np.sin(np.arange(300) * 2.0)) * STEP_S
    path = write(tmp_path / "j.csv", ("t_s", "x"), np.column_stack((t, wave(t)[:, 0])))
    motion = RecordedMotion.from_csv(path, [ColumnMap("x", "x", "m")], NEUTRAL)
    for at in np.linspace(0.5, 5.0, 40):
        x = motion.sample(2.0 + at).X_BP.position_m[0]
        assert x == pytest.approx(NEUTRAL[0] + wave([t[0] + at])[0, 0], abs=1e-6)


def test_the_lowpass_takes_the_noise_and_leaves_the_motion_in_place(tmp_path):
    t = np.arange(1000) * 0.01
    noisy = wave(t)[:, 0] + 1e-3 * np.sin(2 * np.pi * 40 * t)
    path = write(tmp_path / "n.csv", ("t_s", "x"), np.column_stack((t, noisy)))
    maps = [ColumnMap("x", "x", "m")]
    rough = RecordedMotion.from_csv(path, maps, NEUTRAL)
    smooth = RecordedMotion.from_csv(path, maps, NEUTRAL, lowpass_hz=8.0)
    at = np.linspace(3.0, 7.0, 333)
    off = {
        name: max(
            abs(m.sample(2 + s).X_BP.position_m[0] - NEUTRAL[0] - wave([s])[0, 0]) for s in at
        )
        for name, m in (("rough", rough), ("smooth", smooth))
    }
    assert off["rough"] > 9e-4
    assert off["smooth"] < 2e-6


@pytest.mark.parametrize("corner", [0.0, -1.0, 25.0, math.nan, math.inf])
def test_a_lowpass_that_is_none_is_refused(tmp_path, corner):
    t = np.arange(100) * STEP_S
    path = write(tmp_path / "n.csv", ("t_s", "x"), np.column_stack((t, wave(t)[:, 0])))
    with pytest.raises(MotionError, match=f"lowpass_hz is {corner} Hz: .* 25 Hz"):
        RecordedMotion.from_csv(path, [ColumnMap("x", "x", "m")], NEUTRAL, lowpass_hz=corner)


def test_eight_samples_are_enough_even_for_the_lowpass(tmp_path):
    t = np.arange(8) * STEP_S
    path = write(tmp_path / "n.csv", ("t_s", "x"), np.column_stack((t, wave(t)[:, 0])))
    maps = [ColumnMap("x", "x", "m")]
    motion = RecordedMotion.from_csv(path, maps, NEUTRAL, fade_s=0.1, lowpass_hz=5.0)
    assert_rests_at_both_ends(motion)


# Real recordings

QUAKE = [
    ColumnMap("x", "disp_north_m", "m"),
    ColumnMap("y", "disp_east_m", "m"),
    ColumnMap("z", "disp_up_m", "m"),
]
MIDDLE = np.array([0.0, 0.0, 0.935, 0.0, 0.0, 0.0])


def test_an_earthquake_is_replayed_as_it_was_and_within_the_paper_platform():
    path = recording("quake_coalinga1983_3axis.csv")
    motion = RecordedMotion.from_csv(path, QUAKE, MIDDLE)
    assert motion.duration_s == pytest.approx(64.98 + 4.0)
    geometry = HexapodGeometry.from_circles(1.0, math.radians(14.0), 0.70, 0.0, 0.64, 0.74)
    times = np.arange(0.0, motion.duration_s, 0.005)
    legs = [leg_setpoint(geometry, motion.sample(t)) for t in times]
    lengths = np.array([leg.length_m for leg in legs])
    assert round(lengths.min(), 3) >= 0.947
    assert round(lengths.max(), 3) <= 1.041
    assert np.abs([leg.speed_m_s for leg in legs]).max() <= 0.21
    assert_rests_at_both_ends(motion)


def test_derivatives_of_an_earthquake_agree_with_those_the_agency_gives():
    path = recording("quake_coalinga1983_3axis.csv")
    motion = RecordedMotion.from_csv(path, QUAKE, MIDDLE)
    table = np.genfromtxt(path, delimiter=",", names=True)
    samples = [motion.sample(2.0 + t) for t in table["t_s"]]
    V = np.array([s.V_BP[:3] for s in samples])
    A = np.array([s.A_BP[:3] for s in samples])
    X = np.array([s.X_BP.position_m for s in samples]) - MIDDLE[:3]
    # Displacements are written to 0.01 mm: at 50 Hz that alone is about 0.05 m/s2.
    for index, name in enumerate(("north", "east", "up")):
        assert X[:, index] == pytest.approx(table[f"disp_{name}_m"], abs=1e-12)
        rms = [
            math.sqrt(np.mean((mine[:, index] - table[column]) ** 2))
            for mine, column in ((V, f"vel_{name}_m_s"), (A, f"acc_{name}_m_s2"))
        ]
        assert rms[0] < 0.0012
        assert rms[1] < 0.06


def test_a_car_with_uneven_stamps_becomes_a_smooth_motion():
    path = recording("car_dresden_city.csv")
    maps = [
        ColumnMap("gamma", "roll_deg", "deg", scale=0.2),
        ColumnMap("beta", "pitch_deg", "deg", scale=0.2),
    ]
    motion = RecordedMotion.from_csv(path, maps, MIDDLE, lowpass_hz=2.0)
    assert motion.duration_s > 200.0
    assert_rests_at_both_ends(motion)
    times = np.linspace(1.0, motion.duration_s - 1.0, 41)
    assert_consistent(motion, times, rate=1e-5, acceleration=1e-2)
    with pytest.raises(MotionError, match=r"line \d+, column 't_s'.* gap_max_s is 0.05 s"):
        RecordedMotion.from_csv(path, maps, MIDDLE, gap_max_s=0.05)
