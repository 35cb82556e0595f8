"""Stations together that people lead: each has a desk, and the end of one leaves the other be."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from desk_processes import desk_path

import hil.run.together
from hil.config.settings import ConfigError
from hil.desk import messages as m
from hil.desk.client import DeskClient
from hil.recording.events import EventKind
from hil.recording.reader import Recording
from hil.run.part_process import PartProcess
from hil.run.together import TogetherScenario, run_together
from hil.timing.realtime import RealClock

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.skipif(sys.platform != "linux", reason="the real clock is for Linux"),
]
NOW_S = RealClock().now_s
REAL = 'changes = ["clock=real", "rate_hz=100", "check_first=false"]\n'
TELLS = "import json, sys; print(json.dumps({'ok': True, 'argv': sys.argv}))"


def write(tmp_path, *parts):
    path = tmp_path / "both.toml"
    named = (f'[[part]]\nname = "{name}"\nscenario = "heave"\n{more}' for name, more in parts)
    path.write_text('station = "together"\nname = "both"\n' + "\n".join(named))
    return path


@pytest.mark.parametrize(("everybody", "led"), [(False, [True, False]), (True, [True, True])])
def test_who_is_led_is_told_to_the_parts(tmp_path, everybody, led):
    path = write(tmp_path, ("a", "operator = true\n" + REAL), ("b", ""))
    results = run_together(
        TogetherScenario.load(path, operator=everybody),
        path,
        tmp_path / "runs",
        program=("-c", TELLS),
    )
    assert ["--operator" in result.values["argv"] for result in results] == led
    assert ["clock=real" in result.values["argv"] for result in results] == led


def test_a_led_part_has_time_to_be_parked_by_hand(tmp_path, monkeypatch):
    given = {}
    begun = PartProcess.__init__

    def note(self, settings, beside, folder, program, now_s, stop_within_s):
        given[settings.name] = stop_within_s
        begun(self, settings, beside, folder, program, now_s, stop_within_s)

    monkeypatch.setattr(PartProcess, "__init__", note)
    path = write(tmp_path, ("a", "operator = true\n" + REAL), ("b", ""))
    run_together(TogetherScenario.load(path), path, tmp_path / "runs", program=("-c", TELLS))
    assert given == {"a": hil.run.together.LED_STOP_WITHIN_S, "b": hil.run.together.STOP_WITHIN_S}
    assert hil.run.together.LED_STOP_WITHIN_S >= 600.0


def test_a_part_that_nobody_could_lead_is_refused_before_any_of_them_starts(tmp_path):
    path = write(tmp_path, ("a", REAL), ("b", "operator = true\n"))
    with pytest.raises(ConfigError, match=r"part b: operator = true, but .*heave.toml has clock"):
        TogetherScenario.load(path)
    assert TogetherScenario.load(path, operator=True).part[1].operator


def test_one_station_is_led_while_another_one_just_runs(tmp_path):
    place = tmp_path / "runtime"
    place.mkdir(mode=0o700)
    path = write(tmp_path, ("a", "operator = true\n" + REAL), ("b", ""))
    process = subprocess.Popen(
        [sys.executable, "-m", "hil.cli", "run", str(path), "--json",
         "--out", str(tmp_path / "runs")],
        env=os.environ | {"XDG_RUNTIME_DIR": str(place)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        end(desk_path(process, place / "hil-bench"))
        out, errors = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
    assert process.returncode == 0, errors
    parts = json.loads(out)["parts"]
    assert [part["outcome"] for part in parts.values()] == ["completed", "completed"]
    assert not any(part["asked_to_stop"] for part in parts.values())
    events = Recording.open(Path(parts["a"]["recording"])).events
    modes = [event.data["mode"] for event in events if event.kind is EventKind.MODE]
    assert set(modes) <= {"IDLE", "OFF"}, "nothing moves without a press for it"


def end(path):
    """Take the motion and end the run, as somebody at a panel would."""
    client = DeskClient.connect(path, "test")
    try:
        client.send(m.Take())
        end_s, alive = NOW_S() + 20.0, True
        while alive:
            assert NOW_S() < end_s
            client.send(m.Alive(held=False, stamp_s=NOW_S()))
            client.send(m.Press(button="shut_down"))
            client.wait(0.05)
            states = [one for one in client.poll() if isinstance(one, m.State)]
            alive = client.open and all(one.bench for one in states)
    finally:
        client.close()
