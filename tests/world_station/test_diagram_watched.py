"""A law that moves a robot in real time is watched from outside; judged by the recording."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hil.config.file_search import configs_dir
from hil.diagram.run.tap_reader import TapReader, find_tapped_laws
from hil.panel.diagram.models.live_station import LiveStation
from hil.recording.reader import Recording
from hil.timing.realtime import RealClock

pytestmark = pytest.mark.real_time
NOW_S = RealClock().now_s
SCENARIO = configs_dir() / "scenarios" / "diagram_move.toml"


def until(found, most_s=60.0):
    """Ask until there is something; select() waits, for this is another process's time."""
    import select

    end_s = NOW_S() + most_s
    while NOW_S() < end_s:
        if result := found():
            return result
        select.select([], [], [], 0.02)
    raise AssertionError("nothing came")


def test_what_is_seen_is_what_the_robot_was_told_bit_for_bit(tmp_path):
    place = tmp_path / "runtime"
    place.mkdir(mode=0o700)
    process = subprocess.Popen(
        [sys.executable, "-m", "hil.cli", "run", str(SCENARIO), "--clock", "real", "--json",
         "--out", str(tmp_path / "runs")],
        env=os.environ | {"XDG_RUNTIME_DIR": str(place)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        (law,) = until(lambda: process.poll() is not None or find_tapped_laws(place / "hil-bench"))
        station = LiveStation(law, TapReader.attach(law))
        station.watch([("sum", "y"), ("position_rad", "y")])
        seen = {}

        def read():
            station.advance(0.0)
            for frame in station._kept:
                seen[frame.tick] = frame.values
            return process.poll() is not None

        until(read)
        out, errors = process.communicate(timeout=30)
        station.release()
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)
    assert process.returncode == 0, errors
    recording = Recording.open(Path(json.loads(out)["recording"]))
    commands, positions = recording.column("command_n_m"), recording.column("position_rad")
    assert len(seen) > 100
    for tick, values in seen.items():
        assert np.array_equal(values["sum", "y"], commands[tick - 1])
        assert np.array_equal(values["position_rad", "y"], positions[tick - 1])
    assert not list((place / "hil-bench").glob("*.taps"))
