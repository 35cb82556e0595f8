"""The verbs that look at drives and move their legs slowly, on emulated racks on the wire."""

import json
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import bench_plans
import numpy as np
import pytest
from rack_bench import (
    needs_wires,
    rack,
    repeated,
    runner,
    shown,
    shown_well,
    told,
    told_well,
    write_quick_rig,
)

import hil.stations.platform.drives.rack
import hil.stations.platform.run.runner
from drives.bank import LinkError
from drives.links import lock_modbus, parse_link
from hil.cli.main import app
from hil.config.errors import RefusedError
from hil.recording.events import EventKind
from hil.recording.reader import Recording
from hil.stations.platform.commissioning.moves import home_and_show
from hil.stations.platform.drives.rack import emulated_rack

# one at a time: they share two cores
pytestmark = [pytest.mark.real_time, needs_wires]
RATE = ["--rate", "100"]


@pytest.fixture(scope="module")
def rig(tmp_path_factory) -> Path:
    return write_quick_rig(tmp_path_factory.mktemp("rig"))


@pytest.fixture(scope="module")
def canopen(rig):
    with rack("--protocol", "canopen", "--rig", str(rig)) as emulated:
        yield emulated


@pytest.fixture(scope="module")
def modbus_url(rig):
    with emulated_rack("modbus-tcp", str(rig)) as url:
        yield url


