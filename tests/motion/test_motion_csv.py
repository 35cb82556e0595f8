"""Files that somebody else wrote: a motion, or an error that names the place."""

import os
from io import BytesIO

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from motion_checks import NEUTRAL

from hil.config import quick_table, tables
from hil.config.errors import MotionError
from hil.config.quick_table import read_quickly
from hil.config.tables import SIZE_MAX_BYTES, read_table
from hil.stations.platform.motion.columns import ColumnMap, TimeMap
from hil.stations.platform.motion.recorded_motion import RecordedMotion

MAPS = [ColumnMap("x", "x_m", "m"), ColumnMap("beta", "pitch", "deg")]
ROWS = [f"{0.1 * k:.1f},{0.001 * k * k:.6f},{0.5 * k:.2f}" for k in range(12)]
HEADER = "t_s,x_m,pitch"


def text_with(**changes):
    """The good file with rows replaced: row_3="..." is the fourth data row, on line 5."""
    rows = list(ROWS)
    for name, row in changes.items():
        rows[int(name.removeprefix("row_"))] = row
    return "\n".join([HEADER, *rows]) + "\n"


def load(path, content, maps=MAPS, **options):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return RecordedMotion.from_csv(path, maps, NEUTRAL, fade_s=0.3, **options)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "ride.csv"


def test_the_good_file_is_a_motion(file):
    motion = load(file, text_with())
    assert motion.duration_s == pytest.approx(1.1 + 0.6)
    x = motion.sample(0.3 + 0.5).X_BP.position_m[0]
    assert x == pytest.approx(NEUTRAL[0] + 0.025)


@pytest.mark.parametrize(
    "content",
    [
        text_with().replace("\n", "\r\n"),
        "\ufeff" + text_with(),
        text_with() + "\n\n",
        text_with().rstrip("\n"),
        text_with().replace(HEADER, ' t_s , x_m,"pitch"'),
        text_with(row_2=' 0.2 , +4e-3,"1."'),
    ],
    ids=["crlf", "bom", "blank end", "no last newline", "header spaces", "number forms"],
)
def test_harmless_differences_are_read(file, content):
    assert load(file, content).duration_s == pytest.approx(1.7)


def test_columns_that_are_not_mapped_may_hold_anything(file):
    lines = text_with().splitlines()
    content = "\n".join([lines[0] + ",note", *(f'{line},"a, b"' for line in lines[1:])])
    assert load(file, content).duration_s == pytest.approx(1.7)


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        ("abc", "holds 'abc'"),
        ("", "is empty"),
        ("  ", "is empty"),
        ("nan", "holds 'nan'"),
        ("inf", "holds 'inf'"),
        ("-Infinity", "holds '-Infinity'"),
        ("1e999", "holds '1e999'"),
        ("1e16", "holds '1e16'"),
        ("1_0", "holds '1_0'"),
        ("١", "holds '١'"),
        ("0x10", "holds '0x10'"),
        ("1.2.3", "holds '1.2.3'"),
        ('"1,5"', "holds '1,5'"),
        ("--1", "holds '--1'"),
        ("z" * 500, r"holds 'z{40}\.\.\.'"),
    ],
)
@pytest.mark.parametrize("column", [0, 1, 2])
def test_a_cell_that_is_no_number(file, cell, what, column):
    cells = ROWS[3].split(",")
    cells[column] = cell
    name = HEADER.split(",")[column]
    with pytest.raises(
        MotionError, match=rf"ride\.csv, line 5, column '{name}': {what}: a decimal"
    ):
        load(file, text_with(row_3=",".join(cells)))


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("0.2,0.004,1.0", r"line 5, column 't_s': time repeats 0\.2 s after 0\.2 s: it must grow"),
        ("0.1,0.004,1.0", r"line 5, column 't_s': time goes back to 0\.1 s after 0\.2 s"),
        ("0.3,0.004", r"line 5: has 2 fields: the header has 3"),
        ("\0\0\0", r"line 5: has 1 fields, '\\x00\\x00\\x00': the header has 3"),
        ("0.3,0.004,1.0,7", r"line 5: has 4 fields: the header has 3"),
        ("", r"line 5: is empty, and rows follow"),
        ("0.2000001,0.004,1.0", r"line 5, column 't_s': only 1e-07 s have passed"),
        ("0.3,2000.0,1.0", r"line 5, column 'x_m': is 2000 m from neutral: at most 1000 m"),
        ('0.3,"0.004,1.0', r"is not CSV"),
        ('0.3,"0.0"04,1.0', r"line 5: is not CSV"),
    ],
)
def test_a_row_that_is_wrong(file, row, text):
    with pytest.raises(MotionError, match=r"ride\.csv, " + text if "line" in text else text):
        load(file, text_with(row_3=row))


