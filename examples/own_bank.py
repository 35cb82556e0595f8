"""A bank of drives of one's own, for URLs `glide:`; here it is tried against its promises.

python examples/own_bank.py

Its distribution offers it to the bench, which then takes `--drives glide:` for every run:

    [project.entry-points."hil.banks"]
    glide = "own_bank:make"

These drives are arithmetic: legs that reach each setpoint within its cycle, up to their full speed.
A bank of real ones sends and receives in `exchange` and waits nowhere else.
"""

import sys
from collections.abc import Callable

from drives.bank import (
    BankEnd,
    BankFeedback,
    BankReport,
    DriveGoal,
    DriveSequenceError,
    DriveState,
    LinkTally,
    check_command,
)
from drives.contract.kit import BankKit
from drives.contract.trial import Promise, try_bank
from drives.plugin_bank import BankOrder
from hil_common.legs import LegTarget

STATES = {
    DriveGoal.DISABLED: DriveState.DISABLED,
    DriveGoal.ENABLED: DriveState.ENABLED,
    DriveGoal.QUICK_STOPPED: DriveState.QUICK_STOP,
}
"""What becomes of legs that are homed."""


class GlidingBank:
    """Six legs that go where they are told while they are enabled, and stand else."""

    def __init__(self, order: BankOrder) -> None:
        self._order = order
        self._length_m = list(order.length_min_m)
        self._speed_m_s = [0.0] * 6
        self._goal = DriveGoal.DISABLED
        self._state = DriveState.DISABLED
        self._homed = False
        self._configured = self._closed = False

    def configure(self) -> BankReport:
        """Power up: the legs are disabled, and do not know yet where they are."""
        if self._configured:
            raise DriveSequenceError("configure() comes once")
        self._configured = True
        axes = tuple(f"leg {leg}: glides, {self._speed_max(leg)} m/s" for leg in range(1, 7))
        return BankReport(self._order.name, self._order.url, True, axes)

    def request(self, goal: DriveGoal) -> None:
        """Ask for a goal; the next cycles go towards it."""
        self._require_open()
        if self._goal is DriveGoal.QUICK_STOPPED and goal is not DriveGoal.DISABLED:
            return  # a quick stop is left through DISABLED only
        self._goal = goal

    def exchange(self, command: LegTarget | None) -> BankFeedback:
        """One cycle: enabled legs go to their setpoints."""
        self._require_open()
        if command is not None:
            check_command(command)
        if self._goal is DriveGoal.HOMED:
            self._state = DriveState.DISABLED if self._homed else DriveState.HOMING
        elif self._homed or self._goal is not DriveGoal.ENABLED:
            self._state = STATES[self._goal]
        sent = command if self._state is DriveState.ENABLED else None
        self._speed_m_s = [0.0] * 6
        if sent is not None:
            for leg in range(6):
                self._go(leg, sent.length_m[leg])
        elif self._state is DriveState.HOMING:
            for leg in range(6):
                self._go(leg, self._order.reference_length_m[leg])
            self._homed = self._length_m == list(self._order.reference_length_m)
        return self._feedback(sent)

    def link_tally(self) -> LinkTally:
        """Nothing can get lost here, so nothing is counted."""
        return {}

    def close(self) -> BankEnd:
        """Leave the drives without power."""
        self._closed = True
        return BankEnd()

    def _go(self, leg: int, to_m: float) -> None:
        homing = self._state is DriveState.HOMING
        speed_m_s = self._order.homing_speed_m_s if homing else self._speed_max(leg + 1)
        most_m = speed_m_s * self._order.period_s
        way_m = min(max(to_m - self._length_m[leg], -most_m), most_m)
        self._speed_m_s[leg] = way_m / self._order.period_s
        arrives = abs(to_m - self._length_m[leg]) <= most_m
        self._length_m[leg] = to_m if arrives else self._length_m[leg] + way_m

    def _speed_max(self, leg: int) -> float:
        return self._order.speed_max_m_s[leg - 1]

    def _feedback(self, sent: LegTarget | None) -> BankFeedback:
        a, b, c, d, e, f = self._length_m
        g, h, i, j, k, m = self._speed_m_s
        s, known = self._state, self._homed
        return BankFeedback(
            (a, b, c, d, e, f),
            (g, h, i, j, k, m),
            (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
            (s, s, s, s, s, s),
            (known, known, known, known, known, known),
            (0, 0, 0, 0, 0, 0),
            (True, True, True, True, True, True),
            sent,
        )

    def _require_open(self) -> None:
        if not self._configured:
            raise DriveSequenceError("configure() comes first")
        if self._closed:
            raise DriveSequenceError("the bank is closed")


def make(order: BankOrder, now_s: Callable[[], float]) -> GlidingBank:
    """What the entry point gives: makes a bank of an order; nothing is opened or sent yet."""
    return GlidingBank(order)


ORDER = BankOrder(
    url="glide:",
    name="example",
    period_s=0.004,
    counts_per_m=(1e6,) * 6,
    sign=(1,) * 6,
    reference_length_m=(0.63, 0.64, 0.65, 0.66, 0.67, 0.68),
    length_min_m=(0.60, 0.61, 0.62, 0.63, 0.64, 0.65),
    length_max_m=(1.20, 1.21, 1.22, 1.23, 1.24, 1.25),
    speed_max_m_s=(0.5,) * 6,
    acceleration_max_m_s2=(6.0,) * 6,
    quick_stop_deceleration_m_s2=(4.0,) * 6,
    homing_speed_m_s=0.02,
    watchdog_s=0.05,
)
"""An order as the bench makes it of a rig."""


def main() -> bool:
    """Try each promise of the bank; whether all are kept."""

    def tell(promise: Promise) -> None:
        print(f"{'broken' if promise.broken else 'kept  '} {promise.name} {promise.broken}")

    kit = BankKit("glide", lambda: make(ORDER, lambda: 0.0), ORDER.period_s)
    return not any(promise.broken for promise in try_bank(kit, tell))


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
