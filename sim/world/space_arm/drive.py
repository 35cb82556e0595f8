"""Joint drives of a space manipulator: motor, gear and what makes a gear imperfect.

Everything the kernels see is on the joint's side of the gear (Belousov 1993, section on drives):
with the gear ratio N, the motor's rate is N w and its inertia weighs N^2 Jm.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.kernels.vectors import table_of

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JointDrive:
    """A direct-current motor with a speed loop behind a reversible gear.

    Raises:
        ValueError: if a value is not finite or below its bound.
    """

    gear_ratio: float
    """Turns of the motor for one turn of the joint."""
    motor_inertia_kg_m2: float
    """Inertia of the rotor, on its own shaft [kg m2]."""
    torque_constant_nm_a: float
    """Torque of the motor for one ampere."""
    back_emf_v_s: float
    """Voltage that the motor makes for 1 rad/s of its own [V s/rad]."""
    resistance_ohm: float
    """Resistance of the winding."""
    speed_gain_v_s: float
    """Voltage of the speed loop for 1 rad/s of error of the motor [V s/rad]."""
    voltage_max_v: float
    """The loop's largest voltage."""
    current_max_a: float
    """The amplifier's largest current."""
    half_gap_rad: float
    """Half of the free play of the gear, on the joint's side."""
    stiffness_nm_rad: float
    """Stiffness of gear and shaft, on the joint's side."""
    mesh_damping_s: float
    """Damping of the gear's teeth for its stiffness [s]."""
    friction_nm: float
    """Dry friction of motor and gear, on the joint's side."""
    drag_nm_s: float
    """Viscous friction of the joint's bearings [N m s/rad]."""
    clutch_nm: float
    """Torque at which the clutch between gear and link slips; infinite without one."""
    brake_nm: float
    """Torque that the brake can hold, on the joint's side."""
    inductance_h: float | None = None
    """Inductance of the winding; None if it is not known."""

    def __post_init__(self) -> None:
        may_be_zero = {
            "half_gap_rad", "mesh_damping_s", "friction_nm", "drag_nm_s", "brake_nm",
        }  # fmt: skip
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None:
                continue
            least = "0 or more" if field.name in may_be_zero else "above 0"
            if field.name == "clutch_nm" and value == math.inf:
                continue
            if not math.isfinite(value) or value < 0 or (value == 0 and least == "above 0"):
                raise ValueError(f"{field.name} = {value!r}: a finite number {least} is needed")


@dataclass(frozen=True, slots=True)
class DriveEffects:
    """Imperfections of the drives that are simulated; each can be enabled on its own."""

    limits: bool = False
    """Whether voltage and current have limits."""
    backlash: bool = False
    """Whether the gear has free play."""
    elasticity: bool = False
    """Whether gear and shaft are elastic."""
    friction: bool = False
    """Whether there is dry friction with true sticking."""
    clutch: bool = False
    """Whether torque beyond the clutch's makes it slip."""
    inductance: bool = False
    """Whether the current needs time to change: a drive of third order."""


class DriveModel(Enum):
    """The drive models of the table of 1993, and two more."""

    A = "a"
    """Linear drive."""
    B = "b"
    """Model a with limits of current and voltage."""
    C = "c"
    """Model b with backlash."""
    D = "d"
    """Model c with elastic joints."""
    E = "e"
    """Model d with dry friction."""
    F = "f"
    """Model b with the inductance of the windings."""

    @property
    def effects(self) -> DriveEffects:
        """Effects that this model simulates."""
        if self is DriveModel.F:
            return DriveEffects(limits=True, inductance=True)
        number = "abcde".index(self.value)
        return DriveEffects(
            limits=number >= 1, backlash=number >= 2, elasticity=number >= 3, friction=number >= 4
        )


RIGID, RIGID_GAP, ELASTIC = 0.0, 1.0, 2.0
"""Holds of a link by its motor: firm, firm at either end of a gap, or by a spring."""


INERTIA = 0
"""Rotor inertia at the joint N^2 Jm [kg m2]."""
LOOP_GAIN = 1
"""Loop gain N Ks: volts for 1 rad/s of the joint [V s/rad]."""
BACK_EMF = 2
"""Back EMF at the joint N Ke [V s/rad]."""
TORQUE_PER_VOLT = 3
"""Torque per volt N Kt / R [N m/V]."""
VOLTAGE_MAX = 4
"""Largest voltage [V]."""
TORQUE_MAX = 5
"""Largest torque N Kt Imax [N m]."""
HALF_GAP = 6
"""Half of the gap [rad]."""
STIFFNESS = 7
"""Stiffness [N m/rad]; of no meaning in a firm hold."""
DAMPING = 8
"""Damping of the mesh [N m s/rad]."""
FRICTION = 9
"""Dry friction [N m]."""
DRAG = 10
"""Viscous friction [N m s/rad]."""
CLUTCH = 11
"""Torque of the clutch [N m]."""
BRAKE = 12
"""Torque of the brake [N m]."""
HOLD = 13
"""Hold RIGID, RIGID_GAP or ELASTIC, the same for all joints."""
WINDING = 14
"""Electrical time constant L / R of the winding [s]; 0 without inductance."""
ROWS = 15


def drive_table(drives: Sequence[JointDrive], effects: DriveEffects) -> Array:
    """Convert the drives of all joints to the joint's side, with the wanted effects.

    An effect that is left out has a limit of infinity, or a gap or torque of 0. One array, because
    a compiled function takes it at a tenth of the cost of thirteen.

    Args:
        effects: what is simulated; the rest is left out.

    Returns:
        One column a joint, the rows named above, shape (15, n), read-only.

    Raises:
        ValueError: if the inductance of a drive is wanted and not given.
    """
    if effects.inductance and None in [drive.inductance_h for drive in drives]:
        raise ValueError("inductance_h is not given for every drive")

    def column(name: str) -> Array:
        return np.array([getattr(drive, name) for drive in drives], dtype=np.float64)

    table = table_of(ROWS, len(drives))
    ratio = column("gear_ratio")
    torque_per_ampere = ratio * column("torque_constant_nm_a")
    table[INERTIA] = ratio**2 * column("motor_inertia_kg_m2")
    table[LOOP_GAIN] = ratio * column("speed_gain_v_s")
    table[BACK_EMF] = ratio * column("back_emf_v_s")
    table[TORQUE_PER_VOLT] = torque_per_ampere / column("resistance_ohm")
    table[VOLTAGE_MAX] = column("voltage_max_v") if effects.limits else np.inf
    table[TORQUE_MAX] = torque_per_ampere * column("current_max_a") if effects.limits else np.inf
    table[HALF_GAP] = column("half_gap_rad") if effects.backlash else 0.0
    table[STIFFNESS] = column("stiffness_nm_rad")
    table[DAMPING] = table[STIFFNESS] * column("mesh_damping_s") if effects.elasticity else 0.0
    table[FRICTION] = column("friction_nm") if effects.friction else 0.0
    table[DRAG] = column("drag_nm_s")
    table[CLUTCH] = column("clutch_nm") if effects.clutch else np.inf
    table[BRAKE] = column("brake_nm")
    table[HOLD] = ELASTIC if effects.elasticity else RIGID_GAP if effects.backlash else RIGID
    if effects.inductance:
        table[WINDING] = column("inductance_h") / column("resistance_ohm")
    table.setflags(write=False)
    return table
