"""One way to make each kind of bank, and the gentle ways to move it.

Everything that is commanded here could be commanded to a real machine: no leg is led faster than
`LED_M_S` or further than `FARTHEST_M` out from its reference, and no command is a step.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from canopen_bench import SETTINGS, bench
from modbus_bench import modbus_rtu, modbus_tcp

from drives.bank import BankFeedback, DriveBank, DriveGoal, DriveState, LegCommand
from drives.cylinder_model import CylinderModel
from drives.simulated_bank import SimulatedBank
from hil.stations.platform.drives.setup import bank_spec
from hil.stations.platform.gate.spec import build_bank
from hil.stations.platform.scenario import plan_from_table
from hil.timing.realtime import RealClock

STILL = (0.0,) * 6
NO_FAULT = (0,) * 6
LED_M_S = 0.05
LED_FOR_S = 0.3
"""A lead takes at least so long, so that short ones are gentle too [s]."""
FARTHEST_M = 0.02
PATIENCE_S = 60.0
"""Homing over a whole stroke at the speed of a careful rig [s]."""
WINDOW_M = 0.02
"""Following error at which the drives trip themselves: commands that are led keep far inside."""


@dataclass(frozen=True, slots=True)
class Kit:
    """A kind of bank.

    Attributes:
        name: in the tests' names.
        build: makes a bank that nobody has configured.
        period_s: of its cycle [s].
        accuracy_m: how well a leg that is given time reaches and keeps a place [m].
        at_rest_m_s: what a leg at rest may report [m/s].
    """

    name: str
    build: Callable[[], DriveBank]
    period_s: float
    accuracy_m: float = 1e-5
    at_rest_m_s: float = 1e-9

    def cycles(self, time_s: float) -> range:
        return range(round(time_s / self.period_s))


def _simulated() -> DriveBank:
    closed = np.linspace(0.60, 0.65, 6)
    model = CylinderModel(
        natural_frequency_hz=20.0,
        damping=0.8,
        speed_max_m_s=np.full(6, 0.5),
        acceleration_max_m_s2=np.full(6, 6.0),
        force_max_n=np.full(6, 4000.0),
        moving_mass_kg=np.full(6, 55.0),
        static_load_n=np.full(6, 600.0),
        closed_length_m=closed,
        open_length_m=closed + 0.7,
        reference_length_m=closed + 0.03,
        homing_speed_m_s=0.02,
        enable_cycles=5,
    )
    return SimulatedBank(model, 0.002)


def _canopen(bus_of_leg: tuple[int, ...]) -> Callable[[], DriveBank]:
    settings = replace(SETTINGS, following_window_m=WINDOW_M, bus_of_leg=bus_of_leg)
    return lambda: bench(settings).bank


EMULATED = (
    Kit("simulated", _simulated, 0.002),
    Kit("canopen_one_bus", _canopen((0, 0, 0, 0, 0, 0)), 0.004),
    Kit("canopen_two_buses", _canopen((0, 0, 0, 1, 1, 1)), 0.004),
    Kit("modbus_tcp", lambda: modbus_tcp(following_window_m=WINDOW_M), 0.01),
    Kit("modbus_rtu", lambda: modbus_rtu(following_window_m=WINDOW_M), 0.01),
)


class _InRealTime:
    """A bank whose cycles begin a period apart on the machine's clock."""

    def __init__(self, bank: DriveBank, clock: RealClock, period_s: float) -> None:
        self._bank = bank
        self._ticks = clock.ticks(period_s)

    def exchange(self, command: LegCommand | None) -> BankFeedback:
        next(self._ticks)
        return self._bank.exchange(command)

    def __getattr__(self, name: str):
        return getattr(self._bank, name)


@lru_cache  # one kit for all tests, so that they share its homing
def hardware(url: str, rig: str, rate_hz: float) -> Kit:
    """The bank of a rig at a URL, in real time."""
    table = {
        "name": "contract",
        "rig": rig,
        "clock": "real",
        "rate_hz": rate_hz,
        "devices": {"drives": url},
        "motion": {"kind": "legs", "to": [{"offsets_m": 0.0}]},
    }
    spec = bank_spec(plan_from_table(table, Path("--rig")))
    clock = RealClock()

    def build() -> DriveBank:
        return _InRealTime(build_bank(spec, clock.now_s), clock, 1.0 / rate_hz)

    return Kit("hardware", build, 1.0 / rate_hz, accuracy_m=5e-4, at_rest_m_s=1e-3)


class Moved:
    """A bank of a kit, with what the tests do to it."""

    def __init__(self, kit: Kit, bank: DriveBank) -> None:
        self.kit = kit
        self.bank = bank
        self.reference_m = STILL

    def reach(self, goal: DriveGoal, condition: Callable[[BankFeedback], bool]) -> BankFeedback:
        """Ask for a goal and run cycles until it is there."""
        self.bank.request(goal)
        for _ in self.kit.cycles(PATIENCE_S):
            feedback = self.bank.exchange(None)
            if condition(feedback):
                return feedback
        raise AssertionError(f"{goal} not reached: {feedback}")

    def home(self) -> BankFeedback:
        """Home, and remember where that is: the legs are to stay near it."""
        feedback = self.reach(DriveGoal.HOMED, lambda f: all(f.homed))
        self.reference_m = feedback.length_m
        return feedback

    def enable(self) -> BankFeedback:
        enabled = (DriveState.ENABLED,) * 6
        return self.reach(DriveGoal.ENABLED, lambda f: f.state == enabled)

    def disable(self) -> BankFeedback:
        """Until all are disabled and stand."""
        disabled, at_rest = (DriveState.DISABLED,) * 6, self.kit.at_rest_m_s
        return self.reach(
            DriveGoal.DISABLED,
            lambda f: f.state == disabled and max(map(abs, f.speed_m_s)) <= at_rest,
        )

    def stay(self, time_s: float) -> list[BankFeedback]:
        """Cycles without a command."""
        return [self.bank.exchange(None) for _ in self.kit.cycles(time_s)]

    def lead(
        self, feedback: BankFeedback, by_m: float | Sequence[float], settle_s: float = 0.3
    ) -> Iterator[tuple[LegCommand, BankFeedback]]:
        """Lead the legs from where they are by a way each, out of rest and into rest.

        Yields command and feedback of each cycle; the last command is held for `settle_s`.
        """
        ways = (by_m,) * 6 if isinstance(by_m, float) else by_m
        start = feedback.length_m
        for at, way, reference in zip(start, ways, self.reference_m, strict=True):
            assert abs(at + way - reference) <= FARTHEST_M, "further out than is gentle"
        duration_s = max(LED_FOR_S, math.pi * max(map(abs, ways)) / (2.0 * LED_M_S))
        for cycle in self.kit.cycles(duration_s + settle_s):
            phase = math.pi * min(1.0, (cycle + 1) * self.kit.period_s / duration_s)
            share, rate = (1.0 - math.cos(phase)) / 2.0, math.sin(phase) * math.pi / 2.0
            command = LegCommand(
                tuple(at + share * way for at, way in zip(start, ways, strict=True)),
                tuple(rate * way / duration_s for way in ways),
            )
            yield command, self.bank.exchange(command)

    def lead_back(self) -> None:
        """Lead the legs to their reference if they are elsewhere, and disable them."""
        feedback = self.disable()
        back = [to - at for to, at in zip(self.reference_m, feedback.length_m, strict=True)]
        if max(map(abs, back)) > 10.0 * self.kit.accuracy_m:
            for _ in self.lead(self.enable(), back):
                pass
            self.disable()
