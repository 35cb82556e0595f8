"""Times that people's recorders write, at every reader of a table that has no map of its own."""

import ast
from pathlib import Path

import numpy as np
import pytest

from hil.config.errors import MotionError
from hil.config.times import read_timed
from hil.diagram.library.files import table_of
from hil.stations.arm.sources.recorded_velocity import RecordedSource
from hil.stations.arm.sources.source import SourceLimits
from hil.stations.world.sources.recorded_stream import read_recorded

ROOT = Path(__file__).parents[2]
STEPS_MS = (0, 20, 40, 60, 100, 120)
"""When the rows were recorded, from the first on; uneven, so that a count of rows is no time."""
EPOCH_S = 1_772_280_000  # 2026-02-28T12:00:00Z
FORMS = {
    "t_s": [f"{ms / 1000:.3f}" for ms in STEPS_MS],
    "t_ms": [str(ms) for ms in STEPS_MS],
    "t_us": [str(1000 * ms) for ms in STEPS_MS],
    "t_ns": [str(10**6 * ms) for ms in STEPS_MS],
    "t_s of 1970": [f"{EPOCH_S}.{ms:03d}" for ms in STEPS_MS],
    "t_ms of 1970": [str(1000 * EPOCH_S + ms) for ms in STEPS_MS],
    "t_ns of 1970": [str(10**6 * (1000 * EPOCH_S + ms)) for ms in STEPS_MS],
    "t_s with a zone": [f"2026-02-28T12:00:00.{ms:03d}Z" for ms in STEPS_MS],
    "t_s over midnight": [
        f"2026-02-28 23:59:59.{950 + ms}" if ms < 50 else f"2026-03-01 00:00:00.{ms - 50:03d}"
        for ms in STEPS_MS
    ],
    "t_s of a day": [f"08:15:30,{ms:03d}" for ms in STEPS_MS],
}
NAMES = ("vx_m_s", "vy_m_s", "vz_m_s", "wx_rad_s", "wy_rad_s", "wz_rad_s")
LIMITS = SourceLimits(0.1, 1.0, 1.0, 1.0)


def written(path: Path, column: str, times: list[str], units: str = "") -> Path:
    rows = [f"{t};{0.001 * (k % 5)};0;0;0;0;0" for k, t in enumerate(times)]
    path.write_text("\n".join([f"{column};{';'.join(NAMES)}", *([units] if units else []), *rows]))
    return path


@pytest.mark.parametrize("form", FORMS)
def test_every_reader_takes_the_times_of_every_recorder(tmp_path, form):
    column = form.split()[0]
    path = written(tmp_path / "r.csv", column, FORMS[form])
    right_s = np.array(STEPS_MS) / 1000.0

    table, name, t_s = read_timed(path, NAMES)
    assert (name, len(table.columns)) == (column, 7)
    np.testing.assert_allclose(t_s - t_s[0], right_s, atol=1e-9)
    stream = read_recorded(path, NAMES, stale_s=1.0)
    assert stream.duration_s == pytest.approx(0.12, abs=1e-9)
    np.testing.assert_allclose(stream.values(0.11)[0], 0.002, atol=1e-9)
    source = RecordedSource(path, LIMITS)
    assert source.duration_s == pytest.approx(0.12, abs=1e-9)
    assert source.sample(0.1).linear_m_s[0] == pytest.approx(0.004, abs=1e-9)
    block = table_of({"file": path, "time": column, "column": "vx_m_s", "unit": "m/s"})
    np.testing.assert_allclose(block["times_s"], right_s, atol=1e-9)


def test_the_row_of_units_says_the_unit_where_the_name_does_not(tmp_path):
    units = "[ms];[m/s];[m/s];[m/s];[rad/s];[rad/s];[rad/s]"
    path = written(tmp_path / "r.csv", "time", FORMS["t_ms"], units)
    assert read_timed(path, NAMES, "time")[2][-1] == pytest.approx(0.12)
    with pytest.raises(MotionError, match=r"column 't_s': the file says '\[ms\]'"):
        read_timed(written(path, "t_s", FORMS["t_ms"], units), NAMES)
    units = units.replace("ms", "deg")
    with pytest.raises(MotionError, match=r"holds numbers, the file says 'deg'"):
        read_timed(written(path, "time", FORMS["t_ms"], units), NAMES, "time")


def test_two_columns_of_times_are_refused(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("t_s,t_ms,a\n0,0,1\n1,1000,2\n")
    with pytest.raises(MotionError, match=r"columns of times 't_s' and 't_ms': one is needed"):
        read_timed(path, ["a"])


def test_no_reader_of_tables_forgets_its_times():
    """Whoever reads a table says which column has the times, so that stamps are taken there."""
    calls = [
        (str(file.relative_to(ROOT)), {word.arg for word in node.keywords})
        for file in sorted((ROOT / "hil").rglob("*.py"))
        if "hil.config.tables import" in (text := file.read_text()) or file.name == "tables.py"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "read_table"
    ]
    assert len(calls) >= 4
    assert [file for file, words in calls if "time" not in words] == []
