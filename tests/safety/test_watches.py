"""Each watch in each mode: a fault that is reported thanks to it, and without it is not."""

from types import MappingProxyType

import pytest
import watch_table
from safety_samples import ZERO
from watch_scenes import FAULTS, LIMITS, brought_to, lag_reported, of_feedback, reports

import safety.gate
from safety.modes import DriveRequest, Mode, Request
from safety.watches import WATCHED, WATCHES, Watched

WANTED = {(name, mode) for name, faults in FAULTS.items() for mode in faults[0].modes.split()}
"""Names of watches and modes, as the faults have them."""
STOPS = {Mode.CSTOP: 4, Mode.HOLD: 0, Mode.STANDBY: 0}
"""Modes in which only what is left of a motion can lag, and when it has to begin for that."""


def without(monkeypatch, name, mode):
    """A gate whose table lacks one entry."""
    table = {**WATCHED, mode: WATCHED[mode]._replace(**{name: False})}
    monkeypatch.setattr(safety.gate, "WATCHED", MappingProxyType(table))


def test_the_table_is_what_has_to_be_watched():
    entries = {(name, mode.name) for name, modes in WATCHES.items() for mode in modes}
    assert entries == WANTED | {("lag", mode.name) for mode in STOPS}
    assert {(n, m.name) for m in Mode for n in Watched._fields if getattr(WATCHED[m], n)} == entries


@pytest.mark.parametrize(("name", "mode"), sorted(WANTED))
@pytest.mark.pure_build
def test_each_entry_finds_what_no_other_finds(monkeypatch, name, mode):
    mode = Mode[mode]
    faults = [fault for fault in FAULTS[name] if mode.name in fault.modes.split()]
    first = name == "first_motion"
    assert [fault.check for fault in faults if not reports(mode, fault, first)] == []
    without(monkeypatch, name, mode)
    assert [fault.check for fault in faults if reports(mode, fault, first)] == []


@pytest.mark.parametrize(("mode", "onset"), STOPS.items())
@pytest.mark.pure_build
def test_lag_is_found_in_the_stop_and_after_it_while_what_is_measured_moves(
    monkeypatch, mode, onset
):
    assert lag_reported(mode, onset) == {mode}
    without(monkeypatch, "lag", mode)
    assert mode not in lag_reported(mode, onset)


def test_a_force_in_homing_ends_it_with_the_power_off():
    """A drive that pushes 1.03 times what it may through its whole homing."""
    bench = brought_to(Mode.HOMING, moves=False)
    pushed = of_feedback(force_n=(1.03 * LIMITS.legs[0].force_max_n, *ZERO[1:]))
    for k in range(LIMITS.force_cycles):
        assert bench.gate.mode is Mode.HOMING
        bench.cycle(**pushed(bench, k))
    verdict = bench.history[-1]
    assert verdict.mode is Mode.QSTOP
    assert [str(fault) for fault in verdict.faults] == [
        "leg 1: force 3090 N outside [-3000, 3000] N"
    ]
    bench.run(2 * LIMITS.standstill_cycles)
    assert (bench.gate.mode, bench.drives) == (Mode.FAULT, DriveRequest.OFF)


def test_a_force_of_before_the_power_went_does_not_count():
    bench = brought_to(Mode.STANDBY, moves=False)
    pushed = of_feedback(force_n=(3100.0, *ZERO[1:]))
    for k in range(LIMITS.force_cycles - 2):
        bench.cycle(**pushed(bench, k))
    bench.cycle(None, Request.SHUT_DOWN, **pushed(bench, 0))
    assert bench.gate.mode is Mode.OFF
    bench.idle().cycle(None, Request.HOME)
    assert bench.gate.mode is Mode.HOMING
    assert not bench.cycle(**pushed(bench, 0)).violations


@pytest.mark.pure_build
def test_the_manual_prints_the_table():
    text = watch_table.PAGE.read_text("utf-8")
    assert watch_table.filled(text) == text, "python tests/safety/watch_table.py"
