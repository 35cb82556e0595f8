"""Platform and arm at the same time, each in a process of its own."""

import json
import select
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from campaign import long_only
from rack_bench import needs_wires, write_quick_rig
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.config.settings import ConfigError, read_toml
from hil.run.part_process import PartNote, PartProcess
from hil.run.together import TogetherScenario, run_together
from hil.stations.arm.plan.scenario import load_arm_plan
from hil.stations.arm.run.bench import prepare_plan
from hil.timing.realtime import RealClock

pytestmark = pytest.mark.real_time

runner = CliRunner()
SHIPPED = configs_dir() / "scenarios" / "platform_and_arm.toml"
PLACE = (
    "space_arm.model=b",
    "mapping.start={position_m=[0.45, 0.15, 0.75], oat_deg=[90.0, 0.0, 0.0]}",
    "mapping.start_joints_deg=[46.4, 78.1, -218.3, 53.8, 63.8, -31.1]",
)
"""Where the robot begins: to look for the deepest place takes longer than these motions."""


def up(duration_s, speed_m_s=0.01):
    """Changes that make a short way up of the arm's scenario."""
    return (
        *PLACE,
        f"source.segment=[{{duration_s={duration_s}, velocity_m_s=[0, 0, {speed_m_s}]}}]",
    )


def write(tmp_path, *parts, together="true"):
    path = tmp_path / "both.toml"
    head = f'station = "together"\nname = "both"\nstop_together = {together}\n'
    path.write_text(head + "\n".join(parts))
    return path


def part(name, scenario, *changes):
    return f'[[part]]\nname = "{name}"\nscenario = "{scenario}"\nchanges = {json.dumps(changes)}\n'


def told(path, tmp_path, *options):
    words = ["run", str(path), "--out", str(tmp_path / "runs"), "--json", *options]
    answer = runner.invoke(app, words)
    return answer.exit_code, json.loads(answer.stdout)


def test_the_shipped_one_is_sound():
    scenario = TogetherScenario.load(SHIPPED)
    assert [one.name for one in scenario.part] == ["platform", "arm"]
    assert scenario.stop_together


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (part("a", "demo"), "at least 2"),
        (part("a", "demo") + part("a", "heave"), "must differ"),
        (part("a", "demo") + part("b", "nowhere"), "no such file"),
        (
            part("a", "demo") + part("b", "heave") + 'after = "c"\n',
            r"part\.1\.after = 'c': a part above it is needed, \['a'\]",
        ),
        (
            part("a", "demo") + 'after = "b"\n' + part("b", "heave"),
            r"part\.0\.after = 'b': a part above it is needed, none",
        ),
        (
            part("a", "demo") + part("b", "heave", "name={recording}"),
            r"part\.1\.changes: \{recording\} needs after",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, text, words):
    with pytest.raises(ConfigError, match=words):
        TogetherScenario.load(write(tmp_path, text))


def test_both_run_and_both_tell(tmp_path):
    path = write(
        tmp_path,
        part("platform", "heave", "motion.duration_s=2"),
        part("arm", "bkm_on_rm01", *up(3.0)),
    )
    status, answer = told(path, tmp_path)
    assert status == 0, answer
    assert answer["parts"]["platform"]["outcome"] == "completed"
    assert answer["parts"]["arm"]["result"] == "completed"
    assert not any(one["asked_to_stop"] for one in answer["parts"].values())


ACTOR = """
import os, pathlib, signal, sys, json
from hil.cli.part import tie_to

tie_to(int(sys.argv[1]))
how = sys.argv[-1].removeprefix("how=")
heard = []
signal.signal(signal.SIGINT, lambda *_: heard.append("SIGINT"))
here = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
(here / "ready").touch()
(here / "run").mkdir()
(here / "run" / "recording.mcap").touch()
count = int(sys.argv[-3].removeprefix("of="))
waits = how in ("fails", "dies", "operator", "freezes")
while waits and len(list(here.parent.glob("*/ready"))) < count:
    signal.sigtimedwait([], 0.01)
if how == "fails":
    print(json.dumps({"ok": False, "reason": "a fault of the machine"}), flush=True)
    sys.exit(1)
if how == "freezes":
    os.kill(os.getpid(), signal.SIGSTOP)
if how.startswith("turns"):
    from hil.run.progress import Progress
    for turn in range(20):
        Progress.inherited().turn()
        signal.sigtimedwait([], 0.02)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # the loop hangs: no signal helps
    while how == "turns no more":
        signal.sigtimedwait([], 0.05)
if how == "dies":
    os.kill(os.getpid(), signal.SIGKILL)
if how == "operator":
    os.kill(int(sys.argv[1]), signal.SIGINT)
if how.startswith("completes"):
    signal.sigtimedwait([], 0.6)
    print(json.dumps({"ok": True, "result": "completed", "heard": heard}), flush=True)
    sys.exit(0)
while how == "deaf" or not heard:
    signal.sigtimedwait([], 0.05)
print(json.dumps({"ok": True, "result": "cancelled", "heard": heard}), flush=True)
"""
"""A part in the place of a station: it ends well, badly or not at all, and tells what it heard."""


