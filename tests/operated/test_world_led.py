"""A desk at the world station: a panel's handles move the robot while somebody holds it."""

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
from hil.desk.operation import OPERATION_KIND, Operation
from hil.desk.run_end import EndCause
from hil.recording.events import ROWS
from hil.recording.reader import Recording
from hil.recording.rows import dtype_of
from hil.stations.world.lead.operator_access import handles
from hil.timing.realtime import RealClock

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.skipif(sys.platform != "linux", reason="the real clock is for Linux"),
]

NOW_S = RealClock().now_s
SCENARIO = (
    'station = "world"\nname = "led"\nrobot = "robot_a"\nclock = "real"\nstep_s = 0.01\n'
    '[motion]\nkind = "jog"\naxes = "joints"\n'
)


class Panel:
    """A client of the desk, with handles, that looks at rows as they come."""

    def __init__(self, client, writer, dtype):
        self.client, self.writer, self._dtype = client, writer, dtype
        self.rows, self.operations = [], []
        self.deflections = (0.0,) * 6

    def go(self, seconds, *, held, until=lambda: False):
        end_s = NOW_S() + seconds
        while NOW_S() < end_s and not until():
            self.client.send(m.Alive(held=held, stamp_s=NOW_S()))
            self.writer.send(handles().velocity(self.deflections))
            self.client.wait(0.01)
            self.client.poll()
            for kind, payload in self.client.telemetry.read():
                if kind == ROWS:
                    self.rows.append(np.frombuffer(payload, self._dtype)["position_rad"][0, 0])
                elif kind == OPERATION_KIND:
                    self.operations.append(Operation.from_bytes(payload))


def test_a_panel_leads_a_run_by_its_handles_while_it_holds_it_and_stops_it(tmp_path):
    place = tmp_path / "runtime"
    place.mkdir(mode=0o700)
    (tmp_path / "led.toml").write_text(SCENARIO)
    here = handles().place({"motion": {"kind": "jog"}})
    process = subprocess.Popen(
        [sys.executable, "-m", "hil.cli", "run", str(tmp_path / "led.toml"), "--operator", "--json",
         "--set", here.override, "--out", str(tmp_path / "runs")],
        env=os.environ | {"XDG_RUNTIME_DIR": str(place)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    writer = here.writer(NOW_S)
    try:
        client = DeskClient.connect(desk_path(process, place / "hil-bench"), "Anna")
        assert client.welcome.station == "world"
        panel = Panel(client, writer, dtype_of(client.welcome.header.signals))
        client.send(m.Take(id=1))
        panel.go(10.0, held=False, until=lambda: writer.connected and len(panel.rows) > 20)
        panel.deflections = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        panel.go(0.6, held=False)
        alone = np.ptp(panel.rows)
        panel.go(20.0, held=True, until=lambda: np.ptp(panel.rows) > 0.05)
        panel.go(0.8, held=False)
        rest = np.ptp(panel.rows[-20:])
        client.send(m.Stop(id=2))
        panel.go(5.0, held=False, until=lambda: process.poll() is not None)
        out, errors = process.communicate(timeout=30)
        client.close()
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)
        writer.close()
        here.remove()
    assert alone < 1e-4
    assert np.ptp(panel.rows) > 0.05
    assert rest < 1e-4
    said = json.loads(out)
    assert (process.returncode, said["ended"]) == (0, "stopped"), errors
    assert any(one.held for one in panel.operations)
    assert panel.operations[-1].end.cause is EndCause.SHUT_DOWN
    told = [one.message for one in Recording.open(next(tmp_path.glob("runs/*/*.mcap"))).events]
    for one in ("Anna owns the motion", "hold-to-run released: zero velocity", "HOLD pressed"):
        assert one in told
