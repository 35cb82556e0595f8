"""The search for the next desk: its pace in virtual time, and what it does not take for one."""

import itertools
import threading
from pathlib import Path

import pytest

from hil.desk.client import DeskRefusedError
from hil.panel.live.models.session_search import SLOWER, TRY_EVERY_MAX_S, TRY_EVERY_S, DeskSearch

PLACE = Path("/nowhere/hil-bench/led-1.sock")


class Client:
    """A client whose next ones are made up beforehand.

    Args:
        run: what it is told of.
        following: runs of the next clients; None for a desk that does not answer.
    """

    path = PLACE

    def __init__(self, run="ours", following=()):
        self.run, self.following, self.closed = run, list(following), False
        self.made = []

    def again(self):
        run = self.following.pop(0) if self.following else None
        if run is None:
            raise DeskRefusedError("no such file")
        self.made.append(Client(run))
        return self.made[-1]

    def same_run(self, other):
        return self.run == other.run

    def close(self):
        self.closed = True


class Search:
    """A search in virtual time whose tries are made at once, or when the test says so."""

    def __init__(self, *following, lives=True, at_once=True):
        self.now_s, self.lives, self.waiting = 50.0, lives, []
        self.lost = Client(following=following)
        self.search = DeskSearch(
            self.lost, lambda: self.now_s, lambda: self.lives,
            (lambda work: work()) if at_once else self.waiting.append,
        )  # fmt: skip

    def run(self, time_s, period_s=0.033):
        """Turns of a window; when each try was made, and what was found."""
        tries_s, found = [], None
        end_s = self.now_s + time_s
        while self.now_s < end_s and found is None:
            before = self.search.tries
            found = self.search.poll()
            tries_s += [self.now_s] * (self.search.tries - before)
            self.now_s += period_s
        return tries_s, found


def test_it_tries_at_once_then_ever_more_slowly_and_never_gives_up_a_bench_that_lives():
    tries_s, found = Search().run(600.0)
    assert found is None
    assert tries_s[0] == 50.0
    gaps_s = [b - a for a, b in itertools.pairwise(tries_s)]
    wanted = [min(TRY_EVERY_S * SLOWER**n, TRY_EVERY_MAX_S) for n in range(len(gaps_s))]
    assert all(0.0 <= gap - want <= 0.034 for gap, want in zip(gaps_s, wanted, strict=True))
    assert 600.0 / (TRY_EVERY_MAX_S + 0.034) <= len(tries_s) < 600.0 / TRY_EVERY_MAX_S + 10


def test_the_next_desk_of_the_run_is_found_and_the_search_is_over():
    search = Search(None, None, "ours")
    _, found = search.run(10.0)
    assert found is search.lost.made[0]
    assert not found.closed
    assert search.run(10.0) == ([], None)


def test_another_run_in_the_same_place_is_left_alone_and_ends_the_search():
    search = Search(None, "another")
    assert search.run(20.0)[1] is None
    assert search.search.over
    assert search.lost.made[0].closed
    assert search.search.tries == 2


def test_a_bench_that_is_gone_is_looked_for_once_and_no_more():
    search = Search(lives=False)
    tries_s, found = search.run(10.0)
    assert (len(tries_s), found, search.search.over) == (1, None, True)


def test_one_try_at_a_time_however_long_it_lasts():
    search = Search("ours", at_once=False)
    search.run(30.0)
    (work,) = search.waiting
    work()
    assert search.run(1.0)[1] is search.lost.made[0]


@pytest.mark.parametrize("when", ["before", "after"])
def test_what_is_found_when_nobody_wants_it_any_more_is_left(when):
    search = Search("ours", at_once=False)
    search.search.poll()
    if when == "before":
        search.search.close()
    search.waiting.pop()()
    search.search.close()
    assert search.lost.made[0].closed
    assert search.search.poll() is None
    assert not search.waiting


def test_a_window_does_not_wait_for_a_desk_that_does_not_answer():
    begun, answer = threading.Event(), threading.Event()

    class Slow(Client):
        def again(self):
            begun.set()
            assert answer.wait(20.0)
            return super().again()

    now_s = 50.0
    search = DeskSearch(Slow(following=["ours"]), lambda: now_s, lambda: True)
    assert search.poll() is None
    assert begun.wait(20.0)
    assert [search.poll() for _ in range(100)] == [None] * 100
    answer.set()
    for _ in range(2000):
        if (found := search.poll()) is not None:
            break
        begun.clear()
        begun.wait(0.005)
    assert found.run == "ours"


def test_a_place_that_is_no_benchs_name_is_not_looked_for_twice():
    lost = Client()
    lost.path = Path("/nowhere/else.sock")
    search = DeskSearch(lost, lambda: 50.0 + search_s[0], start=lambda work: work())
    search_s = [0.0]
    assert search.poll() is None
    search_s[0] = 10.0
    assert search.poll() is None
    assert (search.tries, search.over) == (1, True)
