"""What the latency trail says is what passes between a host's step and the rods' first count.

The host's packets are written here from their layout, and the time of the first count is taken in
the rack, so that neither knows anything of the trail. Between the moment that the trail tells, when
the legs are where a packet's setpoint wants them, and the first count lies what motion takes to
show: the first setpoint after a step does not move yet, and a rod takes up a motion as its servo
does. That is computed here, from the setpoints sent and the servo's equation.
"""

import json
import socket
import struct
import subprocess
import sys
import threading
import zlib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from ride_bench import coded

from hil.config.file_search import configs_dir
from hil.recording.reader import Recording
from hil.stations.simulator.figures.latency import latency_trail
from hil.timing.realtime import RealClock

NOW_S = RealClock().now_s
RIG = configs_dir() / "rigs" / "training_simulator.toml"
RACK = Path(__file__).with_name("rack_that_watches.py")
PERIOD_S = 0.004
COUNTS, COUNT_M = 2, 1e-6
"""At which the rack says that something moved; its drives count micrometres."""
PULSE_M_S2, PULSE_S, EVERY_S = 2.0, 0.3, 122 / 60
"""Of the force down: all legs do the same, and none of them much. Frames of 60 Hz, and a third of a
cycle more than whole ones: three steps in a row meet the loop at all times of its cycle. Steps that
always meet it at the same one say nothing of the others."""
STEPS, TRIES, RIDE_MOST_S = 6, 4, 90.0
"""So many steps are needed, of so many rides at most. Steps are left out where the machine stood
still, and a ride may end by that, as it should: those before it count."""
SHOWS_LATER_S = (0.0, 0.002)
"""The rods go on a grid of 1 ms, and the rack is looked at once a turn, which takes 1 ms: that far
behind the equation a count is seen. The median is 1.1 to 1.4 ms on a machine with load 8."""
TURN_MOST_S = 0.0025
"""A rack whose loop took longer saw a count too late."""
PATIENT = {
    "late_cycles_max = 3.0": "late_cycles_max = 10.0",
    "missing_setpoints_max = 2": "missing_setpoints_max = 10",
    "missing_feedback_max = 2": "missing_feedback_max = 10",
}
"""How patient a gate is, is not the matter here."""
PRESET = """
name = "quick"
about = "settles within seconds"
algorithm = "classical"
[force]
gain = 0.25
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
rig = "patient.toml"
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
    body = struct.pack("<16f", 0, 0, force - 9.80665, *[0] * 6, 1, *[0] * 6) + struct.pack(
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


def patient_rig():
    text = RIG.read_text(encoding="utf-8")
    for old, new in PATIENT.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def ride_once(folder):
    """A ride's answer, when its host made steps, when the rack saw a count, and its turns [s]."""
    port = free_port()
    (folder / "patient.toml").write_text(patient_rig())
    (folder / "quick.toml").write_text(PRESET)
    (folder / "pulses.toml").write_text(RIDE.replace("PORT", str(port)))
    program = [sys.executable, str(RACK), str(RIG)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as rack:
        url = rack.stdout.readline().decode().strip()
        host = Host(port, rack)
        host.start()
        command = [sys.executable, "-m", "hil.cli", "host", "latency", str(folder / "pulses.toml")]
        command += ["--seconds", "18", "--drives", url, "--out", str(folder / "runs"), "--json"]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=RIDE_MOST_S
            )
        finally:
            host.over.set()
            host.join()
            rack.stdin.close()
        lines = [line.split()[1:] for line in rack.stdout.read().decode().splitlines()]
    return json.loads(done.stdout), host.steps_s, [tuple(map(float, one)) for one in lines]


def shows_after_s(lengths_m):
    """When a rod has gone `COUNTS`, from when it should be at the first of these lengths [s].

    Setpoints are a cycle apart and straight between. The servo of the rig's file (natural frequency
    20 Hz, damping 0.9) follows with their speed fed forward: x'' = w² (r - x) + 2 d w (r' - x').
    """
    w, d, parts = 2.0 * np.pi * 20.0, 0.9, 80
    dt_s = PERIOD_S / parts
    wanted = lengths_m - lengths_m[0]
    x, v = np.zeros(6), np.zeros(6)
    for cycle, (begin, end) in enumerate(pairwise(wanted)):
        speed = (end - begin) / PERIOD_S
        for part in range(1, parts + 1):
            r = begin + part * dt_s * speed
            v = v + dt_s * (w * w * (r - x) + 2.0 * d * w * (speed - v))
            x = x + dt_s * v
            if np.abs(x).max() >= COUNTS * COUNT_M:
                return (cycle + part / parts) * PERIOD_S
    return np.nan


def seen_later(told, steps_s, seen):
    """By how much each count was seen later than the trail and the servo's equation say [s]."""
    recording = Recording.open(Path(told["recording"]))
    trail, later_s = latency_trail(recording), []
    assert told["sum"]["p50_ms"] == pytest.approx(1e3 * np.median(trail.sums_s))
    assert np.nanmin(trail.shares_s[:, 1:4]) > 0.0  # nothing happens before what it follows from
    t_s, kernel_s = recording.column("t_s"), recording.column("kernel_stamp_s")
    undisturbed = (coded(recording, "action") == "PASSED") & (recording.column("weight") == 1.0)
    known = np.isfinite(trail.shares_s).all(axis=1)
    of_those = known[undisturbed[np.searchsorted(t_s, trail.t_s)]]
    assert not of_those.size or of_those.mean() > 0.9  # a ride may end before it is engaged
    sent_m = recording.column("sent_length_m")
    for step_s in steps_s:
        moved = [at_s for at_s, turn_s in seen if 0 < at_s - step_s < 0.1 and turn_s < TURN_MOST_S]
        rows = np.flatnonzero((kernel_s >= step_s) & (kernel_s < step_s + 0.01))
        at = np.flatnonzero(np.isin(trail.t_s, t_s[rows]) & known)
        if not len(moved) == len(at) == len(rows) == 1:
            continue
        row = int(rows[0])
        if undisturbed[row - 3 : row + 6].all():
            shows_s = shows_after_s(sent_m[row : row + 12])
            later_s.append(moved[0] - step_s - trail.sums_s[at[0]] - shows_s)
    return later_s


@pytest.mark.real_time
@pytest.mark.timeout(TRIES * RIDE_MOST_S)
def test_the_sum_of_the_trail_is_what_passes_until_the_first_count(tmp_path):
    later_s, ends = [], []
    for number in range(TRIES):
        folder = tmp_path / str(number)
        folder.mkdir()
        told, steps_s, seen = ride_once(folder)
        ends.append(told.get("error", told["ok"]))
        if "recording" in told:
            later_s += seen_later(told, steps_s, seen)
        if len(later_s) >= STEPS:
            break
    assert len(later_s) >= STEPS, (later_s, ends)
    least_s, most_s = SHOWS_LATER_S
    assert least_s < np.median(later_s) < most_s, later_s
