"""The promises of every bank of drives, one function each.

Those of `NEW` get a bank that nobody has configured; those of `HOMED` share one that is homed,
disabled and near its reference. `drives.contract.trial` tries them all.
"""

import dataclasses
import itertools
import json
import math
from collections.abc import Callable

from drives.bank import (
    BankReport,
    DriveBank,
    DriveCommandError,
    DriveGoal,
    DriveSequenceError,
    DriveState,
)
from drives.contract.kit import (
    NO_FAULT,
    STILL,
    BankKit,
    BrokenPromiseError,
    GuidedBank,
    require,
    require_near,
    require_state,
)
from hil_common.legs import LEG_COUNT, LegTarget

NewCheck = Callable[[BankKit, DriveBank], None]
HomedCheck = Callable[[GuidedBank], None]


def says_what_it_set(kit: BankKit, bank: DriveBank) -> None:
    """`configure` reports name, URL and what each leg's drive holds."""
    report = bank.configure()
    require(isinstance(report, BankReport), f"configure() returned {report!r}, no BankReport")
    lines = report.axes
    require(
        len(lines) == len({*lines}) == LEG_COUNT, f"axes are {lines!r}: one line per leg is right"
    )
    require(bool(report.url and report.name), f"no name or URL in {report!r}")


def refuses_calls_out_of_order(kit: BankKit, bank: DriveBank) -> None:
    """Nothing before `configure`, that once, nothing after `close`; a second `close` is nothing."""
    calls = (lambda: bank.exchange(None), lambda: bank.request(DriveGoal.HOMED))
    for call in calls:
        _refused(call, DriveSequenceError, "configure", "a call before configure()")
    bank.configure()
    _refused(bank.configure, DriveSequenceError, "once", "a second configure()")
    bank.close()
    bank.close()
    for call in calls:
        _refused(call, DriveSequenceError, "closed", "a call after close()")
    _refused(bank.configure, DriveSequenceError, "once", "configure() after close()")


def counts_what_happens_on_its_link(kit: BankKit, bank: DriveBank) -> None:
    """The tally can be written down; where there is one, it has cycles and missing answers."""
    bank.configure()
    for _ in range(5):
        bank.exchange(None)
    tally = bank.link_tally()
    require(json.loads(json.dumps(tally)).keys() == tally.keys(), f"{tally!r} is no JSON")
    if tally:
        cycles, missing = tally.get("cycles"), tally.get("missing")
        require(isinstance(cycles, int) and cycles >= 5, f"cycles are {cycles!r}, 5 were run")
        six = isinstance(missing, tuple) and len(missing) == LEG_COUNT
        require(six, f"missing is {missing!r}; one count per leg is right")


def powers_up_at_rest(kit: BankKit, bank: DriveBank) -> None:
    """`configure` leaves the drives disabled, not homed, at rest, without fault, and answering."""
    bank.configure()
    feedback = bank.exchange(None)
    require_state(feedback, DriveState.DISABLED)
    require(not any(feedback.homed), f"homed is {feedback.homed} before anybody asked for it")
    require_near("speed", feedback.speed_m_s, STILL, kit.at_rest_m_s, "m/s")
    require(feedback.fault_code == NO_FAULT, f"fault codes are {feedback.fault_code}")
    require(all(feedback.fresh), f"fresh is {feedback.fresh} in an undisturbed cycle")
    require(feedback.accepted is None, f"accepted is {feedback.accepted} without a command")


def is_not_enabled_before_it_is_homed(kit: BankKit, bank: DriveBank) -> None:
    """Legs that do not know where they are get no force."""
    bank.configure()
    bank.request(DriveGoal.ENABLED)
    for feedback in GuidedBank(kit, bank).stay(0.5):
        require_state(feedback, DriveState.DISABLED)


def refuses_five_legs(kit: BankKit, bank: DriveBank) -> None:
    """A command for another number of legs than six is refused."""
    bank.configure()
    five = LegTarget((0.7,) * 5, STILL)  # pyright: ignore[reportArgumentType]
    _refused(lambda: bank.exchange(five), DriveCommandError, "5", "a command for five legs")


