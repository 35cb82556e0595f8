"""Whole platform runs against drives on the wire: the same motion, verdicts and report on each."""

import dataclasses
import re
import shlex
import sys
from pathlib import Path

import pytest
from campaign import long_only, share_of
from rack_bench import (
    CHANCE,
    After,
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

import hil.report.style
import hil.stations.platform.run.runner
from hil.cli.main import app
from hil.recording.events import EventKind
from hil.recording.reader import Recording
from hil.stations.platform.drives.rack import emulated_rack
from hil.stations.platform.gate.remote import RemoteGate

# one at a time: they share two cores
pytestmark = [pytest.mark.real_time, needs_wires]

LOST_AT = {"modbus-rtu": (25, 60)}
"""Rate, and cycle in which drives get lost: on the way up; 100 Hz and 1.5 s if left out."""
SHORT = ["--set", "motion.duration_s=1", "--set", "motion.fade_s=0.5"]
WIRES = {
    "canopen_two_buses": (("canopen", 2), 100, 0.003),
    "modbus_tcp": (("modbus-tcp", 1), 100, 0.003),
    "canopen": (("canopen", 1), 100, 0.003),
    "modbus_rtu": (("modbus-rtu", 1), 25, 0.010),
}
"""Protocol and buses, rate, and how much worse than the arithmetic of `sim:` the legs may follow:
what is measured on a wire is one to two cycles old: at 0.12 m/s 1.2 to 2.4 mm at 100 Hz, 4.8 to
9.6 mm at 25 Hz.
"""


@pytest.fixture(scope="module", autouse=True)
def coarse():
    """Nobody looks at the pictures of these reports: all are drawn, in few dots."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hil.report.style, "DPI", 36)
        yield


@pytest.fixture(scope="module")
def rig(tmp_path_factory) -> Path:
    return write_quick_rig(tmp_path_factory.mktemp("rig"))


@pytest.fixture(scope="module")
def canopen_url(rig):
    """One rack for the tests that leave it as they found it."""
    with emulated_rack("canopen", str(rig)) as url:
        yield url


@pytest.fixture
def certificates(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "hil" / "commissioned"


def run_arguments(rig, url, out, *more):
    return ["run", "on_drives", "--drives", url, "--out", out, "--set", f"rig={rig}", *SHORT, *more]


def drives_of(recording: str | Path) -> str:
    """What a recording says of its drives."""
    return Recording.open(Path(recording)).metadata["run"]["drives"]


def sections(page: str) -> list[str]:
    titles = re.findall(r"<h2>([^<]*)</h2>", Path(page).read_text(encoding="utf-8"))
    return [title for title in titles if title != "Before you read on"]


@pytest.fixture(scope="module")
def on_sim(rig, tmp_path_factory):
    return told_well(*run_arguments(rig, "sim:", tmp_path_factory.mktemp("sim"), "--report"))


@pytest.mark.campaign
@pytest.mark.parametrize("wire", share_of(WIRES, least=2))
def test_a_platform_run_is_the_same_on_every_wire(wire, rig, on_sim, tmp_path):
    (protocol, buses), rate_hz, worse_m = WIRES[wire]
    rate = ["--set", f"rate_hz={rate_hz}"]
    with emulated_rack(protocol, str(rig), buses=buses) as url:
        answer = told_well(*run_arguments(rig, url, tmp_path, "--report", *rate))
    assert answer["outcome"] == on_sim["outcome"] == "completed"
    assert answer["mode"] == "OFF"
    assert answer["verdicts"] == on_sim["verdicts"] == []
    assert answer["recording_status"] == "DONE"
    assert answer["recording_dropped"] == 0
    link = answer["link"]
    assert link["cycles"] >= answer["cycles"]
    assert len(link["missing"]) == 6
    assert max(link["missing"]) < 0.1 * link["cycles"]
    assert link.get("malformed", 0) == link.get("exceptions", 0) == 0
    assert 0.0 < answer["tracking_error_max_m"] < on_sim["tracking_error_max_m"] + worse_m
    for figure in ("length_min_m", "length_max_m"):
        assert answer[figure] == pytest.approx(on_sim[figure], abs=0.001)
    drives = drives_of(answer["recording"])
    assert drives.startswith("SIMULATED ")
    assert f"({url})" in drives
    assert len(url.split()) == buses
    assert sections(answer["report"]) == sections(on_sim["report"]) != []
    page = Path(answer["report"]).read_text(encoding="utf-8")
    assert "SIMULATED" in page


def test_absent_drives_are_refused_with_the_command_that_goes_on_in_simulation(
    rig, tmp_path, monkeypatch
):
    url = "slcan:socket://127.0.0.1:9"  # discard: nobody listens
    arguments = [str(each) for each in run_arguments(rig, url, tmp_path)]
    monkeypatch.setattr(sys, "argv", ["hil", *arguments])
    refused = shown(*arguments, status=1).stderr
    assert "nothing has moved" in refused
    assert f"the drives at {url} are not there" in refused
    assert "refused" in refused
    assert list(tmp_path.iterdir()) == []
    offered = refused.rpartition("instead:")[2].strip()
    assert offered == shlex.join(["hil", *arguments, "--fallback", "sim"])

    went_on = shown_well(*shlex.split(offered)[1:])
    assert "SIMULATED DRIVES" in went_on.stderr
    assert f"{url} is not there" in went_on.stderr
    folder = max(tmp_path.iterdir())
    drives = drives_of(folder / "recording.mcap")
    assert drives.startswith("SIMULATED ")
    assert f"in place of {url}, which was not there" in drives


LOST = {
    "canopen unplugged": ("canopen", "unplug", "lost until a new start"),
    "modbus-tcp unplugged": ("modbus-tcp", "unplug", "Connection refused"),
    "modbus-rtu unplugged": ("modbus-rtu", "unplug", "lost until a new start"),
    "a canopen drive muted": ("canopen", "mute node=3", "leg 3: feedback missing"),
    "canopen killed": ("canopen", "kill", "lost|gone"),
    "modbus-tcp killed": ("modbus-tcp", "kill", "lost|gone|leg 1: feedback missing"),
    "modbus-tcp muted": ("modbus-tcp", "mute", "leg 1: feedback missing"),
}


@pytest.mark.campaign
@pytest.mark.parametrize("loss", share_of(LOST, least=2))
def test_drives_lost_in_mid_run_end_it_with_the_reason(loss, rig, tmp_path, monkeypatch):
    protocol, line, words = LOST[loss]
    rate_hz, lost_at = LOST_AT.get(protocol, (100, 150))

    def lose() -> dict:
        with rack("--protocol", protocol, "--rig", str(rig)) as drives:
            act = drives.kill if line == "kill" else lambda: drives.say(line)
            monkeypatch.setattr("hil.service.StopSignals", lambda: After(lost_at, act))
            rate = ["--set", f"rate_hz={rate_hz}"]
            answer = told(*run_arguments(rig, drives.url, tmp_path, *rate), status=1)
            return answer | {"url": drives.url}

    def tripped_before(answer: dict) -> bool:
        cycles = Recording.open(Path(answer["recording"])).cycles
        return cycles < lost_at - 1 and bool(CHANCE.search(answer["reason"]))

    answer = repeated(lose, tripped_before)
    assert answer["outcome"] in ("tripped", "failed")
    verdicts = [verdict["message"] for verdict in answer["verdicts"]]
    reasons = [answer["reason"], *answer["powered"], *verdicts]
    if "node=" not in line:
        assert any(answer["url"] in reason for reason in reasons), "which wire"
    assert "Error:" not in answer["reason"], "words, and no class of the program"
    assert answer["reason"]
    assert any(re.search(words, reason) for reason in reasons), reasons
    assert answer["recording_status"] == "DONE"
    assert answer["link"]["cycles"] >= lost_at - 1, "told although the link is gone"
    recording = Recording.open(Path(answer["recording"]))
    assert recording.cycles >= lost_at - 1, "all that came before the loss is there"
    modes = [e.data["mode"] for e in recording.events if e.kind is EventKind.MODE]
    assert modes[:4] == ["IDLE", "HOMING", "STANDBY", "ENGAGING"]
    assert "PARKING" not in modes, "nothing is commanded on a wire that is lost"
    if answer["outcome"] == "tripped":
        assert modes[-1] == "FAULT"


@pytest.fixture
def taken_for_real(monkeypatch):
    """The emulated drives do not say that they are emulated."""
    opened = RemoteGate.open
    monkeypatch.setattr(
        RemoteGate, "open", lambda gate: dataclasses.replace(opened(gate), simulated=False)
    )


@pytest.mark.usefixtures("taken_for_real", "certificates")
def test_real_drives_are_not_moved_fast_without_a_test_move(canopen_url, rig, tmp_path):
    refused = shown(*run_arguments(rig, canopen_url, tmp_path / "runs"), status=1).stderr
    assert "missing is its slow test move" in refused
    assert f"hil drives test {rig} --drives '{canopen_url}'" in refused


@pytest.mark.campaign
@long_only
@pytest.mark.usefixtures("taken_for_real")
def test_real_drives_are_moved_fast_after_a_witnessed_test_move(
    canopen_url, rig, certificates, tmp_path
):
    arguments = run_arguments(rig, canopen_url, tmp_path / "runs")
    slow = ["drives", "jog", rig, "--leg", "2", "--by", "0.004", "--hold", "0"]
    on_rack = ["--drives", canopen_url, "--out", tmp_path / "runs", "--rate", "100"]
    assert told_well(*slow, *on_rack)["outcome"] == "completed"
    homed = told_well("drives", "home", rig, "--leg", "2", *on_rack)
    assert homed["homed"] == [2], "slow, and the first thing that a new machine does"
    assert not certificates.exists()

    passed = told_well("drives", "test", rig, "--witness", "A. Person", *on_rack)
    assert [leg["leg"] for leg in passed["legs"]] == [1, 2, 3, 4, 5, 6]
    assert all(leg["faults"] == [] and leg["switch"] == "left" for leg in passed["legs"])
    assert Path(passed["certificate"]).parent == certificates

    ran = told_well(*arguments)
    assert ran["outcome"] == "completed"
    assert "SIMULATED" not in drives_of(ran["recording"])


REFUSED = {
    "a virtual clock": (["--clock", "virtual"], "tcp", 'need clock = "real"'),
    "faults": (["--set", 'faults=[{kind="lag",leg=1,start_s=1.0}]'], "tcp", "for simulated drives"),
    "two gateways": ([], "two", "two CAN buses with a space between"),
    "an unknown link": ([], "telnet://127.0.0.1:23", "slcan:"),
    "no device": ([], "slcan:", "slcan:/dev/serial/by-id/"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_drives_on_a_wire_that_cannot_be_as_asked_are_bad_usage(case, tmp_path):
    more, url, words = REFUSED[case]
    gateway = "modbus-tcp://127.0.0.1:1502"
    url = {"tcp": gateway, "two": f"{gateway} {gateway}"}.get(url, url)
    arguments = ["run", "on_drives", "--drives", url, "--out", str(tmp_path), *more]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 2, result.output
    assert words in " ".join(result.stderr.split())
    assert list(tmp_path.iterdir()) == []