@pytest.fixture
def play(tmp_path):
    """Run parts that behave as they are named; what each told."""
    actor = tmp_path / "actor.py"
    actor.write_text(ACTOR)

    def played(*hows, together="true", stop_within_s=20.0, after=()):
        others = 1 if after else len(hows)
        parts = [part(f"part{k}", "demo", f"of={others}", f"how={h}") for k, h in enumerate(hows)]
        for number, before in after:
            parts[number] += f'after = "part{before}"\n'
        path = write(tmp_path, *parts, together=together)
        return run_together(
            TogetherScenario.load(path), path, tmp_path / "runs",
            program=(str(actor),), stop_within_s=stop_within_s,
        )  # fmt: skip

    return played


FROZEN = "it was frozen: stopped by a signal for 2 s, and was ended"
HANGS = "it was frozen: no turn of its loop in 1 s, and was ended"


@pytest.mark.parametrize(("how", "why"), [("freezes", FROZEN), ("turns no more", HANGS)])
def test_a_frozen_part_is_a_bad_end_as_a_killed_one_is(play, monkeypatch, how, why):
    monkeypatch.setattr("hil.run.progress.STILL_S", 1.0)
    frozen, other = play(how, "runs")
    assert not frozen.ok
    assert frozen.values["error"] == why
    assert other.ok, "stopped, and not left alone"
    assert other.asked_to_stop == f"part0 came to a bad end: {why}"
    assert PartNote.beside(Path(frozen.values["recording"])) == PartNote("part0", killed=why)
    assert PartNote.beside(Path(other.values["recording"])).stopped_for == other.asked_to_stop


def test_a_part_that_does_not_turn_yet_or_no_more_is_not_frozen(play, monkeypatch):
    """Kernels are compiled before the first turn, drives are left after the last one."""
    monkeypatch.setattr("hil.run.progress.STILL_S", 0.2)
    first, second = play("completes", "completes too")
    assert first.ok
    assert second.ok


def test_one_wish_of_the_operator_stops_all(play):
    """The signal comes to this process alone; a part that has no terminal of its own hears it."""
    first, second, third = play("operator", "runs", "runs")
    for one in (first, second, third):
        assert one.ok
        assert one.values["heard"] == ["SIGINT"]
        assert one.asked_to_stop == "the operator asked for it"


@pytest.mark.parametrize(
    ("how", "why"), [("fails", "a fault of the machine"), ("dies", "it was killed by signal 9")]
)
def test_a_bad_end_of_one_stops_the_others_once_and_they_say_which_and_how(play, how, why):
    bad, second, third = play(how, "runs", "runs")
    assert not bad.ok
    assert bad.asked_to_stop == ""
    for one in (second, third):
        assert one.ok
        assert one.values["heard"] == ["SIGINT"]
        assert one.asked_to_stop == f"part0 came to a bad end: {why}"
        assert one.values["reason"] == one.asked_to_stop


@pytest.mark.parametrize("how", ["fails", "dies"])
def test_a_bad_end_of_one_leaves_the_others_alone_if_the_scenario_says_so(play, how):
    bad, other = play(how, "completes", together="false")
    assert not bad.ok
    assert other.ok
    assert (other.values["heard"], other.asked_to_stop) == ([], "")


def test_a_part_begins_once_the_one_before_it_has_completed(play):
    """Both at once would both be there: each waits 0.6 s, and looks then how many others are."""
    first, second = play("completes", "completes too", after=[(1, 0)])
    assert first.ok
    assert second.ok
    recorded = [Path(one.values["recording"]).stat().st_mtime for one in (first, second)]
    assert recorded[1] - recorded[0] > 0.6


