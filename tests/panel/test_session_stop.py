"""A stop gets an answer or is told, whatever becomes of its desk: in virtual time."""

import itertools
from typing import Any

import pytest
from row_samples import ARM_WITH_MODES

from hil.desk import messages as m
from hil.desk.client import RunWelcome
from hil.ipc.broadcast import Broadcast, BroadcastReader
from hil.panel.live import session as session_module
from hil.panel.live.models.bench_stop import SILENT_S
from hil.panel.live.session import LiveSession
from hil.recording.header import RunHeader

TURN_S = 0.033
GONE = m.State(owner="", you_own=False, clients=(), bench=False)


class Desk:
    """A client of a desk that hears, is full, hangs or is gone, as the test says.

    Args:
        numbers: of questions.
    """

    def __init__(self, numbers=None):
        header = RunHeader(ARM_WITH_MODES, {"scenario": "t"}, {"station": "arm"})
        self.welcome = RunWelcome(header, 0.35, "arm", "t", "hold")
        self.telemetry = BroadcastReader(Broadcast.local(8, 256).buffer)
        self.open, self.full, self.hangs = True, False, False
        self.numbers = itertools.count(1) if numbers is None else numbers
        self.taken, self.says = [], []

    def next_id(self):
        return next(self.numbers)

    def send(self, message):
        if not self.open or self.full:
            return False
        self.taken.append(message)
        if not self.hangs and getattr(message, "id", 0):
            self.says.append(m.Answer(id=message.id, ok=True, error=""))
        return True

    def poll(self):
        said, self.says = self.says, []
        return said

    def succeed(self, before):
        self.numbers = before.numbers

    @property
    def stops(self):
        """Numbers of the stops that it took."""
        return [one.id for one in self.taken if isinstance(one, m.Stop)]


class Search:
    """Finds what the test puts there."""

    found, over = None, False

    def poll(self):
        found, self.found = self.found, None
        return found

    def close(self):
        pass


class Panel:
    """A session in virtual time; `answers` are the desk's and its own."""

    def __init__(self, monkeypatch):
        self.now_s, self.answers, self.search, self.desk = 100.0, [], Search(), Desk()
        self.turns = []
        monkeypatch.setattr(session_module, "DeskSearch", lambda *_: self.search)
        client: Any = self.desk
        self.session = LiveSession(client, lambda: self.now_s)

    def turn(self, times=1):
        for _ in range(times):
            turn = self.session.turn()
            self.turns.append(turn)
            self.answers += [one for one in turn.messages if isinstance(one, m.Answer)]
            self.now_s += TURN_S

    @property
    def told(self):
        """Number and error of each answer; an empty error is a stop that was taken."""
        return [(one.id, one.error) for one in self.answers]


@pytest.fixture
def panel(monkeypatch):
    """A session in virtual time."""
    return Panel(monkeypatch)


def test_a_stop_that_is_answered_says_nothing(panel):
    panel.session.stop()
    panel.turn(30)
    assert (panel.told, panel.desk.stops, panel.session.stop_text) == ([(1, "")], [1], "")


def test_a_stop_without_a_number_gets_one_and_so_an_answer(panel):
    panel.session.send(m.Stop())
    panel.turn(30)
    assert (panel.told, panel.desk.stops, panel.session.stop_text) == ([(1, "")], [1], "")


def test_no_answer_to_a_stop_is_told_after_the_time_that_is_said(panel):
    panel.desk.hangs = True
    panel.turn()
    asked_s = panel.now_s
    panel.session.stop()
    while not panel.session.stop_text:
        panel.turn()
        assert panel.now_s < asked_s + 1.0
    assert SILENT_S <= panel.now_s - asked_s <= SILENT_S + TURN_S
    told = (
        "No answer to the stop for {silent_s} s: use the emergency stop / Ctrl-C at the terminal."
    )
    assert panel.session.stop_text == told.format(silent_s=f"{panel.now_s - asked_s:.1f}")
    panel.turn(20)
    panel.session.stop()  # a second one makes the first no younger
    assert panel.session.stop_text == told.format(silent_s=f"{panel.now_s - asked_s:.1f}")
    panel.desk.says = [m.Answer(id=1, ok=True, error=""), m.Answer(id=2, ok=True, error="")]
    panel.turn()
    assert panel.session.stop_text == ""
    panel.session.stop()
    assert panel.session.stop_text == "", "the next one has its own time"


def test_the_answer_to_another_question_is_none_to_the_stop(panel):
    panel.desk.hangs = True
    panel.session.stop()
    panel.desk.hangs = False
    panel.session.send(m.Press(button="park", id=panel.session.next_id()))
    panel.turn(15)
    assert panel.told == [(2, "")]
    assert panel.session.stop_text


def test_stops_that_a_full_desk_does_not_take_are_all_handed_out_before_its_sign_of_life(panel):
    panel.desk.full = True
    panel.session.stop()
    panel.session.stop()
    panel.turn(15)
    assert (panel.desk.stops, panel.told) == ([], [])
    assert panel.session.stop_text
    panel.desk.full = False
    panel.turn()
    assert [one.type for one in panel.desk.taken] == ["stop", "stop", "alive"]
    assert panel.told == [(1, ""), (2, "")]
    panel.turn(15)
    assert (panel.desk.stops, panel.session.stop_text) == ([1, 2], "")


