"""The comparison finds what may not change, wherever it stands, and lets words change."""

import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from frozen.compare import differences, trees
from frozen.goldens import NEAR, far, nearness, thin
from frozen.trees import Answer

ROWS = [["index", "t_s", "mode", "leg1_m"], *([str(n), repr(n / 3), "HOLD", repr(n * 0.1)]
        for n in range(9)), ["9", "3.0", "HOLD", "nan"]]  # fmt: skip
EVENTS = [
    ["t_s", "index", "kind", "level", "message", "data_json"],
    ["0.5", "1", "mode", "info", "it begins", '{"mode": "HOLD"}'],
    ["2.0", "6", "violation", "error", "too fast", '{"check": "speed", "leg": 3, "value": 0.25}'],
]
TOLD = {
    "ok": False, "reason": "too fast", "cycles": 10, "margin": 0.1 + 0.2, "recording": "/a/b",
    "verdicts": [{"message": "too fast", "value": 0.25}], "legs": [1.0, math.nan],
}  # fmt: skip


@pytest.fixture
def answer(tmp_path):
    """Makes an answer; each is in a folder of its own."""
    made = iter(range(20))

    def make(*, rows=ROWS, events=EVENTS, told=TOLD, status=1):
        folder = tmp_path / str(next(made))
        folder.mkdir()
        files = folder / "a.csv", folder / "a.events.csv"
        for file, lines in zip(files, (rows, events), strict=True):
            with file.open("w", newline="") as text:
                csv.writer(text).writerows(lines)
        return Answer(status, json.loads(json.dumps(told)), "words", *files)

    return make


def changed(lines, row, column, value):
    """A copy of a table with another cell."""
    return [
        [value if (r, c) == (row, column) else cell for c, cell in enumerate(line)]
        for r, line in enumerate(lines)
    ]


def without(lines, column):
    """A copy of a table without a column."""
    return [[cell for c, cell in enumerate(line) if c != column] for line in lines]


ULP = repr(math.nextafter(4 * 0.1, 1.0))
BAD = {
    "one bit of a number": {"rows": changed(ROWS, 5, 3, ULP)},
    "a sign of zero": {"rows": changed(ROWS, 1, 3, "-0.0")},
    "a number where none was": {"rows": changed(ROWS, 10, 3, "0.0")},
    "a name of a mode": {"rows": changed(ROWS, 3, 2, "IDLE")},
    "a row less": {"rows": ROWS[:-1]},
    "a row more": {"rows": [*ROWS, ROWS[-1]]},
    "a column less": {"rows": without(ROWS, 3)},
    "a column of another name": {"rows": changed(ROWS, 0, 3, "leg_1_m")},
    "an event a cycle later": {"events": changed(EVENTS, 2, 1, "7")},
    "an event at another time": {"events": changed(EVENTS, 2, 0, "2.002")},
    "an event of another kind": {"events": changed(EVENTS, 1, 2, "note")},
    "an event of another weight": {"events": changed(EVENTS, 2, 3, "warning")},
    "an event less": {"events": EVENTS[:-1]},
    "an event more": {"events": [*EVENTS, EVENTS[-1]]},
    "a number of an event": {
        "events": changed(EVENTS, 2, 5, '{"check": "speed", "leg": 3, "value": 0.2500000001}')
    },
    "a key of an event": {"events": changed(EVENTS, 2, 5, '{"check": "speed", "value": 0.25}')},
    "an answer": {"told": TOLD | {"ok": True}},
    "one bit of the answer": {"told": TOLD | {"margin": 0.3}},
    "a number of the answer": {"told": TOLD | {"margin": 0.3001}},
    "a number below words": {"told": TOLD | {"verdicts": [{"message": "x", "value": 0.5}]}},
    "a key of the answer": {"told": {key: TOLD[key] for key in TOLD if key != "cycles"}},
    "an integer that became a float": {"told": TOLD | {"cycles": 10.0}},
    "a list that is shorter": {"told": TOLD | {"legs": [1.0]}},
    "the exit status": {"status": 2},
}
GOOD = {
    "nothing": {},
    "words": {
        "told": TOLD | {"reason": "other words", "verdicts": [{"message": "other", "value": 0.25}]},
        "events": changed(EVENTS, 2, 4, "other words"),
    },
    "a path": {"told": TOLD | {"recording": "/elsewhere"}},
    "a new key": {"told": TOLD | {"new": 1}},
    "a new column, and columns in another order": {
        "rows": [[*reversed(line), "9"] for line in ROWS[:1]]
        + [[*reversed(line), "9"] for line in ROWS[1:]]
    },
}


