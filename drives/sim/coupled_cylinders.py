"""Six cylinders whose rods one body couples: a servo each, which knows its own rod only.

It stands in for the kernel of `drives.sim.cylinder`, on the same arrays. Each substep the reference
of a rod moves by its mode, a position loop asks for a speed, a PI speed loop for a force, and the
plant answers all six. At its limit the force holds the integral.

Not modelled besides: what `drives.sim.bank` leaves out, but for the coupling of the legs and
their sag while a brake closes, which the plant has.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from drives.bank import DriveModelError, DriveSetupError, LinkLostError, Touch
from drives.sim import cylinder
from drives.sim.cylinder import Floats, Ints, LegEvent, RodMode, trapezoid
from drives.sim.plant import TouchedPlant
from hil_common.legs import LEG_COUNT

Row = list[float]
"""State or parameters of one rod."""

STEP_S: Final = 1e-3
"""Longest step of the servos [s]."""
HOMED_WITHIN_M: Final = 2e-5
"""Homing ends when a rod is so near to its reference [m], at most so slow:"""
HOMED_BELOW_M_S: Final = 1e-3
RESTS_M_S: Final = 1e-3
"""Speed at which a tripped drive gives its rod to the brake [m/s]."""


@dataclass(frozen=True, slots=True)
class CylinderServo:
    """Gains of the six servos.

    Raises:
        DriveModelError: If a value is not finite, or not above 0.
    """

    position_gain_1_s: float = 20.0
    """k_p [1/s]."""
    speed_gain_n_s_m: float = 60e3
    """k_v [N s/m]."""
    integral_time_s: float = 0.06
    """T_i [s]."""
    own_mass_kg: float = 28.0
    """Rod, rotor and screw, whose acceleration is fed forward [kg]."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (math.isfinite(value) and value > 0.0):
                text = f"{field.name} is {value}, it must be positive and finite"
                raise DriveModelError(text)


class CoupledCylinders:
    """The rods of a bank on a plant.

    Args:
        force_max_n: Largest force of each drive, either way [N], 6.
    """

    def __init__(
        self, plant: TouchedPlant, force_max_n: Sequence[float], servo: CylinderServo | None = None
    ) -> None:
        self._plant = plant
        self._servo = servo or CylinderServo()
        self._force_max_n = tuple(float(value) for value in force_max_n)
        self._integral_n = [0.0] * LEG_COUNT
        self._v_ref = [0.0] * LEG_COUNT
        self._last_mode = [int(RodMode.BRAKE)] * LEG_COUNT
        self._resting = [True] * LEG_COUNT
        self._closed_m = [0.0] * LEG_COUNT

    def begin(self, state: Floats, parameters: Floats) -> None:
        """Begin where the state has the rods, brakes closed.

        Args:
            state: Of the rods, shape (6, STATE_COLUMNS).
            parameters: Of the kernel, shape (6, PARAMETER_COLUMNS).

        Raises:
            DriveSetupError: If the plant cannot be there.
        """
        self._closed_m = parameters[:, cylinder.CLOSED].tolist()
        try:
            self._plant.begin((state[:, cylinder.X] - self._closed_m).tolist())
        except ValueError as error:
            raise DriveSetupError(f"the simulated body: {error}") from error

    def touched(self) -> tuple[Touch, ...]:
        """Contacts of the plant."""
        return tuple(self._plant.touches())

    def advance(
        self,
        state: Floats,
        mode: Ints,
        parameters: Floats,
        length_m: Sequence[float],
        speed_m_s: Sequence[float],
        events: Ints,
        frame: Floats,
        period_s: float,
    ) -> int:
        """Move the rods by one bus cycle; arguments and result as of `cylinder.advance`.

        Raises:
            LinkLostError: If the plant has come to no number.
        """
        count = max(1, math.ceil(period_s / STEP_S - 1e-9))
        step_s = period_s / count
        # Plain numbers: six rods are too few for arrays to be quicker.
        modes: list[int] = mode.tolist()
        rows: list[Row] = state.tolist()
        begun: list[Row] = state.tolist()
        table: list[Row] = parameters.tolist()
        events[:] = 0
        for leg in range(LEG_COUNT):
            if modes[leg] != self._last_mode[leg]:
                self._enter(leg, modes[leg], rows[leg])
        for step in range(1, count + 1):
            forces_n = [0.0] * LEG_COUNT
            for leg in range(LEG_COUNT):
                row, p = rows[leg], table[leg]
                if modes[leg] == RodMode.SERVO:
                    share = step / count
                    at, to = begun[leg][cylinder.REF], begun[leg][cylinder.VREF]
                    row[cylinder.REF] = at + share * (length_m[leg] - at)
                    row[cylinder.VREF] = to + share * (speed_m_s[leg] - to)
                elif modes[leg] != RodMode.BRAKE and not self._resting[leg]:
                    _lead(row, p, modes[leg], step_s)
                forces_n[leg] = self._force_n(leg, row, p, modes[leg], step_s)
            locked = [
                self._resting[leg] or table[leg][cylinder.BLOCKED] != 0.0
                for leg in range(LEG_COUNT)
            ]
            try:
                self._plant.advance(forces_n, locked, step_s)
            except ArithmeticError as error:
                raise LinkLostError(f"the simulated body: {error}") from error
            self._read(rows, modes, table, events)
            for leg in range(LEG_COUNT):
                rows[leg][cylinder.FORCE] = 0.0 if locked[leg] else forces_n[leg]
        for leg in range(LEG_COUNT):
            _end_cycle(rows[leg], table[leg], modes[leg], length_m[leg], events, leg)
        state[:] = rows
        frame[0] = state[:, cylinder.X] + state[:, cylinder.OFFSET]
        frame[1], frame[2] = state[:, cylinder.V], state[:, cylinder.FORCE]
        return int(np.bitwise_or.reduce(events))

    def _enter(self, leg: int, mode: int, row: Row) -> None:
        """Give a rod to its motor or to its brake."""
        was_powered = not self._resting[leg]
        self._last_mode[leg] = mode
        self._resting[leg] = mode == RodMode.BRAKE or (mode == RodMode.TRIP and not was_powered)
        if not was_powered:
            self._integral_n[leg] = self._v_ref[leg] = 0.0
        if mode in (RodMode.RAMP, RodMode.TRIP):
            row[cylinder.REF], row[cylinder.VREF] = row[cylinder.X], row[cylinder.V]

    def _force_n(self, leg: int, row: Row, p: Row, mode: int, step_s: float) -> float:
        """Force of one motor in the next step."""
        if self._resting[leg] or mode == RodMode.BRAKE:
            return 0.0
        gains, feed, v_max = self._servo, p[cylinder.FEED], p[cylinder.V_MAX]
        v_ref = feed * row[cylinder.VREF]
        wanted = v_ref + feed * gains.position_gain_1_s * (row[cylinder.REF] - row[cylinder.X])
        wanted = min(max(wanted, -v_max), v_max)
        proportional = gains.speed_gain_n_s_m * (wanted - row[cylinder.V])
        integral = self._integral_n[leg] + proportional * step_s / gains.integral_time_s
        own_n = gains.own_mass_kg * (v_ref - self._v_ref[leg]) / step_s
        self._v_ref[leg] = v_ref
        force, limit = proportional + integral + own_n, self._force_max_n[leg]
        if -limit <= force <= limit:
            self._integral_n[leg] = integral
            return force
        return math.copysign(limit, force)

    def _read(
        self, rows: Sequence[Row], modes: Sequence[int], table: Sequence[Row], events: Ints
    ) -> None:
        """Take over where the plant has the rods; a tripped one at rest is locked."""
        places = zip(self._plant.extensions_m(), self._plant.speeds_m_s(), strict=True)
        for leg, (extension_m, v_m_s) in enumerate(places):
            row, x_m = rows[leg], extension_m + self._closed_m[leg]
            at_end = not table[leg][cylinder.CLOSED] < x_m < table[leg][cylinder.OPEN]
            if at_end and abs(row[cylinder.V]) > cylinder.IMPACT_SPEED_M_S:
                events[leg] |= LegEvent.END_STOP
            row[cylinder.X], row[cylinder.V] = x_m, v_m_s
            if modes[leg] == RodMode.TRIP and row[cylinder.VREF] == 0.0 and abs(v_m_s) < RESTS_M_S:
                self._resting[leg] = True
            if modes[leg] == RodMode.BRAKE:
                row[cylinder.REF], row[cylinder.VREF] = x_m, 0.0


