"""Recorded accelerations of the platform: integrated, ended at rest, or refused as felt."""

import math
from pathlib import Path

import numpy as np
import pytest
from motion_checks import recording
from scipy.signal import butter, sosfiltfilt

from hil.config.errors import MotionError
from hil.stations.platform.motion.acceleration import HIGHPASS_HZ
from hil.stations.platform.motion.columns import ColumnMap
from hil.stations.platform.motion.formats import header_of, read_recording
from hil.stations.platform.motion.recorded_motion import RecordedMotion
from hil.stations.platform.motion.spectrum import response_spectrum

NEUTRAL = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

STEP_S = 0.01
T_S = np.arange(4000) * STEP_S
SINES = ((1.1, 0.7, 0.3), (0.8, 1.9, 1.0), (0.6, 5.3, 2.0))
"""Acceleration [m/s2], frequency [Hz], phase: of the synthetic record."""


def envelope(t_s):
    """Rises and falls smoothly: the record begins and ends in silence."""
    return np.sin(np.pi * t_s / T_S[-1]) ** 2


def acceleration(t_s):
    waves = sum(a * np.sin(2 * np.pi * f * t_s + p) for a, f, p in SINES)
    return envelope(t_s) * waves


def written(path: Path, name: str, values) -> Path:
    rows = [f"{t:.4f},{a:.9f}" for t, a in zip(T_S, values, strict=True)]
    path.write_text("\n".join([f"t_s,{name}", *rows]) + "\n")
    return path


def at2(path: Path, values, head: str | None = None) -> Path:
    """As the PEER database writes it: E15.7 in g, five to a line."""
    numbers = [f"{value / 9.80665:15.7E}" for value in values]
    lines = ["".join(numbers[k : k + 5]) for k in range(0, len(numbers), 5)]
    head = head or f"NPTS=  {len(values)}, DT=   {STEP_S:.4f} SEC,"
    path.write_text(
        "PEER NGA STRONG MOTION DATABASE RECORD\nSynthetic, 1/1/2000, Nowhere, 000\n"
        "ACCELERATION TIME SERIES IN UNITS OF G\n" + "\n".join([head, *lines]) + "\n"
    )
    return path


def nigam_jennings(values, step_s, periods_s, damping=0.05):
    """Pseudo-acceleration spectrum by the exact step for a straight line between samples.

    Nigam & Jennings (1969), Bull. Seismol. Soc. Am. 59, eqs. 2.9-2.11, one period after the other.
    """
    result = []
    for period_s in periods_s:
        w = 2.0 * math.pi / period_s
        wd = w * math.sqrt(1.0 - damping**2)
        decay = math.exp(-damping * w * step_s)
        s, c = math.sin(wd * step_s), math.cos(wd * step_s)
        x = v = most = 0.0
        for a0, a1 in zip(-values[:-1], -values[1:], strict=True):
            slope = (a1 - a0) / step_s
            # Particular solution: q0 + q1 t for x'' + 2 d w x' + w^2 x = a0 + slope t.
            q1 = slope / w**2
            q0 = a0 / w**2 - 2.0 * damping * q1 / w
            b = x - q0
            d = (v - q1 + damping * w * b) / wd
            x = decay * (b * c + d * s) + q0 + q1 * step_s
            rate = -damping * w * (b * c + d * s) + wd * (d * c - b * s)
            v = decay * rate + q1
            most = max(most, abs(x))
        result.append(most * w * w)
    return np.array(result)


def played(motion: RecordedMotion, axis: int = 0):
    """Acceleration of the whole motion, at 500 Hz [m/s2]."""
    times = np.arange(0.0, motion.duration_s, 0.002)
    return motion.rows(times)[:, 2, axis]


@pytest.mark.parametrize(("unit", "factor"), [("m_s2", 1.0), ("g", 9.80665), ("gal", 0.01)])
def test_accelerations_in_each_unit_become_the_displacement_that_has_them(tmp_path, unit, factor):
    file = written(tmp_path / "quake.csv", f"acc_{unit}", acceleration(T_S) / factor)
    motion = RecordedMotion.from_csv(file, [ColumnMap("x", f"acc_{unit}", unit)], NEUTRAL)
    own = motion.rows(motion.lead_in_s + T_S)[:, 2, 0]
    assert np.abs(own - acceleration(T_S)).max() < 0.005 * np.abs(acceleration(T_S)).max()
    for end in (0.0, motion.duration_s):
        rest = motion.rows(np.array([end]))[0]
        assert rest[0] == pytest.approx(NEUTRAL, abs=1e-12)
        assert np.abs(rest[1:]).max() < 1e-9


