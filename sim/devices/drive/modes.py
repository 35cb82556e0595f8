"""Modes of operation of the emulated drive: pp 1, pv 3, hm 6, ip 7 and csp 8 (CiA 402-2).

`Modes` turns targets and the mode's bits of the controlword into motions of the reference, and
tells bits 10, 12 and 13 of the statusword, whose meaning depends on the mode.

Not modelled: the set-point buffer of pp (a new set-point always replaces the old one), relative
targets, the maximum slippage of pv, blending.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from sim.devices.drive.axis import DriveAxis
from sim.devices.drive.cia402 import HALT_BIT, MODE_BIT_4, DriveEvent, State
from sim.devices.drive.homing import HERE_METHODS, Phase, SwitchHoming
from sim.devices.drive.rods import Switch


class DriveMode(Enum):
    """Modes of operation, numbered as in object 6060h."""

    NONE = 0
    PROFILE_POSITION = 1
    PROFILE_VELOCITY = 3
    HOMING = 6
    INTERPOLATED_POSITION = 7
    CYCLIC_POSITION = 8


SUPPORTED: Final = tuple(mode.value for mode in DriveMode if mode is not DriveMode.NONE)
_CYCLIC_POSITION: Final = DriveMode.CYCLIC_POSITION
_INTERPOLATED_POSITION: Final = DriveMode.INTERPOLATED_POSITION
_TARGET_REACHED: Final = 0x400
_BIT_12: Final = 0x1000
_BIT_13: Final = 0x2000


def modes_word(modes: tuple[int, ...]) -> int:
    """Return object 6502h: bit n - 1 for mode n."""
    word = 0
    for value in modes:
        word |= 1 << (value - 1)
    return word


class Commanded(DriveAxis):
    """A drive as its modes know it: an axis, its commands, and whether it follows them."""

    state: State
    _stop_event: DriveEvent | None
    controlword: int
    error_code: int
    homed: bool
    target_raw: int
    target_velocity: int
    velocity_offset: int | None

    @property
    def follows_setpoints(self) -> bool:
        """Whether setpoints move the rod: enabled, and no stop under way."""
        return self.state is State.OPERATION_ENABLED and self._stop_event is None


class Modes:
    """The mode of one drive and what it is doing in it."""

    def __init__(self, drive: Commanded) -> None:
        self.mode: DriveMode = DriveMode.NONE
        self.number: int = DriveMode.NONE.value
        """Number of the mode, object 6061h."""
        self.clipped = False
        """Whether the last target lay outside the software limits (bit 11)."""
        self._drive = drive
        self._homing: SwitchHoming | None = None
        self._homing_error = False
        self._interrupted = False
        self._acknowledge = False
        self._halted = False
        self._interpolating = False

    @property
    def homing(self) -> bool:
        """Whether a homing is under way, so that `advance` has something to do."""
        return self._homing is not None

    def select(self, value: int) -> None:
        """Change the mode; one that does not exist changes nothing."""
        if value == self.number or (value != 0 and value not in self._drive.settings.type.modes):
            return
        self.mode, self.number = DriveMode(value), value
        self._homing_error = self._interrupted = False
        self.abort()
        drive = self._drive
        if drive.follows_setpoints and not drive.reference.at_rest:
            drive.reference.speed(0.0, drive.stop_acceleration(1))

    def enter(self) -> None:
        """Begin after the drive was enabled: nothing moves before a new command comes."""
        self.abort()
        self._interrupted = False
        self._interpolating = bool(self._drive.controlword & MODE_BIT_4)

    def abort(self) -> None:
        """Give up what is being done, without moving the reference."""
        self._homing = None
        self._halted = False
        self._acknowledge = False
        self._interpolating = False
        self.clipped = False

    def controlword(self, before: int, now: int) -> None:
        """Act on the mode's bits of the controlword while the drive is enabled."""
        self._interpolating = bool(now & MODE_BIT_4)
        rose = bool(now & ~before & MODE_BIT_4)
        drive = self._drive
        if now & HALT_BIT:
            if not self._halted:
                self._halted = True
                self._homing = None
                ramp = drive.parameters.halt_option
                drive.reference.speed(0.0, drive.stop_acceleration(ramp))
            return
        released, self._halted = self._halted, False
        if self.mode is DriveMode.HOMING:
            self._control_homing(rose, bool(now & MODE_BIT_4))
        elif self.mode is DriveMode.PROFILE_POSITION:
            self._acknowledge = bool(now & MODE_BIT_4)
            if rose or released:
                self._start_profile()
        elif self.mode is DriveMode.PROFILE_VELOCITY and released:
            self.target_velocity(drive.target_velocity)

    def target(self, counts: int) -> None:
        """Follow a setpoint in the cyclic modes; profile position waits for its bit 4."""
        interpolating = self._interpolating and self.mode is _INTERPOLATED_POSITION
        if self._halted or not (interpolating or self.mode is _CYCLIC_POSITION):
            return
        drive = self._drive
        offset = drive.velocity_offset
        speed = None if offset is None else drive.to_metres_s(offset)
        period_s = drive.parameters.interpolation_period_s
        drive.reference.segment(drive.to_metres(self._within(counts)), period_s, speed)

    def target_velocity(self, counts_s: int) -> None:
        """Follow a speed in profile velocity mode."""
        if self.mode is not DriveMode.PROFILE_VELOCITY or self._halted:
            return
        drive = self._drive
        limit = self._speed_limit()
        speed = max(-limit, min(limit, drive.to_metres_s(counts_s)))
        drive.reference.speed(speed, self._acceleration())

    def advance(self) -> None:
        """Go on with a homing by one substep."""
        homing = self._homing
        if homing is None:
            return
        drive = self._drive
        rod = drive.encoder
        advice = homing.advance(
            rod.switch_active(homing.switch),
            rod.switch_active(Switch.NEGATIVE_LIMIT),
            rod.switch_active(Switch.POSITIVE_LIMIT),
            drive.at_rest,
        )
        parameters = drive.parameters
        units_s = parameters.homing_speed_zero if advice.slow else parameters.homing_speed_switch
        speed = drive.rate(units_s, drive.settings.rod.speed_max_m_s)
        acceleration = drive.ramp(
            parameters.homing_acceleration, drive.settings.rod.acceleration_max_m_s2
        )
        drive.reference.speed(advice.direction * speed, acceleration)
        if advice.latch:
            drive.set_origin(rod.switch_edge_m(homing.switch))
        if homing.phase is Phase.DONE:
            self._homing = None
            drive.homed = True
        elif homing.phase is Phase.FAILED:
            self._homing = None
            self._homing_error = True

    def status_bits(self) -> int:
        """Return bits 10, 12 and 13 of the statusword."""
        drive, mode = self._drive, self.mode
        enabled = drive.follows_setpoints
        if mode is _CYCLIC_POSITION:
            word = _BIT_12 if enabled and not self._halted else 0
            return word | _BIT_13 if drive.error_code == 0x8611 else word
        if mode is DriveMode.HOMING:
            return self._homing_bits()
        word = _TARGET_REACHED if enabled and drive.at_rest else 0
        if self.mode is DriveMode.INTERPOLATED_POSITION:
            word |= _BIT_12 if enabled and self._interpolating and not self._halted else 0
        elif self.mode is DriveMode.PROFILE_POSITION:
            word |= _BIT_12 if self._acknowledge else 0
        elif self.mode is DriveMode.PROFILE_VELOCITY:
            word |= _BIT_12 if abs(drive.measured_speed_m_s) < 1e-3 else 0
            return word
        if drive.error_code == 0x8611:
            word |= _BIT_13
        return word

    def _homing_bits(self) -> int:
        rest = _TARGET_REACHED if self._drive.at_rest else 0
        if self._homing_error:
            return _BIT_13 | rest
        if self._homing is not None:
            return 0
        if self._interrupted or not self._drive.homed:
            return rest
        return _BIT_12 | rest

    def _control_homing(self, rose: bool, held: bool) -> None:
        drive = self._drive
        if rose:
            self._homing_error = self._interrupted = False
            method = drive.parameters.homing_method
            if method in HERE_METHODS:
                drive.set_origin(None)
                drive.homed = True
            else:
                drive.homed = False
                self._homing = SwitchHoming(method)
        elif not held and self._homing is not None:
            self._homing = None
            self._interrupted = True
            drive.reference.speed(0.0, drive.stop_acceleration(1))

    def _start_profile(self) -> None:
        drive, parameters = self._drive, self._drive.parameters
        target = drive.to_metres(self._within(drive.target_raw))
        hardest = drive.settings.rod.acceleration_max_m_s2
        speed = min(drive.rate(parameters.profile_velocity, 1e9), self._speed_limit())
        deceleration = drive.ramp(parameters.profile_deceleration, hardest)
        drive.reference.profile(target, speed, self._acceleration(), deceleration)

    def _acceleration(self) -> float:
        drive = self._drive
        hardest = drive.ramp(
            drive.parameters.max_acceleration, drive.settings.rod.acceleration_max_m_s2
        )
        return drive.ramp(drive.parameters.profile_acceleration, hardest)

    def _speed_limit(self) -> float:
        drive = self._drive
        return drive.rate(drive.parameters.max_profile_velocity, drive.settings.rod.speed_max_m_s)

    def _within(self, counts: int) -> int:
        """Keep a target inside the software limits 607Dh, which count once the drive is homed."""
        drive = self._drive
        low, high = drive.parameters.software_limit_min, drive.parameters.software_limit_max
        if not drive.homed or low >= high:
            self.clipped = False
            return counts
        self.clipped: bool = not low <= counts <= high
        return max(low, min(high, counts)) if self.clipped else counts
