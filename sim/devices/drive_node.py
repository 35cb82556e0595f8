"""One emulated CiA 402 drive: controlword in, statusword out, a rod that moves in between.

The drive knows nothing of CAN or Modbus: the racks write its objects and read them back, in the
units of the objects (counts, counts/s, per mille). Inside it works in metres from its own zero.

Object numbers and bits are those of CiA 402-2 (IEC 61800-7-201), error codes those of its table
"Error codes" and of CiA 301.

Not modelled: torque and velocity modes other than profile velocity, touch probes, motor and drive
temperature, mains voltage, position window timing (6067h, 6068h).
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from sim.devices import drive402
from sim.devices.drive402 import Event, State
from sim.devices.drive_axis import DriveAxis
from sim.devices.drive_parameters import DriveParameters, NodeSettings
from sim.devices.modes import Mode, Modes, supported_modes_word
from sim.devices.plant import Rod

FOLLOWING_ERROR: Final = 0x8611
NO_ERROR: Final = 0x0000
NOT_SUPERVISED: Final = 0xFFFF_FFFF

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
    """What an emergency message says.

    Attributes:
        code: Error code; 0 when an error is gone.
        register: Error register 1001h at that moment.
    """

    code: int
    register: int


class EmulatedDrive(DriveAxis):
    """One drive: the state machine on top of its axis.

    Args:
        settings: What the drive is.
        motor: The rod that it moves.
        encoder: The rod whose encoder and switches it reads.
        rng: Source of the arbitrary count it wakes up with.
    """

    def __init__(
        self, settings: NodeSettings, motor: Rod, encoder: Rod, rng: random.Random
    ) -> None:
        super().__init__(settings, motor, encoder)
        self.transitions: list[int] = []
        """Numbers of the transitions taken, the newest last; at most 64."""
        self._rng = rng
        self.power_up()

    def power_up(self) -> None:
        """Start as after switching on: parameters at their defaults, position unknown."""
        self.parameters = DriveParameters()
        self.state = State.START
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
        self.modes = Modes(self)
        self.forget_position(round(self._rng.uniform(-0.05, 0.05), 6))
        self._stop_event: Event | None = None
        self._enabling_left_s: float | None = None
        self._rearm_needed = False
        self._following_s = 0.0
        self._step(Event.POWER_UP)
        self._step(Event.INITIALISED)

    # -- objects that a master writes ---------------------------------------------------------

    def write_controlword(self, value: int) -> None:
        """Act on object 6040h.

        Args:
            value: The controlword, u16.
        """
        before, self.controlword = self.controlword, value & 0xFFFF
        if value & ~before & drive402.FAULT_RESET_BIT and self.state is State.FAULT:
            self._reset_fault()
            return
        event = drive402.command(value)
        if event is not drive402.command(before):
            self._rearm_needed = False
        self._command(event)
        if self.state is State.OPERATION_ENABLED:
            self.modes.controlword(before, self.controlword)

    def write_mode(self, value: int) -> None:
        """Act on object 6060h; a mode that the drive does not have changes nothing.

        Args:
            value: Mode of operation, i8.
        """
        self.mode_request = value
        self.modes.select(value)

    def write_target(self, counts: int) -> None:
        """Act on object 607Ah, or on 60C1h sub 1 in interpolated position mode.

        Args:
            counts: Target position [counts], i32.
        """
        self.target_raw = counts
        if self.following_commands:
            self.modes.target(counts)

    def write_velocity_offset(self, counts_s: int) -> None:
        """Act on object 60B1h; from then on the drive derives no speed of its own.

        Args:
            counts_s: Speed at the next setpoint [counts/s], i32.
        """
        self.velocity_offset = counts_s

    def write_target_velocity(self, counts_s: int) -> None:
        """Act on object 60FFh, used in profile velocity mode.

        Args:
            counts_s: Speed [counts/s], i32.
        """
        self.target_velocity = counts_s
        if self.following_commands:
            self.modes.target_velocity(counts_s)

    # -- objects that a master reads --------------------

    @property
    def statusword(self) -> int:
        """Object 6041h."""
        word = drive402.state_bits(self.state) | 0x200  # bit 9: controlled through the bus
        word |= 0x10 if self.interlock_closed else 0x80  # bit 4 voltage, bit 7 warning
        if self.limited or self.modes.clipped:
            word |= 0x800
        return word | self.modes.status_bits()

    @property
    def mode_display(self) -> int:
        """Object 6061h."""
        return self.modes.mode.value

    @property
    def error_register(self) -> int:
        """Object 1001h."""
        register = 0
        for bits in self.errors.values():
            register |= bits
        return register

    @property
    def supported_modes(self) -> int:
        """Object 6502h."""
        return supported_modes_word()

    @property
    def following_commands(self) -> bool:
        """Whether setpoints move the rod: enabled, and no stop under way."""
        return self.state is State.OPERATION_ENABLED and self._stop_event is None

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
        moving = self.state in drive402.POWERED
        self._step(Event.FAULT_DETECTED)
        option = self.parameters.fault_reaction_option
        if moving and option != 0:
            self._brake_along(option, Event.REACTION_DONE)
        else:
            self._step(Event.REACTION_DONE)

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
        option = self.parameters.abort_connection_option
        if option == 1:
            self.trip(code, register)
            return
        self.report(code, register)
        if option == 2:
            self._command(Event.DISABLE_VOLTAGE)
        elif option == 3:
            self._command(Event.QUICK_STOP)

    def set_interlock(self, closed: bool) -> None:
        """Open or close the STO input; opening takes the power away at once.

        Args:
            closed: Whether power may reach the motor.
        """
        self.interlock_closed = closed
        if closed:
            return
        if self.state in _POWER_LOSS_STATES:
            self._step(Event.DISABLE_VOLTAGE)
        elif self.state is State.FAULT_REACTION_ACTIVE:
            self._step(Event.REACTION_DONE)

    def drop_to(self, event: Event) -> None:
        """Fault: obey a command that nobody sent."""
        self._command(event)

    # -- time ---------------------------------------------------------------------------------

    def control(self, dt_s: float) -> None:
        """Decide what the motor does in the next substep.

        Args:
            dt_s: Substep [s].
        """
        if self._enabling_left_s is not None:
            self._enabling_left_s -= dt_s
            if self._enabling_left_s <= 0.0:
                self._enable()
        if self.state not in drive402.POWERED:
            return
        if self.state is State.OPERATION_ENABLED:
            if self._stop_event is None:
                self.modes.advance()
            if self.modes.mode is not Mode.PROFILE_VELOCITY:
                self._supervise_following(dt_s)
        if self._stop_event is not None and self.at_rest:
            self._finish_stop()
        if self.state in drive402.POWERED:
            self.reference.advance(dt_s)
            mode = self.modes.mode
            self.motor.acceleration_m_s2 = self.servo_acceleration(
                keep_off_switches=mode is not Mode.HOMING,
                speed_only=mode is Mode.PROFILE_VELOCITY,
            )

    # -- inside -------------------------------------------------------------------------------

    def _step(self, event: Event) -> None:
        taken = drive402.step(self.state, event)
        if taken is None:
            return
        self.state = taken.state
        self.transitions = [*self.transitions[-63:], taken.transition]
        self._enabling_left_s = None
        powered = self.state in drive402.POWERED
        if not powered or taken.transition in (4, 11, 16):
            self._stop_event = None
        if powered and not self.motor.powered:
            self.reference.hold(self.u_m)
        self.motor.powered = powered
        if not powered:
            self.motor.acceleration_m_s2 = 0.0
            self.limited = False
            self.modes.abort()

    def _command(self, event: Event) -> None:
        state, parameters = self.state, self.parameters
        if not self.interlock_closed and state is State.SWITCH_ON_DISABLED:
            return
        if event is Event.ENABLE_OPERATION and state is State.SWITCHED_ON:
            if self._enabling_left_s is None:
                self._enabling_left_s = self.settings.rod.brake_release_s
                if self._enabling_left_s <= 0.0:
                    self._enable()
            return
        if state is State.SWITCHED_ON and event is Event.SWITCH_ON:
            self._enabling_left_s = None
        if state is State.OPERATION_ENABLED:
            if event is Event.QUICK_STOP:
                self._quick_stop()
                return
            if event is Event.SHUTDOWN and parameters.shutdown_option == 1:
                self._brake_along(1, event)
                return
            if event is Event.SWITCH_ON and parameters.disable_operation_option == 1:
                self._brake_along(1, event)
                return
            if event is Event.ENABLE_OPERATION and self._stop_event is not None:
                self._stop_event = None  # taken back before the ramp ended
                return
        if state is State.QUICK_STOP_ACTIVE and event is Event.ENABLE_OPERATION:
            if parameters.quick_stop_option < 5 or self._rearm_needed:
                return
            self._step(event)
            self.modes.enter()
            return
        self._step(event)
        if event is Event.ENABLE_OPERATION and self.state is State.SWITCHED_ON:
            self._command(event)

    def _enable(self) -> None:
        self._step(Event.ENABLE_OPERATION)
        self._following_s = 0.0
        self.modes.enter()

    def _quick_stop(self) -> None:
        option = self.parameters.quick_stop_option
        self._rearm_needed = True
        self._step(Event.QUICK_STOP)
        self.modes.abort()
        if option == 0:
            self._step(Event.QUICK_STOP_DONE)
        else:
            ramp = option if option < 5 else option - 4
            self._brake_along(ramp, Event.QUICK_STOP_DONE)

    def _brake_along(self, ramp: int, then: Event) -> None:
        """Ramp the reference to rest; `then` is the event that follows at standstill."""
        if self._stop_event is not then:
            self._stop_event = then
            self.modes.abort()
            self.reference.speed(0.0, self.stop_acceleration(ramp))

    def _finish_stop(self) -> None:
        event = self._stop_event
        if event is Event.QUICK_STOP_DONE and self.parameters.quick_stop_option >= 5:
            return  # stays in quick stop active, under force
        if event is not None:
            self._step(event)

    def _reset_fault(self) -> None:
        self._step(Event.FAULT_RESET)
        self.error_code = NO_ERROR
        if self.errors:
            self.errors.clear()
            self.emergencies.append(Emergency(NO_ERROR, 0))

    def _supervise_following(self, dt_s: float) -> None:
        window = self.parameters.following_error_window
        error_m = abs(self.reference.x_m - self.u_m)
        if window == NOT_SUPERVISED or error_m * self.settings.counts_per_m <= window:
            self._following_s = 0.0
            return
        self._following_s += dt_s
        if self._following_s * 1000.0 >= self.parameters.following_error_timeout_ms:
            self._following_s = 0.0
            self.trip(FOLLOWING_ERROR)
