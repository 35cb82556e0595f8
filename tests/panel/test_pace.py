"""A turn is divided among views: cheap ones first, none left out for long, in virtual time."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hil.panel.models.pace import SKIPS_MAX, Pace

BUDGET_S = 0.028


class Bench:
    """Views that take a time each, on a clock that they move."""

    def __init__(self, cost_s):
        self.cost_s = dict(cost_s)
        self.t_s = 0.0
        self.drawn = []
        self.pace = Pace(BUDGET_S, lambda: self.t_s)

    def draw(self, name):
        def doing():
            self.t_s += self.cost_s[name]
            self.drawn.append(name)

        return doing

    def turn(self):
        self.drawn.clear()
        begun_s = self.t_s
        left_out = self.pace.turn({name: self.draw(name) for name in self.cost_s})
        return left_out, self.t_s - begun_s


def test_all_are_drawn_while_there_is_time():
    bench = Bench({"a": 0.001, "b": 0.002, "c": 0.003})
    for _ in range(30):
        assert bench.turn()[0] == ()
        assert sorted(bench.drawn) == ["a", "b", "c"]
    assert bench.drawn == ["a", "b", "c"]


def test_the_heaviest_is_left_out_and_yet_drawn_now_and_then():
    bench = Bench({"cheap": 0.002, "heavy": 0.060})
    seen = []
    for _ in range(100):
        left_out, _ = bench.turn()
        assert "cheap" not in left_out
        seen.append("heavy" in bench.drawn)
    assert 5 <= sum(seen[40:]) <= 30
    waits = "".join("x" if one else "." for one in seen).split("x")
    assert max(map(len, waits)) <= SKIPS_MAX


def test_the_first_time_is_no_measure():
    bench = Bench({"a": 0.001, "slow to begin": 0.9})
    bench.turn()
    bench.cost_s["slow to begin"] = 0.002
    for _ in range(5):
        assert bench.turn()[0] == ()


def test_what_was_slow_for_a_while_comes_back():
    bench = Bench({"a": 0.001, "b": 0.1})
    for _ in range(30):
        bench.turn()
    bench.cost_s["b"] = 0.002
    for _ in range(60):
        bench.turn()
    assert bench.turn()[0] == ()


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0.0, 0.2), min_size=1))
def test_no_view_waits_for_ever_and_no_turn_is_longer_than_it_must_be(cost_s):
    bench = Bench(cost_s)
    last = dict.fromkeys(cost_s, 0)
    for number in range(120):
        bench.turn()
        for name in bench.drawn:
            last[name] = number
        # All that are due may have to wait for one another.
        assert min(last.values()) >= number - SKIPS_MAX - len(cost_s)