def test_offset_and_drift_of_the_sensor_move_nothing(tmp_path):
    maps = [ColumnMap("x", "acc_m_s2", "m_s2")]
    clean, drifting = (
        RecordedMotion.from_csv(written(tmp_path / "a.csv", "acc_m_s2", values), maps, NEUTRAL)
        for values in (acceleration(T_S), acceleration(T_S) + 0.2 + 0.01 * T_S)
    )
    assert np.abs(drifting.samples() - clean.samples()).max() < 1e-6


def test_the_high_pass_halves_at_its_corner(tmp_path):
    values = np.sin(2 * np.pi * 0.5 * T_S)
    file = written(tmp_path / "a.csv", "acc_m_s2", values)
    maps = [ColumnMap("x", "acc_m_s2", "m_s2")]
    motion = RecordedMotion.from_csv(file, maps, NEUTRAL, highpass_hz=0.5)
    middle = np.abs(motion.samples()[1000:3000, 0]).max()
    assert middle == pytest.approx(0.5 / (2 * np.pi * 0.5) ** 2, rel=0.02)


@pytest.mark.parametrize("corner_hz", [0.0, 0.02, 50.0, math.nan])
def test_a_corner_that_cannot_be_is_refused(tmp_path, corner_hz):
    file = written(tmp_path / "a.csv", "acc_g", acceleration(T_S) / 9.8)
    with pytest.raises(MotionError, match=r"highpass_hz is .* above 0\.025 Hz, .* below .* 50 Hz"):
        RecordedMotion.from_csv(
            file, [ColumnMap("x", "acc_g", "g")], NEUTRAL, highpass_hz=corner_hz
        )


def test_the_quake_reaches_its_own_displacement():
    file = recording("quake_coalinga1983_3axis.csv")
    record = np.genfromtxt(file, delimiter=",", names=True)
    names = ("north", "east", "up")
    maps = [
        ColumnMap(axis, f"acc_{name}_m_s2", "m_s2") for axis, name in zip("xyz", names, strict=True)
    ]
    motion = RecordedMotion.from_csv(file, maps, NEUTRAL)
    band = butter(4, HIGHPASS_HZ, "highpass", fs=50.0, output="sos")
    for axis, name in enumerate(names):
        agency = record[f"disp_{name}_m"]
        wanted = sosfiltfilt(band, agency, padlen=1000)
        apart = motion.samples()[:, axis] - wanted
        assert np.abs(apart).max() < 0.02 * np.abs(wanted).max()
        assert np.std(apart) < 0.02 * np.std(wanted)


@pytest.mark.parametrize("head", [None, f" 4000    {STEP_S:.4f}    NPTS, DT"])
def test_an_at2_file_gives_its_response_spectrum(tmp_path, head):
    file = at2(tmp_path / "RSN1.AT2", acceleration(T_S), head)
    motion = RecordedMotion.from_csv(file, [ColumnMap("y", "acc_g", "g")], NEUTRAL)
    periods_s = np.geomspace(0.1, 3.0, 12)
    wanted = nigam_jennings(acceleration(T_S), STEP_S, periods_s)
    reached = nigam_jennings(played(motion, 1), 0.002, periods_s)
    assert reached == pytest.approx(wanted, rel=0.02)


def test_the_unit_of_a_peer_file_is_the_map_s(tmp_path):
    file = at2(tmp_path / "a.at2", acceleration(T_S))
    with pytest.raises(MotionError, match="column 'acc_g': the file says 'g', the map says 'm_s2'"):
        RecordedMotion.from_csv(file, [ColumnMap("x", "acc_g", "m_s2")], NEUTRAL)


@pytest.mark.parametrize(
    "change",
    [
        ("NPTS=  4000, DT=   0.0050 SEC,", "DT= 0.0050 SEC, NPTS= 4000"),
        ("NPTS=  4000, DT=   0.0050 SEC,", "NPTS: 4000  DT: 0.0050"),
        ("NPTS=  4000, DT=   0.0050 SEC,", "NPTS= 4000\nDT= .0050 (SEC)"),
        ("DT=   0.0050 SEC,", "DT=   5.0 MSEC,"),
        ("NPTS=  4000, DT=   0.0050 SEC,", "4000 5.0 NPTS, DT (MSEC)"),
        ("Synthetic,", "RESAMPLED FROM NPTS= 8000, DT= .0025 SEC\nSynthetic,"),
        ("Nowhere", "ACCELERATION ARRAY (USGS) D\u00fczce"),
    ],
)
def test_heads_of_at2_files_say_the_same_in_many_ways(tmp_path, change):
    """4000 points each 5 ms, wherever the head says so; its text in any encoding."""
    file = at2(tmp_path / "a.at2", acceleration(T_S))
    plain = read_recording(file, ["t_s", "acc_g"]).columns
    file.write_bytes(file.read_text().replace(*change).encode("latin-1"))
    found = read_recording(file, ["t_s", "acc_g"]).columns
    np.testing.assert_allclose(found["t_s"], plain["t_s"], rtol=1e-12)
    np.testing.assert_array_equal(found["acc_g"], plain["acc_g"])


