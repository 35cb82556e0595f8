"""Plans from a process of its own: the same ones, and none of its troubles reaches the loop."""

import os
import select
import signal
import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from alike import rounds_alike

from hil.stations.simulator.chain.plan_wire import (
    RENEWALS_MOST,
    PlannerSetup,
    answer_from_bytes,
    answer_to_bytes,
    request_from_bytes,
    request_to_bytes,
    setup_from_bytes,
    setup_to_bytes,
)
from hil.stations.simulator.chain.planner_process import PlanningError, PlanningProcess
from hil_common.arrays.pose import Pose
from platform6dof.cueing.mpc_parameters import MpcParameters
from platform6dof.cueing.parameters import Curve, Scale
from platform6dof.cueing.planner import Outcome, PlanAnswer
from platform6dof.cueing.predictive import InlinePlanning, PredictiveFilter
from platform6dof.cueing.vehicle import GRAVITY_M_S2, VehicleState
from tests.cueing.plan_samples import HEAD_M, machine, request

PERIOD_S = 0.01
BENT = Scale(0.4, 3.0, Curve.CUBIC, 9.0, 0.1)
BRIEF = MpcParameters(blocks=(1, 1, 2, 3, 5, 8), force=(BENT, BENT, BENT))


def setup():
    _, envelope, neutral = machine()
    return PlannerSetup(BRIEF, envelope, neutral, HEAD_M)


class Awaited:
    """A process whose answers are waited for, in place of a clock."""

    def __init__(self, process):
        self._process, self._open = process, 0

    @property
    def alive(self):
        return self._process.alive

    def ask(self, request):
        self._process.ask(request)
        self._open = 1

    def answer(self):
        if self._open and self.alive:
            assert heard(self._process)
            self._open = 0
        return self._process.answer()


def ride(cue, cycles, meanwhile=lambda k: None):
    rows = []
    for k in range(cycles):
        meanwhile(k)
        t = k * PERIOD_S
        force = (4 * np.sin(1.3 * t), 3 * np.sin(0.9 * t + 1), np.sin(3 * t) - GRAVITY_M_S2)
        rows.append(cue.step(VehicleState(t, force, (0.1 * np.cos(t), 0.0, 0.2))))
    return np.stack(rows)


def some_answer() -> tuple[Any, Any]:
    asked = request(setup().planner(), [1.0, 0.5, 0, 0, 0, 0], start_s=0.35, serial=9)
    return asked, setup().planner().plan(asked)


def test_everything_comes_through_to_the_last_bit():
    asked, answer = some_answer()
    again: Any = request_from_bytes(request_to_bytes(replace(asked, playing=answer.plan)))
    assert (again.serial, again.start_s) == (9, 0.35)
    assert again.wanted.tobytes() == asked.wanted.tobytes()
    assert again.organs.tobytes() == asked.organs.tobytes()
    told: Any = answer_from_bytes(answer_to_bytes(answer))
    for plan in (again.playing, told.plan):
        assert (plan.serial, plan.start_s) == (answer.plan.serial, answer.plan.start_s)
        assert plan.knots_s.tobytes() == answer.plan.knots_s.tobytes()
        assert plan.course.tobytes() == answer.plan.course.tobytes()
    none: Any = answer_from_bytes(answer_to_bytes(PlanAnswer(4, Outcome.UNPROVED, None)))
    assert (none.serial, none.outcome, none.plan) == (4, Outcome.UNPROVED, None)


@pytest.mark.parametrize("rig", ["paper", "training_simulator"])
def test_a_planner_made_from_the_first_packet_makes_the_same_plans(rig):
    _, envelope, neutral = machine(rig)
    first = PlannerSetup(BRIEF, envelope, neutral, HEAD_M)
    second = setup_from_bytes(setup_to_bytes(first))
    assert second.parameters == first.parameters
    asked = request(first.planner(), [3.0, -2.0, 1.0, 0.1, 0.2, 0.3])
    courses = [made.planner().plan(asked).plan for made in (first, second)]
    assert courses[0] is not None
    assert courses[1] is not None
    assert courses[0].course.tobytes() == courses[1].course.tobytes()


def test_a_cut_packet_is_refused():
    asked, answer = some_answer()
    for whole, read in (
        (request_to_bytes(asked), request_from_bytes),
        (answer_to_bytes(answer), answer_from_bytes),
    ):
        for size in range(0, len(whole), 7):
            with pytest.raises((ValueError, struct.error)):
                read(whole[:size])


