"""The state machine of an emulated drive at work: commands, stops, faults and their emergencies.

`sim.devices.drive.cia402` says which transition an event takes; here is what that does to the
motor, which stop comes before it (option codes 605Ah to 605Eh), and what an error leaves behind.
Error codes are those of CiA 402-2, table "Error codes", and of CiA 301.

Not modelled: motor and drive temperature, mains voltage.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from sim.devices.drive import cia402 as drive402
from sim.devices.drive.cia402 import DriveEvent, State
from sim.devices.drive.modes import Commanded, Modes
from sim.devices.drive.parameters import DriveParameters, NodeSettings
from sim.devices.drive.rods import Rod

NO_ERROR: Final = 0x0000

_DEVICE_REGISTER: Final = 0x21
"""Error register 1001h: generic, and device profile specific."""
_POWER_LOSS_STATES: Final = frozenset(
    {
        State.READY_TO_SWITCH_ON,
        State.SWITCHED_ON,
        State.OPERATION_ENABLED,
        State.QUICK_STOP_ACTIVE,
    }
)


@dataclass(frozen=True, slots=True)
class Emergency:
    """What an emergency message says."""

    code: int
    """Error code; 0 when an error is gone."""
    register: int
    """Error register 1001h at that moment."""


class DriveAutomaton(Commanded):
    """A drive without its objects.

    Args:
        motor: The rod that it moves.
        encoder: The rod whose encoder and switches it reads.
        rng: Source of the arbitrary count it wakes up with.
    """

    state: State
    error_code: int

    def __init__(
        self, settings: NodeSettings, motor: Rod, encoder: Rod, rng: random.Random
    ) -> None:
        super().__init__(settings, motor, encoder)
        self.transitions: list[int] = []
        """Numbers of the transitions taken, the newest last; at most 64."""
        self._rng = rng
        self.watched = True
        """Fault when False: it does not notice that its master is silent."""
        self.power_up()

    def power_up(self) -> None:
        """Start as after switching on: parameters at their defaults, position unknown."""
        self.parameters: DriveParameters = DriveParameters()
        self.use_units()
        self.state = State.START
        self._state_bits = drive402.state_bits(self.state)
        self._powered = False
        self.homed = False
        self.error_code = NO_ERROR
        self.errors: dict[int, int] = {}
        self.emergencies: list[Emergency] = []
        """What has not been told yet, oldest first."""
        self.controlword = 0
        self.velocity_offset: int | None = None
        self.target_raw = 0
        self.mode_request = 0
        self.target_velocity = 0
        self.modes: Modes = Modes(self)
        wakes_m, zero_m = round(self._rng.uniform(-0.05, 0.05), 6), self.settings.absolute_zero_m
        self.forget_position(wakes_m if zero_m is None else self.encoder.x_m - zero_m)
        self._stop_event: DriveEvent | None = None
        self._enabling_left_s: float | None = None
        self._rearm_needed = False
        self._following_s = 0.0
        self._step(DriveEvent.POWER_UP)
        self._step(DriveEvent.INITIALISED)

    @property
    def error_register(self) -> int:
        """Object 1001h."""
        register = 0
        for bits in self.errors.values():
            register |= bits
        return register

    def take_emergencies(self) -> list[Emergency]:
        """Return the emergencies since the last call, oldest first."""
        taken, self.emergencies = self.emergencies, []
        return taken

    # -- faults and stops -----------------------------------------------------------------------

    def trip(self, code: int, register: int = _DEVICE_REGISTER) -> None:
        """Go into fault with an error code; a drive already in fault only reports it.

        Args:
            code: Error code of CiA 301 or CiA 402-2.
            register: Bits of the error register 1001h.
        """
        self.report(code, register)
        if self.state in (State.FAULT, State.FAULT_REACTION_ACTIVE):
            return
        self.error_code = code
        moving = self._powered
        self._step(DriveEvent.FAULT_DETECTED)
        option = self.parameters.fault_reaction_option
        if moving and option != 0:
            self._brake_along(option, DriveEvent.REACTION_DONE)
        else:
            self._step(DriveEvent.REACTION_DONE)

    def report(self, code: int, register: int) -> None:
        """Send an emergency for an error that is no fault by itself."""
        if code not in self.errors:
            self.errors[code] = register
            self.emergencies.append(Emergency(code, self.error_register))

    def recover(self, code: int) -> None:
        """Take back an error that was only reported; a fault waits for its reset instead."""
        if self.state in (State.FAULT, State.FAULT_REACTION_ACTIVE):
            return
        if self.errors.pop(code, None) is not None:
            self.emergencies.append(Emergency(NO_ERROR, self.error_register))

    def abort_connection(self, code: int, register: int) -> None:
        """React to a lost master as object 6007h says, and report it.

        Args:
            code: Error code: 8130h heartbeat, 8250h RPDO time-out, 8140h recovered from bus-off.
            register: Bits of the error register 1001h.
        """
        if not self.watched:
            return
        option = self.parameters.abort_connection_option
        if option == 1:
            self.trip(code, register)
            return
        self.report(code, register)
        if option == 2:
            self._command(DriveEvent.DISABLE_VOLTAGE)
        elif option == 3:
            self._command(DriveEvent.QUICK_STOP)

    def set_interlock(self, closed: bool) -> None:
        """Open or close the STO input; opening takes the power away at once.

        Args:
            closed: Whether power may reach the motor.
        """
        self.interlock_closed = closed
        if closed:
            return
        if self.state in _POWER_LOSS_STATES:
            self._step(DriveEvent.DISABLE_VOLTAGE)
        elif self.state is State.FAULT_REACTION_ACTIVE:
            self._step(DriveEvent.REACTION_DONE)

    def drop_to(self, event: DriveEvent) -> None:
        """Fault: obey a command that nobody sent."""
        self._command(event)

    # -- inside -------------------------------------------------------------------------------

    def _step(self, event: DriveEvent) -> None:
        taken = drive402.step(self.state, event)
        if taken is None:
            return
        self.state = taken.state
        self.transitions = [*self.transitions[-63:], taken.transition]
        self._enabling_left_s = None
        self._state_bits = drive402.state_bits(self.state)
        powered = self._powered = self.state in drive402.POWERED
        if not powered or taken.transition in (4, 11, 16):
            self._stop_event = None
        if powered and not self.motor.powered:
            self.reference.hold(self.u_m)
            if self.load_servo is not None:
                self.load_servo.reset(0.0)
        self.motor.powered = powered
        if not powered:
            self.motor.acceleration_m_s2 = 0.0
            self.limited = False
            self.modes.abort()

    def _command(self, event: DriveEvent) -> None:
        state, parameters = self.state, self.parameters
        if not self.interlock_closed and state is State.SWITCH_ON_DISABLED:
            return
        if event is DriveEvent.ENABLE_OPERATION and state is State.SWITCHED_ON:
            if self._enabling_left_s is None:
                self._enabling_left_s = self.settings.rod.brake_release_s
                if self._enabling_left_s <= 0.0:
                    self._enable()
            return
        if state is State.SWITCHED_ON and event is DriveEvent.SWITCH_ON:
            self._enabling_left_s = None
        if state is State.OPERATION_ENABLED:
            if event is DriveEvent.QUICK_STOP:
                self._quick_stop()
                return
            if event is DriveEvent.SHUTDOWN and parameters.shutdown_option == 1:
                self._brake_along(1, event)
                return
            if event is DriveEvent.SWITCH_ON and parameters.disable_operation_option == 1:
                self._brake_along(1, event)
                return
            if event is DriveEvent.ENABLE_OPERATION and self._stop_event is not None:
                self._stop_event = None  # taken back before the ramp ended
                return
        if state is State.QUICK_STOP_ACTIVE and event is DriveEvent.ENABLE_OPERATION:
            if parameters.quick_stop_option < 5 or self._rearm_needed:
                return
            self._step(event)
            self.modes.enter()
            return
        self._step(event)
        if event is DriveEvent.ENABLE_OPERATION and self.state is State.SWITCHED_ON:
            self._command(event)

    def _enable(self) -> None:
        self._step(DriveEvent.ENABLE_OPERATION)
        self._following_s = 0.0
        self.modes.enter()

    def _quick_stop(self) -> None:
        option = self.parameters.quick_stop_option
        self._rearm_needed = True
        self._step(DriveEvent.QUICK_STOP)
        self.modes.abort()
        if option == 0:
            self._step(DriveEvent.QUICK_STOP_DONE)
        else:
            ramp = option if option < 5 else option - 4
            self._brake_along(ramp, DriveEvent.QUICK_STOP_DONE)

    def _brake_along(self, ramp: int, then: DriveEvent) -> None:
        """Ramp the reference to rest; `then` is the event that follows at standstill."""
        if self._stop_event is not then:
            self._stop_event = then
            self.modes.abort()
            self.reference.speed(0.0, self.stop_acceleration(ramp))

    def _finish_stop(self) -> None:
        event = self._stop_event
        if event is DriveEvent.QUICK_STOP_DONE and self.parameters.quick_stop_option >= 5:
            return  # stays in quick stop active, under force
        if event is not None:
            self._step(event)

    def _reset_fault(self) -> None:
        self._step(DriveEvent.FAULT_RESET)
        self.error_code = NO_ERROR
        if self.errors:
            self.errors.clear()
            self.emergencies.append(Emergency(NO_ERROR, 0))
