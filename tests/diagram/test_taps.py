"""Values of a diagram that runs, told to who watches: the right ones, and nobody waits."""

import json
import os
import stat
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hil.config.errors import RefusedError
from hil.desk.endpoints import PlaceError
from hil.diagram.file.read import read_text
from hil.diagram.run.engine import Engine
from hil.diagram.run.live import Version
from hil.diagram.run.tap_reader import TappedLaw, TapReader, find_tapped_laws
from hil.diagram.run.taps import NUMBERS_MOST, SLOTS, TAPS_MOST, DiagramTaps, OpenTaps
from hil.ipc.broadcast import BroadcastReader

LAW = """format = 1
base_s = 0.01

[block]
"u" = { kind = "In" }
"wide" = { kind = "In", shape = [20] }
"gain" = { kind = "Gain", k = 2.0 }
"whole" = { kind = "Integral" }
"y" = { kind = "Out" }
"w" = { kind = "Out" }

[wire]
"gain.u" = "u.y"
"whole.u" = "gain.y"
"y.u" = "whole.y"
"w.u" = "wide.y"
"""
ENDS = [("u", "y"), ("gain", "y"), ("whole", "y"), ("wide", "y"), ("none", "y"), ("gain", "q")]


def version(text=LAW):
    return Version.of(read_text(text, Path("law.toml")), {})


@pytest.fixture
def ends():
    taps = DiagramTaps.local()
    return taps, TapReader(taps.choice, BroadcastReader(taps.frames.buffer))


@given(acts=st.lists(st.one_of(
    st.tuples(st.just("choose"), st.lists(st.sampled_from(ENDS), max_size=8)),
    st.tuples(st.just("step"), st.integers(1, 30)),
    st.tuples(st.just("read"), st.just(0)),
), max_size=20))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_each_tick_is_told_once_with_what_was_chosen_and_is_there(acts):
    taps = DiagramTaps.local()
    reader = TapReader(taps.choice, BroadcastReader(taps.frames.buffer))
    engine, chosen, wanted, got = version().engine, [], [], []
    for what, value in (*acts, ("read", 0)):
        if what == "choose":
            chosen = list(value)
            reader.choose(chosen)
        elif what == "step":
            for _ in range(value):
                engine.set_input("u", float(engine.tick % 7))
                engine.set_input("wide", np.arange(20.0) + engine.tick)
                engine.step()
                taps.push(engine)
                known = {end: engine.port(*end).tolist() for end in chosen if end in ENDS[:4]}
                if chosen:
                    wanted.append((engine.tick, 1, known))
        else:
            for one in reader.read():
                known = {end: values.tolist() for end, values in one.values.items()}
                got.append((one.tick, one.version, known))
    assert got == wanted
    assert (reader.missed, reader.foreign) == (0, 0)


def test_who_reads_late_knows_how_many_ticks_are_gone_and_holds_nobody_up(ends):
    taps, reader = ends
    engine = version().engine
    reader.choose([("whole", "y")])
    for _ in range(SLOTS + 300):
        engine.step()
        taps.push(engine)
    got = [one.tick for one in reader.read()]
    assert got[-1] == SLOTS + 300
    assert reader.missed == 300 == got[0] - 1


def test_no_more_than_64_outputs_and_512_numbers_are_told(ends):
    taps, reader = ends
    engine = version().engine
    reader.choose(25 * [("wide", "y")] + 100 * [("u", "y")])
    engine.step()
    taps.push(engine)
    (frame,) = reader.read()
    assert set(frame.values) == {("wide", "y"), ("u", "y")}
    words = np.frombuffer(taps.frames.buffer, np.int64)
    assert TAPS_MOST == 64
    assert 25 * 20 + 39 > NUMBERS_MOST >= 25 * 20 + 12
    assert words.size * 8 > NUMBERS_MOST * 8


def test_another_version_is_told_and_outputs_are_found_in_it_by_name(ends):
    taps, reader = ends
    first, other = version(), version(LAW.replace('"y" =', '"a" = { kind = "Clock" }\n"y" ='))
    reader.choose([("gain", "y"), ("a", "y")])
    for one in (first, other):
        one.engine.set_input("u", 3.0)
        one.engine.step()
        taps.push(one.engine)
    before, after = reader.read()
    assert (before.version, list(before.values)) == (1, [("gain", "y")])
    assert (after.version, list(after.values)) == (2, [("gain", "y"), ("a", "y")])
    assert after.values["gain", "y"].tolist() == [6.0]


@pytest.mark.parametrize(
    "text", [b"", b"[", b"7", b"[" * 16000, b"[1, 2]", b'[["a"]]', b"\xff", b'{"a": 1}']
)
def test_a_damaged_choice_chooses_nothing(ends, text):
    taps, reader = ends
    engine = version().engine
    taps.choice.put(5, attachment=text, serial=5)
    engine.step()
    taps.push(engine)
    assert list(reader.read()) == []
    assert taps.frames.pushed == 0