def test_a_part_is_told_what_the_one_before_it_recorded(tmp_path):
    actor = tmp_path / "actor.py"
    actor.write_text(ACTOR.replace('"heard": heard', '"heard": sys.argv[-6:]', 1))
    changes = ("name={recording}", "of=1", "how=completes")
    path = write(
        tmp_path, part("part0", "demo", "of=1", "how=completes"),
        part("part1", "demo", *changes) + 'after = "part0"\n',
    )  # fmt: skip
    scenario = TogetherScenario.build(read_toml(path), str(path))
    first, second = run_together(scenario, path, tmp_path / "runs", program=(str(actor),))
    assert f"name={first.values['recording']}" in " ".join(second.values["heard"])


@pytest.mark.parametrize(
    ("how", "why"), [("fails", "a fault of the machine"), ("operator", "operator asked to stop")]
)
def test_after_a_bad_end_or_a_stop_the_next_part_never_begins(play, tmp_path, how, why):
    _, second, third = play(how, "completes", "completes", after=[(1, 0), (2, 1)])
    for one in (second, third):
        assert not one.ok
        assert one.values["error"].startswith("not begun: ")
        assert why in one.values["error"]
        assert "recording" not in one.values
    assert not list((tmp_path / "runs").glob("*/part1"))


def test_a_killed_part_says_by_what(play):
    killed, _ = play("dies", "runs")
    assert not killed.values["ok"]
    assert killed.values["error"] == "it was killed by signal 9"


def test_beside_each_recording_is_written_what_its_part_cannot_know(play):
    killed, other = play("dies", "runs")
    recordings = [Path(part.values["recording"]) for part in (killed, other)]
    assert [path.name for path in recordings] == ["recording.mcap"] * 2
    how = "it was killed by signal 9"
    assert PartNote.beside(recordings[0]) == PartNote("part0", killed=how)
    why = f"part0 came to a bad end: {how}"
    assert PartNote.beside(recordings[1]) == PartNote("part1", stopped_for=why)


@pytest.mark.parametrize("hows", [("operator", "runs"), ("completes", "completes too")])
def test_nothing_is_written_of_good_ends(play, hows):
    assert [PartNote.beside(Path(part.values["recording"])) for part in play(*hows)] == [None, None]


def test_a_good_end_of_one_lets_the_others_go_on(play):
    first, second = play("completes", "completes too")
    assert first.ok
    assert second.ok
    assert second.values["heard"] == []


def test_a_part_that_hangs_is_ended_after_its_time(play):
    """A process that is stopped or stuck can neither park nor tell; nobody waits for it forever."""
    failed, deaf = play("fails", "deaf", stop_within_s=0.5)
    assert not failed.ok
    assert not deaf.ok
    assert deaf.values["error"] == "it did not stop within 0.5 s and was ended"


PARENT = """
import sys
from pathlib import Path
from hil.run.together import TogetherScenario, run_together

path = Path(sys.argv[1])
run_together(TogetherScenario.load(path), path, path.parent / "runs",
             program=(sys.argv[2],))
"""


def test_parts_stop_when_the_one_who_could_stop_them_is_killed(tmp_path):
    actor = tmp_path / "actor.py"
    actor.write_text(ACTOR)
    parts = (part(name, "demo", "of=2", "how=runs") for name in "ab")
    path = write(tmp_path, *parts)
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(path), str(actor)])
    ready = until(lambda: list(tmp_path.glob("runs/*/*/ready")), lambda all_: len(all_) == 2)
    parent.kill()
    parent.wait()
    for one in ready:
        told = until((one.parent / "told.json").read_bytes, bool)
        # The kernel tells it once for each thread of the parent; a second wish changes nothing.
        assert set(json.loads(told)["heard"]) == {"SIGINT"}


def until(look, good, within_s=20.0):
    """What is seen once it is good; looked at every 20 ms."""
    now_s = RealClock().now_s
    end_s = now_s() + within_s
    while not good(seen := look()):
        assert now_s() < end_s, seen
        select.select([], [], [], 0.02)
    return seen