@pytest.fixture(autouse=True)
def certificates(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def modes(answer: dict) -> list[str]:
    recording = Recording.open(Path(answer["recording"]))
    return [event.data["mode"] for event in recording.events if event.kind is EventKind.MODE]


def led(answer: dict) -> np.ndarray:
    """How far each leg was seen to go from its parked place [m], (6,)."""
    recording = Recording.open(Path(answer["recording"]))
    engaged = recording.column("mode") == recording.modes.index("ENGAGED")
    measured = recording.column("measured_length_m")[engaged]
    return np.abs(measured - measured[0]).max(axis=0)


def test_all_legs_are_homed(canopen, rig, tmp_path):
    answer = told_well("drives", "home", rig, "--drives", canopen.url, "--out", tmp_path, *RATE)
    assert answer["homed"] == [1, 2, 3, 4, 5, 6]
    assert modes(answer) == ["IDLE", "HOMING", "STANDBY", "OFF"]


def test_one_leg_is_homed_and_the_others_are_left_alone(canopen, rig, tmp_path):
    where = ["--drives", canopen.url, "--out", tmp_path, *RATE]
    answer = told_well("drives", "home", rig, "--leg", "3", *where)
    assert answer["homed"] == [3]
    assert "STANDBY" not in modes(answer), "not before all legs are homed"
    inputs = Recording.open(Path(answer["recording"])).column("measured_inputs_bits")
    assert np.isfinite(inputs).all()


def test_a_jog_moves_one_leg_by_what_was_asked(modbus_url, rig, tmp_path):
    jog = ["drives", "jog", rig, "--leg", "4", "--by", "0.006", "--hold", "0.2", *RATE]
    answer = told_well(*jog, "--drives", modbus_url, "--out", tmp_path)
    ways = led(answer)
    assert ways[3] == pytest.approx(0.006, abs=2e-4)
    assert np.delete(ways, 3).max() < 2e-4


def test_park_stands_under_force_and_switches_off(canopen, rig, tmp_path):
    answer = told_well("drives", "park", rig, "--drives", canopen.url, "--out", tmp_path, *RATE)
    assert answer["mode"] == "OFF"
    assert led(answer).max() < 2e-4


def test_emulated_drives_pass_the_test_move_and_people_can_read_it(modbus_url, rig, tmp_path):
    where = ["--drives", modbus_url, "--out", tmp_path, *RATE]
    result = shown_well("drives", "test", rig, *where)
    rows = re.findall(r"^(\d) +([\d.]+) +([\d.]+) .*left +ok", result.stdout, re.MULTILINE)
    assert [row[0] for row in rows] == list("123456")
    assert [float(row[1]) for row in rows] == [5.0, 6.0, 7.0, 8.0, 9.0, 10.0]
    assert "passed" in result.stdout


def test_scan_lists_the_drives_and_what_they_can(canopen):
    answer = told("drives", "scan", canopen.url, status=0)
    (link,) = answer["links"]
    assert [node["node"] for node in link["nodes"]] == [1, 2, 3, 4, 5, 6]
    assert [node["serial"] for node in link["nodes"]] == [1001, 1002, 1003, 1004, 1005, 1006]
    assert all({"csp", "hm"} <= set(node["modes"]) for node in link["nodes"])
    text = shown("drives", "scan", canopen.url).stdout
    assert text.count("HIL emulated drive") == 6


def test_scan_names_a_modbus_gateway(modbus_url):
    (link,) = told("drives", "scan", modbus_url, status=0)["links"]
    assert link["gateway"][:2] == ["HIL bench", "HIL emulated rack"]
    assert "HIL emulated rack" in shown("drives", "scan", modbus_url).stdout


@pytest.mark.parametrize("verb", [["drives", "scan"], ["doctor", "--duration", "0.5", "--drives"]])
def test_a_link_that_a_bank_has_is_not_looked_at(verb, modbus_url):
    link = parse_link(modbus_url)
    lock = lock_modbus(link)
    try:
        refused = runner.invoke(app, [*verb, modbus_url, "--json"])
        assert "another controller has it" in refused.output
        assert refused.exit_code == 1
    finally:
        lock.release()
    assert "HIL emulated rack" in shown("drives", "scan", modbus_url).stdout
    lock_modbus(link).release()  # the look has given it back


@pytest.mark.parametrize("leg", [2, None])
def test_legs_that_were_not_homed_are_not_told_as_homed(leg, tmp_path, capsys):
    fault = 'faults=[{kind="drive_fault",leg=2,start_s=0.1,value=8976.0}]'
    assert not home_and_show(bench_plans.plan(fault), leg, tmp_path, as_json=True)
    answer = json.loads(capsys.readouterr().out)
    assert answer["ok"] is False
    assert 2 not in answer["homed"]
    assert home_and_show(bench_plans.plan(), leg, tmp_path, as_json=True)
    assert json.loads(capsys.readouterr().out)["homed"] == ([leg] if leg else [1, 2, 3, 4, 5, 6])


def test_faults_shows_what_the_drives_remember(rig):
    with rack("--protocol", "canopen", "--rig", str(rig)) as drives:
        clean = told("drives", "faults", drives.url, status=0)
        assert clean["faults"] == {str(node): [] for node in range(1, 7)}
        drives.say("emcy node=2 value=0x3210 duration_s=0.1")
        # What is said to the rack and what is asked on its wire come by different ways.
        answer = repeated(lambda: told("drives", "faults", drives.url), lambda told: told["ok"])
        assert answer["faults"]["2"][:1] == ["3210h"]
        assert answer["faults"]["1"] == []
        assert "node 2: 3210h" in shown("drives", "faults", drives.url, status=1).stdout


def test_doctor_looks_at_a_link(canopen, modbus_url):
    for url, who in ((canopen.url, "HIL emulated drive"), (modbus_url, "HIL emulated rack")):
        findings = {
            f["item"]: f for f in told("doctor", "--duration", "0.5", "--drives", url)["findings"]
        }
        assert findings["drives"]["verdict"] == "ok"
        assert who in findings["drives"]["detail"]
        timed = "round trip" if url == modbus_url else "SDO"
        assert "us for one request" in findings[timed]["detail"]
        if timed == "SDO":
            assert "TPDO1 of the slowest of 6 drives" in findings["SYNC to TPDO"]["detail"]
        by = "echo" if url == modbus_url else "lag of the measured path"
        assert by in findings["age of feedback"]["detail"]
        stamped = "by the time stamp (1013h) of node 1, 2, 3, 4, 5, 6 if"
        assert (stamped in findings["age of feedback"]["detail"]) == (url != modbus_url)


def test_doctor_says_that_a_link_is_dead():
    url = "modbus-tcp://127.0.0.1:9"
    answer = told("doctor", "--duration", "0.5", "--drives", url, status=1)
    (drives,) = [finding for finding in answer["findings"] if finding["item"] == "drives"]
    assert drives["verdict"] == "bad"
    assert url in drives["detail"]
    assert drives["remedy"]


NOWHERE = "slcan:socket://127.0.0.1:9"
SLOW_VERBS = {
    "home": [],
    "jog": ["--leg", "2", "--by", "0.004"],
    "park": [],
    "test": [],
}


@pytest.mark.parametrize(("name", "buses"), [*((name, 1) for name in SLOW_VERBS), ("home", 2)])
def test_a_slow_verb_goes_on_with_emulated_drives_only_if_told(
    name, buses, rig, tmp_path, monkeypatch
):
    """Nothing is started here: what would be run, and on which rack, is looked at instead."""
    absent, stand_in = " ".join([NOWHERE] * buses), " ".join(["slcan:socket://rack:1"] * buses)
    ran, racks = [], []

    def play(prepared, _opening):
        ran.append(prepared.plan)
        raise (LinkError("connection refused") if len(ran) == 1 else RefusedError("seen"))

    @contextmanager
    def emulated_rack(protocol, rig_file, *, buses):
        racks.append((protocol, Path(rig_file).stem, buses))
        yield stand_in

    monkeypatch.setattr(hil.stations.platform.run.runner, "play_plan", play)
    monkeypatch.setattr(hil.stations.platform.drives.rack, "emulated_rack", emulated_rack)
    verb = ["drives", name, rig, *SLOW_VERBS[name], "--drives", absent, "--out", tmp_path]
    refused = shown(*verb, status=1).stderr
    assert "nothing has moved" in refused
    assert (len(ran), racks) == (1, [])
    ran.clear()
    assert "seen" in shown(*verb, "--fallback", "sim", status=1).stderr
    assert racks == [("canopen", rig.stem, buses)]
    real, emulated = ran
    assert real.drives_url == absent
    assert emulated.drives_url == stand_in
    assert emulated.scenario.devices.in_place_of == absent
    assert emulated.scenario.motion == real.scenario.motion


def test_two_buses_that_are_not_there_are_replaced_by_two(rig, tmp_path):
    where = ["--drives", f"{NOWHERE} {NOWHERE}", "--fallback", "sim", "--out", tmp_path, *RATE]
    answer = told_well("drives", "home", rig, *where)
    assert answer["homed"] == [1, 2, 3, 4, 5, 6]
    drives = Recording.open(Path(answer["recording"])).metadata["run"]["drives"]
    url = re.fullmatch(rf"SIMULATED .*\((.*), in place of {NOWHERE} {NOWHERE}, which .*\)", drives)[
        1
    ]
    assert len(set(url.split())) == 2


WRONG = {
    "home at no link": (["home", "paper", "--drives", "telnet:x"], 2, "slcan:"),
    "home a seventh leg": (["home", "paper", "--leg", "7"], 2, "equal to 6"),
    "home at nobody": (["home", "paper", "--drives", "modbus-tcp://127.0.0.1:9"], 1, "not there"),
    "jog no leg": (["jog", "paper", "--by", "0.01"], 2, "--leg"),
    "jog too fast": (["jog", "paper", "--leg", "1", "--by", "0.01", "--speed", "0.5"], 2, "0.3"),
    "jog at no speed": (["jog", "paper", "--leg", "1", "--by", "0.01", "--speed", "0"], 2, "0.3"),
    "jog out of the stroke": (["jog", "paper", "--leg", "1", "--by", "2"], 2, "leg move 1"),
    "test an unknown rig": (["test", "nowhere"], 2, "no such file"),
    "scan arithmetic": (["scan", "sim:"], 2, "without a wire"),
    "scan nobody": (["scan", "modbus-tcp://127.0.0.1:9"], 1, "modbus-tcp://127.0.0.1:9"),
    "faults at nobody": (["faults", "slcan:socket://127.0.0.1:9"], 1, "127.0.0.1:9"),
    "faults of no link": (["faults", "paper"], 2, "URL"),
    "rack of no protocol": (
        ["rack", "--protocol", "profibus"],
        2,
        "canopen, modbus-rtu, modbus-tcp",
    ),
    "rack, two ways": (["rack", "--protocol", "modbus-tcp", "--pty"], 2, "pseudo-terminal"),
    "rack of no rig": (["rack", "--rig", "nowhere"], 2, "no such file"),
    "rack without script": (["rack", "--script", "nowhere.toml"], 1, "nowhere.toml"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_done_is_said(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments, status, words = WRONG[case]
    result = runner.invoke(app, ["drives", *arguments], terminal_width=200)
    assert result.exit_code == status, result.output + repr(result.exception)
    assert words in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


def test_faults_of_a_gateway_without_a_history_are_refused(modbus_url):
    assert "no history" in shown("drives", "faults", modbus_url, status=1).stderr


@pytest.mark.parametrize("protocol", ["canopen", "modbus-tcp"])
def test_a_script_of_unknown_faults_is_refused_before_the_rack_starts(protocol, tmp_path):
    script = tmp_path / "script.toml"
    script.write_text('[[fault]]\nkind = "gremlin"\nat_s = 1.0\n')
    arguments = ["drives", "rack", "--protocol", protocol, "--script", script]
    refused = shown(*arguments, status=2)
    assert "script.toml" in refused.stderr
    assert refused.stdout == ""


@pytest.mark.parametrize("protocol", ["canopen", "modbus-tcp"])
def test_a_port_in_use_is_refused(protocol):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "hil.cli", "drives", "rack", "--protocol", protocol]
        done = subprocess.run(
            [*command, "--port", port], input="", capture_output=True, text=True, timeout=60
        )
    assert done.returncode == 1
    assert done.stdout == ""
    assert "the rack cannot start on port" in done.stderr
    assert port in done.stderr
    assert "Traceback" not in done.stderr


def test_a_rack_ends_at_ctrl_c(rig):
    with rack("--protocol", "modbus-tcp", "--rig", str(rig)) as emulated:
        emulated.process.send_signal(signal.SIGINT)
        assert emulated.process.wait(10.0) == 0
