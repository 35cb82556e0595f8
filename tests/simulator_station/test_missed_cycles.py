"""Cycles that control was not there for: a live ride joins its way again as a planned motion does.

What is planned is the same ride with all its cycles. The judge is written here from the gate's
rules: a cycle without a setpoint goes on at constant speed, and a leg's change of movement from
cycle to cycle is bounded.
"""

import math
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from hil.config.file_search import configs_dir
from hil.hosts.watch.states import Cause, HostReading, HostState
from hil.machines.cueing.preset import filter_of, read_preset
from hil.machines.rig.machine import geometry_of, load_rig
from hil.stations.simulator.chain.chain import Chain
from hil.stations.simulator.chain.missed_cycles import between
from hil.stations.simulator.chain.motion import RideMotion
from hil.stations.simulator.plan.source import Surroundings
from hil.stations.simulator.sources.smoothing import smoothing
from platform6dof.cueing.attitude import from_euler
from platform6dof.cueing.direct import Direct, DirectParameters
from platform6dof.cueing.vehicle import REST, VehicleFlags
from platform6dof.inverse import leg_setpoints_batch

RIG = load_rig(configs_dir() / "rigs" / "training_simulator.toml")
SPEED_MAX, ACCELERATION_MAX = 0.70, 7.0
"""Of a leg, from the rig's file [m/s, m/s²]."""
NEAR = 0.1
"""So near to the limit (share of it) a verdict may be either."""
ENGAGED_AT, FIRST, LAST, EVERY = 500, 700, 1050, 7
"""Cycles: the ride has faded in by the second; there cycles are missed, up to the third."""


def pose(t_s, frequency_hz, amplitude_m):
    """Up and down, from rest."""
    w = 2.0 * math.pi * frequency_hz
    down = amplitude_m * math.sin(w * t_s)
    return replace(
        REST, t_s=t_s, position_m=(0.0, 0.0, down), flags=VehicleFlags.POSE, attitude=(1, 0, 0, 0)
    )


def forces(t_s, frequency_hz, amplitude_m_s2):
    """Force forward, swinging."""
    x = amplitude_m_s2 * math.sin(2.0 * math.pi * frequency_hz * t_s)
    return replace(REST, t_s=t_s, f_m_s2=(x, 0.0, REST.f_m_s2[2]))


def cue_of(kind, period_s):
    if kind is pose:
        return Direct(DirectParameters(travel_m=(0.2, 0.2, 0.2)), period_s)
    return filter_of(read_preset("tight"), period_s)


class Live:
    """A ride, led through cycles by their numbers."""

    def __init__(self, kind, period_s, numbers):
        self.kind, self.period_s, self.numbers = kind, period_s, numbers
        neutral = np.array(RIG.neutral.coordinates())
        chain = Chain(cue_of(kind, period_s), None, neutral, np.array((0.0, 0.0, 0.9)), period_s)
        self.motion = RideMotion(chain, RIG.slow_moves.limits(), period_s, math.inf)

    def rows(self, cycle):
        t_s = cycle * self.period_s
        state = self.kind(t_s, *self.numbers)
        self.motion.reading = HostReading(state, HostState.LIVE, Cause.NONE, 1.0)
        self.motion.sample(t_s)
        return self.motion.cued.rows


def lengths(rows):
    """Of the legs, shape (N, 6) [m]."""
    rows = np.array(rows)
    found, _ = leg_setpoints_batch(geometry_of(RIG), rows[:, 0], rows[:, 1])
    return found


@lru_cache(maxsize=8)
def planned(kind, period_s, numbers):
    """The ride without a missed cycle: lengths of all cycles."""
    live = Live(kind, period_s, numbers)
    return lengths([live.rows(cycle) for cycle in range(1, LAST + 20)])


def joined_by(before, last, asked, missed, period_s):
    """Greatest share of the bounds that a setpoint after missed cycles takes; above 1 is a stop."""
    movement = last - before
    bridged = last + missed * movement
    step = asked - bridged
    change = np.abs(step - movement).max() / (ACCELERATION_MAX * period_s**2)
    return max(change, np.abs(step).max() / (SPEED_MAX * period_s))


