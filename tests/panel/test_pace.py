"""A turn is divided among views: each in its turn, none left out for long, in virtual time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.panel.shell.models.pace import SKIPS_MAX, ViewScheduler

BUDGET_S = 0.028
PERIOD_S = 0.033


class Bench:
    """Views that take a time each, on a clock that they move; turns begin when they are due."""

    def __init__(self, cost_s):
        self.cost_s = dict(cost_s)
        self.t_s = 0.0
        self.between_s = 0.0
        self.drawn = []
        self.seldom = ()
        self.pace = ViewScheduler(BUDGET_S, PERIOD_S, lambda: self.t_s)

    def draw(self, name):
        def doing():
            self.t_s += self.cost_s[name]
            self.drawn.append(name)

        return doing

    def turn(self):
        """One turn; what is left of its time, passes, and what is done between the turns."""
        self.drawn.clear()
        begun_s = self.t_s
        self.pace.begin()
        self.seldom = self.pace.turn({name: self.draw(name) for name in self.cost_s})
        self.t_s = max(self.t_s + self.between_s, begun_s + PERIOD_S)
        return self.t_s - begun_s

    def turns(self, count):
        """How often each was drawn in so many turns, and the time from each to the next."""
        times = dict.fromkeys(self.cost_s, 0)
        gaps_s = []
        for _ in range(count):
            gaps_s.append(self.turn())
            for name in self.drawn:
                times[name] += 1
        return times, gaps_s


def test_all_are_drawn_while_there_is_time():
    bench = Bench({"a": 0.001, "b": 0.002, "c": 0.003})
    for _ in range(30):
        bench.turn()
        assert bench.seldom == ()
        assert sorted(bench.drawn) == ["a", "b", "c"]
    assert bench.drawn == ["a", "b", "c"]


def test_two_that_do_not_fit_together_take_turns():
    bench = Bench({"cheap": 0.002, "scene": 0.020, "scope": 0.022})
    bench.turns(30)
    times, gaps_s = bench.turns(60)
    assert max(gaps_s) == pytest.approx(PERIOD_S)
    assert min(times["scene"], times["scope"]) >= 24
    assert bench.seldom == ()


def test_after_one_that_takes_more_than_a_turn_the_time_is_made_up():
    bench = Bench({"cheap": 0.002, "heavy": 0.060})
    bench.turns(30)
    times, gaps_s = bench.turns(90)
    assert sum(gap_s > PERIOD_S + 1e-9 for gap_s in gaps_s) <= 45
    assert times["heavy"] >= 18
    assert times["cheap"] == 90
    assert max(gaps_s) < 0.065
    assert bench.seldom == ()


def test_what_is_done_between_the_turns_counts_as_well():
    bench = Bench({"a": 0.010, "b": 0.012})
    assert sum(bench.turns(30)[0].values()) == 60
    bench.between_s = 0.040
    bench.turns(10)
    times, _ = bench.turns(60)
    assert sum(times.values()) <= 70


def test_a_view_that_is_drawn_seldom_is_told_until_it_is_not():
    bench = Bench({"a": 0.001, "b": 0.200})
    bench.turns(60)
    assert "b" in bench.seldom
    bench.cost_s["b"] = 0.002
    bench.turns(60)
    assert bench.seldom == ()
    assert bench.turns(10)[0] == {"a": 10, "b": 10}


def test_the_first_time_is_no_measure():
    bench = Bench({"a": 0.001, "slow to begin": 0.9})
    bench.turn()
    bench.cost_s["slow to begin"] = 0.002
    assert bench.pace.cost_s["slow to begin"] == 0.0
    bench.turns(SKIPS_MAX + 2)
    assert bench.turns(20)[0] == {"a": 20, "slow to begin": 20}


def test_a_machine_that_slept_is_forgiven():
    bench = Bench({"a": 0.001})
    bench.turn()
    bench.t_s += 3600.0
    bench.turns(SKIPS_MAX + 2)
    assert bench.turns(5)[0] == {"a": 5}
    assert bench.pace.gap_s == pytest.approx(PERIOD_S)


def test_the_gap_between_two_turns_is_told():
    bench = Bench({"a": 0.2})
    bench.pace.begin()
    assert bench.pace.gap_s == 0.0
    bench.turn()
    bench.pace.begin()
    assert bench.pace.gap_s == pytest.approx(0.2)


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0.0, 0.2), min_size=1),
    st.floats(0.0, 0.1),
)
def test_no_view_waits_for_ever(cost_s, between_s):
    bench = Bench(cost_s)
    bench.between_s = between_s
    last = dict.fromkeys(cost_s, 0)
    for number in range(120):
        bench.turn()
        for name in bench.drawn:
            last[name] = number
        # All that are due may have to wait for one another.
        assert min(last.values()) >= number - SKIPS_MAX - len(cost_s)
