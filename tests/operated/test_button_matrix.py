"""Mode × button × owner: the panel offers exactly what works, else it names the act that helps.

What works is judged by the bench itself: control, gate and drives in virtual time, and the desk in
front of them; what is offered, by a panel's model that is shown the bytes that they tell.
"""

import re
from types import MappingProxyType

import pytest
from bench_copies import copied
from test_way_back import silent
from told_panel import ToldBench

from hil.desk.order import Button
from hil.panel.live.models.bench import BenchModel
from hil.stations.platform.plan.scenario import Plan
from safety.modes import Mode

DRIVE_FAULTS = tuple(
    {"kind": "drive_fault", "leg": leg, "start_s": start_s, "duration_s": 3.0, "value": 1e3}
    for leg, start_s in ((2, 4.0), (5, 4.1))
)
"""Two legs, one after the other, once the bench is engaged (2.7 s): the first is the cause."""
NEAR = (0.02, -0.01, 0.95, 0.0, 0.05, 0.02)
SLOW_HOMING = "rig_settings.cylinders.homing_speed_m_s=0.005"
MOVING = {Mode.HOMING, Mode.ENGAGING, Mode.ENGAGED, Mode.PARKING}
ACT = re.compile("Reset|Home|Engage|Park")
SELF = re.compile(
    "wait until|already|nothing moves|no fault is latched|the end is under way|begin it anew"
    "|nothing is known|set one first|being played|take it away first|hold Space, then press again"
)
"""What is said where no other press helps."""


class LedBench(ToldBench):
    """A bench that one of the two leads into a situation."""

    leader = "me"


def press(bench, *buttons):
    for button in buttons:
        bench.click(bench.leader, button)
        bench.settle()


def to_standby(bench):
    bench.run(0.1)
    press(bench, Button.HOME)


def to_engaged(bench):
    to_standby(bench)
    press(bench, Button.ENGAGE)


def begin(bench, button, mode, fast=False):
    bench.click(bench.leader, button)
    bench.until(mode)
    if not fast:
        bench.run(0.1)
    assert bench.mode is mode


def to_homing(bench):
    bench.run(0.1)
    begin(bench, Button.HOME, Mode.HOMING)


def to_enabling(bench):
    bench.run(0.1)
    begin(bench, Button.HOME, Mode.STANDBY, fast=True)


def to_playing(bench):
    to_engaged(bench)
    begin(bench, Button.PLAY, Mode.ENGAGED)


def to_stopping(bench):
    to_playing(bench)
    bench.run(0.5)
    begin(bench, Button.HOLD, Mode.CSTOP, fast=True)


def to_hold(bench):
    to_stopping(bench)
    bench.settle()


def to_fault(bench, clear=True):
    to_engaged(bench)
    bench.until(Mode.FAULT)
    bench.run(0.3)
    if clear:
        bench.run(3.5)


def to_lockout(bench):
    to_engaged(bench)

    def broken(*_):
        raise RuntimeError("broken")

    bench.gated._gate._stream.step = broken
    bench.until(Mode.LOCKOUT)


def to_ending(bench):
    to_hold(bench)
    bench.hold(bench.leader, False)
    bench.click(bench.leader, Button.SHUT_DOWN)
    bench.run(0.1)
    assert bench.mode is Mode.HOLD


def with_pose(bench):
    to_engaged(bench)
    bench.set_pose(bench.leader, NEAR)
    bench.run(0.1)


SITUATIONS = {
    "OFF": (Mode.OFF, lambda bench: None),
    "IDLE": (Mode.IDLE, lambda bench: bench.run(0.1)),
    "HOMING": (Mode.HOMING, to_homing),
    "STANDBY, drives being enabled": (Mode.STANDBY, to_enabling),
    "STANDBY": (Mode.STANDBY, to_standby),
    "ENGAGING": (
        Mode.ENGAGING,
        lambda bench: (to_standby(bench), begin(bench, Button.ENGAGE, Mode.ENGAGING)),
    ),
    "ENGAGED": (Mode.ENGAGED, to_engaged),
    "ENGAGED, a motion is played": (Mode.ENGAGED, to_playing),
    "ENGAGED, a pose is given": (Mode.ENGAGED, with_pose),
    "PARKING": (
        Mode.PARKING,
        lambda bench: (to_engaged(bench), begin(bench, Button.PARK, Mode.PARKING)),
    ),
    "CSTOP": (Mode.CSTOP, to_stopping),
    "HOLD": (Mode.HOLD, to_hold),
    "HOLD, the run is ending": (Mode.HOLD, to_ending),
    "QSTOP": (
        Mode.QSTOP,
        lambda bench: (to_homing(bench), begin(bench, Button.HOLD, Mode.QSTOP, fast=True)),
    ),
    "FAULT, its cause stands": (Mode.FAULT, lambda bench: to_fault(bench, clear=False)),
    "FAULT": (Mode.FAULT, to_fault),
    "LOCKOUT": (Mode.LOCKOUT, to_lockout),
}


@copied(Plan, MappingProxyType)
def made(situation, owner="me", held=True):
    """A bench that is led there; then the motion is that owner's, held or not."""
    mode, lead = SITUATIONS[situation]
    faults = DRIVE_FAULTS if mode is Mode.FAULT else ()
    bench = LedBench(*(() if mode is not Mode.HOMING else (SLOW_HOMING,)), faults=faults)
    bench.leader = "other" if owner == "other" else "me"
    bench.own(bench.leader)
    bench.hold(bench.leader, True)
    lead(bench)
    assert bench.mode is mode
    bench.hold(bench.leader, held)
    if owner == "nobody":
        bench.own(None)
    if mode not in MOVING | {Mode.OFF, Mode.CSTOP, Mode.QSTOP, Mode.LOCKOUT}:
        bench.run(0.1)
    assert bench.mode is mode
    return bench


