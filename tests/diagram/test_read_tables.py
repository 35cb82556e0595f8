"""Blocks that read a table: where it is found, what is refused, what a recording keeps of it."""

import numpy as np
import pytest
from test_diagram_files import HEAD, refusal, written

from hil.diagram.check.diagram import load
from hil.diagram.check.parameters import NUMBERS_MOST
from hil.diagram.check.whole_text import whole_text
from hil.diagram.file.read import read, read_text
from hil.diagram.file.write import text_of
from hil.diagram.run.engine import Engine

READS = (
    HEAD
    + """[block]
"f" = { kind = "File", file = "speed.csv", column = "v", unit = "m/s", rate = 2, offset = 1 }
"o" = { kind = "Out" }
[wire]
"o.u" = "f.y"
"""
)
SPEED = "t_s,w,v\n0.0,9,1.0\n0.01,9,3.0\n0.02,9,-1.0\n"


def ran(sound, ticks=15):
    engine = Engine(sound)
    return engine.run(ticks, engine.outputs.values())[:, 0]


def speed(tmp_path, text=SPEED, name="speed.csv"):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)


def test_a_column_is_linear_between_its_rows_at_the_block_s_own_ticks(tmp_path):
    speed(tmp_path)
    found = ran(load(written(tmp_path, READS)))
    ticks = np.arange(15)
    due = np.where(ticks % 2 == 1, ticks, ticks - 1)
    wanted = np.interp(0.002 * due, [0.0, 0.01, 0.02], [1.0, 3.0, -1.0])
    wanted[0] = 0.0  # it has not run yet
    np.testing.assert_allclose(found, wanted, atol=1e-15)


@pytest.mark.parametrize(
    ("said", "unit"),
    [("m/s", "m/s"), ("m s-1", "m/s"), ("m/s²", "m/s^2"), ("gal", "cm/s^2"), ("°", "deg"),
     ("mph", "1"), ("kN", "kN"), ("N*mm", "N*mm"), ("left", "m/s"), ("g", "g")],
)  # fmt: skip
def test_the_file_s_own_unit_is_the_block_s(tmp_path, said, unit):
    speed(tmp_path, SPEED.replace("w,v", f"w,v [{said}]"))
    law = READS.replace('column = "v"', f'column = "v [{said}]"').replace('"m/s"', f'"{unit}"')
    assert ran(load(written(tmp_path, law)))[-1] == -1.0


@pytest.mark.parametrize(
    ("table", "old", "new", "words"),
    [
        (None, "", "", ["line 4: f: file = 'speed.csv': no such file"]),
        (SPEED, 'column = "v"', 'column = "vv"', ["line 4: f", "speed.csv", "'vv'"]),
        (SPEED, 'column = "v", ', "", ["line 4: f: column is left out; a text is needed"]),
        (SPEED.replace("3.0", "nan"), "", "", ["speed.csv, line 3, column 'v'", "nan"]),
        (SPEED.replace("0.02", "0.005"), "", "", ["times_s: 0.005 follows 0.01"]),
        ("t_s,v\n0,1\n", "", "", ["1 numbers", "at least 2"]),
        (SPEED.replace("0.0,9", "s;km/h;km/h\n0.0,9", 1).replace(";", ","), "", "",
         ["speed.csv, column 'v': the file says 'km/h', the block unit = 'm/s'"]),
        (SPEED.replace("w,v", "w,v [mph]"), 'column = "v"', 'column = "v [mph]"',
         ["the file says 'mph', the block unit = 'm/s'"]),
        (SPEED, '"speed.csv"', "5", ["file = 5: a text of at most 1000"]),
        (SPEED, '"speed.csv"', '""', ["no file name"]),
        (SPEED, '"speed.csv"', '"$name"', ["file = '$name': a path is needed, not a parameter"]),
        ("t_s,v\n" + "".join(f"{n},1\n" for n in range(NUMBERS_MOST + 1)), "", "",
         [f"{NUMBERS_MOST + 1} rows; at most {NUMBERS_MOST}"]),
    ],
)  # fmt: skip
def test_a_table_that_is_none_is_refused_with_line_and_block(tmp_path, table, old, new, words):
    if table is not None:
        speed(tmp_path, table)
    fault = str(refusal(tmp_path, READS.replace(old, new) if old else READS))
    for one in words:
        assert one in fault


