"""A computer that is too slow is told once, as the cause, with what a person does about it."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from row_samples import NAN6, PLATFORM, CycleFrame

from hil.recording.events import EVENTS, ROWS, EventKind, EventRecord, Level
from hil.recording.header import RunHeader
from hil.recording.reader import Recording
from hil.recording.recorder import Recorder, RecorderRing
from hil.report.run_verdict import verdict_of
from hil.run.stall import stall_of
from hil.timing.neighbours import Neighbour, _seen, neighbours

PERIOD_S = 0.002
AT = 50
"""Row of the first objection."""


def violation(check, value, unit, index=AT, leg=None):
    data = {"check": check, "leg": leg, "value": value, "limit": 1.0, "unit": unit}
    words = f"{check} {value} {unit}"
    return EventRecord(
        index * PERIOD_S, index, EventKind.VIOLATION, Level.ERROR, "gate", words, data
    )


def recorded(folder, *events, late_s=0.0, unasked=()):
    """A run in which the wake-up of one row is late, and what the gate said."""
    recorder = Recorder(RecorderRing.local(), folder / "a.mcap", RunHeader(PLATFORM))
    blank = {name: NAN6 for name in CycleFrame._fields if np.ndim(CycleFrame()._asdict()[name])}
    for index in range(100):
        late = late_s if index == AT else 1e-5
        row = CycleFrame(**blank)._replace(
            index=index,
            t_s=index * PERIOD_S,
            dt_s=PERIOD_S + late,
            late_s=late,
            flags=8 * (index > AT),
        )
        if unasked and index not in unasked:
            row = row._replace(asked_length_m=(1.0,) * 6)
        recorder.ring.push(ROWS, row.to_bytes())
        recorder.service()
    for event in events:
        recorder.ring.push(EVENTS, event.to_bytes())
    recorder.finish()
    return Recording.open(folder / "a.mcap")


LATE = violation("late", 0.612, "s")
SILENT = [violation("feedback", 306.0, "cycles", leg=leg) for leg in range(1, 7)]
AFTER = [violation("jump", 0.02, "m", index=AT + 5, leg=leg) for leg in range(1, 7)]


def test_a_stall_is_the_cause_whatever_was_said_beside_it(tmp_path):
    recording = recorded(tmp_path, *SILENT, LATE, *AFTER, late_s=0.612)
    stall = stall_of(recording)
    assert stall is not None
    assert (stall.lasted_s, stall.consequences) == (pytest.approx(0.614), 12)
    assert stall.period_s == pytest.approx(PERIOD_S)
    told = str(stall)
    assert "stood still for 614.0 ms, a cycle has 2 ms" in told
    assert "12 more that follow" in told
    assert "feedback" not in told
    told = stall.remedy([Neighbour("chrome", 0.61)])
    assert all(word in told for word in ("500 Hz now", "`hil doctor`", "chrome 61 %"))
    assert "The computer was too slow at 0.100 s" in verdict_of(recording, ()).reason


def test_silent_control_is_one_too_and_lasts_as_long_as_it_was_missed(tmp_path):
    stall = stall_of(recorded(tmp_path, violation("missing", 3.0, "cycles"), *AFTER))
    assert stall.lasted_s == pytest.approx(3 * PERIOD_S)


def test_an_acceleration_that_follows_from_a_gap_is_put_down_to_it(tmp_path):
    """The gate bridged, and the motion could not be joined again: it names the gap first."""
    jumps = [violation("acceleration", 60.2, "m/s^2", leg=leg) for leg in range(1, 7)]
    stall = stall_of(recorded(tmp_path, violation("missing", 2.0, "cycles"), *jumps))
    assert (stall.lasted_s, stall.consequences) == (pytest.approx(2 * PERIOD_S), 6)
    assert stall.said == "missing 2.0 cycles"


def test_control_that_stood_still_did_so_until_it_asked_again(tmp_path):
    """The gate's own cycles go on in time; only the setpoints are missing."""
    silent = violation("control", 0.0, "")
    recording = recorded(tmp_path, silent, unasked=range(AT - 3, AT + 40))
    assert stall_of(recording).lasted_s == pytest.approx(43 * PERIOD_S)


@pytest.mark.parametrize(
    "events",
    [
        [],
        SILENT,
        [*SILENT, violation("late", 0.1, "s", index=AT + 1)],
        [violation("request", 0, "")],
    ],
    ids=["nothing", "silent drives", "silent drives first", "a refused request"],
)
def test_what_the_computer_did_not_do_is_not_put_down_to_it(tmp_path, events):
    assert stall_of(recorded(tmp_path, *events)) is None


def stat(folder, pid, parent, ticks, name="a b) (c"):
    (folder / str(pid)).mkdir(exist_ok=True)
    fields = f"S {parent} " + "0 " * 9 + f"{ticks} 0 " + "0 " * 20
    (folder / str(pid) / "stat").write_text(f"{pid} ({name}) {fields}")


def test_who_ran_beside_is_told_by_name_and_share_but_for_our_own(tmp_path):
    tick = os.sysconf("SC_CLK_TCK")
    (tmp_path / "uptime").write_text("100.0 0.0")
    stat(tmp_path, 7, 1, 5 * tick)
    stat(tmp_path, os.getpid(), 1, tick, "python")
    with neighbours(tmp_path) as found:
        (tmp_path / "uptime").write_text("110.0 0.0")
        stat(tmp_path, 7, 1, 9 * tick)  # 4 s of 10
        stat(tmp_path, 8, 1, 2 * tick)  # began meanwhile, of the same name
        stat(tmp_path, 9, os.getpid(), 9 * tick, "mine")
        stat(tmp_path, os.getpid(), 1, 10 * tick, "python")
        stat(tmp_path, 11, 1, tick // 10, "little")
    assert [(one.name, round(one.share, 6)) for one in found] == [("a b) (c", 0.6)]
    assert str(found[0]) == "a b) (c 60 %"


def test_a_run_at_whose_end_nothing_can_be_read_has_no_neighbours(tmp_path):
    (tmp_path / "uptime").write_text("100.0 0.0")
    with neighbours(tmp_path) as found:
        (tmp_path / "uptime").unlink()
    assert found == []


@pytest.mark.skipif(sys.platform != "linux", reason="proc(5)")
def test_the_kernels_own_figures_are_read():
    _, processes = _seen(Path("/proc"))
    mine = processes[os.getpid()]
    assert mine.parent == os.getppid()
    assert mine.used_s == pytest.approx(sum(os.times()[:2]), abs=0.1)
