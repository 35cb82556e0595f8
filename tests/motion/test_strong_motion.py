"""V2 files of CSMIP and COSMOS, laid out by the test in the Fortran formats of their manuals."""

import re

import numpy as np
import pytest

from hil.config.errors import MotionError
from hil.config.settings import ConfigError
from hil.stations.platform.motion.columns import ColumnMap
from hil.stations.platform.motion.formats import header_of, read_recording
from hil.stations.platform.motion.recorded_motion import RecordedMotion
from hil.stations.platform.plan.recording_scenario import recorded_table

POINTS = 1003
STEP_S = 0.005
T_S = np.arange(POINTS) * STEP_S
GAL = {
    "360": 120.0 * np.sin(9.0 * T_S), "90": -999.5 * np.sin(7.0 * T_S), "up": 30.0 * np.cos(5 * T_S)
}  # fmt: skip
"""Acceleration by direction [cm/s²]; wide enough that numbers of ten characters touch."""


def fortran(values, per_line, width, places, kind="f"):
    cells = [f"{v:{width}.{places}{kind}}" for v in values]
    assert all(len(cell) == width for cell in cells)
    return ["".join(cells[k : k + per_line]) for k in range(0, len(cells), per_line)]


def csmip(channels=GAL, unit="cm/sec2", step=".005", velocity=True):
    lines = []
    for number, (direction, gal) in enumerate(channels.items(), 1):
        said = "Up" if direction == "up" else f"{direction} Deg"
        lines += [
            "Corrected accelerogram 24402-S1234-94020.01  CSMIP Strong Motion",
            f"24402-S1234-94020.01            Chan  {number}: {said:>7}",
            "0 0 0 0 0 0 0 0 0 0", "-999.0 100.0 -1.5",
            f"{len(gal):6d} points of accel data equally spaced at {step:>5} sec, in {unit}. "
            "(8f10.5)",
            *fortran(gal, 8, 10, 5),
        ]  # fmt: skip
        if velocity:
            lines += [
                f"{len(gal):6d} points of veloc data equally spaced at {step:>5} sec, in cm/sec. "
                " (8f10.5)",
                *fortran(gal / 10.0, 8, 10, 5),
            ]
        lines.append(f"/&  ---------- End of data for channel {number:2d} ----------")
    return "\n".join(lines) + "\n"


def cosmos(channels=GAL, unit="cm/s^2 (04)", step=STEP_S, kind="(8F10.5)", about=None):
    lines = []
    for number, (direction, gal) in enumerate(channels.items(), 1):
        said = "Up" if direction == "up" else f"{int(direction):3d} deg"
        about_s = round(len(gal) * STEP_S) if about is None else about
        lines += [
            "Corrected acceleration (Format v01.20 with 13 text lines) Src: 024f0001.evt",
            "Recorder: Etna      s/n:  108  (  3 Chns of  3 at Sta) Sensor:EpiSensor  s/n",
            f"Sta Chan   {number}:{said} (Rcrdr Chan  {number}) Location:Free-field",
            " 100 Integer-header values follow on  10 lines, Format= (10I8)",
            *["    -999" * 10] * 10,
            " 100 Real-header values follow on  20 lines, Format= (5F15.6)",
            *fortran([-999.0] * 33 + [step] + [-999.0] * 66, 5, 15, 6),
            '   1 Comment line(s) follow, each starting with a "|":', "| RcrdId: (see comment)",
            f"{len(gal):8d} acceleration pts, approx {about_s:4d} secs, units={unit},Format={kind}",
            *(fortran(gal, 1, 15, 6, "E") if "E" in kind else fortran(gal, 8, 10, 5)),
            f"End-of-data for Chan  {number} acceleration",
        ]  # fmt: skip
    return "\n".join(lines) + "\n"


def read(tmp_path, text, name="a.v2", columns=None):
    path = tmp_path / name
    path.write_text(text)
    return read_recording(path, ["t_s", *(columns or [f"acc_{d}_gal" for d in GAL])])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.V2", csmip()),
        ("a.v2", csmip(unit="cm/sec/sec", velocity=False)),
        ("a.V2C", cosmos()),
        ("a.v2c", cosmos(step=1000.0 * STEP_S)),
        ("a.v2c", cosmos(kind="(1E15.6)")),
        ("a.v2", csmip().replace("\n", "\r\n")),
    ],
    ids=["csmip", "unit", "cosmos", "ms", "exponents", "line ends"],
)
def test_three_components_of_one_file_are_read_to_the_last_digit(tmp_path, name, text):
    table = read(tmp_path, text, name)
    np.testing.assert_allclose(table.columns["t_s"], T_S, atol=1e-12)
    for direction, gal in GAL.items():
        found = table.columns[f"acc_{direction}_gal"]
        np.testing.assert_allclose(found, gal, atol=6e-6 if "(1E" not in text else 1e-3)


