"""Ticks that nobody waits for are made together: fewer wake-ups, to the last bit the same rack."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from properties import dear
from test_rack_at_rest import DEEDS, FRAMES, SETTINGS, meet

from sim.devices.can import program as rack_program
from sim.devices.can.rack import CanRack
from sim.devices.drive.parameters import RackSettings

MOVING = [("frames", "start"), ("wait", 0.003)]
for phase in ("ready", "on", "enabled"):
    MOVING += [("frames", phase), ("frames", "sync"), ("wait", 0.004)] * 60


def lived(rack, deeds, look_s):
    """What a rack has said, and what it is in the end, if it is looked at so often at least."""
    now_s, told = 100.0, []
    rack.advance(now_s)
    for kind, what in [*deeds, ("wait", 0.1)]:
        meet(rack, kind, what, now_s)
        if kind == "wait":
            until_s = now_s + what
            looked_s = now_s
            while (looked_s := looked_s + look_s) < until_s:
                told += rack.take(looked_s)
            now_s = until_s
            told += rack.take(now_s)
    rods = [(rod.x_m, rod.v_m_s, rod.force_n) for rod in rack.rods]
    return told, rods, [(node.state, node.drive.state, node.drive.u_m) for node in rack.nodes]


@example(deeds=MOVING)
@given(deeds=st.lists(DEEDS, max_size=25))
@dear
def test_a_rack_says_and_does_the_same_however_seldom_it_is_looked_at(deeds):
    often, seldom = (CanRack(SETTINGS["paced"], seed=3) for _ in range(2))
    assert lived(often, deeds, 0.00037) == lived(seldom, deeds, 1.0)


class Still:
    """A plant that stands still, but goes on: so nothing rests."""

    def begin(self, extensions_m):
        self._extensions_m = list(extensions_m)

    def advance(self, forces_n, locked, dt_s):
        pass

    def extensions_m(self):
        return self._extensions_m

    def speeds_m_s(self):
        return [0.0] * 6


class Selector:
    """Sleeps in virtual time, and hears nothing."""

    now_s, wakes = 100.0, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def register(self, *_):
        pass

    unregister = register

    def get_map(self):
        return {}

    def select(self, timeout):
        Selector.now_s += max(timeout, 1e-6)
        Selector.wakes += 1
        return []


@pytest.mark.parametrize(("bitrate", "least", "most"), [(1_000_000, 200, 280), (None, 980, 1020)])
def test_a_paced_rack_wakes_up_for_its_ticks_four_at_a_time(monkeypatch, bitrate, least, most):
    """In one that is not paced an answer takes no time, so none has to wait for a tick's work."""
    Selector.now_s, Selector.wakes = 100.0, 0
    monkeypatch.setattr(rack_program.selectors, "SelectSelector", Selector)
    rack_program.run_can_rack(
        RackSettings(bitrate=bitrate), now_s=lambda: Selector.now_s, ready=lambda url: None,
        stop=lambda: Selector.now_s > 101.0, plant=Still(),
    )  # fmt: skip
    assert least <= Selector.wakes <= most


def test_what_is_on_its_way_on_a_paced_bus_is_awaited():
    """All 20 are: without data a frame has 47 bits, and at most 8 of stuffing (ISO 11898-1)."""
    rack = CanRack(SETTINGS["paced"], seed=3)
    rack.advance(100.0)
    assert rack.awaited_s(100.001) > 101.0
    for frame in FRAMES["many"]:
        rack.receive(frame, 100.0)
    bits = (rack.awaited_s(100.0001) - 100.0) * 1e6
    assert 20 * 47 <= round(bits) <= 20 * (47 + 8)
