"""Ends before or beside the stream: panels hear why, and nothing they do changes the end."""

from types import SimpleNamespace

import pytest

from arm_driver.link import Offer
from arm_driver.link_errors import StartRefusedError
from arm_driver.link_report import SupervisionReport
from arm_driver.link_states import LinkState, StreamResult
from hil.desk.order import LatestOrder
from hil.desk.run_end import EndCause, EndStep, RunEnd
from hil.stations.arm.cycle.loop import ASKED_WITHIN_S, ENDED_WITHIN_S, ArmLoop
from hil.stations.arm.cycle.step import MotionPhase
from hil.stations.arm.cycle.stream import Stream
from hil.stations.arm.lead.operator import ArmOperator
from hil.timing.clock import VirtualClock

LONGEST_S = 1.0
TERMINAL = "stopped by the operator before the robot moved"


class Wire:
    """A link that always reports the same, and takes a start or refuses it."""

    def __init__(self, state, *, text="", status=None, refusal=""):
        self.report = SimpleNamespace(
            state=state, text=text, asked=status is not None, result=None, streamed=0, wants=False,
            simulated=False, supervision=SupervisionReport(), measured="somewhere",
        )  # fmt: skip
        self.refusal, self.closed = refusal, 0

    def poll(self):
        return self.report

    def start(self, plan, measured):
        if self.refusal:
            raise StartRefusedError(self.refusal)

    def offer(self, location):
        return Offer.TAKEN

    def end(self, reason):
        pass

    def close(self):
        self.closed += 1


class Station:
    """A planned motion of one waypoint, whose listening is the operator's look."""

    held, robot_moves, live, why, course = True, False, False, "", MotionPhase.AT_REST
    resting, gap, robot_alone, note = False, (0.0, 0.0), False, ""

    def __init__(self, listen):
        self.listen = listen

    def step(self):
        return SimpleNamespace(waypoint="a place", index=1, course=MotionPhase.AT_REST, gap_m=0.0)

    def part(self, why):
        pass


START = SimpleNamespace(
    shown=None, hint=lambda told: "", refusal=lambda told: "", confirmation=lambda told: "told"
)
"""A start that is agreed."""


class Run:
    """A loop with an operator whose panels keep what they are told."""

    def __init__(self, wire, *, terminal=None):
        self.wire, self.told, self.notes = wire, [], []
        clock = VirtualClock()
        self.operator = ArmOperator(LatestOrder.local(), self, clock.now_s, live=False)
        self.listened = 0
        witness = SimpleNamespace(
            step=lambda *_: None, note=lambda _, text: self.notes.append(text)
        )
        stop_request = self.operator.stops(SimpleNamespace(asked=terminal))
        station = Station(self.listen)
        self.loop = ArmLoop(
            Stream(clock, station, wire, None, START, stop_request, LONGEST_S, None), witness
        )
        self.operator.ending = lambda: self.loop.ending

    def listen(self):
        self.listened += 1
        self.operator.poll()

    def publish(self, t_s, operation):
        self.told.append(operation)


FAULT = "the robot tells of a fault: 17"
FAR = "4 mm from the start"
WAYS = {
    "nobody asks": (
        Wire(LinkState.OFFLINE),
        f"no robot asked for a waypoint within {ASKED_WITHIN_S:g} s",
    ),
    "fault": (Wire(LinkState.FAULT, text=FAULT), FAULT),
    "held": (Wire(LinkState.HELD, text="the robot is held"), "the robot is held"),
    "start refused": (Wire(LinkState.READY, status="ready", refusal=FAR), FAR),
    "stream does not end": (
        Wire(LinkState.READY, status="ready"),
        f"the stream did not end within {ENDED_WITHIN_S:g} s",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_panels_hear_of_an_end_before_the_stream_or_in_place_of_its_own(way):
    wire, why = WAYS[way]
    run = Run(wire)
    end = run.loop.run()
    assert end.reason == why
    ends = [one.end for one in run.told if one.end is not None]
    assert run.told[-1].playing == ""
    assert ends == [RunEnd(EndCause.CONTROL, EndStep.STOPPING, why)], "once is enough"
    assert wire.closed
    assert why in run.notes


def test_the_first_cause_stays_the_one_that_is_told():
    run = Run(Wire(LinkState.OFFLINE), terminal=2)
    assert run.loop.run().reason == TERMINAL
    assert run.told[-1].end.cause is EndCause.TERMINAL


def test_a_desk_that_fails_at_the_last_look_changes_nothing_of_the_end():
    run = Run(Wire(LinkState.FAULT, text=FAULT))
    look = run.operator.poll

    def failing():
        if run.loop.ending:
            raise OSError(32, "Broken pipe")
        look()

    run.operator.poll = failing
    end = run.loop.run()
    assert end.reason == FAULT
    assert end.result is not StreamResult.COMPLETED
    assert run.wire.closed
    assert run.notes[-1].startswith("panels were not told of the end: BrokenPipeError")
