"""Whatever is ridden, and whenever control misses cycles: the gate says what it says of a plan.

The plan is the same ride with all its cycles, sampled where control is there. It goes through the
gate itself, and through two more whose limits are a twentieth narrower and wider: the ride may be
stopped neither before the narrower one stops the plan, nor after the wider one does, and for what
one of the three names first.
"""

import math
from dataclasses import replace
from functools import cache

import numpy as np
from governor_bench import RIGS, GateRun
from hypothesis import event, example, given
from hypothesis import strategies as st
from properties import dear

from hil.hosts.watch.states import Cause, HostReading, HostState
from hil.machines.cueing.preset import filter_of, read_preset
from hil.machines.rig.governor import governor_of
from hil.machines.rig.machine import gate_limits, geometry_of
from hil.stations.simulator.chain.chain import Chain
from hil.stations.simulator.chain.motion import RideMotion
from platform6dof.cueing.attitude import rotated_by
from platform6dof.cueing.direct import Direct, DirectParameters
from platform6dof.cueing.vehicle import REST, VehicleFlags
from platform6dof.inverse import leg_setpoints_batch
from safety.verdict import Action

RATES_HZ = st.one_of(st.sampled_from([50.0, 62.5, 125.0, 250.0, 500.0]), st.floats(50.0, 500.0))
NEAR = 0.05
"""By this share the limits of the two other gates are narrower and wider."""
BEGUN_S, RIDDEN_S = 1.1, 0.8
"""The ride has faded in by then; so long cycles are missed now and then [s]."""
TRAVEL_M, TURN_RAD = 0.3, 0.35
HEAD_M = np.array((0.0, 0.0, 0.9))


def lengths_of(rig, rows):
    """Lengths and speeds of the legs, shapes (N, 6) [m, m/s]."""
    rows = np.array(rows)
    return leg_setpoints_batch(geometry_of(rig), rows[:, 0], rows[:, 1])


@cache
def leg_rates(name):
    """How each leg grows with forward, right, down [m] and turns [rad], a row each, (6, 6)."""
    rig, small = RIGS[name], 1e-6
    neutral = np.array(rig.neutral.coordinates())
    rows = np.zeros((7, 2, 6))
    rows[:, 0] = neutral
    rows[1:, 0] += np.diag((small, -small, -small, small, -small, -small))
    found = lengths_of(rig, rows)[0]
    return (found[1:] - found[0]) / small


class Swing:
    """A vehicle that swings along and about a direction, as a pose or as forces."""

    def __init__(self, way, frequency_hz, phase_rad, forces):
        self._way, self._w, self._phase = way, 2.0 * math.pi * frequency_hz, phase_rad
        self.forces = forces

    def at(self, t_s):
        now = self._way * math.sin(self._w * t_s + self._phase)
        if self.forces:
            force = tuple((np.array(REST.f_m_s2) + now[:3]).tolist())
            return replace(REST, t_s=t_s, f_m_s2=force, omega_rad_s=tuple(now[3:].tolist()))
        place, turn = tuple(now[:3].tolist()), rotated_by(tuple(now[3:].tolist()))
        flags = VehicleFlags.POSE
        return replace(REST, t_s=t_s, position_m=place, attitude=turn, flags=flags)


def swings(draw, name):
    """A swing whose fastest leg has a drawn share of the rig's speed, at any acceleration."""
    direction = np.array(draw(st.tuples(*[st.integers(-4, 4)] * 6)), dtype=float)
    direction[draw(st.integers(0, 5))] = 4.0
    phase = draw(st.floats(0.0, 2.0 * math.pi))
    if draw(st.sampled_from([False, False, True])):
        way = direction / np.linalg.norm(direction) * np.array((1.0,) * 3 + (0.2,) * 3)
        size = draw(st.floats(0.1, 6.0))
        return Swing(size * way, draw(st.floats(0.1, 3.0)), phase, forces=True)
    leg = RIGS[name].limits
    way = direction / np.linalg.norm(direction) * np.array((1.0,) * 3 + (2.0,) * 3)
    speed = draw(st.floats(0.01, 1.05)) * max(leg.speed_max_m_s)
    swing = speed / np.abs(way @ leg_rates(name)).max()  # [m/s] along the way
    places, turns = (np.abs(part).max() for part in (way[:3], way[3:]))
    most = min(TRAVEL_M / max(places, 1e-9), TURN_RAD / max(turns, 1e-9))
    low = max(2.0 * math.pi * 0.1, swing / most)
    high = max(low, 1.1 * max(leg.acceleration_max_m_s2) / speed)
    w = low * (high / low) ** draw(st.floats(0.0, 1.0))
    return Swing(swing / w * way, w / (2.0 * math.pi), phase, forces=False)


@st.composite
def rides(draw):
    name = draw(st.sampled_from(sorted(RIGS)))
    rate_hz = draw(RATES_HZ)
    missed, every = draw(st.sampled_from([1, 2])), draw(st.integers(3, 40))
    swing = swings(draw, name)
    return name, rate_hz, swing, draw(st.booleans()), missed, missed + every


