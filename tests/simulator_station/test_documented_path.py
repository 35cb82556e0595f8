"""The path of `docs/hosts.md` from a simulator to a ride, in real time: what it says is done here.

The senders are processes of their own that know nothing of the bench: JSBSim, begun by the page's
own lines, and the page's own sender. Of both only the port is another one.
"""

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
from case_files import case_file
from desk_processes import desk_path
from host_verbs import free_port, hil
from operated_bench import QUICK
from ride_bench import coded, in_mode
from test_docs import ROOT
from test_end_to_end import Panel, engage_and_play

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.desk import messages as m
from hil.recording.reader import Recording
from hil.service import dry_run
from hil.stations.simulator.plan.scenario import load_ride
from hil.stations.simulator.run.rehearsal import rehearse
from hil.stations.simulator.run.ride_proof import judge
from hil.stations.simulator.signals import SIGNALS
from hil.stations.simulator.station import STATION

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the real clock is for Linux")
TEXT = (ROOT / "docs" / "hosts.md").read_text()


def own_copy(folder, map_="", port=None, duration_s=None):
    """`flight_live.toml` without its emulated source, as the page says; SI."""
    text = (configs_dir() / "scenarios" / "flight_live.toml").read_text()
    text = re.sub(r"\[source\.emulated\]\n(.+\n)+", "", text)
    end = "" if duration_s is None else f"duration_s = {duration_s}\n"
    text = re.sub(r"duration_s = .*\n", end, text)
    if map_:
        text = text.replace('map = "flightgear"', f'map = "{map_}"\nport = {port}')
    path = folder / "my_ride.toml"
    path.write_text(text.replace("../rigs/training_simulator.toml", "training_simulator"))
    return path


# --- what is judged before anything moves ---------------------------------------------------------


@pytest.mark.parametrize("duration_s", [None, 5.0])
def test_a_heard_ride_is_judged_in_what_is_known_with_an_end_as_without(tmp_path, duration_s):
    proof, ride = judge(load_ride(own_copy(tmp_path, duration_s=duration_s)))
    assert ride is None
    assert proof.ok


@pytest.mark.parametrize("duration_s", [None, 5.0])
def test_what_of_it_is_wrong_already_is_refused(tmp_path, duration_s):
    path = own_copy(tmp_path, duration_s=duration_s)
    too_high = "rig_settings.neutral.z_m=2.0"
    with pytest.raises(ConfigError, match=r"length 2.12\d+ m, limit 1.69 m"):
        judge(load_ride(path, [too_high]))
    proof, _ = judge(load_ride(path, [too_high, "cueing.governor=false"]))
    assert {one.phase for one in proof.violations} >= {"rise", "motion", "park"}
    assert any(one.quantity == "length" for one in proof.violations), proof.violations
    with pytest.raises(ConfigError, match="no such file"):
        judge(load_ride(path, ['source.map="flightgeer"']))


@pytest.mark.parametrize("duration_s", [None, 5.0])
def test_on_the_virtual_clock_it_is_refused_and_told_what_would_do(tmp_path, duration_s):
    path = own_copy(tmp_path, duration_s=duration_s)
    with pytest.raises(ConfigError, match='say here what is emulated, or choose clock = "real"'):
        judge(load_ride(path, ['clock="virtual"']))


def test_it_cannot_be_rehearsed_and_the_remedy_is_no_clock_that_it_has(tmp_path):
    path = own_copy(tmp_path, duration_s=5.0)
    for tried in (
        lambda: rehearse(load_ride(path)),
        lambda: dry_run(STATION, path, tmp_path, lambda t_s, total_s: None),
    ):
        with pytest.raises(ConfigError) as caught:
            tried()
        assert "nobody knows beforehand" in str(caught.value)
        assert "[source.emulated]" in str(caught.value)
        assert "choose clock" not in str(caught.value)
    emulated = configs_dir() / "scenarios" / "flight_live.toml"
    proof, ride = judge(load_ride(emulated, ["duration_s=0.3", 'source.emulated.feed="flight"']))
    assert proof.ok
    assert ride is not None


def test_the_case_is_judged(capsys):
    from hil.cli.main import app

    with pytest.raises(SystemExit) as end:
        app(["check", str(case_file("live_host_with_end", "my_ride.toml"))])
    told = " ".join(capsys.readouterr().out.split())
    assert end.value.code == 0, told
    assert "what it will say nobody knows beforehand" in told
    assert "rise, rest at neutral and parking" in told


# --- the path, in real time -----------------------------------------------------------------------


@contextmanager
def process(command, **more):
    """A process of its own, which is ended."""
    with subprocess.Popen(command, start_new_session=True, **more) as one:
        try:
            yield one
        finally:
            with suppress(ProcessLookupError):
                os.killpg(one.pid, signal.SIGKILL)


def own_sender(port):
    """The page's sender, to another port."""
    (code,) = re.findall(r"```python\n(import json[^`]+)```", TEXT)
    assert code.count("47111") == 1
    return process([sys.executable, "-c", code.replace("47111", str(port))])


