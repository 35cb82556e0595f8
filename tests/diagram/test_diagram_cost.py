"""What a tick costs, by a clock whose hands are set; the verb that measures it, and the policy."""

import itertools
import json

import numpy as np
import pytest
from random_diagrams import drawn_file
from test_cli_diagram import LAW, diagram, shown
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import ConfigError, RefusedError
from hil.diagram.analysis.cost import (
    COPIES,
    WARM,
    TickCost,
    judge_cost,
    model_cost,
    part_costs,
    timed,
)
from hil.diagram.check.diagram import check
from hil.diagram.file.read import read
from hil.diagram.run.engine import Engine
from hil.diagram.run.fault import NonFiniteError

DIVIDES = """format = 1
base_s = 0.01
[block]
u = { kind = "In", unit = "1" }
inverse = { kind = "Reciprocal" }
y = { kind = "Out" }
[wire]
"inverse.u" = "u.y"
"y.u" = "inverse.y"
"""


class Hands:
    """A clock that a stepping stub moves on."""

    def __init__(self, times, fails=()):
        self.times, self.fails = iter(times), fails
        self.time, self.steps, self.restored = 0.0, 0, 0

    def now_s(self):
        return self.time

    def step(self):
        self.time += next(self.times)
        self.steps += 1
        if self.steps in self.fails:
            raise NonFiniteError("b", self.steps, 0.0)

    def snapshot(self):
        return "start"

    def restore(self, state):
        assert state == "start"
        self.restored += 1


def test_times_are_those_of_single_ticks_after_some_that_do_not_count():
    hands = Hands([1.0] * WARM + [1e-6] * 990 + [1e-4] * 9 + [0.5])
    cost = timed(hands, 0.002, hands.now_s, 1000)
    assert (cost.ticks, cost.base_s) == (1000, 0.002)
    assert cost.median_s == pytest.approx(1e-6)
    assert cost.p99_s == pytest.approx(1e-6, rel=2.0)
    assert 1e-4 <= cost.p999_s < 1e-3
    assert cost.worst_s == pytest.approx(0.5)
    assert cost.fits


def test_a_tick_that_stops_the_diagram_is_timed_and_it_begins_anew():
    hands = Hands([3e-6] * (WARM + 100), fails=(WARM + 10, WARM + 20))
    assert timed(hands, 0.002, hands.now_s, 100).median_s == pytest.approx(3e-6)
    assert hands.restored == 2


def test_ticks_beside_models_are_ticks_of_the_diagram(tmp_path):
    """One that divides by its input, which is 0, stops in the first."""
    path = tmp_path / "law.toml"
    path.write_text(DIVIDES)
    sound = check(read(path))
    with pytest.raises(RefusedError, match="inverse"):
        model_cost(sound, itertools.count().__next__, 10)


def test_a_diagram_that_does_not_fit_is_told_or_refused():
    quick = TickCost(1000, 1e-6, 2e-6, 1.9e-3, 1.0, 0.002)
    assert judge_cost(quick, "refuse", "law.toml") == ""
    slow = TickCost(1000, 1e-6, 2e-6, 2.1e-3, 1.0, 0.002)
    assert "law.toml: 999 of 1000 ticks take up to 2100 us" in judge_cost(
        slow, "report", "law.toml"
    )
    with pytest.raises(RefusedError, match="the period is 2000 us"):
        judge_cost(slow, "refuse", "law.toml")


def test_the_verb_times_the_kernel(tmp_path):
    path = tmp_path / "law.toml"
    path.write_text(LAW)
    told = diagram("bench", path, "--ticks", "200")
    assert told["blocks"] == 3
    one = told["kernel"]
    assert one["ticks"] == 200
    assert 0.0 < one["median_us"] <= one["p99_us"] <= one["p999_us"] <= one["worst_us"]
    assert told["interpreter"] is None
    assert "999 of 1000 ticks take up to" in shown("bench", path, "--ticks", "100")


def test_a_diagram_without_time_to_run_ends_with_status_1(monkeypatch, tmp_path):
    path = tmp_path / "law.toml"
    path.write_text(LAW)
    hands = itertools.count(0.0, 0.02)
    monkeypatch.setattr("hil.timing.realtime.RealClock.now_s", lambda _: next(hands))
    told = diagram("bench", path, "--ticks", "200", status=1)
    assert not told["ok"]
    assert told["kernel"]["median_us"] == pytest.approx(2e4)


@pytest.mark.parametrize("policy", ["report", "refuse"])
def test_a_scenario_says_what_becomes_of_a_slow_diagram(monkeypatch, tmp_path, policy):
    slow = TickCost(1000, 1e-6, 2e-6, 2.1e-3, 1.0, 0.002)
    monkeypatch.setattr("hil.diagram.analysis.cost.tick_cost", lambda *_: slow)
    monkeypatch.chdir(tmp_path)
    words = ["check", "diagram_move", "--set", f"diagram.too_slow={policy}", "--json"]
    done = CliRunner().invoke(app, words)
    assert "999 of 1000 ticks take up to 2100 us" in done.stderr
    assert done.exit_code == (policy == "refuse"), done.output
    assert json.loads(done.stdout)["ok"] == (policy == "report")


@pytest.mark.parametrize("seed", range(12))
def test_each_part_of_a_diagram_is_timed_and_nothing_of_it_is_changed(seed):
    try:
        sound = check(drawn_file(seed))
    except ConfigError:
        return
    engine, clock = Engine(sound), itertools.count()
    before = engine.values.copy(), engine.tick
    costs = part_costs(engine, lambda: float(next(clock)))
    assert costs.keys() == set(sound.order)
    assert set(costs.values()) == {0.0}  # each call takes one tick of this clock, as one of nothing
    assert np.array_equal(engine.values, before[0], equal_nan=True)
    assert engine.tick == before[1]
    assert next(clock) >= 2 * len(costs)
    assert COPIES > 1
