"""A bank of six simulated electro-cylinders: the plant of dry runs and of tests.

It keeps no clock: a cycle is one call of `SimulatedBank.exchange`, and what happens in it depends
on the model, the faults, the seed and the calls before it, on nothing else.

What it models: a second-order position servo with speed feed-forward and linear interpolation of
the setpoint, limits of speed, acceleration and force, hard end stops, brakes, an incremental
encoder that must be homed, the states of a drive, its loss-of-command watchdog, an optional
following-error window, and the faults of `drives.sim.faults`.

What it does not model: backlash, friction, elasticity and pitch error of the screw; the current
loop, the motor and its heat; supply voltage and its sag; encoder resolution and noise; the sag of
a leg while its brake closes; the coupling of the legs through the platform (every rod carries a
constant load and a constant mass) and what is in its way, unless a plant has them; latency, jitter
and load of a bus: the setpoint of a cycle is in force from its beginning and the feedback is of its
end.
"""

import math
from collections.abc import Sequence

import numpy as np

from drives.bank import (
    BankEnd,
    BankFeedback,
    BankReport,
    DriveCommandError,
    DriveGoal,
    DriveModelError,
    DriveSequenceError,
    DriveState,
    LinkTally,
)
from drives.sim import cylinder
from drives.sim.coupled_cylinders import CoupledCylinders, CylinderServo
from drives.sim.cylinder import LegEvent, RodMode
from drives.sim.cylinder_model import CylinderModel
from drives.sim.faults import FaultSchedule, SimFault, burden_rods
from drives.sim.feedback import FeedbackFrames, as_six
from drives.sim.plant import TouchedPlant
from hil_common.legs import LEG_COUNT, LegTarget, SixFloats

COMMAND_LOST = 0x8250
"""CiA 301 error code of an RPDO that did not come in time."""
FOLLOWING_ERROR = 0x8611
"""CiA 402 error code of a following error."""
END_STOP = 0xFF01
"""Manufacturer-specific error code: the rod ran into its end stop."""
ENCODER_OFFSET_M = (0.01, 0.05)
"""Range of how far off, either way, a leg is before it is homed [m]."""
POWER_UP_SPREAD_M = 0.005
"""Largest distance of a rod from its reference when the power comes [m]."""

_ZERO_SPEED = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
_MODE = {
    DriveState.DISABLED: RodMode.BRAKE,
    DriveState.HOMING: RodMode.HOME,
    DriveState.ENABLED: RodMode.SERVO,
    DriveState.QUICK_STOP: RodMode.RAMP,
    DriveState.FAULT: RodMode.TRIP,
}
_POWERED = (DriveState.HOMING, DriveState.ENABLED)
_LEG_NUMBERS = range(LEG_COUNT)