def test_a_gap_is_refused_and_a_larger_allowance_bridges_it(file):
    rows = [f"{0.1 * k + (0.4 if k > 5 else 0.0):.1f},0.01,1.0" for k in range(12)]
    content = "\n".join([HEADER, *rows])
    text = r"line 8, column 't_s': 0\.5 s have passed since the line before: gap_max_s is 0\.25 s"
    with pytest.raises(MotionError, match=text):
        load(file, content)
    assert load(file, content, gap_max_s=0.51).duration_s == pytest.approx(1.5 + 0.6)
    with pytest.raises(MotionError, match="gap_max_s is 0"):
        load(file, content, gap_max_s=0.0)


def test_a_wrong_time_unit_shows_as_a_gap_and_the_right_one_does_not(file):
    content = "\n".join([HEADER, *(f"{100 * k},0.01,1.0" for k in range(12))])
    with pytest.raises(MotionError, match=r"100 s have passed .*unit 's' right\?"):
        load(file, content)
    assert load(file, content, time=TimeMap("t_s", "ms")).duration_s == pytest.approx(1.7)


def test_too_few_rows(file):
    with pytest.raises(MotionError, match=r"ride\.csv: has 7 rows: at least 8"):
        load(file, "\n".join([HEADER, *ROWS[:7]]))
    assert load(file, "\n".join([HEADER, *ROWS[:8]])).duration_s > 0.0
    with pytest.raises(MotionError, match="holds a header and no rows"):
        load(file, HEADER + "\n")


@pytest.mark.parametrize("content", ["", "\n"])
def test_an_empty_file(file, content):
    with pytest.raises(MotionError, match=r"line 1: is empty: a header"):
        load(file, content)


def test_a_missing_column_names_those_there_are_and_the_closest(file):
    text = r"line 1: there is no column 'pich'; there are 't_s', 'x_m', 'pitch'; the closest is 'pi"
    with pytest.raises(MotionError, match=text):
        load(file, text_with(), [ColumnMap("beta", "pich", "deg")])
    with pytest.raises(MotionError, match="no column 'time'"):
        load(file, text_with(), time=TimeMap("time"))


def test_a_column_name_that_stands_twice_is_refused_if_it_is_meant(file):
    content = text_with().replace(HEADER, "t_s,x_m,x_m")
    with pytest.raises(MotionError, match="2 columns are called 'x_m'"):
        load(file, content, MAPS[:1])


def test_bytes_that_are_not_text(file):
    with pytest.raises(MotionError, match=r"ride\.csv: byte 0xff is not UTF-8"):
        load(file, text_with().encode() + b"\xff\xfe")
    with pytest.raises(MotionError, match=r"ride\.csv"):
        load(file, text_with(row_3="0.3,0.0\0,1.0"))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(MotionError, match=r"none\.csv: there is no such file"):
        RecordedMotion.from_csv(tmp_path / "none.csv", MAPS, NEUTRAL)
    with pytest.raises(MotionError, match="is not a file"):
        RecordedMotion.from_csv(tmp_path, MAPS, NEUTRAL)
    with pytest.raises(MotionError, match=r"a\\x00b"):
        RecordedMotion.from_csv("a\0b", MAPS, NEUTRAL)


def test_an_oversized_file_is_refused_before_it_is_read(file):
    file.write_text(text_with())
    with pytest.raises(MotionError, match=r"0\.0 MB are more than the 0\.0 MB that are read"):
        read_table(file, ["t_s"], size_max_bytes=10)
    with file.open("wb") as sparse:
        sparse.truncate(SIZE_MAX_BYTES + 1)
    with pytest.raises(MotionError, match=r"200\.0 MB are more than the 200\.0 MB"):
        read_table(file, ["t_s"])


