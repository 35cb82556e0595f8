"""The axis of an emulated drive: encoder and switches, units, and the position servo.

Inside it works in metres of rod extension from the drive's own zero; `to_counts` and its like are
the border to the objects of CiA 402-2, in the units of the type and with the polarity of 607Eh.

A servo of rods by themselves knows their load and has no integral term; one behind a plant knows
its own rod only (`sim.devices.drive.servo`).

Not modelled: the turns of an absolute encoder, encoder noise, the current loop.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from sim.devices.drive.drive_type import Units
from sim.devices.drive.parameters import DriveParameters, NodeSettings
from sim.devices.drive.reference import Reference
from sim.devices.drive.rods import Rod, Switch
from sim.devices.drive.servo import LoadServo

INTERLOCK_BIT: Final = 0x08
POSITION_POLARITY: Final = 0x80
"""Bit of 607Eh; the speed's own bit 6 is not modelled apart from it."""

_RESTING: Final = 1e-4
"""Speed below which a rod counts as standing [m/s]."""


def _saturate_int32(value: float) -> int:
    """Round to a whole number of 32 bits."""
    whole = round(value)
    if -0x8000_0000 <= whole <= 0x7FFF_FFFF:
        return whole
    return -0x8000_0000 if whole < 0 else 0x7FFF_FFFF


