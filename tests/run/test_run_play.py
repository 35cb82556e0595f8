"""Every run is opened, played and ended in one way, whatever goes wrong on the way."""

import signal
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

import pytest

from hil.config.scenario import RecordingSettings
from hil.recording.end import EndRecord, RecordedEnd
from hil.recording.events import EVENTS, ROWS, EventKind, EventRecord, Level
from hil.recording.header import RunHeader
from hil.recording.reader import Recording
from hil.recording.recorder import RecorderStatus
from hil.recording.signals import Signal, Signals
from hil.run.journal import KEPT_EVENTS, Journal
from hil.run.run import Opening, Stalls, play
from hil.timing.clock import Tick, VirtualClock, moment

TABLE = Signals("toy", (Signal("index", "u8"), Signal("t_s", "f8", unit="s")))
HEADER = RunHeader(TABLE, {"clock": "virtual"})
SETTINGS = RecordingSettings(min_free_mb=0.0)


@dataclass
class Toy:
    """A run of a few turns that notes what is done with it."""

    turns: int = 3
    fails_at: int = -1
    error: BaseException = field(default_factory=lambda: ValueError("control"))
    takes: bool = False
    journal: Journal | None = None
    period_s: float = 0.25
    done: list = field(default_factory=list)

    def __post_init__(self):
        self.clock = VirtualClock()

    def turn(self, tick):
        self.done.append(tick.t_s)
        if tick.index == self.fails_at:
            raise self.error
        if self.journal is not None:
            self.journal.row(TABLE.pack((tick.index, tick.t_s)), tick.t_s, tick.index)
        return tick.index == self.turns - 1

    def failed(self, error):
        self.done.append(error)
        return self.takes

    def close(self):
        self.done.append("closed")


def test_it_is_turned_until_it_is_over_and_closed():
    run = Toy()
    play(run)
    assert run.done == [0.0, 0.25, 0.5, "closed"]


def test_an_error_that_the_run_takes_for_its_end_is_its_end():
    run = Toy(fails_at=1, takes=True)
    play(run)
    assert run.done == [0.0, 0.25, run.error, "closed"]


@pytest.mark.parametrize("error", [ValueError("control"), KeyboardInterrupt()])
def test_any_other_is_raised_and_the_devices_are_left_all_the_same(error):
    run = Toy(fails_at=1, error=error)
    with pytest.raises(type(error)):
        play(run)
    assert run.done[-1] == "closed"
    assert run.done.count("closed") == 1
    assert (error in run.done) == isinstance(error, Exception)


def test_a_clock_that_fails_closes_it_too():
    class Dead(VirtualClock):
        def ticks(self, period_s):
            yield from ()
            raise OSError("the clock is gone")

    run = Toy(takes=True)
    run.clock = Dead()
    play(run)
    assert [type(one) for one in run.done] == [OSError, str]


# --- opening -------------------------------------------------------------------------------------


def recorded(tmp_path, *, act=lambda opening, journal: None, **named):
    """A run of the toy, recorded; what its opening and its journal have become."""
    with Opening("toy", tmp_path, virtual=True) as opening:
        journal = Journal(opening.record(SETTINGS, HEADER))
        act(opening, journal)
        opening.play(Toy(journal=journal, **named), journal)
        opening.conclude("rested", well=True)
    return opening, journal


def test_a_run_is_recorded_whole_in_a_folder_of_its_own(tmp_path):
    opening, _ = recorded(tmp_path)
    result = opening.end().recorder
    assert result.status is RecorderStatus.DONE
    assert result.path.parent == opening.folder
    assert opening.folder.parent == tmp_path
    assert list(Recording.open(result.path).t_s) == [0.0, 0.25, 0.5]


def test_a_run_that_fails_leaves_a_recording_with_its_end(tmp_path):
    with pytest.raises(ValueError, match="control"):
        recorded(tmp_path, fails_at=2)
    [file] = tmp_path.rglob("*.mcap")
    assert list(Recording.open(file).t_s) == [0.0, 0.25]
    assert not Recording.open(file).damage
    told = RecordedEnd.of(Recording.open(file).metadata)
    assert told.end == EndRecord("failed", ok=False, reason="ValueError: control")


def test_a_run_of_which_nobody_says_how_it_ended_has_no_end(tmp_path):
    with Opening("toy", tmp_path, virtual=True) as opening:
        journal = Journal(opening.record(SETTINGS, HEADER))
        opening.play(Toy(journal=journal), journal)
    with pytest.raises(RuntimeError, match="nobody said how the run ended"):
        opening.end()


@pytest.mark.parametrize(
    ("said", "ok", "cause"),
    [
        ({"well": True}, True, ""),
        ({"well": False, "reason": "leg 2"}, False, "leg 2"),
        ({"well": False}, False, "rested"),
        ({"well": True, "failures": ("no film",)}, False, "no film"),
        ({"well": False, "reason": "leg 2", "failures": ("a", "b")}, False, "leg 2; a; b"),
    ],
)
def test_recording_and_end_say_the_same(tmp_path, said, ok, cause):
    with Opening("toy", tmp_path, virtual=True) as opening:
        journal = Journal(opening.record(SETTINGS, HEADER))
        opening.play(Toy(journal=journal), journal)
        opening.conclude("rested", **said)
    end = opening.end()
    told = RecordedEnd.of(Recording.open(end.recorder.path).metadata)
    assert (end.ok, end.cause, end.outcome) == (ok, cause, "rested")
    assert (told.end.ok, told.end.outcome, told.loss) == (ok, "rested", "")
    assert told.end.reason == ("" if ok or cause == "rested" else cause)


