"""Compile every kernel before a run; machine code is kept on disk for the next one."""

from arm_driver.kinematics.kernels import bodies, posture, puma


def warm() -> None:
    """Compile all kernels of the package with the array types they are called with."""
    puma.warm()
    posture.warm()
    bodies.warm()
