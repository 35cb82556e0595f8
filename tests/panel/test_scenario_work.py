"""A bench of each station that is started from the panel: where its desk and its arm are found."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from hil.config.settings import read_toml
from hil.desk.endpoints import Endpoint
from hil.panel.scenarios.models import launch, scenario_work
from hil.panel.scenarios.models.catalogue import Entry, catalogue
from hil.panel.scenarios.models.launch import BenchRun
from hil.panel.scenarios.models.scenario_work import ScenarioWork, running_words
from hil.run.file_kinds import TOGETHER
from hil.stations.arm.station import SCENARIO as ARM_SCENARIO
from hil.stations.platform.station import SCENARIO as PLATFORM_SCENARIO

KINDS = {
    "platform": PLATFORM_SCENARIO,
    "arm": ARM_SCENARIO,
    "together": TOGETHER,
}


@pytest.fixture
def started(monkeypatch, tmp_path):
    """Start a bench that does nothing, with a desk of its number in sight or not."""
    made: list[ScenarioWork] = []
    there: list[Endpoint] = []
    words = ["-c", "import time; time.sleep(60)"]
    monkeypatch.setattr(launch, "bench_arguments", lambda *_, **__: words)
    monkeypatch.setattr(scenario_work, "BenchRun", partial(BenchRun, find=lambda: there))

    def start(station, source="remote", *, desk, parts=()):
        now = iter(range(1000))
        work = ScenarioWork(lambda: float(next(now)), tmp_path)
        made.append(work)
        entry = Entry(tmp_path / "x.toml", KINDS[station], "x", "", shipped=False)
        told = work.begin_bench(entry, {"source": {"kind": source}, "part": parts})
        assert told == "{name} starts…".format(name="x")
        if desk:
            there.append(Endpoint(Path("/desk.sock"), "x", work.bench.pid))
        return work, list(work.poll())

    yield start
    for work in made:
        work.bench._child._process.kill()
        work.bench._child._process.wait()
        work.close()


@pytest.mark.parametrize(
    ("station", "source", "led"),
    [("platform", "", False), ("arm", "remote", True), ("arm", "gamepad", True),
     ("arm", "profile", False)],
)  # fmt: skip
def test_a_bench_runs_once_its_desk_answers(started, station, source, led):
    """The handles on the screen are for a motion that a person moves, and for no planned one."""
    work, news = started(station, source, desk=True)
    assert [one.desk for one in news] == [Path("/desk.sock")]
    assert news[0].words == "{name} runs.".format(name="x")
    assert (news[0].steered is not None) == led
    assert work.running
    assert list(work.poll()) == []


@pytest.mark.parametrize("station", ["platform", "arm"])
def test_without_a_desk_it_is_still_starting(started, station):
    work, news = started(station, desk=False)
    assert (news, work.running) == ([], True)


@pytest.mark.parametrize(
    ("platform", "arm", "wanted"),
    [
        (None, False, "x has begun. Its parts run without an operator: no panel can watch or lead"),
        (True, True, "x has begun. Each part has a desk of its own and waits to be led: choose it"),
        (False, True, "x has begun. robot: with a desk of its own, waits to be led; choose it"),
    ],
)
def test_parts_together_have_desks_of_their_own_if_they_are_led_and_this_is_said(
    started, platform, arm, wanted
):
    parts = [{"name": "cabin", "operator": platform}, {"name": "robot", "operator": arm}]
    if platform is None:
        del parts[0]["operator"]
    work, news = started("together", desk=False, parts=parts)
    assert [(one.desk, one.steered) for one in news] == [(None, None)]
    assert news[0].words.startswith(wanted)
    assert ("cabin: without an operator" in news[0].words) == (platform is False)
    assert news[0].words.endswith("End asks all of them to stop.")
    assert ("Ctrl+B" in news[0].words) == bool(platform or arm)
    assert work.running


def test_the_parts_that_came_with_the_program_are_told_of_as_they_are():
    (entry,) = (one for one in catalogue() if one.path.stem == "platform_and_arm")
    table = read_toml(entry.path)
    assert running_words(entry, table) == (
        "{name} has begun. Its parts run without an operator: no panel can watch or "
        "lead them. End asks all of them to stop."
    ).format(name="platform_and_arm")
    table["part"][1]["operator"] = True
    assert "platform: without an operator" in running_words(entry, table)
    assert "arm: with a desk of its own" in running_words(entry, table)


def test_a_dry_run_that_goes_on_is_left_alone_until_it_has_ended(tmp_path):
    work = ScenarioWork(lambda: 0.0, tmp_path)
    outcomes = [None, None, SimpleNamespace(ok=False, reason="it is too fast", recording=None)]
    ended = []
    work.dry = SimpleNamespace(poll=lambda: outcomes.pop(0), end=lambda: ended.append(True))
    for _ in range(2):
        assert list(work.poll()) == []
        assert work.dry is not None
        assert not ended
    (news,) = work.poll()
    assert "ended badly: it is too fast" in news.words
    assert ended == [True]
    assert work.dry is None
    assert list(work.poll()) == []