def test_tables_cannot_be_written(file):
    file.write_text(text_with())
    table = read_table(file, ["t_s", "pitch"])
    assert set(table.columns) == {"t_s", "pitch"}
    assert table.lines.tolist() == list(range(2, 14))
    for array in (*table.columns.values(), table.lines):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("q", "c", "m"), "axis is 'q', it must be one of x, y, z, alpha, beta, gamma"),
        (("x", "c", "deg"), "unit is 'deg', the axis x takes m, cm, mm, um, in, ft"),
        (("gamma", "c", "mm"), "unit is 'mm', the axis gamma takes rad, deg, mrad"),
        (("x", "c", "M"), "unit is 'M'"),
        (("x", "c", "m", np.nan), "column 'c': scale is nan"),
        (("x", "c", "m", 1.0, np.inf), "column 'c': bias is inf"),
        (("x", "c", "m", 1e300), "column 'c': scale is 1e"),
    ],
)
def test_a_map_that_cannot_be_is_refused_with_what_can(arguments, text):
    with pytest.raises(MotionError, match=text):
        ColumnMap(*arguments)


def test_a_time_unit_that_is_none():
    with pytest.raises(MotionError, match=r"time column 't': unit is 'min', .* s, ms, us"):
        TimeMap("t", "min")


def test_maps_that_contradict_each_other(file):
    with pytest.raises(MotionError, match="no column is mapped"):
        load(file, text_with(), [])
    twice = [ColumnMap("x", "x_m", "m"), ColumnMap("x", "pitch", "m")]
    with pytest.raises(MotionError, match=r"axis x is mapped to \['x_m', 'pitch'\]"):
        load(file, text_with(), twice)


def is_motion_or_refusal(file, content):
    try:
        motion = load(file, content)
    except MotionError:
        return False
    for share in (0.0, 0.3, 0.7, 1.0):
        assert np.isfinite(motion.sample(share * motion.duration_s).A_BP).all()
    return True


FUZZ = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@FUZZ
@given(st.binary(max_size=300))
def test_any_bytes_are_a_motion_or_a_refusal(file, content):
    is_motion_or_refusal(file, content)
    is_motion_or_refusal(file, HEADER.encode() + b"\n" + content)


@FUZZ
@given(st.data())
def test_a_good_file_with_some_bytes_changed_is_a_motion_or_a_refusal(file, data):
    content = bytearray(text_with().encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.sampled_from(b'0123456789.,-+eE"\n\r \0\xff_xn'))
    is_motion_or_refusal(file, bytes(content))


@FUZZ
@given(
    st.lists(st.floats(1e-7, 0.3), min_size=7, max_size=30),
    st.floats(-1e15, 1e15) | st.floats(-1.0, 1.0),
    st.data(),
)
def test_any_numbers_are_a_motion_or_a_refusal(file, steps, start, data):
    times = start + np.concatenate(([0.0], np.cumsum(steps)))
    count = len(times)
    values = data.draw(st.lists(st.floats(-2e3, 2e3), min_size=2 * count, max_size=2 * count))
    rows = [f"{t!r},{values[2 * k]!r},{values[2 * k + 1]!r}" for k, t in enumerate(times.tolist())]
    is_motion_or_refusal(file, "\n".join([HEADER, *rows]))


def test_the_fuzzed_file_is_accepted_when_nothing_is_changed(file):
    assert is_motion_or_refusal(file, text_with().encode())


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_semicolons_with_decimal_commas_or_points_and_a_byte_order_mark(file, end):
    plain = text_with()
    wanted = load(file, plain).samples()
    for content in (plain.replace(",", ";"), plain.replace(",", ";").replace(".", ",")):
        assert np.array_equal(load(file, "\ufeff" + content.replace("\n", end)).samples(), wanted)
        quoted = content.replace("t_s", '"t_s"', 1)  # this one takes the exact reader
        assert np.array_equal(load(file, quoted).samples(), wanted)


