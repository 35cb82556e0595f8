"""Recordings as loggers, spreadsheets and databases write them: the right motion, or a refusal."""

from pathlib import Path

import numpy as np
import pytest
from motion_checks import NEUTRAL

from hil.config.errors import MotionError
from hil.machines.cueing.ride_map import read_ride_map
from hil.stations.platform.motion.columns import ColumnMap
from hil.stations.platform.motion.recorded_motion import RecordedMotion
from hil.stations.simulator.plan.ride_file import read_ride

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="no recorded cases are there")
MAPS = [ColumnMap("x", "surge_mm", "mm"), ColumnMap("gamma", "roll_deg", "deg")]


def samples(file, maps=MAPS):
    return RecordedMotion.from_csv(CASES / file, maps, NEUTRAL).samples()


@pytest.mark.parametrize(
    "name", ["01_utf16", "03_tab", "05_comments_hash", "06_excel_sep", "07_units_row"]
)
def test_a_dialect_changes_nothing(name):
    plain = samples("csv_dialects/00_std.csv")
    assert np.abs(plain[:, 0]).max() == pytest.approx(0.02, rel=1e-3)
    assert np.array_equal(samples(f"csv_dialects/{name}.csv"), plain)


def test_exponents_of_fortran_are_numbers():
    plain = samples("csv_dialects/00_std.csv")
    assert samples("csv_dialects/16_dexp.csv") == pytest.approx(plain, abs=1e-7)


def test_a_column_with_holes_is_refused_with_the_way_out():
    with pytest.raises(MotionError, match=r"line 3, column 'surge_mm': is empty.*file of its own"):
        samples("csv_dialects/29_sparse.csv")


@pytest.mark.parametrize("name", ["37_mixed_thousands", "38_mixed_all"])
def test_a_file_has_one_decimal_sign(name):
    maps = [ColumnMap("x", "surge_um", "mm", scale=0.001)]
    with pytest.raises(MotionError) as refused:
        samples(f"csv_two_kinds_of_numbers/{name}.csv", maps)
    text = str(refused.value)
    assert "column 'surge_um': holds '1" in text
    assert "line 2, column 't_s' holds '0.000'" in text
    assert "thousands without marks" in text


def test_variants_of_at2_are_one_record():
    acceleration = [ColumnMap("x", "acc_g", "g")]
    plain = samples("at2_variants/a_new.AT2", acceleration)
    for name in ("c_stuck", "l_8perline", "d_nrc"):
        other = samples(f"at2_variants/{name}.AT2", acceleration)
        assert other == pytest.approx(plain, abs=2e-6)
    drawn = samples("at2_variants/e_disp.DT2", [ColumnMap("x", "disp_cm", "cm")])
    assert np.abs(drawn).max() == pytest.approx(np.abs(plain).max(), rel=0.2)


def test_speed_and_heading_are_a_ride():
    case = CASES / "ride_speed_and_heading"
    ride = read_ride(case / "heading.csv", read_ride_map(str(case / "heading.toml")))
    t = ride.time_s
    speed, rate = ride.v_m_s[:, 0], ride.omega_rad_s[:, 2]
    inner = slice(2, -2)
    assert np.abs(rate).max() == pytest.approx(0.15, abs=0.002)
    assert ride.f_m_s2[inner, 1] == pytest.approx((speed * rate)[inner], abs=1e-3)
    assert np.abs(ride.f_m_s2[:, 1]).max() == pytest.approx(2.9, abs=0.15)
    assert ride.f_m_s2[inner, 0] == pytest.approx(np.gradient(speed, t)[inner], abs=1e-3)
    assert ride.f_m_s2[:, 2] == pytest.approx(-9.80665)
