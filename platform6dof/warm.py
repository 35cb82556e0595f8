"""Compile every kernel before a run; machine code is kept on disk for the next one."""

from platform6dof.kernels import (
    batch,
    design,
    dynamics,
    envelope,
    legs,
    pose_map,
    pose_proof,
    rotation,
    statics,
)


def warm() -> None:
    """Compile all kernels that a motion needs, with the array types they are called with."""
    rotation.warm()
    legs.warm()
    batch.warm()
    envelope.warm()


def warm_workspace() -> None:
    """Compile also the kernels of forces, maps, proofs and designs, which few runs call."""
    warm()
    dynamics.warm()
    statics.warm()
    pose_map.warm()
    pose_proof.warm()
    design.warm()