class SimulatedBank:
    """Six simulated cylinders behind the `drives.bank.DriveBank` interface.

    While enabled, a cycle without a command holds the last setpoint; after `watchdog_cycles` of
    them in a row, once commands had begun, the drives trip with `COMMAND_LOST`.

    Args:
        faults: Faults to have, and when.
        seed: Seed of the power-up positions and of the encoder offsets.
        watchdog_cycles: Cycles without a command that an enabled drive tolerates.
        following_window_m: Following error at which a drive itself trips [m]; None for never.
        homing_legs: Legs (1 to 6) that homing moves; all if empty.
        plant: The body that couples the rods; None for rods by themselves.
        servo: Gains of the servos that move a plant.
        notes: What a person should know of the plant.

    Raises:
        DriveModelError: If the servo is far too fast for the period, or a number makes no sense.
    """

    def __init__(
        self,
        model: CylinderModel,
        period_s: float,
        faults: tuple[SimFault, ...] = (),
        seed: int = 0,
        name: str = "simulated cylinders",
        url: str = "sim:",
        *,
        watchdog_cycles: int = 5,
        following_window_m: float | None = None,
        homing_legs: Sequence[int] = (),
        plant: TouchedPlant | None = None,
        servo: CylinderServo | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        if watchdog_cycles < 1:
            raise DriveModelError(f"watchdog_cycles is {watchdog_cycles}, at least 1 is needed")
        window_m = math.inf if following_window_m is None else following_window_m
        if not window_m > 0.0:
            raise DriveModelError(f"following_window_m is {window_m} m, it must be positive")
        self._model = model
        self._period_s = float(period_s)
        self._substeps = model.substeps(self._period_s)
        self._window_m = window_m
        self._homing_legs = tuple(leg - 1 for leg in homing_legs) or tuple(_LEG_NUMBERS)
        self._watchdog_cycles = watchdog_cycles
        self._schedule = FaultSchedule(faults, self._period_s)
        self._name, self._url, self._seed = name, url, seed
        self._cycle = 0
        self._goal: DriveGoal | None = None
        self._enabling_cycles = 0
        self._missed_commands = 0
        self._silent_cycles = 0
        self._commanded = False
        self._state = [DriveState.OFF] * LEG_COUNT
        self._homed = [False] * LEG_COUNT
        self._code = [0] * LEG_COUNT
        self._active: tuple[SimFault, ...] = ()
        self._parameters = model.parameters(window_m)
        self._rods = np.zeros((LEG_COUNT, cylinder.STATE_COLUMNS))
        self._mode = np.zeros(LEG_COUNT, dtype=np.int64)
        self._events = np.zeros(LEG_COUNT, dtype=np.int64)
        self._frame = np.zeros((3, LEG_COUNT))
        self._frames = FeedbackFrames()
        self._coupled: CoupledCylinders | None = None
        if plant is not None:
            self._coupled = CoupledCylinders(plant, model.force_max_n.tolist(), servo)
        self._notes = tuple(notes)
        self._held_m: SixFloats = _ZERO_SPEED
        self._closed = False

    @property
    def rod_length_m(self) -> cylinder.Floats:
        """True lengths of the legs, which no encoder error hides [m], shape (6,)."""
        return self._rods[:, cylinder.X].copy()

    @property
    def missed_commands(self) -> int:
        """Cycles without a command while enabled, since the bank was configured."""
        return self._missed_commands

    def configure(self) -> BankReport:
        """Power up: the legs are near their reference, and their encoders do not know it."""
        if self._closed or self._state[0] is not DriveState.OFF:
            raise DriveSequenceError(f"{self._name}: configure() comes once, before anything else")
        model, rng = self._model, np.random.default_rng(self._seed)
        rest_m = model.reference_length_m + rng.uniform(-1.0, 1.0, LEG_COUNT) * POWER_UP_SPREAD_M
        offset_m = rng.uniform(*ENCODER_OFFSET_M, LEG_COUNT) * rng.choice((-1.0, 1.0), LEG_COUNT)
        rods = self._rods
        rods[:, cylinder.X] = np.clip(rest_m, model.closed_length_m, model.open_length_m)
        rods[:, cylinder.REF] = rods[:, cylinder.X]
        rods[:, cylinder.OFFSET] = offset_m
        if self._coupled is not None:
            self._coupled.begin(rods, self._parameters)
        for leg in _LEG_NUMBERS:
            self._enter(leg, DriveState.DISABLED)
        self._frame[0] = rods[:, cylinder.X] + offset_m
        self._frames.prime(self._frame.tolist())
        axes = tuple(model.describe(leg) for leg in _LEG_NUMBERS)
        return BankReport(self._name, self._url, simulated=True, axes=axes, notes=self._notes)

    def request(self, goal: DriveGoal) -> None:
        """Ask for a goal; stopping and disabling begin at once, the others with the next cycle."""
        if self._state[0] is DriveState.OFF:
            raise self._not_live("request")
        # A goal that is reached is forgotten, so that nothing is ever enabled a second time by it.
        reached = goal is DriveGoal.ENABLED and self._all_in(DriveState.ENABLED)
        self._goal = None if reached else goal
        self._enabling_cycles = 0
        if goal is DriveGoal.QUICK_STOPPED:
            self._move_legs(_POWERED, DriveState.QUICK_STOP)
        elif goal is DriveGoal.DISABLED:
            self._move_legs((*_POWERED, DriveState.QUICK_STOP), DriveState.DISABLED)

    def exchange(self, command: LegTarget | None) -> BankFeedback:
        """Move the rods through one cycle towards the command, and report where they are then."""
        if self._state[0] is DriveState.OFF:
            raise self._not_live("exchange")
        if command is not None and (fault := command.fault()):
            raise DriveCommandError(fault)
        if self._cycle in self._schedule.changes:
            self._switch_faults()
        if self._goal is not None:
            self._progress(self._goal)
        length_m, speed_m_s = self._setpoint(command)
        rods, mode, parameters = self._rods, self._mode, self._parameters
        events, frame, period_s = self._events, self._frame, self._period_s
        if self._coupled is not None:
            happened = self._coupled.advance(
                rods, mode, parameters, length_m, speed_m_s, events, frame, period_s
            )
        else:
            happened = cylinder.advance(
                rods, mode, parameters, length_m, speed_m_s, events, frame, period_s, self._substeps
            )
        if happened:
            self._handle_events()
        self._cycle += 1
        return self._frames.read(frame.tolist(), self._state, self._homed, self._code, command)

    def link_tally(self) -> LinkTally:
        """Return nothing: there is no link."""
        return {}

    def close(self) -> BankEnd:
        """Switch the drives off; a second call does nothing."""
        self._closed = True
        self._goal = None
        self._state[:] = [DriveState.OFF] * LEG_COUNT
        touched = () if self._coupled is None else self._coupled.touched()
        return BankEnd(self.link_tally(), touched=touched)

    def _not_live(self, call: str) -> DriveSequenceError:
        """Error of a call at a time when the drives have no power."""
        why = "closed" if self._closed else "not configured: call configure() first"
        return DriveSequenceError(f"{self._name}: {call}() on a bank that is {why}")

    def _enter(self, leg: int, state: DriveState, code: int = 0) -> None:
        self._state[leg] = state
        self._mode[leg] = _MODE[state]
        self._code[leg] = code

    def _move_legs(self, froms: tuple[DriveState, ...], to: DriveState) -> None:
        for leg in _LEG_NUMBERS:
            if self._state[leg] in froms:
                self._enter(leg, to)

    def _trip(self, leg: int, code: int) -> None:
        if self._state[leg] is not DriveState.FAULT:  # the first cause stays visible
            self._enter(leg, DriveState.FAULT, code)

    def _progress(self, goal: DriveGoal) -> None:
        """Proceed towards the goal; homing and enabling begin once all six legs can."""
        if goal is DriveGoal.DISABLED:
            self._acknowledge()
        elif not self._ready():
            self._enabling_cycles = 0
        elif goal is DriveGoal.HOMED:
            self._start_homing()
        elif goal is DriveGoal.ENABLED and all(self._homed):
            self._enabling_cycles += 1
            if self._enabling_cycles >= self._model.enable_cycles:
                self._enable()

    def _acknowledge(self) -> None:
        lasting = {fault.leg for fault in self._active if fault.kind == "drive_fault"}
        for leg in _LEG_NUMBERS:
            still = self._rods[leg, cylinder.V] == 0.0
            if self._state[leg] is DriveState.FAULT and still and leg + 1 not in lasting:
                self._enter(leg, DriveState.DISABLED)

    def _start_homing(self) -> None:
        self._goal = None
        for leg in self._homing_legs:
            if not self._homed[leg]:
                self._rods[leg, cylinder.HOME_FROM] = self._rods[leg, cylinder.X]
                self._rods[leg, cylinder.HOME_T] = 0.0
                self._enter(leg, DriveState.HOMING)

    def _ready(self) -> bool:
        """Return whether all six are disabled, at rest, and none is held out of operation."""
        held_out = any(fault.kind == "disabled" for fault in self._active)
        at_rest = not self._rods[:, cylinder.V].any()
        return self._all_in(DriveState.DISABLED) and at_rest and not held_out

    def _all_in(self, state: DriveState) -> bool:
        return all(each is state for each in self._state)

    def _enable(self) -> None:
        self._goal = None
        self._commanded = False
        self._silent_cycles = 0
        self._held_m = as_six(self._rods[:, cylinder.X].tolist())
        for leg in _LEG_NUMBERS:
            self._enter(leg, DriveState.ENABLED)

    def _setpoint(self, command: LegTarget | None) -> tuple[SixFloats, SixFloats]:
        """Return what the enabled drives follow in this cycle, and feed their watchdog."""
        if DriveState.ENABLED not in self._state:
            return self._held_m, _ZERO_SPEED
        if command is not None:
            self._commanded = True
            self._silent_cycles = 0
            self._held_m = command.length_m
            return command.length_m, command.speed_m_s
        self._missed_commands += 1
        self._silent_cycles += 1
        if self._commanded and self._silent_cycles > self._watchdog_cycles:
            for leg in _LEG_NUMBERS:
                if self._state[leg] is DriveState.ENABLED:
                    self._enter(leg, DriveState.FAULT, COMMAND_LOST)
        return self._held_m, _ZERO_SPEED

    def _handle_events(self) -> None:
        for leg, events in enumerate(self._events.tolist()):
            if events & LegEvent.HOMED:
                self._homed[leg] = True
                self._rods[leg, cylinder.OFFSET] = 0.0
                self._frame[0, leg] = self._rods[leg, cylinder.X]
                self._enter(leg, DriveState.DISABLED)
            if self._state[leg] is DriveState.ENABLED:
                if events & LegEvent.END_STOP:
                    self._trip(leg, END_STOP)
                elif events & LegEvent.FOLLOWING:
                    self._trip(leg, FOLLOWING_ERROR)

    def _switch_faults(self) -> None:
        """Give the plant and the feedback the faults that are on from this cycle."""
        self._active = self._schedule.active(self._cycle)
        self._parameters = self._model.parameters(self._window_m)
        burden_rods(self._parameters, self._active)
        for fault in self._active:
            leg = fault.leg - 1
            if fault.kind == "drive_fault":
                self._trip(leg, int(fault.value))
            elif fault.kind == "disabled" and self._state[leg] in _POWERED:
                self._enter(leg, DriveState.DISABLED)
        self._frames.have(self._active)


def warm() -> None:
    """Compile the kernels of the bank, or load them from the cache."""
    cylinder.warm()