def works(bench, button):
    """Whether a press does what it is for, as the bench shows; and what was said if it does not."""
    was, before = bench.mode, len(bench.modes)
    said = bench.click("me", button)
    for _ in range(400 if button is Button.PARK else 12):
        if not bench.course.done:
            bench.cycle()
    new = set(bench.modes[before:])
    told = bench.model.operation
    said = said or str(told.refused)
    done = {
        Button.HOME: Mode.HOMING in new,
        Button.ENGAGE: Mode.ENGAGING in new,
        Button.HOLD: bool(new & {Mode.CSTOP, Mode.QSTOP}),
        Button.PARK: Mode.PARKING in new,
        Button.RESET: was is Mode.FAULT and Mode.IDLE in new,
        Button.SHUT_DOWN: told.end is not None,
        Button.PLAY: told.playing == "play",
        Button.POSE: told.playing == "pose",
    }[button]
    return done and not said, said


OWNED = [
    (situation, held)
    for situation, (mode, _) in SITUATIONS.items()
    for held in (True, False)
    if held or mode not in MOVING  # there a release is another mode in the next cycle
]


@pytest.mark.parametrize(("situation", "held"), OWNED)
def test_what_is_offered_to_the_owner_works_and_nothing_else(situation, held):
    bench, offers = None, ()
    for button in Button:
        if bench is None or bench.model.buttons != offers:
            bench = made(situation, held=held)
            offers = bench.model.buttons
        (offered,) = [state for state in offers if state.button is button]
        done, said = works(bench, button)
        assert offered.allowed == done, (button, offered.why_not, said)
        if situation != "OFF":  # control has not looked yet, and so has nothing to say
            assert bool(offered.why_not) == bool(said), (button, offered.why_not, said)


@pytest.mark.parametrize("owner", ["other", "nobody"])
@pytest.mark.parametrize("situation", SITUATIONS)
def test_nothing_is_offered_to_whoever_does_not_own_the_motion(situation, owner):
    if owner == "nobody" and SITUATIONS[situation][0] in MOVING:
        pytest.skip("nothing moves for nobody")
    bench = made(situation, owner, held=owner == "other")
    for state in bench.model.buttons:
        modes = list(bench.modes)
        said = bench.click("me", state.button)
        assert not state.allowed
        assert "own the motion" in said
        assert ("other owns" if owner == "other" else "take it") in state.why_not
        assert bench.modes == modes


@pytest.mark.parametrize("situation", SITUATIONS)
def test_what_is_not_offered_names_the_acts_that_lead_there(situation):
    """Each act that is named works in its turn, and afterwards there is nothing left to name."""
    offers = {state.button: state.why_not for state in made(situation).model.buttons}
    for button, why in offers.items():
        acts = [Button[name.upper()] for name in ACT.findall(why)]
        assert not why or acts or SELF.search(why), (button, why)
        if not acts and "wait until" not in why:
            continue
        bench = made(situation)
        for act in acts:
            bench.until(lambda act=act: state_of(bench, act).allowed, 5.0)  # noqa: B023
            press(bench, act)
        bench.settle()
        after = state_of(bench, button).why_not
        assert "wait until" not in after, (why, after)
        assert not (acts and ACT.search(after)), (button, why, after)


def state_of(bench, button):
    (state,) = [each for each in bench.model.buttons if each.button is button]
    return state


def test_whoever_has_let_go_is_told_to_hold_before_the_act():
    bench = made("HOLD", held=False)
    assert state_of(bench, Button.ENGAGE).why_not == "the bench is in HOLD; hold Space, then Park"
    assert bench.model.alarm.acts == "Next: hold Space, then Park"
    bench.hold("me", True)
    assert bench.model.alarm.acts == "Next: Park"


def test_after_a_stall_of_the_computer_play_is_offered_and_leads_back():
    bench = LedBench()
    bench.own("me")
    bench.hold("me", True)
    to_playing(bench)
    bench.run(0.5)
    silent(bench)
    bench.until(Mode.HOLD)
    bench.run(0.1)
    assert bench.model.alarm.acts == "Next: Play"
    assert state_of(bench, Button.PLAY).allowed
    bench.hold("me", False)
    bench.run(0.3)
    assert bench.model.alarm.acts == "Next: hold Space, then Play"
    assert "hold Space" in state_of(bench, Button.PLAY).why_not
    bench.hold("me", True)
    press(bench, Button.PLAY)
    bench.until(Mode.ENGAGED)


def test_a_press_in_fault_is_told_the_way_out():
    bench = made("FAULT")
    assert "Reset, then Home" in state_of(bench, Button.PLAY).why_not
    bench.click("me", Button.PLAY)
    bench.run(0.05)
    assert "Reset, then Home" in bench.model.refused


@pytest.mark.parametrize("late", [False, True])
def test_the_first_cause_of_a_fault_and_what_brings_the_bench_on(late):
    """Also to a panel that comes when all is over: control goes on telling it."""
    bench = made("FAULT, its cause stands")
    first = next(found for found in bench.violations if found.leg == 2)
    assert {5} < {found.leg for found in bench.violations}
    model = bench.model
    if late:
        model = BenchModel(bench.facts)
        bench.run(0.2)  # more than a tenth of a second
        bench.show(model)
    alarm = model.alarm
    assert alarm.cause == f"FAULT: {first}"
    assert alarm.advice
    owner = "take the motion, then " if late else ""
    assert alarm.acts == f"Next: {owner}take the cause away, then Reset, then Home"
    for act in (Button.RESET, Button.HOME):
        bench.run(4.0)
        press(bench, act)
    assert bench.mode is Mode.STANDBY
    assert bench.model.alarm == ("", "", "")