def returns_values_that_stay(kit: BankKit, bank: DriveBank) -> None:
    """Feedback is tuples of six Python numbers: no arrays that change later."""
    bank.configure()
    feedback = bank.exchange(None)
    for name in ("length_m", "speed_m_s", "force_n", "state", "homed", "fault_code", "fresh"):
        values = getattr(feedback, name)
        right = type(values) is tuple and len(values) == LEG_COUNT
        require(right, f"{name} is {values!r}; a tuple of six is right")
    for name in ("length_m", "speed_m_s", "force_n"):
        kinds = {type(value).__name__ for value in getattr(feedback, name)}
        require(kinds == {"float"}, f"{name} holds {', '.join(sorted(kinds))}; float is right")


def homing_ends_at_rest(led: GuidedBank) -> None:
    """Homed legs are disabled, at rest, and keep their place."""
    for feedback in led.stay(0.2):
        require(all(feedback.homed), f"homed is {feedback.homed} after homing")
        require_state(feedback, DriveState.DISABLED)
        require_near("speed", feedback.speed_m_s, STILL, led.kit.at_rest_m_s, "m/s")
        require_near("length", feedback.length_m, led.reference_m, led.kit.accuracy_m, "m")


def holds_without_a_command(led: GuidedBank) -> None:
    """Enabled legs stay where they are until they get a setpoint."""
    before = led.enable()
    for feedback in led.stay(0.4):
        require(feedback.accepted is None, f"accepted is {feedback.accepted} without a command")
        require_state(feedback, DriveState.ENABLED)
        require_near("length", feedback.length_m, before.length_m, led.kit.accuracy_m, "m")


def moves_nothing_while_disabled(led: GuidedBank) -> None:
    """A setpoint moves no leg that is not enabled."""
    before = led.disable()
    for _, feedback in led.lead(before, 0.01):
        require_near("length", feedback.length_m, before.length_m, led.kit.accuracy_m, "m")
        require_state(feedback, DriveState.DISABLED)


def follows_and_says_what_was_sent(led: GuidedBank) -> None:
    """Enabled legs follow, every cycle's feedback is fresh, and reports the setpoint sent."""
    before = feedback = led.enable()
    for command, feedback in led.lead(before, 0.01):
        sent = feedback.accepted
        if sent is None:
            raise BrokenPromiseError("accepted is None though a setpoint was given")
        require(all(feedback.fresh), f"fresh is {feedback.fresh} in an undisturbed cycle")
        require_near("accepted length", sent.length_m, command.length_m, 1e-6, "m")
        if sent.speed_m_s != STILL:
            require_near("accepted speed", sent.speed_m_s, command.speed_m_s, 1e-6, "m/s")
        require_near("length", feedback.length_m, command.length_m, 0.004, "m")
    wanted = [at + 0.01 for at in before.length_m]
    require_near("length", feedback.length_m, wanted, led.kit.accuracy_m, "m")


def leads_each_leg_by_its_own_setpoint(led: GuidedBank) -> None:
    """Six different ways end at six different places, the longest with the fastest leg."""
    rows = list(led.lead(led.enable(), (0.002, 0.003, 0.004, 0.005, 0.006, 0.007)))
    command, feedback = rows[-1]
    require_near("length", feedback.length_m, command.length_m, led.kit.accuracy_m, "m")
    speeds = zip(*(row.speed_m_s for _, row in rows), strict=True)
    fastest = [max(leg) for leg in speeds]
    right = fastest == sorted(fastest) and fastest[0] > 0.003
    require(right, f"the fastest speeds are {fastest} m/s; they must grow with the ways")


def stops_when_disabled(led: GuidedBank) -> None:
    """Disabled in mid-motion it comes to rest where it is, whatever is commanded then."""
    _stops(led, DriveGoal.DISABLED, DriveState.DISABLED)


def stops_quickly(led: GuidedBank) -> None:
    """Quick-stopped in mid-motion it comes to rest on its path, whatever is commanded then."""
    _stops(led, DriveGoal.QUICK_STOPPED, DriveState.QUICK_STOP)


