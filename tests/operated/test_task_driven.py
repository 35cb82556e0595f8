"""A person at a desk drives the robot of a task by handles: it moves while held, and stops."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from desk_processes import desk_path

from hil.desk import messages as m
from hil.desk.client import DeskClient
from hil.diagram.run.changer import DRIVER, changes_of
from hil.recording.events import ROWS
from hil.recording.reader import Recording
from hil.recording.rows import dtype_of
from hil.stations.task.lead.handles import handles
from hil.timing.realtime import RealClock

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.skipif(sys.platform != "linux", reason="the real clock is for Linux"),
]

NOW_S = RealClock().now_s
SCENARIO = {"task": {"kind": "container"}, "navigator": "manual"}


class Trainee:
    """A client of the desk with handles, who sees where the robot is."""

    def __init__(self, client, writer):
        self.client, self.writer = client, writer
        self._dtype = dtype_of(client.welcome.header.signals)
        self.places, self.deflections = [], (0.0,) * 6

    def go(self, seconds, *, held, until=lambda: False):
        end_s = NOW_S() + seconds
        while NOW_S() < end_s and not until():
            self.client.send(m.Alive(held=held, stamp_s=NOW_S()))
            self.writer.send(handles().velocity(self.deflections))
            self.client.wait(0.01)
            self.client.poll()
            for kind, payload in self.client.telemetry.read():
                if kind == ROWS:
                    row = np.frombuffer(payload, self._dtype)["world_coordinates"][0]
                    self.places.append(row[:2].copy())

    def way_m(self, count):
        """Distance between the last place and that of some rows before."""
        return float(np.linalg.norm(self.places[-1] - self.places[-count]))


def test_a_trainee_drives_while_he_holds_and_his_score_is_kept(tmp_path):
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    here = handles().place(SCENARIO)
    process = subprocess.Popen(
        [sys.executable, "-m", "hil.cli", "run", "container", "--navigator", "manual", "--operator",
         "--trainee", "Anna", "--json", "--seed", "7", "--set", here.override,
         "--out", str(tmp_path / "runs")],
        env=os.environ | {"XDG_RUNTIME_DIR": str(runtime)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    writer = here.writer(NOW_S)
    try:
        client = DeskClient.connect(desk_path(process, runtime / "hil-bench"), "Anna")
        one = Trainee(client, writer)
        client.send(m.Take(id=1))
        one.go(30.0, held=False, until=lambda: writer.connected and len(one.places) > 200)
        one.deflections = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        one.go(3.0, held=False)
        alone_m = one.way_m(100)
        one.go(60.0, held=True, until=lambda: one.way_m(len(one.places)) > 0.3)
        driven_m = one.way_m(len(one.places))
        seen = len(one.places)
        one.go(60.0, held=False, until=lambda: len(one.places) > seen + 600)
        after_m = one.way_m(200)
        client.send(m.Stop(id=2))
        one.go(20.0, held=False, until=lambda: process.poll() is not None)
        out, errors = process.communicate(timeout=60)
        client.close()
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        writer.close()
        here.remove()
    assert alone_m < 1e-3, errors
    assert driven_m > 0.3
    assert after_m < 2e-3
    said = json.loads(out)
    assert said["score"] == {"name": "Anna", "runs": 1, "succeeded": 0, "best_time_s": None}
    changes = changes_of(Recording.open(next(tmp_path.glob("runs/*/*.mcap"))))
    driven = [one.change.set for one in changes if one.change.source == DRIVER]
    assert any(one.get("navigator/drive/ahead.value") == 1.0 for one in driven)
    assert driven[-1]["pause.on"] is True
