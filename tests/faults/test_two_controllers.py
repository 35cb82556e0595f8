"""Two controllers at one machine: the second is refused, and the first goes on.

The first is a real run on an emulated rack. What the second has done is judged by the frames that
the bus saw, and what became of the first by its own end.
"""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from bus_hub import BusHub
from campaign import share_of
from rack_bench import needs_wires, rack, repeated, write_quick_rig

from hil.timing.realtime import MonotonicSleeper

pytestmark = [needs_wires, pytest.mark.real_time]

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = """\
name = "first"
rig = "{rig}"
clock = "real"
rate_hz = 100.0
check_first = false
[motion]
kind = "multi_sine"
duration_s = {duration_s}
fade_s = 0.5
terms = [{{ axis = "z", amplitude_m = 0.02, frequency_hz = 0.5 }}]
"""
AS_NOBODY = """\
import os, sys
sys.path.insert(0, {root!r})
import drives.can.slcan_bus, encodings.idna
from drives.links import open_can, parse_link
os.setgroups([]); os.setgid({user}); os.setuid({user})
try:
    open_can(parse_link(sys.argv[1]), bitrate=1000000, now_s=lambda: 0.0)
except OSError as error:
    sys.exit(str(error))
"""
"""Another user opens the link as a gate does; the interpreter itself may be closed to that user."""
NOBODY = 65534
SLEEPER = MonotonicSleeper()


def now_s():
    return SLEEPER.now_ns() * 1e-9


class First:
    """`hil run` on drives that it has aloft."""

    def __init__(self, url, folder, duration_s=60.0):
        scenario = folder / "first.toml"
        rig = write_quick_rig(folder)
        scenario.write_text(SCENARIO.format(rig=rig, duration_s=duration_s))
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "hil.cli", "run", str(scenario), "--drives", url, "--json",
             "--out", str(folder / "runs")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )  # fmt: skip

    def end(self):
        """Ask it to stop and park, as Ctrl-C does; what it tells of its run."""
        self.process.send_signal(signal.SIGINT)
        said, errors = self.process.communicate(timeout=120)
        lines = said.splitlines()
        return json.loads(lines[-1]) if lines else {"ok": False, "reason": errors.decode()}


@contextmanager
def machine(adapters):
    """An emulated rack behind a bus with ears."""
    with rack("--protocol", "canopen", "--rig", "paper", "--unpaced") as emulated:
        hub = BusHub(emulated.url, adapters)
        try:
            yield hub
        finally:
            hub.close()


def wait_until(condition, within_s=60.0):
    end_s = now_s() + within_s
    while not condition():
        assert now_s() < end_s, "it did not come to that"
        SLEEPER.sleep_until_ns(SLEEPER.now_ns() + 20_000_000)


def setpoints(hub):
    """Frames with setpoints of the first controller, since it moves."""
    return [data for can_id, data in hub.sent_by(0) if 0x201 <= can_id <= 0x206]


def aloft(hub):
    """Whether the first has drives under force: controlword 15 in mode 8."""
    newest = setpoints(hub)[-6:]
    return len(newest) == 6 and all(data[0] & 15 == 15 and data[2] == 8 for data in newest)


def second(url, folder, user=0, **environment):
    """Another program at the same drives; returns its status and what it says."""
    command = ["-m", "hil.cli", "drives", "home", "paper", "--drives", url, "--out", str(folder)]
    if user:
        command = ["-c", AS_NOBODY.format(root=str(ROOT), user=user), url]
    bare = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    ended = subprocess.run(
        [sys.executable, "-P", *command], capture_output=True, text=True, cwd="/",
        env=bare | {"PYTHONPATH": str(ROOT)} | environment, timeout=120, check=False,
    )  # fmt: skip
    return ended.returncode, " ".join((ended.stdout + ended.stderr).split())


def first_goes_on(first, hub, before):
    """The end of the first; a machine that was late spoils the attempt."""
    if first.process.poll() is None:
        wait_until(lambda: len(setpoints(hub)) > before + 300, 30.0)  # half a second more
        assert aloft(hub)
    return first.end()


OTHERS = {
    "environment": {"XDG_RUNTIME_DIR": "/nowhere", "TMPDIR": "/tmp"},
    "user": {"user": NOBODY},
}
AS_ROOT = ["user", "environment"]
"""Only the superuser can become another."""


@pytest.mark.campaign
@pytest.mark.parametrize("other", share_of(AS_ROOT if os.getuid() == 0 else ["environment"]))
def test_row_35_a_second_run_at_one_adapter_is_refused_before_it_says_anything(other, tmp_path):
    def attempt(tries=iter(range(9))):  # noqa: B008 one count for all attempts
        folder = tmp_path / str(next(tries))
        folder.mkdir()
        folder.chmod(0o777)
        with machine(1) as hub:
            first = First(hub.urls[0], folder)
            wait_until(lambda: aloft(hub))
            before = len(setpoints(hub))
            status, said = second(hub.urls[0], folder / "two", **OTHERS[other])
            assert status == 1, said
            assert "another controller has it" in said, said
            assert "user 0" in said or os.getuid(), said
            return first_goes_on(first, hub, before)

    told = repeated(attempt, lambda told: not told["ok"])
    assert told["ok"], told


def test_row_35_a_second_adapter_at_the_bus_is_refused_before_it_sends_anything(tmp_path):
    def attempt(tries=iter(range(9))):  # noqa: B008 one count for all attempts
        folder = tmp_path / str(next(tries))
        folder.mkdir()
        with machine(2) as hub:
            first = First(hub.urls[0], folder)
            wait_until(lambda: aloft(hub))
            before = len(setpoints(hub))
            status, said = second(hub.urls[1], folder / "two")
            assert status == 1, said
            assert "another master" in said, said
            assert "stop the other controller first" in said, said
            assert hub.sent_by(1) == [], "not even a question, which would disturb the first"
            return first_goes_on(first, hub, before)

    told = repeated(attempt, lambda told: not told["ok"])
    assert told["ok"], told