def test_a_plan_on_the_wire_that_ends_in_motion_is_refused():
    _, answer = some_answer()
    packet = bytearray(answer_to_bytes(answer))
    packet[-8 * 12 : -8 * 11] = struct.pack("<d", 0.1)  # speed of x at the last knot
    with pytest.raises(ValueError, match="rest"):
        answer_from_bytes(bytes(packet))


@rounds_alike
def test_a_ride_on_a_process_is_the_ride_on_plans_of_this_thread():
    inline = PredictiveFilter(BRIEF, InlinePlanning(setup().planner()), PERIOD_S)
    expected = ride(inline, 200)
    with PlanningProcess(setup()) as process:
        cue = PredictiveFilter(BRIEF, Awaited(process), PERIOD_S)
        assert ride(cue, 200).tobytes() == expected.tobytes()
        assert cue.status == inline.status
    assert process.pid == 0
    process.close()


def heard(process: Any, most_s=30.0):
    """Whether a packet of its came, or its end."""
    return bool(select.select([process._wire], [], [], most_s)[0])


def killed(process):
    """Kill who makes the plans, and wait until that is heard: of the next one, or of the end."""
    os.kill(process.pid, signal.SIGKILL)
    assert heard(process)
    assert process.answer() is None


@rounds_alike
def test_a_killed_planner_is_begun_anew_and_the_ride_stays_the_same():
    expected = ride(PredictiveFilter(BRIEF, InlinePlanning(setup().planner()), PERIOD_S), 400)
    with PlanningProcess(setup()) as process:
        cue = PredictiveFilter(BRIEF, Awaited(process), PERIOD_S)
        pids = [process.pid]

        def kill(cycle):
            if cycle in (102, 203, 304):
                killed(process)
                pids.append(process.pid)

        assert ride(cue, 400, kill).tobytes() == expected.tobytes()
        assert process.renewals == RENEWALS_MOST == 3
        assert len(set(pids)) == 4
        assert not cue.status.lost
        assert cue.status.late == 0


def test_one_that_is_killed_while_it_plans_costs_a_plan_and_no_more():
    with PlanningProcess(setup()) as process:
        os.kill(process.pid, signal.SIGSTOP)
        asked = request(setup().planner(), [1.0, 0, 0, 0, 0, 0], serial=1)
        process.ask(asked)
        process.ask(replace(asked, serial=2))
        os.kill(process.pid, signal.SIGKILL)
        answer = None
        while answer is None:
            assert heard(process)
            answer = process.answer()
        assert answer.serial == 2
        assert process.renewals == 1


def test_its_last_death_is_told_and_what_it_made_last_is_played_to_rest():
    with PlanningProcess(setup()) as process:
        cue = PredictiveFilter(BRIEF, Awaited(process), PERIOD_S)

        def kill(cycle):
            if cycle == 102:
                for _ in range(1 + RENEWALS_MOST):
                    killed(process)

        rows = ride(cue, 400, kill)
        assert cue.status.lost
        assert cue.status.resting
        assert not process.alive
        assert not process._wire
    assert np.abs(rows[102:180, 1]).max() > 0.01
    ended = 105 + int(BRIEF.horizon_s / PERIOD_S) + 1
    assert not rows[ended:, 1:].any()
    speeds = np.diff(rows[:, 1], axis=0) - PERIOD_S * (rows[1:, 2] + rows[:-1, 2]) / 2
    assert np.abs(speeds).max() < 1e-9


def test_one_that_hangs_holds_up_nothing_and_is_caught_up_with():
    with PlanningProcess(setup()) as process:
        os.kill(process.pid, signal.SIGSTOP)
        try:
            cue = PredictiveFilter(BRIEF, process, PERIOD_S)
            rows = ride(cue, 1500)
            assert cue.status.late == 299
            assert cue.status.played == 0
            assert not cue.status.lost
            assert not rows.any()
            assert process.refused > 100  # the socket holds some dozens
        finally:
            os.kill(process.pid, signal.SIGCONT)
        # Old requests give way to the newest: the last answer is to the last that was taken.
        assert heard(process)
        waiting = Awaited(process)
        cue = PredictiveFilter(BRIEF, waiting, PERIOD_S)
        while heard(process, 1.0):
            process.answer()
        assert np.abs(ride(cue, 100)).max() > 1e-3
        assert cue.status.late == 0


def test_a_machine_that_cannot_be_planned_for_is_said_before_anything_moves():
    low = setup()
    pose = Pose(low.neutral.position_m - [0, 0, 0.5], low.neutral.rotation)
    process = PlanningProcess(replace(low, neutral=pose))
    with pytest.raises(PlanningError, match="neutral pose"), process:
        pytest.fail("it got ready")
    assert process.pid == 0