@pytest.mark.parametrize("period_s", [0.004, 0.002])
@pytest.mark.parametrize("missed", [1, 2])
@pytest.mark.parametrize("kind", [pose, forces])
def test_planned_and_live_get_the_same_verdicts_after_missed_cycles(kind, missed, period_s):
    """At every speed up to the rig's limit, on slow motions and on hard ones."""
    seen, speeds = {True: 0, False: 0}, []
    cases = [(0.25, 0.03), (0.5, 0.12), (0.7, 0.16), (1.5, 0.05)]
    if kind is forces:
        cases = [(0.5, 0.3), (0.8, 1.5), (1.2, 3.0)]
    for numbers in cases:
        way = planned(kind, period_s, numbers)
        live, made = Live(kind, period_s, numbers), []
        for cycle in range(1, LAST):
            offset = (cycle - FIRST) % EVERY
            if cycle < FIRST or not 0 < offset <= missed:
                made.append((cycle, live.rows(cycle)))
        after = [k for k in range(1, len(made)) if made[k][0] - made[k - 1][0] == missed + 1]
        assert len(after) >= 40
        live_m = lengths([rows for _, rows in made])
        for k in after:
            cycle = made[k][0]
            here = way[cycle - missed - 3], way[cycle - missed - 2], way[cycle - 1]
            wanted = joined_by(*here, missed, period_s)
            got = joined_by(live_m[k - 2], live_m[k - 1], live_m[k], missed, period_s)
            speeds.append(np.abs(here[1] - here[0]).max() / period_s)
            assert got == pytest.approx(wanted, rel=NEAR, abs=NEAR), (numbers, cycle)
            if abs(wanted - 1.0) > NEAR:
                assert (got > 1.0) == (wanted > 1.0)
                seen[got > 1.0] += 1
    assert seen[False] > 50
    assert kind is forces or max(speeds) > 0.8 * SPEED_MAX
    assert kind is forces or min(speeds) < 0.1 * SPEED_MAX


def test_a_leg_of_any_speed_is_joined_again_where_it_hardly_accelerates():
    """A step of the filter for each cycle: with one, 24 mm/s at 250 Hz would be too fast."""
    period_s, numbers = 0.004, (0.25, 0.2)
    way = planned(pose, period_s, numbers)
    fastest = np.abs(np.diff(way, axis=0)).max() / period_s
    assert fastest > 4.0 * ACCELERATION_MAX * period_s
    for missed in (1, 2):
        live = Live(pose, period_s, numbers)
        rows = [live.rows(cycle) for cycle in range(1, 1001)]
        rows.append(live.rows(1001 + missed))
        assert joined_by(*lengths(rows[-3:]), missed, period_s) < 0.6


@pytest.mark.parametrize("cycles", [4, 1000])
def test_no_more_cycles_are_made_up_for_than_the_gate_bridges(cycles):
    live, steps = Live(pose, 0.004, (0.25, 0.1)), []
    chain = live.motion._chain
    follow = chain.follow
    chain.follow = lambda *given: steps.append(given) or follow(*given)
    live.rows(1)
    live.rows(1 + cycles)
    assert len(steps) == 1 + 3
    assert [given[0].position_m[2] for given in steps] == sorted(
        given[0].position_m[2] for given in steps
    )


def test_a_state_between_two_is_on_the_even_way_and_on_a_parabola_through_three():
    a = replace(REST, t_s=1.0, f_m_s2=(0.0, 1.0, -9.0), attitude=from_euler(0.1, 0.0, 3.1))
    b = replace(REST, t_s=2.0, f_m_s2=(4.0, 3.0, -7.0), attitude=from_euler(0.1, 0.0, -3.1))
    middle = between([(4, a), (6, b)], 5)
    assert (middle.t_s, middle.f_m_s2) == (1.5, (2.0, 2.0, -8.0))
    turned = np.array(middle.attitude) * np.sign(middle.attitude[3])
    assert turned == pytest.approx(from_euler(0.1, 0.0, math.pi), abs=1e-4)
    falls = [
        replace(REST, t_s=t, position_m=(t, 0.0, 0.5 * t * t), attitude=from_euler(0.0, t * t, 0.0))
        for t in (0.0, 0.1, 0.2, 0.4)
    ]
    third = between([(0, falls[0]), (1, falls[1]), (4, falls[3])], 2)
    assert third.t_s == pytest.approx(0.2)
    assert third.position_m == pytest.approx(falls[2].position_m)
    assert third.attitude == pytest.approx(falls[2].attitude)


def test_a_low_pass_takes_in_what_was_in_missed_cycles(monkeypatch):
    from host_rides import Bench

    bench = Bench("hcu1", 3)
    around = Surroundings(Path("ride.toml"), 0.004, True, 3, lambda: 0.0)
    source = bench._source
    monkeypatch.setattr(source, "_smooth", smoothing(10.0, around))
    whole = bench.until(2.0).fault("")
    patchy = bench.fault("")
    for cycle in range(500, 600):
        now_s = 0.004 * cycle
        wanted = whole._source.poll(now_s).state
        if cycle % 5 in (1, 2):
            continue
        if cycle % 5 == 3:
            patchy._source.missed(2)
        got = patchy._source.poll(now_s).state
        assert got.f_m_s2 == pytest.approx(wanted.f_m_s2, abs=0.02)