def test_decimal_commas_between_commas_are_told(file):
    rows = [*ROWS[:3], "0,3,0,004,1,0", *ROWS[4:]]
    with pytest.raises(MotionError, match=r"line 5: has 6 fields \(decimal commas\? .* semicolons"):
        load(file, "\n".join([HEADER, *rows]))


def test_a_thousands_mark_is_no_number(file):
    content = text_with(row_3="0.3,7,1.0").replace(",", ";").replace(";7;", ";1,000.4;")
    with pytest.raises(MotionError, match=r"column 'x_m': holds '1,000\.4'"):
        load(file, content)


def test_pipes_and_devices_are_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    for path, kind in ((tmp_path / "pipe.csv", "a pipe"), ("/dev/zero", "a device")):
        with pytest.raises(MotionError, match=f"is {kind}; a regular file is needed"):
            RecordedMotion.from_csv(path, MAPS, NEUTRAL)


@pytest.mark.parametrize("row", ["1,2,3", "1e3,-.5,+7.", " 1 , 2 ,3 ", "1,2,3\r"])
def test_both_readers_read_the_same_numbers(file, monkeypatch, row):
    file.write_text("\n".join(["a,b,c", *[row] * 5, ""]))
    quick = read_table(file, ["c", "a"])
    monkeypatch.setattr(tables, "read_quickly", lambda *_: None)
    exact = read_table(file, ["c", "a"])
    for name in ("c", "a"):
        assert np.array_equal(quick.columns[name], exact.columns[name])
    assert np.array_equal(quick.lines, exact.lines)
    assert quick.header == exact.header


@pytest.mark.parametrize(
    "row", ["1,2", "1,2,3,4", "", "1_0,2,3", "nan,2,3", "1e16,2,3", "٣,2,3", '"1",2,3', "1,2,\r3"]
)
def test_the_quick_reader_leaves_everything_odd_to_the_exact_one(row):
    def read(rows):
        return read_quickly(BytesIO("\n".join(rows).encode()), ",", 3, [0, 1, 2], 1e15)

    good = ["1,2,3"] * 3
    assert read(good) is not None
    for place in (0, 1):
        assert read([*good[:place], row, *good[place:]]) is None


def test_a_row_too_short_and_one_too_long_do_not_make_up_for_each_other():
    assert read_quickly(BytesIO(b"1,2\n1,2,3,4\n"), ",", 3, [0, 1], 1e15) is None


def test_the_quick_reader_goes_on_over_its_blocks(monkeypatch):
    monkeypatch.setattr(quick_table, "BLOCK_BYTES", 16)
    rows = [f"{k},{k / 7!r}" for k in range(100)]
    values = read_quickly(BytesIO("\n".join(rows).encode()), ",", 2, [1, 0], 1e15)
    assert values is not None
    assert np.array_equal(values[0], np.arange(100) / 7)


@pytest.mark.parametrize(
    "below",
    [
        "s,m,deg",
        "Group A,Group A,Group B",
        "Main,,Left\n[s],[m],[deg]",
        "s,m,deg\nabs,rel,rel",
    ],
)
def test_several_rows_of_header_are_read(file, below):
    """Names, groups and units, in any order: the numbers begin below them."""
    content = text_with().replace(HEADER, f"{HEADER}\n{below}")
    assert load(file, content).duration_s == pytest.approx(1.7)
    assert read_table(file, ["t_s", "pitch"]).lines[0] == 3 + below.count("\n")


def test_the_encoding_of_windows_is_read_where_names_and_units_need_it(file, caplog):
    """As Excel writes a CSV file in Germany; numbers are the same in any encoding."""
    head = "Pr\u00fcfstand S\u00fcd\nt_s;Weg [m];Nick [\u00b0]"
    content = (
        text_with().replace(",", ";").replace(".", ",").replace(HEADER.replace(",", ";"), head)
    )
    maps = [ColumnMap("x", "Weg [m]", "m"), ColumnMap("beta", "Nick [\u00b0]", "deg")]
    assert load(file, content.encode("cp1252"), maps).duration_s == pytest.approx(1.7)
    assert "read with CP1252" in caplog.text
    with pytest.raises(MotionError, match="no column 'x'"):
        load(file, content.encode("cp1252"), [ColumnMap("x", "x", "m")])