def test_a_component_in_g_and_its_velocity_have_columns_of_their_own(tmp_path):
    text = csmip({"90": GAL["up"] / 980.665}, unit="g")
    table = read(tmp_path, text, columns=["acc_90_gal", "vel_90_cm_s"])
    np.testing.assert_allclose(table.columns["acc_90_gal"], GAL["up"], atol=6e-3)
    np.testing.assert_allclose(table.columns["vel_90_cm_s"], GAL["up"] / 9806.65, atol=6e-6)
    assert header_of(tmp_path / "a.v2") == ("t_s", "acc_90_gal", "vel_90_cm_s")


def test_three_components_are_played_at_once_in_si(tmp_path):
    path = tmp_path / "quake.v2c"
    path.write_text(cosmos())
    maps = ["x=acc_360_gal,y=acc_90_gal:gal:0:-1,z=acc_up_gal"]  # y is west, so that z is up
    found = recorded_table("paper", path, maps)["motion"]["map"]
    columns = [ColumnMap(axis, each["column"], each["unit"], each.get("scale", 1.0))
               for axis, each in found.items()]  # fmt: skip
    motion = RecordedMotion.from_csv(path, columns, (0, 0, 1, 0, 0, 0), fade_s=0.5, highpass_hz=0.5)
    second = np.gradient(np.gradient(motion.samples(), STEP_S, axis=0), STEP_S, axis=0)[200:-200]
    for axis, (direction, sign) in enumerate([("360", 1.0), ("90", -1.0), ("up", 1.0)]):
        wanted = sign * GAL[direction][200:-200] / 100.0
        assert np.corrcoef(second[:, axis], wanted)[0, 1] > 0.99
        assert np.std(second[:, axis]) == pytest.approx(np.std(wanted), rel=0.1)


def test_without_a_map_the_columns_that_are_there_are_named(tmp_path):
    path = tmp_path / "quake.v2"
    path.write_text(csmip(velocity=False))
    with pytest.raises(ConfigError, match="there are: t_s, acc_360_gal, acc_90_gal, acc_up_gal"):
        recorded_table("paper", path, [])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (csmip()[: csmip().rindex("points of accel") + 2000], r"line \d+.* cut off"),
        (cosmos()[:-400], r"cut off"),
        (cosmos(unit="counts (50)"), r"line \d+: the unit is 'counts': g, cm/s\^2"),
        (cosmos(about=50), r"1003 points, 50 s, and 0\.005 as the 34th real header"),
        (cosmos().replace("Real-header", "Rael-header"), r"None as the 34th real"),
        (csmip(step="0"), r"the time step \[s or ms\]"),
        (csmip().replace("Chan  1: 360 Deg", ""), r"no line above says the channel"),
        (csmip({"90": GAL["up"]}).replace("points of", "dots of"), "no line says what is recorded"),
        (csmip().replace(".00000", ".00x00", 1), r"holds '0\.00x00' as one of 1003 numbers"),
        ("", "no line says what is recorded"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_its_line(tmp_path, text, words):
    with pytest.raises(MotionError, match=words):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("acc_90_gal", csmip({"90": GAL["90"]}).replace("1003 points of acc", "800 points of acc")),
        ("acc_up_gal", cosmos({"up": GAL["up"]}, about=4).replace("1003 acc", "800 acc")),
    ],
    ids=["csmip", "cosmos"],
)
def test_a_block_with_more_numbers_than_its_line_says_is_refused(tmp_path, name, text):
    with pytest.raises(MotionError, match=r"line \d+: numbers go on after the 800 points"):
        read(tmp_path, text, columns=[name])


def test_a_file_cut_off_anywhere_is_refused(tmp_path):
    text = csmip({"90": GAL["up"][:40], "360": GAL["up"][:40], "up": GAL["up"][:40]})
    last = max(found.start() for found in re.finditer("points of accel", text))
    end = text.index("points of veloc", last)
    for cut in (*range(0, end - 60, 97), *range(end - 60, end - 8)):
        with pytest.raises(MotionError):
            read(tmp_path, text[:cut])


def test_two_channels_of_one_direction_keep_their_numbers(tmp_path):
    text = csmip({"90": GAL["90"], "360": GAL["360"]}, velocity=False).replace("360 Deg", " 90 Deg")
    found = read(tmp_path, text, columns=["acc_90_gal", "acc_ch2_90_gal"]).columns
    np.testing.assert_allclose(found["acc_ch2_90_gal"], GAL["360"], atol=6e-6)
