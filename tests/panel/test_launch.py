"""Children: a real check, a real dry run and a real bench, and what is made of their words."""

import os
import signal
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from hil.config.settings import apply_overrides
from hil.desk.endpoints import Endpoint
from hil.desk.velocity.remote_writer import ScreenPlace
from hil.panel.scenarios.models import launch, launch_jobs
from hil.panel.scenarios.models.launch import BenchRun, LaunchState, bench_arguments
from hil.panel.scenarios.models.launch_child import WORDS_MAX, Child
from hil.panel.scenarios.models.launch_jobs import CheckRun, DryRun, ReportRun, outcome_of
from hil.run.file_kinds import TOGETHER
from hil.stations.arm.station import SCENARIO as ARM

CONFIGS = Path(__file__).parents[2] / "configs"


def ended(child_of, poll, timeout_s=60.0):
    """What a run says after its process has ended; waits for that."""
    child_of._child._process.wait(timeout_s)
    return poll()


def shell(words, status=0):
    return Child(["-c", f"import sys; {words}; sys.exit({status})"])


def test_a_check_tells_value_limit_and_unit():
    run = CheckRun(CONFIGS / "scenarios" / "leaves_envelope.toml")
    outcome = ended(run, run.poll)
    assert (outcome.ok, outcome.error, outcome.duration_s) == (False, "", 24.0)
    first = outcome.findings[0]
    assert (first.place, first.quantity, first.unit) == ("motion, leg 3", "length", "m")
    assert (first.value, first.limit) == (pytest.approx(0.6349, abs=1e-4), 0.645)
    run.end()


def test_a_dry_run_tells_how_far_it_is_and_leaves_a_recording(tmp_path):
    text = (CONFIGS / "scenarios" / "hold_neutral.toml").read_text()
    table = tomllib.loads(text)
    assert table["motion"]["kind"] == "hold"
    run = DryRun(CONFIGS / "scenarios" / "hold_neutral.toml", tmp_path)
    outcome = ended(run, run.poll)
    assert outcome is not None
    assert outcome.ok, outcome.reason
    assert outcome.recording is not None
    assert outcome.recording.is_file()
    assert run.share > 0.9
    run.end()


def test_a_dry_run_of_what_is_none_says_why(tmp_path):
    (tmp_path / "bad.toml").write_text('name = "x"\nrig = "paper"\n[motion]\nkind = "hold"\n')
    run = DryRun(tmp_path / "bad.toml", tmp_path)
    outcome = ended(run, run.poll)
    assert outcome is not None
    assert not outcome.ok
    assert "duration_s is left out" in outcome.reason
    run.end()


def fake_bench(monkeypatch, words, status=0, **more):
    monkeypatch.setattr(
        launch,
        "bench_arguments",
        lambda *_, **__: ["-c", f"import sys, time; {words}; sys.exit({status})"],
    )
    return BenchRun(Path("x.toml"), Path("runs"), **more)  # fmt: skip


def test_a_bench_is_found_by_its_number(monkeypatch):
    there: list[Endpoint] = []
    now = [0.0]
    bench = fake_bench(
        monkeypatch, "sys.stdin.read(); time.sleep(30)", now_s=lambda: now[0], find=lambda: there
    )
    assert bench.poll() is LaunchState.STARTING
    there += [Endpoint(Path("/other.sock"), "x", 1), Endpoint(Path("/mine.sock"), "x", bench.pid)]
    assert bench.poll() is LaunchState.STARTING  # looked a moment ago
    now[0] += 0.25
    assert bench.poll() is LaunchState.RUNNING
    assert bench.desk == Path("/mine.sock")
    assert os.getsid(bench.pid) == bench.pid  # a session of its own
    bench.ask_to_stop()
    assert ended(bench, bench.poll) is LaunchState.FAILED
    bench.forget()


def test_a_bench_is_looked_for_again_as_soon_as_it_is_time(monkeypatch):
    now, looks = [0.0], []

    def find():
        looks.append(now[0])
        return []

    bench = fake_bench(monkeypatch, "time.sleep(30)", now_s=lambda: now[0], find=find)
    for now[0] in (0.0, 0.9 * launch.POLL_EVERY_S, launch.POLL_EVERY_S):
        assert bench.poll() is LaunchState.STARTING
    assert looks == [0.0, launch.POLL_EVERY_S]
    bench._child._process.kill()
    bench._child._process.wait(10)
    bench.forget()


