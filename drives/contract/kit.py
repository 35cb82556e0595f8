"""The kit for a gentle trial of any bank of drives, whatever moves its rods.

All that is commanded here could be commanded to a real machine: no leg is led faster than `LED_M_S`
or further than `FARTHEST_M` out from its reference, and no command is a step. The promises
themselves are in `drives.contract.promises`.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from drives.bank import (
    BankEnd,
    BankFeedback,
    BankReport,
    DriveBank,
    DriveGoal,
    DriveState,
    LinkTally,
    SixStates,
)
from hil_common.legs import LEG_COUNT, LegTarget, SixFloats, SixInts

STILL: SixFloats = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
NO_FAULT: SixInts = (0, 0, 0, 0, 0, 0)
LED_M_S = 0.05
"""Fastest that a leg is led [m/s]."""
LED_FOR_S = 0.3
"""A lead takes at least so long, so that short ones are gentle too [s]."""
FARTHEST_M = 0.02
"""Furthest that a leg is led out from its reference [m]."""
PATIENCE_S = 60.0
"""Homing over a whole stroke at the speed of a careful rig [s]."""


class BrokenPromiseError(Exception):
    """A bank does not do what every bank must; the text says what was seen and what is right."""


@dataclass(frozen=True, slots=True)
class BankKit:
    """A bank to be tried."""

    name: str
    """Name of the bank, for people."""
    build: Callable[[], DriveBank]
    """Makes a bank that nobody has configured."""
    period_s: float
    """Period of its cycle [s]."""
    accuracy_m: float = 1e-5
    """Distance within which a leg that is given time reaches and keeps a place [m]."""
    at_rest_m_s: float = 1e-9
    """Speed that a leg at rest may report [m/s]."""
    patience_s: float = PATIENCE_S
    """Time that a goal may take, homing included [s]."""

    def cycles(self, time_s: float) -> range:
        """The cycles of a time [s]."""
        return range(round(time_s / self.period_s))


def require(kept: bool, seen: str) -> None:
    """Raise `BrokenPromiseError` with what was seen if a promise is not kept."""
    if not kept:
        raise BrokenPromiseError(seen)


def require_near(
    what: str, found: Sequence[float], wanted: Sequence[float], within: float, unit: str
) -> None:
    """Raise `BrokenPromiseError` with the first leg whose value is further off than allowed."""
    for leg, (value, right) in enumerate(zip(found, wanted, strict=True), start=1):
        text = f"leg {leg}: {what} is {value:.9g} {unit}, {right:.9g} +- {within:g} {unit} is right"
        require(abs(value - right) <= within, text)


def require_state(feedback: BankFeedback, state: DriveState) -> None:
    """Raise `BrokenPromiseError` unless all six are in a state."""
    for leg, found in enumerate(feedback.state, start=1):
        require(found is state, f"leg {leg} is {found.value}, {state.value} is right")


class GuidedBank:
    """A configured bank, and the gentle ways to move it."""

    def __init__(self, kit: BankKit, bank: DriveBank) -> None:
        self.kit = kit
        self.bank = bank
        self.reference_m = STILL
        """Where homing has left the legs [m], 6; they are to stay near it."""

    def reach(self, goal: DriveGoal, there: Callable[[BankFeedback], bool]) -> BankFeedback:
        """Ask for a goal and run cycles until it is there.

        Raises:
            BrokenPromiseError: If that takes too long.
        """
        self.bank.request(goal)
        feedback = None
        for _ in self.kit.cycles(self.kit.patience_s):
            feedback = self.bank.exchange(None)
            if there(feedback):
                return feedback
        text = f"{goal.name} is not reached within {self.kit.patience_s:g} s"
        raise BrokenPromiseError(f"{text}; the last feedback is {feedback}")

    def home(self) -> BankFeedback:
        """Home, and remember where that is."""
        feedback = self.reach(DriveGoal.HOMED, lambda f: all(f.homed))
        self.reference_m = feedback.length_m
        return feedback

    def enable(self) -> BankFeedback:
        """Run cycles until all are enabled."""
        return self.reach(DriveGoal.ENABLED, lambda f: f.state == _six(DriveState.ENABLED))

    def disable(self) -> BankFeedback:
        """Run cycles until all are disabled and at rest."""
        disabled, at_rest = _six(DriveState.DISABLED), self.kit.at_rest_m_s
        return self.reach(
            DriveGoal.DISABLED,
            lambda f: f.state == disabled and max(map(abs, f.speed_m_s)) <= at_rest,
        )

    def stay(self, time_s: float) -> list[BankFeedback]:
        """Cycles without a command."""
        return [self.bank.exchange(None) for _ in self.kit.cycles(time_s)]

    def lead(
        self, feedback: BankFeedback, by_m: float | Sequence[float], settle_s: float = 0.3
    ) -> Iterator[tuple[LegTarget, BankFeedback]]:
        """Lead the legs from where they are by a way each, out of rest and into rest.

        Yields command and feedback of each cycle; the last command is held for `settle_s`.

        Raises:
            BrokenPromiseError: If that is further out than is gentle.
        """
        offsets = list(by_m) if isinstance(by_m, Sequence) else [by_m] * LEG_COUNT
        start = feedback.length_m
        for at, offset, reference in zip(start, offsets, self.reference_m, strict=True):
            off = at + offset - reference
            require(abs(off) <= FARTHEST_M, f"led {off:g} m out, {FARTHEST_M} m is the most")
        duration_s = max(LED_FOR_S, math.pi * max(map(abs, offsets)) / (2.0 * LED_M_S))
        for cycle in self.kit.cycles(duration_s + settle_s):
            phase = math.pi * min(1.0, (cycle + 1) * self.kit.period_s / duration_s)
            share, rate = (1.0 - math.cos(phase)) / 2.0, math.sin(phase) * math.pi / 2.0
            a, b, c, d, e, f = (
                at + share * offset for at, offset in zip(start, offsets, strict=True)
            )
            g, h, i, j, k, m = (rate * offset / duration_s for offset in offsets)
            command = LegTarget((a, b, c, d, e, f), (g, h, i, j, k, m))
            yield command, self.bank.exchange(command)

    def lead_back(self) -> None:
        """Lead the legs to their reference if they are elsewhere, and disable them."""
        feedback = self.disable()
        back = [to - at for to, at in zip(self.reference_m, feedback.length_m, strict=True)]
        if max(map(abs, back)) > 10.0 * self.kit.accuracy_m:
            for _ in self.lead(self.enable(), back):
                pass
            self.disable()


class PacedBank:
    """A bank that waits for the beginning of each cycle.

    Args:
        begin: Returns when the next cycle begins.
    """

    def __init__(self, bank: DriveBank, begin: Callable[[], object]) -> None:
        self._bank = bank
        self._begin = begin

    def configure(self) -> BankReport:
        """Configure the bank."""
        return self._bank.configure()

    def request(self, goal: DriveGoal) -> None:
        """Request a goal of the bank."""
        self._bank.request(goal)

    def exchange(self, command: LegTarget | None) -> BankFeedback:
        """Exchange with the bank, when the cycle begins."""
        self._begin()
        return self._bank.exchange(command)

    def link_tally(self) -> LinkTally:
        """Return the tally of the bank."""
        return self._bank.link_tally()

    def close(self) -> BankEnd:
        """Close the bank."""
        return self._bank.close()


def _six(state: DriveState) -> SixStates:
    return state, state, state, state, state, state