def test_a_run_is_concluded_once(tmp_path):
    with Opening("toy", tmp_path, virtual=True) as opening:
        opening.record(SETTINGS, HEADER)
        opening.conclude("rested", well=True)
        with pytest.raises(RuntimeError, match="once"):
            opening.conclude("rested", well=True)


def test_a_loop_that_stands_still_is_told_as_one_warning(tmp_path):
    sink = Sink()
    sink.said = ""
    journal = Journal(sink)
    stalls = Stalls(journal)
    for index, late_s in enumerate((0.0, 0.05, 0.3, 0.2, 1.25)):
        stalls.update(Tick(index, 0.1 * index, 0.1, late_s))
    assert journal.warnings == (
        "the loop stood still for 1.250 s at 0.400 s, the longest of 3 times",
    )
    assert [event.level for event in journal.events] == [Level.WARNING] * 2


def test_a_folder_with_nothing_in_it_goes_again(tmp_path):
    with Opening("toy", tmp_path, virtual=True) as opening:
        assert opening.folder.is_dir()
    assert not opening.folder.exists()
    with pytest.raises(RuntimeError, match="nothing was recorded"):
        opening.end()


def test_signals_are_a_wish_while_it_lasts_and_what_they_were_afterwards(tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    with Opening("toy", tmp_path, virtual=True) as opening:
        assert opening.stop_request.asked is None
        assert signal.getsignal(signal.SIGTERM) != before
        signal.raise_signal(signal.SIGTERM)
        assert opening.stop_request.asked is signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_wish_of_somebody_else_is_taken_instead(tmp_path):
    stop_request = object()
    before = signal.getsignal(signal.SIGTERM)
    with Opening("toy", tmp_path, virtual=True, stop=nullcontext(stop_request)) as opening:
        assert opening.stop_request is stop_request
        assert signal.getsignal(signal.SIGTERM) == before


def test_what_was_entered_is_left_in_reverse_before_the_signals(tmp_path):
    order = []

    @contextmanager
    def device(name):
        order.append(name)
        yield name
        order.append(f"{name} left")

    with Opening("toy", tmp_path, virtual=True, stop=device("signals")) as opening:
        assert opening.enter(device("drives")) == "drives"
        opening.at_end(lambda: order.append("told"))
        order.append("turns")
    assert order == ["signals", "drives", "turns", "told", "drives left", "signals left"]


def test_signals_are_given_back_if_there_can_be_no_folder(tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    file = tmp_path / "file"
    file.write_text("")
    with (
        pytest.raises(Exception, match="cannot be made: Not a directory"),
        Opening("toy", file, virtual=True),
    ):
        pass
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize("virtual", [True, False])
def test_only_a_run_in_real_time_asks_the_system_and_tells_the_date(tmp_path, virtual):
    asked = []

    @contextmanager
    def granting():
        asked.append("asked")
        yield ("granted",)
        asked.append("given back")

    with Opening("toy", tmp_path, virtual=virtual) as opening:
        items = opening.grant(granting)
        journal = Journal(Sink())
        opening.date(journal, VirtualClock())
    assert items == (() if virtual else ("granted",))
    assert asked == ([] if virtual else ["asked", "given back"])
    assert (journal.dated is None) == virtual


# --- journal -------------------------------------------------------------------------------------


class Ring:
    def __init__(self):
        self.entries = []

    def push(self, kind, payload):
        self.entries.append((kind, bytes(payload)))


class Sink:
    def __init__(self):
        self.ring, self.said = Ring(), "one copy more"

    def service(self):
        return self.said


def test_recorder_and_audience_are_told_the_same_bytes_in_the_same_order():
    sink, audience = Sink(), Ring()
    journal = Journal(sink, audience)
    row = TABLE.pack((4, 0.5))
    journal.row(row, 0.5, 4)
    journal.put(0.5, 4, "a word", {"value": 2.5}, who="gate", level=Level.ERROR)
    event = EventRecord(0.5, 4, EventKind.NOTE, Level.ERROR, "gate", "a word", {"value": 2.5})
    assert sink.ring.entries == [(ROWS, row), (EVENTS, event.to_bytes())]
    assert audience.entries == sink.ring.entries
    assert journal.events == [event]
    journal.service()
    assert journal.warnings == ("one copy more",)
    assert journal.events[1:] == [
        EventRecord(0.5, 4, EventKind.NOTE, Level.WARNING, "recorder", "one copy more")
    ]


def test_the_first_row_alone_is_dated_and_the_date_follows_it():
    sink = Sink()
    journal = Journal(sink)
    journal.dated = lambda: moment(VirtualClock().now_s)
    for index in range(3):
        journal.row(TABLE.pack((index, 0.1 * index)), 0.1 * index, index)
    assert [kind for kind, _ in sink.ring.entries] == [ROWS, EVENTS, ROWS, ROWS]
    assert journal.events[0].name == "clock"
    assert journal.events[0].index == 0


def test_memory_keeps_the_first_events_and_the_recording_all():
    sink = Sink()
    journal = Journal(sink)
    for index in range(KEPT_EVENTS + 5):
        journal.put(0.0, index, "again")
    assert len(journal.events) == KEPT_EVENTS
    assert journal.events[-1].index == KEPT_EVENTS - 1
    assert len(sink.ring.entries) == KEPT_EVENTS + 5
