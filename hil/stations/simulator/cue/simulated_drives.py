"""Legs that follow a motion by simulated drives and nothing else: no gate, no clock."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from drives.bank import BankFeedback, DriveBank, DriveGoal
from drives.bank import DriveState as State
from hil.config.errors import RefusedError
from hil.stations.platform.drives.setup import bank_spec
from hil.stations.platform.gate.spec import build_bank
from hil.stations.platform.plan.scenario import Plan
from hil_common.legs import LegTarget, SixFloats

Array = NDArray[np.float64]

PATIENCE_S: Final = 120.0
"""Homing of the slowest rig takes less."""
APPROACH_M_S: Final = 0.05
"""Mean speed of the approach to where a motion begins [m/s]."""


class SimulatedDrives:
    """Six simulated cylinders of a rig, homed and enabled.

    Args:
        plan: whose rig and rate they have; its drives are `sim:` whatever it says.

    Raises:
        ConfigError: if the drives cannot be described.
        RefusedError: if they do not get ready.
    """

    def __init__(self, plan: Plan) -> None:
        devices = plan.scenario.devices.model_copy(update={"drives": "sim:"})
        scenario = plan.scenario.model_copy(update={"devices": devices, "faults": ()})
        own = plan.model_copy(update={"scenario": scenario})
        self._period_s = scenario.period_s
        self._bank: DriveBank = build_bank(bank_spec(own), lambda: 0.0)
        self._bank.configure()
        self._reach(DriveGoal.HOMED, lambda said: all(said.homed))
        self._reach(DriveGoal.ENABLED, lambda said: set(said.state) == {State.ENABLED})

    def follow(self, length_m: Array, speed_m_s: Array) -> Array:
        """Go slowly to where the legs begin, then follow them cycle by cycle.

        Args:
            length_m: of the legs [m], shape (N, 6).
            speed_m_s: their speeds [m/s], shape (N, 6).

        Returns:
            What the drives measured at the end of each cycle [m], shape (N, 6).

        Raises:
            RefusedError: if a drive trips; with leg, time and code.
        """
        self._approach(length_m[0])
        measured = np.empty_like(length_m)
        for index, (lengths, speeds) in enumerate(
            zip(length_m.tolist(), speed_m_s.tolist(), strict=True)
        ):
            said = self._bank.exchange(LegTarget(_six(lengths), _six(speeds)))
            if State.FAULT in said.state:
                leg = said.state.index(State.FAULT)
                text = f"leg {leg + 1}: its simulated drive tripped at {index * self._period_s:g} s"
                raise RefusedError(f"{text} with {said.fault_code[leg]:04X}h: ask for less")
            measured[index] = said.length_m
        self._last = measured[-1]
        return measured

    def _approach(self, target_m: Array) -> None:
        begin = self._last
        travel = target_m - begin
        count = max(2, math.ceil(float(np.abs(travel).max()) / APPROACH_M_S / self._period_s))
        for step in range(1, count + 1):
            share = step / count
            eased = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
            rate = 30.0 * share**2 * (1.0 - share) ** 2 / (count * self._period_s)
            command = LegTarget(
                _six((begin + eased * travel).tolist()), _six((rate * travel).tolist())
            )
            self._bank.exchange(command)

    def _reach(self, goal: DriveGoal, done: Callable[[BankFeedback], bool]) -> None:
        self._bank.request(goal)
        for _ in range(round(PATIENCE_S / self._period_s)):
            said = self._bank.exchange(None)
            if done(said):
                self._last: Array = np.array(said.length_m)
                return
        raise RefusedError(f"the simulated drives are not {goal.value} after {PATIENCE_S:g} s")


def _six(values: list[float]) -> SixFloats:
    a, b, c, d, e, f = values
    return a, b, c, d, e, f