def test_which_file_is_read_cannot_be_set_from_outside(tmp_path):
    speed(tmp_path)
    assert "f: file: it cannot be set from outside" in str(
        refusal(tmp_path, READS, {("f", "file"): "/etc/passwd"})
    )


def test_a_library_s_block_reads_what_lies_beside_the_library(tmp_path):
    (tmp_path / "lib").mkdir()
    speed(tmp_path, SPEED.replace("1.0", "7.0"), "lib/speed.csv")
    written(tmp_path, HEAD + """[sub.Read.block]
f = { kind = "File", file = "speed.csv", column = "v" }
y = { kind = "Out" }
[sub.Read.wire]
"y.u" = "f.y"
""", "lib/read.toml")  # fmt: skip
    path = written(tmp_path, HEAD + 'library = ["lib"]\n' + """[block]
s = { kind = "sub", of = "Read" }
o = { kind = "Out" }
[wire]
"o.u" = "s.y"
""")  # fmt: skip
    speed(tmp_path)
    assert ran(load(path))[0] == 7.0
    assert text_of(read(path)).count("speed.csv") == 0


def test_the_whole_text_needs_no_other_file(tmp_path):
    (tmp_path / "lib").mkdir()
    speed(tmp_path)
    library = written(tmp_path, HEAD + """[sub.Half.block]
g = { kind = "Gain", k = 0.5 }
u = { kind = "In" }
y = { kind = "Out" }
[sub.Half.wire]
"g.u" = "u.y"
"y.u" = "g.y"
[sub.Unused.block]
c = { kind = "Constant", value = 1.0 }
""", "lib/half.toml")  # fmt: skip
    half = '"h" = { kind = "sub", of = "Half", rate = 2, offset = 1 }'
    text = READS.replace("[block]", f'library = ["lib"]\n[block]\n{half}')
    text = text.replace('"o.u" = "f.y"', '"h.u" = "f.y"\n"o.u" = "h.y"')
    path = written(tmp_path, text)
    before = ran(load(path))
    whole = whole_text(read(path), text)
    for gone in (library, tmp_path / "speed.csv"):
        gone.unlink()
    alone = read_text(whole, tmp_path / "elsewhere" / "d.toml")
    (tmp_path / "w.toml").write_text(whole)
    assert np.array_equal(ran(load(tmp_path / "w.toml")), before)
    assert sorted(alone.subs) == ["Half"]
    assert whole_text(alone, "as it is") == "as it is"
    assert before[3] != 0.0


def test_a_table_that_changes_is_read_anew_though_the_diagram_is_the_same(tmp_path):
    speed(tmp_path)
    path = written(tmp_path, READS)
    before = ran(load(path))
    speed(tmp_path, SPEED.replace("3.0", "5.0"))
    assert not np.array_equal(ran(load(path)), before)


PLAIN = HEAD + """[block]
"c" = { kind = "Constant", value = 2.0 }
"o" = { kind = "Out" }
[wire]
"o.u" = "c.y"
"""  # fmt: skip


def test_a_diagram_that_reads_nothing_is_checked_once(tmp_path):
    path = written(tmp_path, PLAIN)
    changed = {("c", "value"): 3.0}
    assert load(path) is load(path)
    assert load(path, changed) is load(path, dict(changed))
    assert load(path, changed) is not load(path)
    assert ran(load(path, changed))[-1] == 3.0
    assert ran(load(path))[-1] == 2.0
    written(tmp_path, PLAIN.replace("2.0", "4.0"))
    assert ran(load(path))[-1] == 4.0