def leaves_a_quick_stop_through_disabled(led: GuidedBank) -> None:
    """ENABLED is not obeyed in a quick stop; after DISABLED it is."""
    led.enable()
    led.reach(DriveGoal.QUICK_STOPPED, lambda f: {*f.state} == {DriveState.QUICK_STOP})
    led.bank.request(DriveGoal.ENABLED)
    for feedback in led.stay(0.4):
        require_state(feedback, DriveState.QUICK_STOP)
    led.disable()
    led.enable()


def refuses_what_is_no_number(led: GuidedBank) -> None:
    """NaN and infinity are refused with leg and value, and nothing moves."""
    before = led.enable()
    good = LegTarget(before.length_m, STILL)
    no_numbers = (math.nan, math.inf, -math.inf)
    for name, bad, leg in itertools.product(
        ("length_m", "speed_m_s"), no_numbers, range(LEG_COUNT)
    ):
        values = list(getattr(good, name))
        values[leg] = bad
        wrong = dataclasses.replace(good, **{name: tuple(values)})
        call = f"{name} = {bad} for leg {leg + 1}"
        text = f"leg {leg + 1}: {name} is {bad} m"
        _refused(lambda wrong=wrong: led.bank.exchange(wrong), DriveCommandError, text, call)
        feedback = led.bank.exchange(good)
        require_near("length", feedback.length_m, before.length_m, led.kit.accuracy_m, "m")
        require_state(feedback, DriveState.ENABLED)


NEW: tuple[NewCheck, ...] = (
    says_what_it_set,
    refuses_calls_out_of_order,
    counts_what_happens_on_its_link,
    powers_up_at_rest,
    is_not_enabled_before_it_is_homed,
    refuses_five_legs,
    returns_values_that_stay,
)
"""Promises from its making to its end."""
HOMED: tuple[HomedCheck, ...] = (
    homing_ends_at_rest,
    holds_without_a_command,
    moves_nothing_while_disabled,
    follows_and_says_what_was_sent,
    leads_each_leg_by_its_own_setpoint,
    stops_when_disabled,
    stops_quickly,
    leaves_a_quick_stop_through_disabled,
    refuses_what_is_no_number,
)
"""Promises of legs that know where they are; each leaves no fault."""


def _refused(call: Callable[[], object], kind: type[Exception], wanted: str, what: str) -> None:
    """Require that a call raises a kind of error whose text has some words in it."""
    try:
        call()
    except kind as error:
        require(wanted in str(error), f"{what}: {str(error)!r} does not say {wanted!r}")
    else:
        raise BrokenPromiseError(f"{what} is accepted; {kind.__name__} is right")


def _stops(led: GuidedBank, goal: DriveGoal, state: DriveState) -> None:
    kit = led.kit
    rows = led.lead(led.enable(), 0.015, settle_s=1.0)
    moving = next((row for _, row in rows if min(row.speed_m_s) > 0.03), None)
    if moving is None:
        raise BrokenPromiseError("the legs never got faster than 0.03 m/s when they were led")
    led.bank.request(goal)
    commands, seen = zip(*rows, strict=True)
    last = seen[-1]
    require_state(last, state)
    for row in seen[-len(kit.cycles(0.5)) :]:
        require_near("speed", row.speed_m_s, STILL, kit.at_rest_m_s, "m/s")
        require_near("length", row.length_m, last.length_m, kit.accuracy_m / 10.0, "m")
    legs = zip(last.length_m, moving.length_m, commands[-1].length_m, strict=True)
    for leg, (stopped, began, asked) in enumerate(legs, start=1):
        stop_m = stopped - began
        text = (
            f"leg {leg}: stopped {stop_m * 1e3:.3f} mm after the request; on its way, and within "
        )
        require(-kit.accuracy_m < stop_m < 0.004, f"{text}4 mm, is right")
        text = f"leg {leg}: went on to {stopped:.6f} m, as if {goal.name} had not been asked"
        require(asked - stopped > 0.002, text)
