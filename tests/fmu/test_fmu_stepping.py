"""A model a cycle at a time: asked one cycle ahead, read when due, given up at its deadline."""

import pytest

from hil.fmu.model_steps import Stepping
from hil.fmu.wire import StepAnswer, StepStatus

PERIOD_S = 0.002


class Scripted:
    """Answers each step so many polls after it was due."""

    def __init__(self, delays):
        self.delays, self.asked, self.given_up = list(delays), [], None
        self._left = 0

    def ask(self, index, inputs):
        self.asked.append((index, inputs))
        self._left = self.delays.pop(0) if self.delays else 0

    def take(self):
        if self._left:
            self._left -= 1
            return None
        return StepAnswer(StepStatus.OK, self.asked[-1][0], (float(self.asked[-1][0]),))

    def wait(self, longest_s):
        return StepAnswer(StepStatus.OK, self.asked[-1][0], (float(self.asked[-1][0]),))

    def give_up(self, after_s):
        self.given_up = after_s
        return StepAnswer(StepStatus.HUNG, 0, (), "late")


def stepping(steps, *, virtual=False, deadline_s=0.01, cycles=1):
    first = StepAnswer(StepStatus.OK, 0, (0.0,))
    return Stepping(steps, first, deadline_s, virtual=virtual, cycles=cycles)


@pytest.mark.parametrize("virtual", [False, True])
def test_each_cycle_reads_the_step_that_was_asked_in_the_one_before(virtual):
    steps = Scripted([])
    model = stepping(steps, virtual=virtual)
    readings = [model.poll(k * PERIOD_S, (float(k),)) for k in range(5)]
    assert [one.values for one in readings] == [(0.0,), (1.0,), (2.0,), (3.0,), (4.0,)]
    assert all(one.fresh for one in readings)
    assert steps.asked == [(1, (0.0,)), (2, (1.0,)), (3, (2.0,)), (4, (3.0,)), (5, (4.0,))]


def test_a_late_answer_is_gone_on_without_and_nothing_is_asked_twice():
    steps = Scripted([0, 2, 0])
    model = stepping(steps)
    readings = [model.poll(k * PERIOD_S, ()) for k in range(6)]
    assert [one.index for one in readings] == [0, 1, 1, 1, 2, 3]
    assert [one.fresh for one in readings] == [True, True, False, False, True, True]
    assert readings[-1].late == 2
    assert [index for index, _ in steps.asked] == [1, 2, 3, 4]


def test_after_the_deadline_it_is_given_up_and_never_asked_again():
    steps = Scripted([0, 10**6])
    model = stepping(steps, deadline_s=0.01)
    readings = [model.poll(k * PERIOD_S, ()) for k in range(20)]
    failed = [k for k, one in enumerate(readings) if one.failure is not None]
    assert failed[0] == 7  # asked in cycle 1; 0.010 s later it is still waited for
    assert failed == list(range(7, 20))
    assert steps.given_up == 0.01
    assert readings[-1].values == (1.0,)
    assert len(steps.asked) == 2


def test_it_stands_still_while_it_shall_not_go_on():
    steps = Scripted([])
    model = stepping(steps)
    assert [model.poll(k * PERIOD_S, (), go_on=False).index for k in range(3)] == [0, 0, 0]
    assert steps.asked == []
    assert [model.poll(k * PERIOD_S, ()).index for k in range(3, 5)] == [0, 1]


def test_an_answer_to_another_step_is_a_failure():
    steps = Scripted([])
    steps.take = lambda: StepAnswer(StepStatus.OK, 9, (1.0,))
    model = stepping(steps)
    model.poll(0.0, ())
    assert model.poll(PERIOD_S, ()).failure.text == "answered another step"


def test_a_longer_step_is_asked_once_and_read_when_all_its_cycles_are_over():
    steps = Scripted([0, 2])
    model = stepping(steps, cycles=3)
    readings = [model.poll(k * PERIOD_S, ()) for k in range(12)]
    assert [one.index for one in readings] == [0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 3]
    assert [k for k, one in enumerate(readings) if one.fresh] == [0, 3, 8, 11]
    assert readings[-1].late == 2
    shares = [round(3 * one.share) for one in readings]
    assert shares == [0, 1, 2, 0, 1, 2, 3, 3, 0, 1, 2, 0]
