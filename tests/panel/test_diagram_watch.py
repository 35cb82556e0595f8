"""A diagram that moves a machine, seen in the editor: nothing of what is done there touches it."""

from pathlib import Path

import pytest
from diagram_samples import LEVEL

from hil.config.errors import RefusedError
from hil.diagram.file.read import read_text
from hil.diagram.run.live import Version
from hil.diagram.run.tap_reader import TappedLaw, TapReader
from hil.diagram.run.taps import DiagramTaps
from hil.ipc.broadcast import BroadcastReader
from hil.panel.diagram.models.live_station import LiveStation, law_of
from hil.panel.diagram.models.live_values import port_words

NEVER = 2**22 - 1
"""Number of no process here."""


class Machine:
    """The law of LEVEL, in a loop whose level falls by 1 mm each tick."""

    def __init__(self, text=LEVEL):
        self.taps = DiagramTaps.local()
        self.engine = Version.of(read_text(text, Path("law.toml")), {}).engine
        law = TappedLaw("tank", NEVER, Path("/laws/law.toml"), text, {}, 0, 0)
        reader = TapReader(self.taps.choice, BroadcastReader(self.taps.frames.buffer))
        self.station = LiveStation(law, reader)

    def go(self, ticks):
        for _ in range(ticks):
            self.engine.set_input("level", 1.0 - 0.001 * self.engine.tick)
            self.engine.step()
            self.taps.push(self.engine)


@pytest.fixture
def machine():
    return Machine()


def level_after(tick):
    return 1.0 - 0.001 * (tick - 1)


def test_what_is_seen_goes_with_the_machine_stays_and_goes_back(machine):
    station = machine.station
    assert station.words == "run tank, no tick yet"
    assert station.values("level", "y") is None
    station.show([("level", "y"), ("error", "y")])
    machine.go(200)
    station.advance(0.4)
    assert station.tick == 200
    assert station.values("level", "y")[0] == level_after(200)
    assert port_words(station, ("error", "y")) == f"{0.5 - level_after(200):.5g} m"
    assert station.values("pi", "y") is None  # nobody asked for it
    station.go(on=False)
    machine.go(100)
    station.advance(0.2)
    assert station.tick == 200
    assert "the machine goes on" in station.words
    station.step()
    assert station.values("level", "y")[0] == level_after(201)
    station.back(0.1)
    assert station.tick == 151
    station.back(1e9)
    assert station.tick == 1
    station.go(on=True)
    assert station.tick == 300
    assert machine.engine.tick == 300


def test_the_past_of_a_wire_is_what_came_since_it_was_chosen(machine):
    station = machine.station
    station.show([("level", "y")])
    machine.go(50)
    station.advance(0.1)
    station.watch([("level", "y"), ("pi", "y")])
    machine.go(50)
    station.advance(0.1)
    trace = station.trace("level", "y")
    assert trace.ticks.tolist() == list(range(1, 101))
    assert trace.rows[:, 0].tolist() == [level_after(tick) for tick in range(1, 101)]
    assert station.trace("pi", "y").ticks.tolist() == list(range(51, 101))
    assert station.trace("error", "y") is None
    machine.go(6000)
    for _ in range(2):
        station.advance(0.0)  # the ring holds less than that
    assert "ticks were not read in time" in station.words
    machine.go(10)
    station.advance(0.0)
    assert len(trace.ticks) <= 5000


def test_a_law_that_begins_anew_has_no_past_before_that(machine):
    station = machine.station
    station.watch([("level", "y")])
    start = machine.engine.snapshot()
    machine.go(100)
    station.advance(0.2)
    machine.engine.restore(start)
    machine.go(30)
    station.advance(0.1)
    assert station.tick == 30
    assert station.trace("level", "y").ticks.tolist() == list(range(1, 31))
    station.back(0.02)
    assert station.tick == 20
    station.step()
    assert station.values("level", "y")[0] == level_after(21)
    with pytest.raises(RefusedError, match="no such output"):
        station.stop_when("pi.e > 1")  # an input


def test_it_stays_when_a_condition_begins_to_hold_and_the_machine_does_not(machine):
    station = machine.station
    station.stop_when("level.y < 0.9")
    machine.go(300)
    station.advance(0.6)
    assert not station.going
    assert station.tick == 102
    assert level_after(101) >= 0.9 > level_after(102)
    assert "the condition holds" in station.words
    assert machine.engine.tick == 300
    for text in ("no.y > 1", "level.y[2] > 1", "level"):
        with pytest.raises(RefusedError):
            station.stop_when(text)
    station.stop_when("")


def test_what_is_unusual_is_told(machine):
    station = machine.station
    station.show([("level", "y")])
    machine.go(1)
    station.advance(0.1)
    other = LEVEL.replace("kp = 2.0", "kp = 3.0")
    machine.engine = Version.of(read_text(other, Path("law.toml")), {}).engine
    machine.go(1)
    station.advance(0.1)
    assert "the law was changed 1 times" in station.words
    station.advance(1.1)
    assert "the run is over" in station.words
    station.show([(f"b{number}", "y") for number in range(80)] + [("level", "y")])
    assert "not shown" not in station.words  # of outputs that there are not
    stranger = TapReader(machine.taps.choice, BroadcastReader(machine.taps.frames.buffer))
    stranger.choose([("error", "y")])
    machine.go(1)
    station.advance(0.1)
    assert "somebody else" in station.words


def test_the_run_of_the_diagram_that_is_edited_is_found():
    drawn = read_text(LEVEL, Path("law.toml"))
    far = TappedLaw("far", 1, Path("/b.toml"), LEVEL.replace("2.0", "2.5"), {}, 0, 0)
    same = TappedLaw("same", 1, Path("/c.toml"), "# mine\n" + LEVEL, {}, 0, 0)
    assert law_of(drawn, "/x.toml", [far, same]) is same
    assert law_of(drawn, "/b.toml", [far, same]) is far
    with pytest.raises(RefusedError, match=r"running: far \(/b.toml\)"):
        law_of(drawn, "/x.toml", [far])
    broken = TappedLaw("broken", 1, Path("/d.toml"), "format = 1\nlibraries = [3]", {}, 0, 0)
    assert law_of(drawn, "/x.toml", [broken, same]) is same
    with pytest.raises(RefusedError, match="running: none"):
        law_of(drawn, "/x.toml", [])