class Live:
    """The ride, made in the cycles that control is there for."""

    def __init__(self, name, period_s, swing, governed, made_up=True):
        rig = RIGS[name]
        travel = DirectParameters(travel_m=(TRAVEL_M,) * 3, turn_rad=TURN_RAD)
        preset = read_preset("tight")
        cue = filter_of(preset, period_s) if swing.forces else Direct(travel, period_s)
        neutral = np.array(rig.neutral.coordinates())
        limiter = governor_of(rig, period_s) if governed else None
        chain = Chain(cue, limiter, neutral, HEAD_M, period_s)
        most = rig.supervision.missing_setpoints_max if made_up else 0
        self._motion = RideMotion(chain, rig.slow_moves.limits(), period_s, missed_max=most)
        self._swing, self._period_s = swing, period_s

    def rows(self, cycle):
        t_s = cycle * self._period_s
        self._motion.reading = HostReading(self._swing.at(t_s), HostState.LIVE, Cause.NONE, 1.0)
        self._motion.sample(t_s)
        return self._motion.cued.rows.copy()


def wider(limits, share):
    """The same limits, all that a setpoint is judged by wider by a share of it."""

    def leg(one):
        middle = 0.5 * (one.soft_min_m + one.soft_max_m)
        half = 0.5 * (one.soft_max_m - one.soft_min_m) + share * 0.02
        return replace(
            one,
            soft_min_m=middle - half,
            soft_max_m=middle + half,
            speed_max_m_s=one.speed_max_m_s * (1.0 + share),
            acceleration_max_m_s2=one.acceleration_max_m_s2 * (1.0 + share),
            stop_deceleration_m_s2=one.stop_deceleration_m_s2 * (1.0 + share),
        )

    return replace(limits, legs=tuple(leg(one) for one in limits.legs))


def end_of(name, limits, asked, last):
    """In which cycle the gate stops a way, and what it names first; the last one and nothing."""
    first = min(asked)
    gate = GateRun(name, limits.period_s, asked[first][0], limits)
    for cycle in range(first, last):
        verdict = gate.cycle(*asked.get(cycle, (None,)))
        if verdict.action is Action.STOPPING:
            return cycle, verdict.faults[0].check.name
    return last, ""


def way_of(rig, cycles, rows):
    lengths, speeds = lengths_of(rig, rows)
    pairs = zip(lengths.tolist(), speeds.tolist(), strict=True)
    return dict(zip(cycles, (tuple(map(tuple, pair)) for pair in pairs), strict=True))


def verdicts(name, rate_hz, swing, governed, missed, every, made_up=True):
    """Ends of the live ride, and of the plan at narrower, own and wider limits."""
    rig, period_s = RIGS[name], 1.0 / rate_hz
    begun, last = round(BEGUN_S * rate_hz), last_of(rate_hz)
    there = [at for at in range(1, last) if at < begun or not 0 < (at - begun) % every <= missed]
    whole = Live(name, period_s, swing, governed)
    patchy = Live(name, period_s, swing, governed, made_up)
    planned = way_of(rig, range(1, last), [whole.rows(at) for at in range(1, last)])
    live = way_of(rig, there, [patchy.rows(at) for at in there])
    limits = gate_limits(rig, period_s, wired=False)
    plan = {at: planned[at] for at in there}
    ends = [end_of(name, wider(limits, share), plan, last) for share in (-NEAR, 0.0, NEAR)]
    return end_of(name, limits, live, last), ends


def last_of(rate_hz):
    return round((BEGUN_S + RIDDEN_S) * rate_hz)


TURNING = Swing(np.array((-0.018, -0.036, 0.036, -0.036, 0.054, -0.054)), 0.502, 3.03, forces=False)
"""What a straight line through missed cycles stopped at 62.5 Hz."""


@dear
@given(rides())
@example(("training_simulator", 62.5, TURNING, False, 2, 5))
def test_planned_and_live_get_the_same_verdict_over_missed_cycles(ride):
    live, (narrow, own, wide) = verdicts(*ride)
    event(own[1] or "completes")
    assert narrow[0] <= live[0] <= wide[0], (live, narrow, own, wide)
    assert live[1] in (narrow[1], own[1], wide[1])


def test_a_ride_that_makes_one_step_each_is_stopped_where_its_plan_is_not():
    """What the property finds: a leg of a twelfth of its speed is too fast then."""
    swing = Swing(np.array((0.0, 0.0, 0.05, 0.0, 0.0, 0.0)), 0.3, 0.0, forces=False)
    ride = ("training_simulator", 250.0, swing, False, 1, 11)
    live, (_, own, _) = verdicts(*ride)
    assert live == own == (last_of(250.0), "")
    stepped, plan = verdicts(*ride, made_up=False)
    assert stepped[0] < last_of(250.0)
    assert stepped[1] == "MISSING"
    assert plan[1] == own
