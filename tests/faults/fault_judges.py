"""Judges of what a bench did about a fault: they look at the wire and at the rods.

None of them shares code with gate or bank. A cause lies in a cycle, a reaction is the first cycle
whose setpoints on the wire are not those that control asked for; the difference of the two numbers
is the count of cycles T that the fault catalogue speaks of. Its bounds are for T = 10 ms. Here T is
4 ms on CANopen: bounds in T are taken in cycles, which is less time, and bounds in ms stay in ms.
"""

from drives.bank import DriveState
from safety.modes import Mode, Request
from safety.verdict import Action, DriveRequest

COUNT_M = 1e-6
"""A drive of these tests resolves this [m]."""
TEMPTATIONS = (Request.ENGAGE, Request.RISEN, Request.HOME)
AFTERMATH_S = 0.44
"""Time after which a stop and the standstill that ends it are over [s]."""
FOLLOWED = {Action.PASSED, Action.BRIDGED}


def run_on(bench, cycles=None):
    """Control goes on asking, and asks for everything else as well, but nobody resets."""
    for number in range(cycles or round(AFTERMATH_S / bench.period_s)):
        bench.follow(1, TEMPTATIONS[number % len(TEMPTATIONS)])
    return bench


def corrective(bench):
    """First cycle, from the cause on, whose setpoints on the wire are not the asked ones.

    Five legs have to differ: what the bank does to a single drive is not the platform's stop.
    """
    for cycle in bench.history[bench.cause :]:
        if cycle.sent is None:
            return cycle.index
        pairs = zip(cycle.sent.length_m, cycle.asked_m, strict=True)
        if sum(abs(sent - asked) > 2 * COUNT_M for sent, asked in pairs) >= 5:
            return cycle.index
    raise AssertionError("there was no reaction on the wire")


def reacts_within(bench, cycles):
    """Was the first corrective setpoint on the wire so many cycles after the cause?"""
    after = corrective(bench) - bench.cause
    assert after <= cycles, f"first corrective setpoint after {after} cycles, {cycles} is the bound"
    return after


def stopped_along_the_path(bench, but=()):
    """Did all six go on from the commanded state, by one shared factor that falls to nought?

    Args:
        bench: the bench.
        but: legs, 1 to 6, whose drives do not get what is allowed any more.
    """
    first, history = corrective(bench), bench.history
    last, before = (history[first - k].verdict.allowed.length_m for k in (1, 2))
    step = [b - a for a, b in zip(before, last, strict=True)]
    largest = max(range(6), key=lambda leg: abs(step[leg]))
    assert abs(step[largest]) > 1e-5, "it was moving"
    brake_m = [leg.stop_deceleration_m_s2 * bench.period_s**2 for leg in bench.limits.legs]
    at, factor, moves, cycles = last, 1.0, list(step), 0
    for cycle in history[first:]:
        if cycle.verdict.allowed is None:
            break
        now = cycle.verdict.allowed.length_m
        move = [b - a for a, b in zip(at, now, strict=True)]
        share = move[largest] / step[largest]
        assert -1e-9 <= share <= factor + 1e-9, "a stop never speeds up or turns round"
        for leg in range(6):
            assert abs(move[leg] - share * step[leg]) < 1e-11, "six legs share one factor"
            change = abs(move[leg] - moves[leg])
            assert change <= brake_m[leg] * (1 + 1e-9) + 1e-12, "on the ramp, without a step"
        assert cycle.sent is not None, "all of the stop is on the wire"
        for leg, (sent, allowed) in enumerate(zip(cycle.sent.length_m, now, strict=True), start=1):
            assert leg in but or abs(sent - allowed) <= COUNT_M, "on the wire is what was allowed"
        at, factor, moves = now, share, move
        cycles += share > 1e-9
    assert abs(factor) < 1e-9, "the stop came to its end"
    shortest = max(abs(u) / brake for u, brake in zip(step, brake_m, strict=True))
    assert cycles <= shortest + 2, f"the stop took {cycles} cycles instead of {shortest:.1f}"
    return first


def rods_at_rest(bench, but=(), near_m=0.001):
    """Do all rods stand, and those of healthy drives where the stop led them?

    Args:
        bench: the bench.
        but: legs, 1 to 6, whose drives had to stop in their own way.
        near_m: how near the others are to the end of the stop [m].
    """
    for cycle in bench.history[-10:]:
        speed = max(abs(v) for v in cycle.true_m_s)
        assert speed < 1e-3, f"the rods still move by {speed} m/s"
    held = [c.verdict.allowed.length_m for c in bench.history if c.verdict.allowed is not None][-1]
    for leg, (true, wanted) in enumerate(zip(bench.last.true_m, held, strict=True), start=1):
        if leg not in but:
            assert abs(true - wanted) < near_m, f"leg {leg} is {true - wanted} m off the path"


def nothing_comes_back(bench, *, let_go=True):
    """Is the end final: no setpoint followed, no drive enabled once it was let go?

    Args:
        bench: the bench.
        let_go: whether the legs are seen to stand, so that their drives are let go.
    """
    first, history = corrective(bench), bench.history
    assert bench.last.verdict.mode is Mode.FAULT, f"the end is {bench.last.verdict.mode}"
    assert bench.last.verdict.faults, "the cause stays known"
    assert not {c.verdict.action for c in history[first:]} & FOLLOWED, "no setpoint is followed"
    modes = {c.verdict.mode for c in history[first:]}
    assert not modes & {Mode.ENGAGING, Mode.ENGAGED, Mode.HOMING, Mode.STANDBY}, "no mode of motion"
    gone: set[int] = set()
    for cycle in history[bench.cause :]:
        under_force = {
            leg
            for leg, state in enumerate(cycle.feedback.state, start=1)
            if state in (DriveState.ENABLED, DriveState.HOMING)
        }
        assert not gone & under_force, f"leg {gone & under_force} is under force again"
        gone |= set(range(1, 7)) - under_force
    off = [c.index for c in history[first:] if c.verdict.drives is DriveRequest.OFF]
    assert bool(off) == let_go, "the drives are let go at standstill"
    for cycle in history[off[0] :] if off else ():
        assert cycle.verdict.drives is DriveRequest.OFF, "a drive is wanted again"
    if off:
        assert len(gone) == 6, "all six have been let go"


def latched(bench, check, leg):
    """The latched fault of a kind, for a leg."""
    found = [f for f in bench.last.verdict.faults if f.check is check and f.leg == leg]
    told = [str(fault) for fault in bench.last.verdict.faults]
    assert found, f"{check} of leg {leg} is not among {told}"
    return found[0]


def leg_state(bench, leg, since):
    """States that a leg was told to be in, since a cycle."""
    return {cycle.feedback.state[leg - 1].name for cycle in bench.history[since:]}
