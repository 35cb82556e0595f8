"""Contacts of a run: what is one contact, how hard it was, and when it ended."""

import pytest

from hil.stations.world.cycle.contact_watch import ContactWatch

STEP_S = 0.01


class Pairs:
    """Pairs that touch by a table of forces, a row a step; an engine's place."""

    def __init__(self, forces):
        self.forces, self.step = forces, -1

    def now(self):
        if self.step < 0:
            return {}
        force = self.forces[self.step]
        return {("finger", "table"): force} if force else {}


def watched(forces):
    """Begun and ended contacts as (step, peak so far), of forces step by step."""
    pairs = Pairs(forces)
    watch, begun, ended = ContactWatch(pairs), [], []
    for pairs.step in range(len(forces)):
        new, gone = watch.look(pairs.step * STEP_S)
        begun += [(pairs.step, one.force_n) for one in new]
        ended += [(pairs.step, one.peak_n) for one in gone]
    return watch, begun, ended


@pytest.mark.parametrize("away", [1, 5, 9])
def test_a_bounce_within_a_tenth_of_a_second_is_no_contact_of_its_own(away):
    watch, begun, ended = watched([0, 3.0, *[0] * away, 2.0, 2.0])
    assert begun == [(1, 3.0)]
    assert ended == []
    assert watch.count == 1


@pytest.mark.parametrize("away", [12, 30])
def test_one_that_comes_later_is(away):
    watch, begun, ended = watched([0, 3.0, *[0] * away, 2.0])
    assert begun == [(1, 3.0), (away + 2, 2.0)]
    assert ended == [(pytest.approx(12, abs=1), 3.0)]
    assert watch.count == 2


def test_its_peak_is_the_greatest_force_and_not_the_last():
    _, begun, ended = watched([0, 1.0, 7.5, 4.0, 0, 6.0, 0.5, *[0] * 20])
    assert begun == [(1, 1.0)]
    ((_, peak_n),) = ended
    assert peak_n == 7.5


def test_forces_of_all_that_touches_are_told():
    watch, _, _ = watched([0, 1.0, 7.5])
    assert (watch.touching, watch.force_n) == (1, 7.5)