@needs_wires
@pytest.mark.timeout(240)
def test_an_emergency_stop_of_the_robot_brings_the_platform_to_a_controlled_stop(tmp_path):
    """Real stations: the robot's own stop is pressed on its way; the platform parks."""
    prepared = prepare_plan(load_arm_plan(
        configs_dir() / "scenarios" / "bkm_on_rm01.toml", list(up(20.0, 0.01))
    ))  # fmt: skip
    with robot_at(prepared) as (url, console):
        arm = part("arm", "bkm_on_rm01", 'clock="real"', *up(20.0, 0.01), f'devices.arm="{url}"')
        rig = write_quick_rig(tmp_path)
        # At 100 Hz a busy test machine is less often late than the gate bears.
        changes = ('clock="real"', "rate_hz=100", "check_first=false", "motion.duration_s=20")
        platform = part("platform", "heave", *changes, f'rig="{rig}"')
        path = write(tmp_path, platform, arm)
        operator = threading.Thread(target=press, args=(tmp_path / "runs", console))
        operator.start()
        status, answer = told(path, tmp_path)
        operator.join()
    assert status == 1
    held, parked = answer["parts"]["arm"], answer["parts"]["platform"]
    assert held["result"] == "held"
    assert "emergency stop" in held["reason"]
    assert 0 < held["sent"] < held["waypoints"]
    assert parked["asked_to_stop"].startswith("arm came to a bad end: ")
    assert "emergency stop" in parked["reason"]
    assert parked["ok"], parked
    assert (parked["outcome"], parked["mode"]) == ("stopped", "OFF")


KILLED = "came to a bad end: it was killed by signal 9"


@long_only
@pytest.mark.campaign
@pytest.mark.parametrize(("dying", "other"), [("arm", "platform"), ("platform", "arm")])
def test_a_station_is_killed_the_other_ends_controlled_and_both_pages_say_which(
    tmp_path, monkeypatch, dying, other
):
    """Real stations, the robot on its line; the platform's clock is virtual: it needs no bus."""
    changes = up(60.0, 0.004)
    prepared = prepare_plan(load_arm_plan(
        configs_dir() / "scenarios" / "bkm_on_rm01.toml", list(changes)
    ))  # fmt: skip
    parts = {}

    class Seen(PartProcess):
        def start(self):
            super().start()
            parts[self.name] = self._process

    def kill():
        under_way(tmp_path / "runs")
        parts[dying].kill()

    monkeypatch.setattr("hil.run.together.PartProcess", Seen)
    with robot_at(prepared) as (url, _):
        arm = part("arm", "bkm_on_rm01", 'clock="real"', *changes, f'devices.arm="{url}"')
        platform = part("platform", "heave", "check_first=false", "motion.duration_s=3000")
        killer = threading.Thread(target=kill)
        killer.start()
        status, answer = told(write(tmp_path, platform, arm), tmp_path, "--report")
        killer.join()
    assert status == 1
    dead, ended = answer["parts"][dying], answer["parts"][other]
    assert dead["error"] == "it was killed by signal 9"
    assert ended["ok"], "controlled"
    assert ended.get("mode", "OFF") == "OFF"
    assert ended.get("result", "cancelled") == "cancelled"
    assert ended["asked_to_stop"] == ended["reason"] == f"{dying} {KILLED}"
    page = Path(ended["report"]).read_text(encoding="utf-8")
    assert "<title>STOPPED BECAUSE ANOTHER STATION FAILED: " in page
    assert f"{dying} {KILLED}." in page
    page = Path(dead["report"]).read_text(encoding="utf-8")
    assert f"The process of this station, {dying}, ended badly: it was killed by signal 9." in page


@contextmanager
def robot_at(prepared):
    """An emulated robot where a motion begins: its URL, and the console for its faults."""
    angles = ",".join(f"{angle:.6f}" for angle in np.degrees(prepared.start.q_rad))
    command = [sys.executable, "-m", "hil.cli", "arm", "emulate", "--end-with-input", "--pty"]
    command += [f"--start={angles}", f"--tool={1e3 * prepared.plan.robot.tool_m:g}"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
        try:
            yield process.stdout.readline().decode().strip(), process.stdin
        finally:
            process.kill()


def press(runs, console):
    """Press the robot's emergency stop once both stations are on their way."""
    under_way(runs)
    console.write(b"estop\n")
    console.flush()


def under_way(runs):
    """Wait until both stations are recorded, and two seconds more."""
    until(lambda: list(runs.glob("*/*/*/recording.mcap")), lambda all_: len(all_) == 2, 60.0)
    for _ in range(20):
        select.select([], [], [], 0.1)
