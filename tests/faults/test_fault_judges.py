"""The judges of the fault tests object to what they are meant to object to."""

import copy
import dataclasses

import pytest
from bench_on_rack import in_motion
from fault_bench import FAST_LEG
from fault_judges import (
    corrective,
    latched,
    leg_state,
    nothing_comes_back,
    reacts_within,
    rods_at_rest,
    run_on,
    stopped_along_the_path,
)

from drives.bank import DriveState
from safety.modes import DriveRequest, Mode
from safety.verdict import Action, Check

LEG = FAST_LEG


@pytest.fixture(scope="module")
def sound():
    """A bench that reacted as it should to a drive that dropped out."""
    bench = run_on(in_motion().strike("state_drop", LEG))
    judge(bench)
    return bench


def judge(bench):
    reacts_within(bench, 2)
    stopped_along_the_path(bench, but=(LEG,))
    rods_at_rest(bench, but=(LEG,))
    nothing_comes_back(bench)
    latched(bench, Check.DRIVE, LEG)


def altered(bench, at, **changes):
    """A copy of a bench with a changed cycle: of the verdict, or else of the cycle itself.

    Args:
        bench: the bench.
        at: which cycle, counted from the first corrective one, or from the end if below 0.
        changes: new values by name.
    """
    index = corrective(bench) + at if at >= 0 else len(bench.history) + at
    cycle = bench.history[index]
    of_verdict = {n: v for n, v in changes.items() if hasattr(cycle.verdict, n)}
    own = {n: v for n, v in changes.items() if n not in of_verdict}
    verdict = cycle.verdict._replace(**of_verdict)
    other = copy.copy(bench)
    other.history = list(bench.history)
    other.history[index] = dataclasses.replace(cycle, verdict=verdict, **own)
    return other


def moved(bench, at, leg, by_m):
    """A copy in which the stop of one leg is elsewhere in a cycle."""
    target = bench.history[corrective(bench) + at].verdict.allowed
    length_m = list(target.length_m)
    length_m[leg - 1] += by_m
    return altered(bench, at, allowed=dataclasses.replace(target, length_m=tuple(length_m)))


@pytest.mark.parametrize("leg", [1, 3, 6])
@pytest.mark.parametrize("at", [0, 3])
@pytest.mark.parametrize("by_m", [1e-9, -2e-5, 1e-3])
def test_a_leg_that_leaves_the_common_path_is_seen(sound, leg, at, by_m):
    with pytest.raises(AssertionError, match=r"one factor|never speeds up|without a step"):
        stopped_along_the_path(moved(sound, at, leg, by_m), but=(LEG,))


def test_a_stop_that_is_cut_short_is_seen(sound):
    with pytest.raises(AssertionError, match="came to its end"):
        stopped_along_the_path(altered(sound, 2, allowed=None), but=(LEG,))


def test_a_late_reaction_is_seen(sound):
    late = copy.copy(sound)
    late.cause -= 2
    with pytest.raises(AssertionError, match="first corrective setpoint after"):
        reacts_within(late, 2)


def test_rods_that_move_or_stand_elsewhere_are_seen(sound):
    moving = altered(sound, -3, true_m_s=(0.0, 0.0, 0.0, 0.002, 0.0, 0.0))
    with pytest.raises(AssertionError, match="still move"):
        rods_at_rest(moving, but=(LEG,))
    true_m = list(sound.last.true_m)
    true_m[4] += 0.002
    with pytest.raises(AssertionError, match="leg 5 is"):
        rods_at_rest(altered(sound, -1, true_m=tuple(true_m)), but=(LEG,))


@pytest.mark.parametrize(
    ("at", "changes", "words"),
    [
        (-1, {"mode": Mode.HOLD}, "the end is"),
        (-1, {"faults": ()}, "cause stays known"),
        (30, {"action": Action.PASSED}, "no setpoint is followed"),
        (30, {"mode": Mode.ENGAGED}, "no mode of motion"),
        (-5, {"drives": DriveRequest.ENABLE}, "a drive is wanted again"),
    ],
)
def test_what_comes_back_by_itself_is_seen(sound, at, changes, words):
    with pytest.raises(AssertionError, match=words):
        nothing_comes_back(altered(sound, at, **changes))


def test_a_drive_under_force_again_is_seen(sound):
    on = (*sound.last.feedback.state[:5], DriveState.ENABLED)
    feedback = sound.last.feedback._replace(state=on)
    again = altered(sound, -2, feedback=feedback)
    with pytest.raises(AssertionError, match="under force again"):
        nothing_comes_back(again)
    assert "ENABLED" in leg_state(again, 6, since=len(again.history) - 5)


def test_another_fault_or_another_leg_is_not_the_right_one(sound):
    for check, leg in [(Check.JUMP, LEG), (Check.DRIVE, LEG + 1)]:
        with pytest.raises(AssertionError, match="is not among"):
            latched(sound, check, leg)
