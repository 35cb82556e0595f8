"""Joint drives of a space manipulator: motor, gear and what makes a gear imperfect.

Everything the kernels see is on the joint's side of the gear (Belousov 1993, section on drives):
with the gear ratio N, the motor's rate is N w and its inertia weighs N^2 Jm.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JointDrive:
    """A direct-current motor with a speed loop behind a reversible gear.

    Args:
        gear_ratio: turns of the motor for one turn of the joint.
        motor_inertia_kg_m2: inertia of the rotor, on its own shaft.
        torque_constant_nm_a: torque of the motor for one ampere.
        back_emf_v_s: voltage that the motor makes for 1 rad/s of its own [V s/rad].
        resistance_ohm: of the winding; its inductance is left out (a drive of second order).
        speed_gain_v_s: voltage of the speed loop for 1 rad/s of error of the motor [V s/rad].
        voltage_max_v: the loop's largest voltage.
        current_max_a: the amplifier's largest current.
        half_gap_rad: half of the free play of the gear, on the joint's side.
        stiffness_nm_rad: of gear and shaft, on the joint's side.
        mesh_damping_s: damping of the gear's teeth for its stiffness [s].
        friction_nm: dry friction of motor and gear, on the joint's side.
        drag_nm_s: viscous friction of the joint's bearings [N m s/rad].
        clutch_nm: torque at which the clutch between gear and link slips.
        brake_nm: torque that the brake can hold, on the joint's side.

    Raises:
        ValueError: if a value is not finite or below its bound.
    """

    gear_ratio: float
    motor_inertia_kg_m2: float
    torque_constant_nm_a: float
    back_emf_v_s: float
    resistance_ohm: float
    speed_gain_v_s: float
    voltage_max_v: float
    current_max_a: float
    half_gap_rad: float
    stiffness_nm_rad: float
    mesh_damping_s: float
    friction_nm: float
    drag_nm_s: float
    clutch_nm: float
    brake_nm: float

    def __post_init__(self) -> None:
        may_be_zero = {
            "half_gap_rad", "mesh_damping_s", "friction_nm", "drag_nm_s", "brake_nm",
        }  # fmt: skip
        for field in fields(self):
            value = getattr(self, field.name)
            least = "0 or more" if field.name in may_be_zero else "above 0"
            if not math.isfinite(value) or value < 0 or (value == 0 and least == "above 0"):
                raise ValueError(f"{field.name} = {value!r}: a finite number {least} is needed")


@dataclass(frozen=True, slots=True)
class DriveEffects:
    """Which imperfections of the drives are simulated; each can be had on its own.

    Args:
        limits: voltage and current have an end.
        backlash: the gear has free play.
        elasticity: gear and shaft give way.
        friction: dry friction with true sticking.
        clutch: torque beyond the clutch's makes it slip.
    """

    limits: bool = False
    backlash: bool = False
    elasticity: bool = False
    friction: bool = False
    clutch: bool = False


class DriveModel(Enum):
    """The drive models of the table of 1993, and one more."""

    A = "a"
    """linear"""
    B = "b"
    """a with limits of current and voltage"""
    C = "c"
    """b with backlash"""
    D = "d"
    """c with elastic joints"""
    E = "e"
    """d with dry friction"""

    @property
    def effects(self) -> DriveEffects:
        """What this model simulates."""
        number = "abcde".index(self.value)
        return DriveEffects(
            limits=number >= 1, backlash=number >= 2, elasticity=number >= 3, friction=number >= 4
        )


RIGID, RIGID_GAP, ELASTIC = 0, 1, 2
"""How a motor holds its link: firmly, firmly at either end of a gap, or by a spring."""


class DriveArrays(NamedTuple):
    """What the kernels take: one value a joint, all on the joint's side, shapes (6,).

    An effect that is left out has a limit of infinity, or a gap or torque of 0.
    """

    inertia: Array  # N^2 Jm [kg m2]
    loop_gain: Array  # N Ks: volts for 1 rad/s of the joint's rate [V s/rad]
    back_emf: Array  # N Ke [V s/rad]
    torque_per_volt: Array  # N Kt / R [N m/V]
    voltage_max: Array  # [V]
    torque_max: Array  # N Kt Imax [N m]
    half_gap: Array  # [rad]
    stiffness: Array  # [N m/rad]; of no meaning in a firm hold
    damping: Array  # of the mesh [N m s/rad]
    friction: Array  # [N m]
    drag: Array  # [N m s/rad]
    clutch: Array  # [N m]
    brake: Array  # [N m]
    hold: int  # RIGID, RIGID_GAP or ELASTIC


def drive_arrays(drives: Sequence[JointDrive], effects: DriveEffects) -> DriveArrays:
    """Bring the drives of six joints to the joint's side, with the effects that are wanted.

    Args:
        drives: one drive a joint.
        effects: what is simulated; the rest is left out.
    """

    def column(name: str) -> Array:
        return np.array([getattr(drive, name) for drive in drives], dtype=np.float64)

    never = np.full(len(drives), np.inf)
    nothing = np.zeros(len(drives))
    ratio = column("gear_ratio")
    torque_per_ampere = ratio * column("torque_constant_nm_a")
    stiffness = column("stiffness_nm_rad")
    hold = ELASTIC if effects.elasticity else RIGID_GAP if effects.backlash else RIGID
    return DriveArrays(
        inertia=ratio**2 * column("motor_inertia_kg_m2"),
        loop_gain=ratio * column("speed_gain_v_s"),
        back_emf=ratio * column("back_emf_v_s"),
        torque_per_volt=torque_per_ampere / column("resistance_ohm"),
        voltage_max=column("voltage_max_v") if effects.limits else never,
        torque_max=torque_per_ampere * column("current_max_a") if effects.limits else never,
        half_gap=column("half_gap_rad") if effects.backlash else nothing,
        stiffness=stiffness,
        damping=stiffness * column("mesh_damping_s") if effects.elasticity else nothing,
        friction=column("friction_nm") if effects.friction else nothing,
        drag=column("drag_nm_s"),
        clutch=column("clutch_nm") if effects.clutch else never,
        brake=column("brake_nm"),
        hold=hold,
    )
