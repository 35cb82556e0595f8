"""Motor and gear of a space arm's joint, from its file."""

import math

from hil.config.fields import NotNegative, Positive
from hil.config.settings import Settings
from sim.world.space_arm.drive import JointDrive


class MotorSettings(Settings):
    """Motor with its speed loop, and the damping of the gear behind it."""

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
    mesh_damping_s: NotNegative
    """Damping of the gear's teeth for its stiffness [s]."""
    inductance_h: Positive | None = None
    """Inductance of the winding, which drive model f needs [H]."""


class DriveSettings(MotorSettings):
    """Motor and gear of a revolute joint: see :class:`sim.world.space_arm.drive.JointDrive`."""

    gear_ratio: Positive
    """Turns of the motor for one turn of the joint."""
    half_gap_rad: NotNegative
    """Half of the gear's free play, on the joint's side [rad]."""
    stiffness_nm_rad: Positive
    """Stiffness of gear and shaft, on the joint's side [N m/rad]."""
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


class SlideDriveSettings(MotorSettings):
    """Motor and spindle of a prismatic joint; what is said of its forces is along the joint."""

    lead_m: Positive
    """Travel of the joint for one turn of the motor [m]."""
    half_gap_m: NotNegative
    """Half of the spindle's free play [m]."""
    stiffness_n_m: Positive
    """Stiffness of spindle and bearings [N/m]."""
    friction_n: NotNegative
    """Dry friction of motor and spindle [N]."""
    drag_n_s_m: NotNegative
    """Viscous friction of the guides [N s/m]."""
    clutch_n: Positive | None = None
    """Force at which the clutch between spindle and link slips [N]; left out: there is none."""
    brake_n: NotNegative
    """Force that the brake can hold [N]."""

    def drive(self) -> JointDrive:
        """Make the drive for the simulator, whose angles are then travels and torques forces."""
        motor = {name: getattr(self, name) for name in MotorSettings.model_fields}
        return JointDrive(
            **motor,
            gear_ratio=2.0 * math.pi / self.lead_m,
            half_gap_rad=self.half_gap_m,
            stiffness_nm_rad=self.stiffness_n_m,
            friction_nm=self.friction_n,
            drag_nm_s=self.drag_n_s_m,
            clutch_nm=math.inf if self.clutch_n is None else self.clutch_n,
            brake_nm=self.brake_n,
        )