class DriveAxis:
    """One motor, one encoder and the servo between them.

    Args:
        motor: The rod that it moves.
        encoder: The rod whose encoder and switches it reads.
    """

    def __init__(self, settings: NodeSettings, motor: Rod, encoder: Rod) -> None:
        self.settings = settings
        self.motor = motor
        self.encoder = encoder
        self.parameters: DriveParameters = DriveParameters()
        self.reference: Reference = Reference()
        self.interlock_closed = True
        """Whether the STO input lets the power through."""
        self.limited = False
        """Whether the servo is at a limit (bit 11 of the statusword)."""
        self.lag_s: float = 0.0
        """Fault: time constant with which the rod crawls after its setpoint [s]; 0 = healthy."""
        self.encoder_scale: float = 1.0
        """Fault: what the encoder counts for each true metre."""
        self.u_m: float = 0.0
        """Measured position from the drive's own zero [m]."""
        self._encoder_m = encoder.x_m
        self.load_servo: LoadServo | None = None
        """The speed loop behind a plant; None for rods by themselves."""
        self.use_units()
        rod = settings.rod
        servo = 2.0 * math.pi * rod.natural_frequency_hz
        self._speed_gain = 2.0 * rod.damping * servo
        self._pull_gain = servo / (2.0 * rod.damping)
        self._a_max, self._v_max = rod.acceleration_max_m_s2, rod.speed_max_m_s

    # -- objects that a master reads --------------------

    @property
    def position_counts(self) -> int:
        """Object 6064h [counts]."""
        return self.to_counts(self.u_m)

    @property
    def demand_counts(self) -> int:
        """Object 6062h [counts]."""
        return self.to_counts(self.reference.x_m)

    @property
    def velocity_counts_s(self) -> int:
        """Object 606Ch [counts/s]."""
        return _saturate_int32(self.measured_speed_m_s * self._sign * self.units.speed_per_m_s)

    @property
    def torque_permille(self) -> int:
        """Object 6077h: force of the motor in thousandths of its rated force."""
        value = 1000.0 * self.motor.force_n / self.settings.rod.force_max_n
        return self._sign * round(value)

    @property
    def digital_inputs(self) -> int:
        """Object 60FDh: switches in bits 0 to 2, interlock in bit 3 (1 = closed)."""
        word = INTERLOCK_BIT if self.interlock_closed else 0
        return word | self.encoder.switch_word()

    @property
    def following_error_counts(self) -> int:
        """Object 60F4h [counts]."""
        return self.to_counts(self.reference.x_m - self.u_m)

    @property
    def measured_speed_m_s(self) -> float:
        """Speed that the encoder shows [m/s]."""
        return self.encoder.v_m_s * self.encoder_scale

    @property
    def at_rest(self) -> bool:
        """Whether reference and rod stand still."""
        return self.reference.at_rest and abs(self.motor.v_m_s) < _RESTING

    # -- encoder --------------------

    def forget_position(self, u_m: float) -> None:
        """Stand at an arbitrary position [m], as an incremental encoder does after power-up."""
        self.u_m = u_m
        self._encoder_m = self.encoder.x_m
        self.reference.hold(u_m)
        self.limited = False

    def sense(self) -> None:
        """Read the encoder after the rods have moved."""
        x_m = self.encoder.x_m
        moved = (x_m - self._encoder_m) * self.encoder_scale
        if moved:
            self.u_m += moved
            self._encoder_m = x_m

    def set_origin(self, edge_m: float | None) -> None:
        """Make a place the home position: its count becomes minus the home offset (607Ch).

        Args:
            edge_m: True extension of the switch edge just passed [m]; None for where the rod is.
        """
        past = 0.0 if edge_m is None else (self.encoder.x_m - edge_m) * self.encoder_scale
        shift = past - self.to_metres(self.parameters.home_offset) - self.u_m
        self.u_m += shift
        self.reference.shift(shift)

    def jump_encoder(self, metres: float) -> None:
        """Fault: the position jumps by so much [m] although the rod does not."""
        self.u_m += metres

    # -- units --------------------

    def use_units(
        self, position: int | None = None, speed: int | None = None, acceleration: int | None = None
    ) -> None:
        """Work in these units from now on, and in those of the type where they are left out.

        Args:
            position: Unit word 60A8h.
            speed: Unit word 60A9h.
            acceleration: Unit word 60AAh.

        Raises:
            UnitError: If a word means nothing here.
        """
        kind = self.settings.type
        self.units: Units = Units.of(
            kind.position_unit if position is None else position,
            kind.speed_unit if speed is None else speed,
            kind.acceleration_unit if acceleration is None else acceleration,
            self.settings.counts_per_m,
        )
        counts_per_m = self.settings.counts_per_m
        if kind.speed_counts_s is not None:
            self.units = replace(self.units, speed_per_m_s=counts_per_m / kind.speed_counts_s)
        if kind.acceleration_counts_s2 is not None:
            per_m_s2 = counts_per_m / kind.acceleration_counts_s2
            self.units = replace(self.units, acceleration_per_m_s2=per_m_s2)
        self.set_polarity(0)

    def set_polarity(self, polarity: int) -> None:
        """Turn the sign of positions round, and of speeds with it (607Eh, bit 7)."""
        self._sign = -self.settings.sign if polarity & POSITION_POLARITY else self.settings.sign
        self._signed_per_m = self._sign * self.units.position_per_m

    def to_counts(self, metres: float) -> int:
        """Convert metres to units of position, saturated at 32 bits."""
        return _saturate_int32(metres * self._signed_per_m)

    def to_metres(self, counts: float) -> float:
        """Convert units of position to metres, with the sign of the polarity."""
        return counts / self._signed_per_m

    def to_metres_s(self, units_s: float) -> float:
        """Convert units of speed to m/s, with the sign of the polarity."""
        return units_s / (self._sign * self.units.speed_per_m_s)

    def rate(self, units_s: int, limit: float) -> float:
        """Convert an unsigned speed to m/s; 0 or too much gives the limit."""
        value = units_s / self.units.speed_per_m_s
        return value if 0.0 < value < limit else limit

    def ramp(self, units_s2: int, limit: float) -> float:
        """Convert an unsigned acceleration to m/s^2; 0 or too much gives the limit."""
        value = units_s2 / self.units.acceleration_per_m_s2
        return value if 0.0 < value < limit else limit

    def stop_acceleration(self, ramp: int) -> float:
        """Return the deceleration of a ramp numbered as in the option codes [m/s^2].

        Args:
            ramp: 1 slow-down ramp (6084h), 2 quick-stop ramp (6085h), 3 and 4 hardest.
        """
        hardest = self.settings.rod.acceleration_max_m_s2
        if ramp == 1:
            return self.ramp(self.parameters.profile_deceleration, hardest)
        if ramp == 2:
            return self.ramp(self.parameters.quick_stop_deceleration, hardest)
        return hardest

    # -- servo --------------------

    def servo_acceleration(self, *, keep_off_switches: bool, speed_only: bool) -> float:
        """Return what the motor is asked for: a second-order position loop, each stage limited.

        Args:
            keep_off_switches: Whether a limit switch stops the rod in its direction.
            speed_only: Whether only the speed matters (profile velocity mode).
        """
        v_wanted = self._speed_command_m_s(
            self._pull_gain, keep_off_switches=keep_off_switches, speed_only=speed_only
        )
        feed_forward = self.reference.a_m_s2 if self.lag_s <= 0.0 else 0.0
        a = self._speed_gain * (v_wanted - self.encoder.v_m_s * self.encoder_scale) + feed_forward
        a_max = self._a_max
        return a_max if a > a_max else -a_max if a < -a_max else a

    def servo_force_n(
        self, servo: LoadServo, dt_s: float, *, keep_off_switches: bool, speed_only: bool
    ) -> float:
        """Return what the motor pushes in the next step behind a plant [N].

        Args:
            servo: Its speed loop.
            dt_s: Step [s].
            keep_off_switches: Whether a limit switch stops the rod in its direction.
            speed_only: Whether only the speed matters (profile velocity mode).
        """
        v_wanted = self._speed_command_m_s(
            servo.position_gain_1_s, keep_off_switches=keep_off_switches, speed_only=speed_only
        )
        v_ref = self.reference.v_m_s if self.lag_s <= 0.0 else 0.0
        v_m_s = self.encoder.v_m_s * self.encoder_scale
        force_n = servo.force_n(v_wanted, v_m_s, v_ref, dt_s)
        if servo.limited:
            self.limited = True
        return force_n

    def _speed_command_m_s(
        self, gain_1_s: float, *, keep_off_switches: bool, speed_only: bool
    ) -> float:
        """Return what the position loop asks of the speed loop, limited [m/s]."""
        reference, lag_s, v_max = self.reference, self.lag_s, self._v_max
        error = reference.x_m - self.u_m
        if lag_s > 0.0:
            v_wanted = error / lag_s
        else:
            size = error if error >= 0.0 else -error
            pull, fastest = size * gain_1_s, math.sqrt(1.6 * self._a_max * size)
            if pull > fastest:
                pull = fastest
            v_wanted = reference.v_m_s + (pull if error > 0.0 else -pull)
        self.limited = False
        if not -v_max <= v_wanted <= v_max:
            v_wanted = math.copysign(v_max, v_wanted)
            self.limited = True
        rod = self.encoder
        if keep_off_switches and not rod.negative_edge_m < rod.x_m < rod.positive_edge_m:
            v_wanted = self._inside_limit_switches(v_wanted, speed_only)
        return v_wanted

    def _inside_limit_switches(self, v_wanted: float, speed_only: bool) -> float:
        switch = Switch.POSITIVE_LIMIT if v_wanted > 0.0 else Switch.NEGATIVE_LIMIT
        if v_wanted == 0.0 or not self.encoder.switch_active(switch):
            return v_wanted
        self.limited: bool = True
        if speed_only:
            self.reference.x_m = self.u_m  # a speed has no position to run after
        return 0.0