@pytest.mark.parametrize(
    ("ending", "said", "factor"),
    [
        (".at2", "ACCELERATION TIME SERIES IN UNITS OF M/SEC2", 1.0 / 9.80665),
        (".at2", "ACCELERATION TIME SERIES IN UNITS OF CM/SEC**2", 0.01 / 9.80665),
        (".vt2", "VELOCITY TIME SERIES IN UNITS OF IN/SEC", 2.54),
        (".dt2", "DISPLACEMENT TIME SERIES IN UNITS OF IN", 2.54),
    ],
)
def test_units_of_at2_heads_are_converted(tmp_path, ending, said, factor):
    file = at2(tmp_path / "a.at2", acceleration(T_S))
    in_g = read_recording(file, ["t_s", "acc_g"]).columns["acc_g"]
    other = file.with_suffix(ending)
    other.write_text(file.read_text().replace("ACCELERATION TIME SERIES IN UNITS OF G", said))
    column = header_of(other)[1]
    found = read_recording(other, ["t_s", column]).columns[column]
    np.testing.assert_allclose(found, factor * in_g, rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (("UNITS OF G", "UNITS OF CM/S"), r"line 3: says 'ACCELERATION TIME SERIES IN UNITS OF CM"),
        (("ACCELERATION", "VELOCITY"), r"line 3: says 'VELOCITY"),
        (("NPTS=", "N="), r"line 4: says 'N= .*such as 'NPTS= 4000, DT= .0050 SEC'"),
        (("DT=   0.0100", "DT=   0.0000"), r"line 4"),
        (("NPTS=  4000", "NPTS=  4001"), r"holds 4000 values, NPTS says 4001"),
        (("E-0", "E-0x"), r"line \d+: holds '.*x.*': acceleration in the unit of the head is"),
        (("UNITS OF G", "UNITS OF G * 100"), r"line 3: says .*units that are read: G, "),
        (("UNITS OF G", "UNITS OF G (X 10)"), r"line 3: says .*units that are read: G, "),
        (("UNITS OF G", "UNITS OF G/10"), r"line 3: says .*units that are read: G, "),
        ((" SEC,", " HZ,"), r"line 4: says .*such as 'NPTS= 4000"),
        ((" SEC,", " SEC, DT= .02"), r"line 4: says .*: NPTS or DT is told twice"),
    ],
)
def test_an_at2_file_that_is_wrong_is_told_by_its_line(tmp_path, change, text):
    file = at2(tmp_path / "a.at2", acceleration(T_S))
    file.write_text(file.read_text().replace(*change))
    with pytest.raises(MotionError, match=text):
        RecordedMotion.from_csv(file, [ColumnMap("x", "acc_g", "g")], NEUTRAL)


@pytest.mark.parametrize(
    ("header", "value", "text"),
    [
        ("t_s,f_x_m_s2,note", 0.1, "begins with f_ means specific force"),
        ("t_s,acc_z_m_s2,note", -9.5, r"the mean is -9\.5 m/s2, that of gravity"),
        ("t_s,acc_x_m_s2,raw_p_deg_s", 0.1, "the body rates 'raw_p_deg_s' beside it"),
    ],
)
def test_what_a_rider_feels_is_refused_and_cueing_named(tmp_path, header, value, text):
    file = tmp_path / "ride.csv"
    file.write_text("\n".join([header, *(f"{0.01 * k:.2f},{value},0" for k in range(2000))]))
    column = header.split(",")[1]
    with pytest.raises(MotionError, match=rf"{text}.*specific force.*motion cueing"):
        RecordedMotion.from_csv(file, [ColumnMap("x", column, "m_s2")], NEUTRAL)


def test_gravity_is_seen_over_three_tilted_axes_together(tmp_path):
    file = tmp_path / "ride.csv"
    rows = (f"{0.01 * k:.2f},5.66,-5.66,5.66" for k in range(2000))
    file.write_text("\n".join(["t_s,a_m_s2,b_m_s2,c_m_s2", *rows]))
    maps = [ColumnMap(axis, f"{c}_m_s2", "m_s2") for axis, c in zip("xyz", "abc", strict=True)]
    with pytest.raises(MotionError, match=r"the mean is 9\.8 m/s2, that of gravity"):
        RecordedMotion.from_csv(file, maps, NEUTRAL)


@pytest.mark.parametrize("damping", [0.02, 0.05, 0.2])
def test_response_spectra_are_those_of_the_exact_step(damping):
    values = np.concatenate(([0.0], acceleration(T_S)[1500:2500]))
    periods_s = np.geomspace(0.05, 5.0, 6)
    found = response_spectrum(values, STEP_S, periods_s, damping)
    judge = nigam_jennings(values, STEP_S, periods_s, damping)
    assert found == pytest.approx(judge, rel=1e-6)