@pytest.mark.parametrize(
    ("words", "status", "state", "error"),
    [
        ('print("{\\"ok\\": true, \\"recording\\": \\"/r/run.mcap\\"}")', 0, LaunchState.ENDED, ""),
        ('print("{\\"ok\\": false, \\"error\\": \\"no drives\\"}")', 1, LaunchState.FAILED,
         "no drives"),
        ('print("broken", file=sys.stderr)', 2, LaunchState.FAILED, "broken"),
    ],
)  # fmt: skip
def test_how_a_bench_ended_is_in_its_own_words(monkeypatch, words, status, state, error):
    bench = fake_bench(monkeypatch, words, status, now_s=lambda: 0.0, find=list)
    assert ended(bench, bench.poll) is state
    assert bench.error == error
    assert (bench.recording == Path("/r/run.mcap")) == (state is LaunchState.ENDED)
    assert bench.poll() is state
    bench.forget()


def test_a_child_that_was_killed_says_by_what():
    child = shell("import time; time.sleep(30)")
    os.kill(child.pid, signal.SIGKILL)
    child._process.wait(10)
    assert child.why() == "signal 9 (SIGKILL)"
    child.end()


def test_only_the_end_of_long_words_is_kept():
    child = shell('print("a" * 100_000 + " the end", file=sys.stderr)')
    child._process.wait(20)
    assert child.words().endswith("the end")
    assert len(child.words()) <= WORDS_MAX
    child.end()


def test_a_bench_is_led_by_an_operator_in_real_time():
    arguments = bench_arguments(Path("a b.toml"), Path("out"), several=False)
    assert arguments[2:] == [
        "run", "a b.toml", "--out", "out", "--json", "--clock", "real", "--operator",
    ]  # fmt: skip
    both = bench_arguments(Path("x"), Path("out"), several=True)
    assert not {"--clock", "--operator"} & set(both)


def test_an_arm_listens_where_the_panel_says_and_keeps_its_limits():
    source = {"kind": "profile", "limits": {"linear_m_s": 0.03}, "frame": "base", "segment": []}
    place = ScreenPlace(source)
    place.remove()
    arguments = bench_arguments(Path("x"), Path("out"), several=False, override=place.override)
    assert arguments[arguments.index("--clock") + 1] == "real"
    assert "--operator" in arguments
    change = arguments[arguments.index("--set") + 1]
    changed = apply_overrides({"source": source}, [change])["source"]
    assert changed == {
        "kind": "remote", "listen": str(place.socket), "token_file": str(place.token_file),
        "limits": {"linear_m_s": 0.03}, "frame": "base",
    }  # fmt: skip


def test_checks_of_arms_and_of_stations_together_are_read():
    arm = {
        "ok": True, "duration_s": 37.1,
        "findings": [
            {"kind": "speed", "place": "joint 3", "waypoint": 60, "value": 0.1, "limit": 1.0,
             "unit": "rad/s", "within": True},
            {"kind": "reach", "place": "wrist", "waypoint": 2, "value": None, "limit": 0.0,
             "unit": "m", "within": False},
        ],
    }  # fmt: skip
    outcome = outcome_of(arm, ARM)
    assert [one.wrong for one in outcome.findings] == [True, False]
    assert outcome.findings[0].value != outcome.findings[0].value  # not a number
    both = outcome_of(
        {"ok": False, "parts": {"arm": arm, "cabin": {"ok": False, "error": "no"}}},
        TOGETHER, {"arm": ARM},
    )  # fmt: skip
    assert (both.ok, both.error) == (False, "cabin: no")
    assert both.findings[1].place == "arm: joint 3, waypoint 60"


@pytest.mark.parametrize(
    ("status", "answer", "page", "error"),
    [
        (None, None, None, ""),
        (0, {"report": "/r/report.html"}, Path("/r/report.html"), ""),
        (0, {"report": ""}, None, "it has no rows"),
        (1, None, None, "it has no rows"),
    ],
)
def test_a_report_is_there_or_says_why_not(monkeypatch, status, answer, page, error):
    child = SimpleNamespace(status=status, answer=lambda: answer, why=lambda: "it has no rows")
    monkeypatch.setattr(launch_jobs, "Child", lambda _: child)
    report = ReportRun(Path("/r/run.mcap"))
    assert report.poll() == page
    assert report.error == error