@pytest.mark.parametrize("head", [HEADER, f"{HEADER}\ns,m,deg", f"{HEADER}\n\ns,m,deg\n"])
def test_a_free_line_below_the_head_is_passed_over(file, head):
    """As MoTeC's export has it."""
    assert load(file, text_with().replace(HEADER, f"{head}\n")).duration_s == pytest.approx(1.7)


def test_utc_in_a_name_says_nothing_of_what_numbers_count(file):
    content = text_with().replace("t_s", "Time (UTC)")
    assert load(file, content, time=TimeMap("Time (UTC)")).duration_s == pytest.approx(1.7)


@pytest.mark.parametrize("row", ["nan,nan,nan", "-,?,#", "0.0,NaN,x", ",,", "1.#INF,a,b"])
def test_a_first_row_without_numbers_is_no_header(file, row):
    with pytest.raises(MotionError, match=r"line 2"):
        load(file, text_with(row_0=row))


@pytest.mark.parametrize(
    ("header", "text"),
    [
        (
            "t_s,x [mm],pitch",
            r"column 'x \[mm\]': the file says 'mm', the map says 'm'",
        ),
        ("t_s,x (MM),pitch", r"column 'x \(MM\)': the file says 'MM', the map says 'm'"),
        ("t_s,x,pitch\ns,mil,deg", r"column 'x': the file says 'mil', which is no unit here"),
        (
            "t_s,x,pitch\n[s],[dm],[deg]",
            r"says '\[dm\]', which is no unit here; write 'm'",
        ),
        ("t_s,x,pitch [rad]", r"column 'pitch \[rad\]': the file says 'rad', the map says 'deg'"),
    ],
)
def test_a_unit_that_the_file_says_is_not_passed_over(file, header, text):
    names = header.splitlines()[0].split(",")
    with pytest.raises(MotionError, match=text):
        load(file, text_with().replace(HEADER, header),
             [ColumnMap("x", names[1], "m"), ColumnMap("beta", names[2], "deg")])  # fmt: skip


def test_brackets_that_hold_no_unit_are_a_name(file):
    content = text_with().replace(HEADER, "t_s,x (left),pitch [deg]")
    maps = [ColumnMap("x", "x (left)", "m"), ColumnMap("beta", "pitch [deg]", "deg")]
    assert load(file, content, maps).duration_s == pytest.approx(1.7)


def test_quoted_names_apart_by_spaces_are_read(file):
    """As R's write.table writes them."""
    content = text_with().replace(HEADER, '"t_s" "x m" "pitch"').replace(",", " ")
    maps = [ColumnMap("x", "x m", "m"), ColumnMap("beta", "pitch", "deg")]
    assert load(file, content, maps).duration_s == pytest.approx(1.7)


@pytest.mark.parametrize(
    "form",
    ["9:00:{:06.3f}", "09:00:{:06.3f}", "2026-01-31 09:00:{:06.3f} +0100",
     "2026-01-31 09:00:{:06.3f} UTC", "2026-01-31T9:00:{:06.3f}Z"],
)  # fmt: skip
def test_stamps_as_other_programs_write_them(file, form):
    rows = [f"{form.format(0.1 * k)},{row.partition(',')[2]}" for k, row in enumerate(ROWS)]
    content = "\n".join([HEADER, *rows])
    assert load(file, content, time=TimeMap("t_s", "iso")).duration_s == pytest.approx(1.7)


def test_times_of_a_day_that_pass_midnight_are_refused_with_the_way_out(file):
    late = [f"23:59:59.{k}" for k in range(4, 10)] + [f"00:00:00.{k}" for k in range(6)]
    rows = [f"{t},{row.partition(',')[2]}" for t, row in zip(late, ROWS, strict=True)]
    with pytest.raises(MotionError, match=r"line 8, .* goes back .*need their date"):
        load(file, "\n".join([HEADER, *rows]), time=TimeMap("t_s", "iso"))
