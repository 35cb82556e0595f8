"""Compile every kernel before a run; machine code is kept on disk for the next one."""

from platform6dof.kernels import batch, design, envelope, legs, rotation


def warm() -> None:
    """Compile all kernels of the package with the array types they are called with."""
    rotation.warm()
    legs.warm()
    batch.warm()
    envelope.warm()
    design.warm()
