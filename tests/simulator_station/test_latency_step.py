"""What the latency trail says is what passes between a host's step and the rods' first count.

The host's packets are written here from their layout, and the time of the first count is taken in
the rack, so that neither knows anything of the trail.
"""

import json
import socket
import struct
import subprocess
import sys
import threading
import zlib
from pathlib import Path

import numpy as np
import pytest

from hil.config.shipped import configs_dir
from hil.recording.reader import Recording
from hil.stations.simulator.latency import latency_trail
from hil.timing.realtime import RealClock

NOW_S = RealClock().now_s
RIG = configs_dir() / "rigs" / "training_simulator.toml"
RACK = Path(__file__).with_name("rack_that_watches.py")
PERIOD_S = 0.004
PULSE_M_S2, PULSE_S, EVERY_S = 2.0, 0.3, 242 / 60
"""Frames of 60 Hz, and a third of a cycle more than whole ones: three steps in a row meet the loop
at all times of its cycle. Steps that always meet it at the same one say nothing of the others."""
TRIES = 4
"""A machine that stands still for three cycles ends a ride, as it should."""
PRESET = """
name = "quick"
about = "settles within seconds"
algorithm = "classical"
[force]
gain = 0.5
[translation]
wn_rad_s = [12.0, 12.0, 12.0]
wb_rad_s = 8.0
[tilt]
wl_rad_s = 12.0
rate_deg_s = 60.0
acceleration_deg_s2 = 2000.0
"""
RIDE = """
name = "pulses"
station = "simulator"
rig = "training_simulator"
clock = "real"
rate_hz = 250
[source]
kind = "host"
map = "hcu1"
port = PORT
[cueing]
preset = "quick.toml"
head_m = [0.0, 0.0, 0.9]
"""


def frame(seq, force):
    now_ns = round(1e9 * NOW_S())
    head = struct.pack("<4sBBHIQ", b"HCU1", 1, 0, 112, seq, now_ns)
    body = struct.pack("<16f", force, 0, -9.80665, *[0] * 6, 1, *[0] * 6) + struct.pack(
        "<3d", 0, 0, 0
    )
    return head + body + struct.pack("<I", zlib.crc32(head + body))


class Host(threading.Thread):
    """Sends at 60 Hz; a pulse of force now and then, of which the rack is told just before."""

    def __init__(self, port, rack):
        super().__init__(daemon=True)
        self.port, self.rack, self.over, self.steps_s = port, rack, threading.Event(), []

    def run(self):
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        began_s, seq, was, told = NOW_S(), 0, 0.0, False
        while not self.over.is_set():
            at_s = (NOW_S() - began_s) % EVERY_S
            if at_s > EVERY_S - 0.2 and not told:
                self.rack.stdin.write(b"look\n")
                self.rack.stdin.flush()
            told = at_s > EVERY_S - 0.2
            force = PULSE_M_S2 if at_s < PULSE_S else 0.0
            if force > was:
                self.steps_s.append(NOW_S())
            was, seq = force, seq + 1
            link.sendto(frame(seq, force), ("127.0.0.1", self.port))
            self.over.wait(max(0.0, began_s + seq / 60.0 - NOW_S()))
        link.close()


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def ride_once(folder):
    """A ride's answer, when its host made steps, and when the rack saw a count [s]."""
    port = free_port()
    (folder / "quick.toml").write_text(PRESET)
    (folder / "pulses.toml").write_text(RIDE.replace("PORT", str(port)))
    program = [sys.executable, str(RACK), str(RIG)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as rack:
        url = rack.stdout.readline().decode().strip()
        host = Host(port, rack)
        host.start()
        command = [sys.executable, "-m", "hil.cli", "host", "latency", str(folder / "pulses.toml")]
        command += ["--seconds", "18", "--drives", url, "--out", str(folder / "runs"), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        host.over.set()
        host.join()
        rack.stdin.close()
        lines = rack.stdout.read().decode().split()
    return json.loads(done.stdout), host.steps_s, [float(one) for one in lines[1::2]]


@pytest.mark.real_time
def test_the_sum_of_the_trail_is_what_passes_until_the_first_count(tmp_path):
    for number in range(TRIES):
        folder = tmp_path / str(number)
        folder.mkdir()
        told, steps_s, moved_s = ride_once(folder)
        if told["ok"]:
            break
    assert told["ok"], told
    recording = Recording.open(Path(told["recording"]))
    trail, passed_s, said_s = latency_trail(recording), [], []
    assert np.nanmin(trail.shares_s[:, 1:4]) > 0.0  # nothing happens before what it follows from
    assert np.isfinite(trail.shares_s[:, 1:4]).mean() > 0.9
    kernel_s = recording.column("kernel_stamp_s")
    for step_s in steps_s:
        moved = [one for one in moved_s if 0.0 < one - step_s < 0.1]
        used = np.flatnonzero((kernel_s >= step_s) & (kernel_s < step_s + 0.01))
        at = np.flatnonzero(np.isin(trail.t_s, recording.column("t_s")[used]))
        if len(moved) == len(at) == 1:
            passed_s.append(moved[0] - step_s)
            said_s.append(trail.sums_s[at[0]])
    assert len(passed_s) >= 3
    assert np.median(np.abs(np.subtract(passed_s, said_s))) < PERIOD_S
    assert told["sum"]["p50_ms"] == pytest.approx(1e3 * np.median(trail.sums_s))