@pytest.mark.parametrize("taken", [True, False])
def test_a_stop_whose_desk_dies_is_answered_and_asked_of_the_next_desk_at_once(panel, taken):
    panel.desk.hangs, panel.desk.full = True, not taken
    panel.session.stop()
    panel.turn(20)
    panel.desk.open = False
    panel.turn()
    assert panel.told == [(1, "the desk died before it answered; the next one is asked at once")]
    assert (
        "the desk died before it answered; the next one is asked at once"
        in panel.session.bench.refused
    )
    panel.turn(20)
    assert panel.session.stop_text == (
        "No desk hears the stop: use the emergency stop / Ctrl-C at the terminal. The "
        "run's next desk is asked at once."
    )
    assert len(panel.told) == 1

    following = Desk()
    following.hangs = True
    panel.search.found = following
    panel.turn()
    assert [one.type for one in following.taken][:2] == ["stop", "alive"]
    assert panel.session.stop_text.startswith("No answer"), "it waits since it was pressed"
    following.says = [m.Answer(id=following.stops[0], ok=True, error="")]
    panel.turn(5)
    assert panel.told[1:] == [(following.stops[0], "")]
    assert (panel.session.stop_text, panel.session.bench.refused) == ("", "")
    assert following.stops == [2]


def test_other_questions_are_answered_but_not_asked_again(panel):
    panel.desk.hangs = True
    panel.session.send(m.Press(button="park", id=panel.session.next_id()))
    panel.turn()
    panel.desk.open = False
    panel.turn()
    panel.search.found = following = Desk()
    panel.turn(3)
    assert panel.told == [(1, "the desk died before it answered; what became of it is not known")]
    assert {one.type for one in following.taken} == {"alive"}


def test_stops_without_a_desk_are_answered_at_once_and_kept_for_the_next_one(panel):
    panel.desk.open = False
    panel.turn()
    panel.session.stop()
    panel.session.stop()
    assert panel.session.stop_text == (
        "No desk hears the stop: use the emergency stop / Ctrl-C at the terminal. The "
        "run's next desk is asked at once."
    )
    panel.turn()
    unsent = "there is no desk to hear it; the next one is asked at once"
    assert [error for _, error in panel.told] == [unsent, unsent]
    panel.search.found = following = Desk()
    panel.turn(3)
    assert len(following.stops) == 1
    assert panel.told[2:] == [(following.stops[0], "")]
    assert panel.session.stop_text == ""


def test_a_search_that_ends_without_a_desk_answers_the_stop_for_good(panel):
    panel.desk.hangs = True
    panel.session.stop()
    panel.turn()
    panel.desk.open = False
    panel.turn()
    panel.search.over = True
    panel.turn(30)
    nobody = (
        "{why}: nobody is left to answer it; use the emergency stop if anything still moves"
    ).format(why="its desk is gone without a word, and so is the bench")
    assert panel.told == [
        (1, "the desk died before it answered; the next one is asked at once"),
        (2, nobody),
    ]
    assert nobody in panel.session.bench.notice
    assert panel.session.stop_text == ""
    panel.session.stop()
    panel.turn(30)
    assert panel.told[2:] == [(3, nobody)]


def test_a_desk_that_is_cut_off_from_its_bench_says_how_else_it_is_stopped_until_it_is_gone(panel):
    panel.desk.hangs = True
    panel.session.stop()
    panel.turn()
    panel.desk.says, panel.desk.open = [m.CutOff()], False
    panel.turn(30)
    (turn,) = [one for one in panel.turns if one.news]
    assert turn.news == (
        "The desk has lost the bench, and no other desk comes. Its hold-to-run is "
        "released, but it may still move, and no panel can stop it: Ctrl-C at its "
        "terminal / emergency stop."
    )
    assert turn.batch.events[-1].message == turn.news
    nobody = (
        "{why}: nobody is left to answer it; use the emergency stop if anything still moves"
    ).format(why="cut off from the bench, which may still move")
    assert panel.told == [(1, nobody)]
    assert not panel.session.ended
    assert (
        panel.session.bench.link_text(panel.now_s)
        == "NO DESK: cut off from the bench, which may still move"
    )
    assert panel.session.stop_text == (
        "No panel can stop this bench any more, and it may still move: Ctrl-C at its "
        "terminal / emergency stop."
    )
    panel.session.stop()
    panel.turn(30)
    assert panel.told[1:] == [(2, nobody)]
    assert panel.session.stop_text == (
        "No panel can stop this bench any more, and it may still move: Ctrl-C at its "
        "terminal / emergency stop."
    ), "whether or not it is pressed"
    panel.search.over = True
    panel.turn(3)
    assert (panel.session.ended, panel.session.stop_text) == (True, "")


def test_giving_up_stops_and_releases_once_each_time_that_the_motion_was_taken(panel):
    own = m.State(owner="t", you_own=True, clients=("t",), bench=True)
    free = m.State(owner="", you_own=False, clients=("t",), bench=True)

    def given_up(said):
        panel.desk.taken.clear()
        panel.desk.says.append(said)
        for _ in range(10):
            panel.turn()
            panel.session.give_up()
        return [one.type for one in panel.desk.taken if one.type != "alive"]

    assert given_up(free) == []
    assert given_up(own) == ["stop", "release"]
    assert given_up(own) == [], "the desk need not have done it yet"
    assert given_up(free) == []
    assert given_up(own) == ["stop", "release"]


def test_a_run_that_ends_answers_what_its_desk_did_not(panel):
    panel.desk.hangs = True
    panel.session.stop()
    panel.session.send(m.Press(button="park", id=panel.session.next_id()))
    panel.turn()
    panel.desk.says, panel.desk.open = [GONE], False
    panel.turn(3)
    why = "the run is over"
    assert panel.told == [
        (
            1,
            (f"{why}: nobody is left to answer it; use the emergency stop if anything still moves"),
        ),
        (2, f"{why}: nobody is left to answer it"),
    ]
    assert (panel.session.ended, panel.session.stop_text) == (True, "")