@pytest.mark.parametrize("what", BAD)
def test_a_change_is_found(answer, what):
    assert differences(answer(), answer(**BAD[what]))


@pytest.mark.parametrize("what", GOOD)
def test_what_may_change_is_let_through(answer, what):
    assert not differences(answer(), answer(**GOOD[what]))


def test_a_recording_that_is_not_there_is_found(answer):
    assert differences(answer(), Answer(1, TOLD, ""))


def test_a_command_or_an_option_that_is_gone_is_found():
    run = {"options": {"--clock": ["--clock", "optional"]}, "commands": {}}
    old = {"options": {}, "commands": {"run": run, "check": {"options": {}, "commands": {}}}}
    assert not trees(old, old)
    assert trees(old, {"options": {}, "commands": {"run": run}})
    assert trees(old, old | {"commands": {**old["commands"], "run": {"options": {}, **{}}}})
    required = {"options": {"--clock": ["--clock", "required"]}, "commands": {}}
    assert trees(old, old | {"commands": {**old["commands"], "run": required}})


def test_a_schema_may_rename_its_definitions_and_nothing_else():
    def schema(name, **named):
        number = {"type": "number", "maximum": 5.0, **named}
        return {"properties": {"a": {"$ref": f"#/$defs/{name}"}}, "$defs": {name: number}}

    assert not trees(schema("Rate"), schema("RateSettings"))
    assert trees(schema("Rate"), schema("Rate", maximum=6.0))


NOT_THIN = {  # a few rows of many stand in a thin copy, and no sign of zero
    "one bit of a number", "one bit of the answer", "a sign of zero", "a name of a mode",
    "an integer that became a float",
}  # fmt: skip


@pytest.mark.parametrize("what", sorted(BAD.keys() - NOT_THIN))
def test_a_thin_copy_finds_a_change(answer, what):
    assert list(far(thin(answer()), thin(answer(**BAD[what]))))


@pytest.mark.parametrize("what", GOOD)
def test_a_thin_copy_lets_through_what_may_change(answer, what):
    assert not list(far(thin(answer()), thin(answer(**GOOD[what]))))


@pytest.mark.parametrize(("part", "found"), [(1e-13, False), (3e-12, True)])
def test_a_thin_copy_is_near_not_equal(answer, part, found):
    told = TOLD | {"margin": TOLD["margin"] + part}
    assert bool(list(far(thin(answer()), thin(answer(told=told))))) == found
    rows = changed(ROWS, 3, 3, repr(0.2 + part))
    assert bool(list(far(thin(answer()), thin(answer(rows=rows))))) == found


def test_a_thin_copy_of_an_environment_or_a_ride_may_be_less_near():
    names = ("run_press_0", "check_live_demo", "run_demo_0", "check_circle_on_rm01")
    assert [nearness(name) for name in names] == [1e-6, 1e-9, NEAR, NEAR]
    for near in (NEAR, 1e-6):
        assert not list(far({"a": [0.25]}, {"a": [0.25 + 0.5 * near]}, near=near))
        assert list(far({"a": [0.25]}, {"a": [0.25 + 2.0 * near]}, near=near))


def test_parts_and_files_are_compared(answer, tmp_path):
    files = [tmp_path / name for name in ("one.txt", "two.txt", "three.txt")]
    for file, text in zip(files, ("a\nb\n", "a\nb\n", "a\nc\n"), strict=True):
        file.write_text(text)
    of = [replace(answer(), files={"out.txt": file}) for file in files]
    assert not differences(of[0], of[1])
    assert differences(of[0], of[2])
    assert differences(of[0], answer())
    whole = replace(answer(), parts={"arm": answer()})
    assert not differences(whole, replace(answer(), parts={"arm": answer()}))
    assert differences(whole, replace(answer(), parts={"arm": answer(rows=ROWS[:-1])}))
    assert differences(whole, answer())


def test_the_thin_copies_are_small():
    files = list((Path(__file__).parent / "goldens").glob("*.json"))
    assert files
    assert sum(file.stat().st_size for file in files) < 550_000


def test_a_path_counts_by_its_last_part_alone():
    old = {"command": "hil run /old/place/a.toml --set file='/old/b.csv' --set x=0.1/2"}
    moved = {"command": "hil run /new/a.toml --set file='/elsewhere/c/b.csv' --set x=0.1/2"}
    assert trees(old, moved) == []
    for change in (("a.toml", "c.toml"), ("x=0.1/2", "x=0.2/2"), ("b.csv", "d.csv")):
        assert trees(old, {"command": moved["command"].replace(*change)})