def test_a_watcher_that_died_over_its_choice_leaves_the_last_one_and_costs_no_search(ends):
    taps, reader = ends
    engine, searched = version().engine, []
    reader.choose([("u", "y")])
    engine.step()
    taps.push(engine)
    find = taps._find
    taps._find = lambda one: searched.append(one) or find(one)
    taps.choice._word[0] += 1  # odd: as it is while a writer is at work
    for _ in range(5):
        engine.step()
        taps.push(engine)
    assert [list(one.values) for one in reader.read()] == 6 * [[("u", "y")]]
    assert searched == []


def test_two_who_watch_do_not_take_the_others_numbers_for_their_own(ends):
    taps, reader = ends
    other = TapReader(taps.choice, BroadcastReader(taps.frames.buffer))
    engine = version().engine
    reader.choose([("u", "y")])
    engine.step()
    taps.push(engine)
    other.choose([("gain", "y")])
    engine.step()
    taps.push(engine)
    assert [list(one.values) for one in reader.read()] == [[("u", "y")]]
    assert reader.foreign == 1
    assert [list(one.values) for one in other.read()] == [[("gain", "y")]]


def test_a_run_is_found_by_its_user_alone_and_gone_when_it_is_over(tmp_path):
    place = tmp_path / "hil-bench"
    assert find_tapped_laws(place) == []
    changes = {("", "k"): 2.0, ("law", "m"): ((1.0, 0.0), (0.0, 1.0))}
    engine = version().engine
    with OpenTaps("my run/1", Path("law.toml"), LAW, changes, place) as opened:
        (file,) = place.iterdir()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        (found,) = find_tapped_laws(place)
        assert (found.run, found.pid, found.text, found.changes) == (
            "my run/1", os.getpid(), LAW, changes,
        )  # fmt: skip
        reader = TapReader.attach(found)
        reader.choose([("gain", "y")])
        engine.set_input("u", 1.0)
        engine.step()
        opened.taps.push(engine)
        (frame,) = reader.read()
        assert frame.values["gain", "y"].tolist() == [2.0]
        reader.release()
        (place / "other-1.taps").write_text("{")
        gone = json.loads(file.read_text()) | {"pid": 2**22 - 1}
        (place / "gone-4194303.taps").write_text(json.dumps(gone))
        assert len(find_tapped_laws(place)) == 1
    assert not file.exists()
    with pytest.raises(RefusedError, match="my run"):
        TapReader.attach(found)
    place.chmod(0o755)
    with pytest.raises(PlaceError, match="0700"):
        find_tapped_laws(place)
    with (
        pytest.raises(PlaceError, match="0700"),
        OpenTaps("r", Path("law.toml"), LAW, {}, place),
    ):
        raise AssertionError("it must not open")


def test_what_a_killed_run_left_is_swept_and_a_file_that_cannot_be_written_is_told(tmp_path):
    place = tmp_path / "hil-bench"
    place.mkdir(mode=0o700)
    (place / "dead-4194303.taps").write_text("{}")
    (place / f"mine-{os.getpid()}.taps").write_text("{}")
    (place / "token").write_text("not mine to remove")
    with OpenTaps("run", Path("law.toml"), LAW, {}, place):
        names = sorted(one.name for one in place.iterdir())
        assert names == [f"mine-{os.getpid()}.taps", f"run-{os.getpid()}.taps", "token"]
    (place / f"taken-{os.getpid()}.taps").mkdir()
    with (
        pytest.raises(PlaceError, match=r"taken-.*: Is a directory"),
        OpenTaps("taken", Path("law.toml"), LAW, {}, place),
    ):
        raise AssertionError("it must not open")


def test_memory_that_is_none_is_refused(tmp_path):
    with (tmp_path / "short").open("w+b") as stream:
        stream.write(b"short")
        stream.flush()
        law = TappedLaw("r", os.getpid(), Path("law.toml"), LAW, {}, stream.fileno(),
                        stream.fileno())  # fmt: skip
        with pytest.raises(RefusedError, match="process"):
            TapReader.attach(law)
    assert isinstance(version().engine, Engine)


def test_a_file_of_more_than_64_mib_is_none(tmp_path):
    place = tmp_path / "hil-bench"
    place.mkdir(mode=0o700)
    table = {"run": "r", "pid": os.getpid(), "source": "law.toml", "text": "", "changes": [],
             "choice_fd": 3, "frames_fd": 4}  # fmt: skip
    text = json.dumps(table)[:-1]
    for size, runs in ((64 << 20, ["r"]), ((64 << 20) + 1, [])):
        (place / "r.taps").write_text(text + " " * (size - len(text) - 1) + "}")
        assert [one.run for one in find_tapped_laws(place)] == runs
