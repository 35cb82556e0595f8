"""Motor and gear of a space arm's joint, from its file."""

import math

from hil.config.fields import NotNegative, Positive
from hil.config.settings import Settings
from sim.world.space_arm.drive import JointDrive


class DriveSettings(Settings):
    """Motor and gear of one joint: see :class:`sim.world.space_arm.drive.JointDrive`."""

    gear_ratio: Positive
    """Turns of the motor for one turn of the joint."""
    motor_inertia_kg_m2: Positive
    """Inertia of the rotor, on its own shaft [kg m²]."""
    torque_constant_nm_a: Positive
    """Torque of the motor for one ampere [N m/A]."""
    back_emf_v_s: Positive
    """Voltage that the motor makes for 1 rad/s of its own [V s/rad]."""
    resistance_ohm: Positive
    """Resistance of the winding [Ω]."""
    speed_gain_v_s: Positive
    """Voltage of the speed loop for 1 rad/s of error of the motor [V s/rad]."""
    voltage_max_v: Positive
    """Largest voltage of the loop [V]."""
    current_max_a: Positive
    """Largest current of the amplifier [A]."""
    half_gap_rad: NotNegative
    """Half of the gear's free play, on the joint's side [rad]."""
    stiffness_nm_rad: Positive
    """Stiffness of gear and shaft, on the joint's side [N m/rad]."""
    mesh_damping_s: NotNegative
    """Damping of the gear's teeth for its stiffness [s]."""
    friction_nm: NotNegative
    """Dry friction of motor and gear, on the joint's side [N m]."""
    drag_nm_s: NotNegative
    """Viscous friction of the joint's bearings [N m s/rad]."""
    clutch_nm: Positive | None = None
    """Torque at which the clutch between gear and link slips [N m]; left out: there is none."""
    brake_nm: NotNegative
    """Torque that the brake can hold, on the joint's side [N m]."""

    def drive(self) -> JointDrive:
        """Make the drive for the simulator."""
        values = self.model_dump()
        if self.clutch_nm is None:
            values["clutch_nm"] = math.inf
        return JointDrive(**values)
