"""One emulated CiA 402 drive: controlword in, statusword out, a rod that moves in between.

The drive knows nothing of CAN or Modbus: the racks write its objects and read them back, in the
units of the objects (counts, counts/s, per mille). Inside it works in metres from its own zero.

Object numbers and bits are those of CiA 402-2 (IEC 61800-7-201), error codes those of its table
"Error codes" and of CiA 301.

Not modelled: torque and velocity modes other than profile velocity, touch probes, how motor and
drive get warm (a temperature that a type tells is that of a cool day), mains voltage, position
window timing (6067h, 6068h).
"""

from __future__ import annotations

from typing import Final

from sim.devices.drive import cia402 as drive402
from sim.devices.drive.automaton import DriveAutomaton
from sim.devices.drive.cia402 import State
from sim.devices.drive.modes import DriveMode, modes_word

FOLLOWING_ERROR: Final = 0x8611
NOT_SUPERVISED: Final = 0xFFFF_FFFF

# Looking a member up in its class costs more than the decisions of a substep.
_FAULT: Final = State.FAULT
_ENABLED: Final = State.OPERATION_ENABLED
_HOMING: Final = DriveMode.HOMING
_PROFILE_VELOCITY: Final = DriveMode.PROFILE_VELOCITY
_CYCLIC_POSITION: Final = DriveMode.CYCLIC_POSITION
_STAY_ENABLED_MASK: Final = 0x018F
_STAY_ENABLED: Final = 0x000F
"""Enable operation, without halt and without fault reset."""


class EmulatedDrive(DriveAutomaton):
    """One drive: the state machine on top of its axis.

    Args:
        motor: The rod that it moves.
        encoder: The rod whose encoder and switches it reads.
        rng: Source of the arbitrary count it wakes up with.
    """

    controlword: int
    velocity_offset: int | None

    # -- objects that a master writes ---------------------------------------------------------

    def write_controlword(self, value: int) -> None:
        """Act on object 6040h.

        Args:
            value: The controlword, u16.
        """
        before, self.controlword = self.controlword, value & 0xFFFF
        if (
            value == before
            and value & _STAY_ENABLED_MASK == _STAY_ENABLED
            and self.state is _ENABLED
            and self._stop_event is None
            and self.modes.mode is _CYCLIC_POSITION
        ):
            return  # once more the same in every cycle: there is nothing to decide
        if value & ~before & drive402.FAULT_RESET_BIT and self.state is _FAULT:
            self._reset_fault()
            return
        event = drive402.command(value)
        if event is not drive402.command(before):
            self._rearm_needed = False
        self._command(event)
        if self.state is _ENABLED:
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
        if self.follows_setpoints:
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
        if self.follows_setpoints:
            self.modes.target_velocity(counts_s)

    # -- objects that a master reads --------------------

    @property
    def statusword(self) -> int:
        """Object 6041h."""
        word = self._state_bits | 0x200  # bit 9: controlled through the bus
        word |= 0x10 if self.interlock_closed else 0x80  # bit 4 voltage, bit 7 warning
        if self.limited or self.modes.clipped:
            word |= 0x800
        return word | self.modes.status_bits()

    @property
    def mode_display(self) -> int:
        """Object 6061h."""
        return self.modes.number

    @property
    def supported_modes(self) -> int:
        """Object 6502h."""
        return modes_word(self.settings.type.modes)

    # -- time ---------------------------------------------------------------------------------

    @property
    def still(self) -> bool:
        """Whether `control` and `sense` would change nothing as long as its rods stand."""
        waits = self._enabling_left_s is not None
        return not (waits or self._powered) and self.encoder.x_m == self._encoder_m

    def control(self, dt_s: float) -> None:
        """Decide what the motor does in the next substep.

        Args:
            dt_s: Substep [s].
        """
        if self._enabling_left_s is not None:
            self._enabling_left_s -= dt_s
            if self._enabling_left_s <= 0.0:
                self._enable()
        if not self._powered:
            return
        modes = self.modes
        mode = modes.mode
        if self.state is _ENABLED:
            if self._stop_event is None and modes.homing:
                modes.advance()
            if mode is not _PROFILE_VELOCITY:
                self._supervise_following(dt_s)
        if self._stop_event is not None and self.at_rest:
            self._finish_stop()
        if self._powered:
            self.reference.advance(dt_s)
            keep_off, speed_only = mode is not _HOMING, mode is _PROFILE_VELOCITY
            if self.load_servo is None:
                self.motor.acceleration_m_s2 = self.servo_acceleration(
                    keep_off_switches=keep_off, speed_only=speed_only
                )
            else:
                self.motor.force_n = self.servo_force_n(
                    self.load_servo, dt_s, keep_off_switches=keep_off, speed_only=speed_only
                )

    def _supervise_following(self, dt_s: float) -> None:
        window = self.parameters.following_error_window
        error = abs(self.reference.x_m - self.u_m) * self.units.position_per_m
        if error <= window or window == NOT_SUPERVISED:
            self._following_s = 0.0
            return
        self._following_s += dt_s
        if self._following_s * 1000.0 >= self.parameters.following_error_timeout_ms:
            self._following_s = 0.0
            self.trip(FOLLOWING_ERROR)