def jsbsim(folder, port):
    """JSBSim by the page's lines, to another port."""
    (lines,) = re.findall(r"```\n(R=[^`]+jsbsim --realtime[^`]+)```", TEXT)
    directive = (configs_dir() / "hosts" / "hil_jsbsim.xml").read_text()
    assert directive.count("1138") == 1
    (folder / "directive.xml").write_text(directive.replace("1138", str(port)))
    assert "$PWD/configs/hosts/hil_jsbsim.xml" in lines
    lines = lines.replace("/tmp", str(folder))
    lines = lines.replace("$PWD/configs/hosts/hil_jsbsim.xml", str(folder / "directive.xml"))
    beside = str(Path(sys.executable).parent)
    return process(
        ["sh", "-c", lines],
        env=os.environ | {"PATH": f"{beside}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def ridden(scenario, *more, **how):
    """`hil run` of it, begun; slow moves are quick, and a slow cycle rides out a busy machine."""
    changes = [f"--set={one}" for one in ("rate_hz=50", *QUICK)]
    out = ("--out", str(scenario.parent / "runs"))
    return process(
        hil("run", str(scenario), *out, *more, *changes),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how,
    )  # fmt: skip


def recorded(run, folder):
    """What it told and its recording, after its end."""
    out, errors = run.communicate(timeout=100)
    assert run.returncode == 0, out + errors
    told = json.loads(out)
    assert told["ok"], told
    return told, Recording.open(next(folder.glob("runs/*/*.mcap")))


def require_sway(recording):
    """What was wanted is what the page's sender has: a sine of 1 m/s² to the right, on time.

    Its argument is the monotonic time, which all processes of a machine have in common.
    """
    live = coded(recording, "host") == "LIVE"
    live &= in_mode(recording, "ENGAGED") & (recording.column("weight") == 1.0)
    taken_s = recording.column("taken_stamp_s")
    live &= np.isfinite(taken_s)
    assert live.sum() > 20
    forward, right, down = recording.column("wanted_force_m_s2")[live].T
    off = np.abs(right - np.sin(taken_s[live]))
    assert np.median(off) < 0.05
    assert np.abs(forward).max() < 0.05
    assert np.abs(down + 9.80665).max() < 0.05


@ON_LINUX
@pytest.mark.real_time
@pytest.mark.skipif(not shutil.which("sh"), reason="the page's lines are for a shell")
def test_jsbsim_drives_a_ride_that_has_an_end(tmp_path):
    pytest.importorskip("jsbsim")
    port = free_port()
    scenario = own_copy(tmp_path, "jsbsim", port, 1.5)
    with jsbsim(tmp_path, port), ridden(scenario, "--json") as run:
        told, recording = recorded(run, tmp_path)
    assert told["outcome"] == "completed"
    live = in_mode(recording, "ENGAGED") & (coded(recording, "host") == "LIVE")
    assert live.sum() > 50
    force = recording.column("wanted_force_m_s2")[live & (recording.column("weight") == 1.0)]
    assert math.isclose(np.median(np.linalg.norm(force, axis=1)), 9.8, abs_tol=2.0)
    assert np.median(force[:, 2]) < -7.0, "an aeroplane on its wheels is borne from below"


@ON_LINUX
@pytest.mark.real_time
def test_the_page_s_own_sender_drives_a_ride_without_end_until_it_is_stopped(tmp_path):
    """It rises and follows within about 5 s of its own, which are real ones."""
    port = free_port()
    scenario = own_copy(tmp_path, "hcu1", port)
    with own_sender(port), ridden(scenario) as run:
        said = iter(run.stderr.readline, b"")
        begun = next((line for line in said if b"the run begins" in line), None)
        assert begun is not None, run.communicate()
        with pytest.raises(subprocess.TimeoutExpired):
            run.communicate(timeout=9.0)
        run.send_signal(signal.SIGINT)
        out, errors = run.communicate(timeout=60)
    assert b"what it will say nobody knows beforehand" in out
    assert run.returncode == 0, out + errors
    require_sway(Recording.open(next(tmp_path.glob("runs/*/*.mcap"))))


@ON_LINUX
@pytest.mark.real_time
def test_an_operator_leads_a_ride_of_the_page_s_own_sender(tmp_path):
    port = free_port()
    scenario = own_copy(tmp_path, "hcu1", port, 60.0)
    place = tmp_path / "runtime"
    place.mkdir(mode=0o700)
    where = os.environ | {"XDG_RUNTIME_DIR": str(place)}
    with own_sender(port), ridden(scenario, "--json", "--operator", env=where) as run:
        panel = Panel(desk_path(run, place / "hil-bench"), SIGNALS)
        try:
            panel.client.send(m.Take())
            panel.until_mode("IDLE")
            engage_and_play(panel)
            begun = len(panel.frames)
            panel.until(lambda: len(panel.frames) - begun > 60)
            panel.press("shut_down")
            while panel.modes[-1][1] != "OFF":
                changes = len(panel.modes)
                panel.until(lambda: len(panel.modes) > changes)  # noqa: B023
                if panel.modes[-1][1] == "HOLD":
                    panel.grip()
                    panel.press("park")
        finally:
            panel.client.close()
        told, recording = recorded(run, tmp_path)
    assert told["outcome"] == "completed"
    require_sway(recording)