def _lead(row: Row, p: Row, mode: int, step_s: float) -> None:
    """Advance the reference of a rod that follows no set-point by one step."""
    if mode == RodMode.HOME:
        if p[cylinder.BLOCKED] != 0.0:  # starts afresh from here once the rod is free
            row[cylinder.HOME_FROM], row[cylinder.HOME_T] = row[cylinder.X], 0.0
        row[cylinder.HOME_T] += step_s
        acceleration = cylinder.HOMING_SHARE * min(-p[cylinder.A_LOW], p[cylinder.A_HIGH])
        distance = p[cylinder.REFERENCE] - row[cylinder.HOME_FROM]
        travel, v, _, over = trapezoid(
            row[cylinder.HOME_T], distance, p[cylinder.V_HOME], acceleration
        )
        row[cylinder.REF] = p[cylinder.REFERENCE] if over else row[cylinder.HOME_FROM] + travel
        row[cylinder.VREF] = v
        return
    v_ref = row[cylinder.VREF]
    slower = (-p[cylinder.A_LOW] if v_ref > 0.0 else p[cylinder.A_HIGH]) * step_s
    after = 0.0 if abs(v_ref) <= slower else v_ref - math.copysign(slower, v_ref)
    row[cylinder.REF] += 0.5 * (v_ref + after) * step_s
    row[cylinder.VREF] = after


def _end_cycle(row: Row, p: Row, mode: int, length_m: float, events: Ints, leg: int) -> None:
    """Raise what has happened to a rod by the end of a cycle."""
    if mode == RodMode.SERVO and abs(length_m - row[cylinder.X]) > p[cylinder.WINDOW]:
        events[leg] |= LegEvent.FOLLOWING
    arrived = row[cylinder.REF] == p[cylinder.REFERENCE] and row[cylinder.VREF] == 0.0
    near = abs(row[cylinder.X] - p[cylinder.REFERENCE]) < HOMED_WITHIN_M
    if mode == RodMode.HOME and arrived and near and abs(row[cylinder.V]) < HOMED_BELOW_M_S:
        events[leg] |= LegEvent.HOMED
