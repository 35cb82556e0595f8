"""A station that extends the platform's: its rows, its word before ENGAGE, its end of a motion."""

import struct
from contextlib import contextmanager

import numpy as np
import pytest
from bench_plans import QUICK

from drives.waits import Wait
from hil.config.file_search import configs_dir
from hil.recording.reader import Recording
from hil.recording.signals import Signal, Signals
from hil.stations.platform.bench.bench import run
from hil.stations.platform.lead.extension import Extension
from hil.stations.platform.motion.source import Hold
from hil.stations.platform.plan.scenario import load_plan
from hil.stations.platform.signals import SIGNALS as PLATFORM

MORE = Signals("more", (*PLATFORM.fields, Signal("looks", "u8"), Signal("half", "f8")))
PAD = MORE.size - PLATFORM.size - 16
WAIT = Wait(0, "the source", "silent", "live", "begin it")


def packed(looks, half):
    return bytes(PAD) + struct.pack("<Qd", looks, half)


class Counting:
    """Counts its looks; the platform may engage after some time, and its motion may be given up."""

    def __init__(self, ready_s, gives_up_s):
        self.ready_s, self.gives_up_s = ready_s, gives_up_s
        self.looks, self.modes, self.given_up = 0, [], ""
        self.note = None

    def reached(self, found):
        self.found = found

    def update(self, tick, verdict):
        self.looks += 1
        self.modes.append(None if verdict is None else verdict.mode.name)
        if tick.t_s >= self.gives_up_s:
            self.given_up = "nobody is there"
        return () if tick.t_s >= self.ready_s else (WAIT,)

    def row(self, control):
        return packed(self.looks, 0.5 * self.looks)


def ran(tmp_path, ready_s=0.0, gives_up_s=1e9, extended=True, hold_s=0.5):
    plan = load_plan(configs_dir() / "scenarios" / "hold_neutral.toml", [*QUICK, "rate_hz=100"])
    companion = Counting(ready_s, gives_up_s)

    @contextmanager
    def opened(now_s):
        yield companion

    extension = Extension(
        signals=MORE, blank=packed(0, 0.0), settings={"what": "more"}, facts={"a": "b"},
        open=opened,
    )  # fmt: skip
    motion = Hold(plan.rig.neutral.pose(), hold_s)
    result = run(plan, tmp_path, motion=motion, extension=extension if extended else None)
    return result, companion, Recording.open(result.recorder.path)


def test_its_values_stand_behind_those_of_the_platform_in_every_row(tmp_path):
    result, companion, recording = ran(tmp_path)
    assert result.ok
    looks = recording.column("looks")
    np.testing.assert_array_equal(looks, np.arange(1, len(looks) + 1))
    np.testing.assert_array_equal(recording.column("half"), 0.5 * looks)
    assert companion.looks == result.cycles
    assert recording.scenario == {"what": "more"}
    assert recording.metadata["run"]["a"] == "b"


def test_the_platforms_own_columns_are_those_of_a_run_without_it(tmp_path):
    _, _, more = ran(tmp_path / "more")
    _, _, plain = ran(tmp_path / "plain", extended=False)
    for signal in PLATFORM.shown:
        np.testing.assert_array_equal(more.column(signal.name), plain.column(signal.name))


def test_the_platform_engages_only_when_it_says_so(tmp_path):
    result, _, recording = ran(tmp_path, ready_s=20.0)
    assert result.ok
    mode = recording.column("mode")
    engaging = recording.header.modes.index("ENGAGING")
    first = int(np.argmax(mode == engaging))
    assert 20.0 <= recording.column("t_s")[first] <= 20.01
    assert any("the source is silent, expected live: begin it" in e.message
               for e in recording.events)  # fmt: skip


def test_a_run_that_waits_in_vain_ends_and_says_for_what(tmp_path):
    result, _, _ = ran(tmp_path, ready_s=1e9)
    assert not result.ok
    assert "the source is silent" in result.reason
    assert not any(event.message.endswith("ENGAGING") for event in result.events)


def test_a_motion_that_is_given_up_parks_and_the_run_tells_why(tmp_path):
    result, _, recording = ran(tmp_path, gives_up_s=7.0, hold_s=1e4)
    assert result.outcome.value == "tripped"
    assert result.reason.startswith("nobody is there")
    modes = [recording.header.modes[int(m)] for m in recording.column("mode")]
    assert modes[-1] == "IDLE" or "PARKING" in modes


@pytest.mark.parametrize("place", ["update", "row"])
def test_an_error_of_it_stops_the_platform_in_order(tmp_path, place, monkeypatch):
    plain = getattr(Counting, place)

    def broken(self, *args):
        if self.modes.count("ENGAGED") > 100:
            raise RuntimeError("odd")
        return plain(self, *args)

    monkeypatch.setattr(Counting, place, broken)
    result, _, recording = ran(tmp_path, hold_s=100.0)
    assert "odd" in result.reason
    assert recording.column("t_s")[-1] < 20.0
    assert np.abs(recording.column("measured_speed_m_s")[-1]).max() < 1e-3
