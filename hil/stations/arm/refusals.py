"""What the robot's kinematics refuse, as the gate's violations: arm, joint, value, limit, unit."""

from arm_driver.kinematics import JointLimitError, OutOfReachError, SingularError
from arm_driver.pose import ArmError
from safety.arm_limits import ArmCheck, ArmLimits, ArmViolation


def violations_of(limits: ArmLimits, error: ArmError) -> tuple[ArmViolation, ...]:
    """Why a pose is none that the robot may take, at least one reason.

    Args:
        limits: of the robot: its name, and the names and ranges of its joints.
        error: of its kinematics.
    """
    if isinstance(error, OutOfReachError):
        return (_of(ArmCheck.REACH, limits, error.excess_m, 0.0, "m", str(error)),)
    if isinstance(error, SingularError):
        name = f"{error.name} singularity"
        return (_of(ArmCheck.MARGIN, limits, error.value, error.limit, error.unit, name),)
    if isinstance(error, JointLimitError):
        return tuple(
            ArmViolation(
                ArmCheck.POSITION,
                limits.name,
                limits.joint_names[one.joint - 1],
                one.value_rad,
                limits.position_max_rad[one.joint - 1],
                "rad",
                limits.position_min_rad[one.joint - 1],
                note=one.flip,
            )
            for one in error.violations
        )
    return (_of(ArmCheck.INTERNAL, limits, 0.0, 0.0, "", f"{type(error).__name__}: {error}"),)


def _of(
    check: ArmCheck, limits: ArmLimits, value: float, limit: float, unit: str, note: str
) -> ArmViolation:
    return ArmViolation(check, limits.name, "", value, limit, unit, note=note)
