"""Mathematics of a six-legged platform: pure functions of poses and lengths, no clock, no files.

Frames: B is the base, P the moving platform. ``X_BP`` is the pose of P in B. Twists are written
``[v; omega]``, in base axes, of P's origin.
Legs are numbered 1..6 towards people and 0..5 in arrays. SI units throughout.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from platform6dof.envelope import Envelope
    from platform6dof.forward import ForwardBatch, ForwardResult, forward_batch
    from platform6dof.geometry import GeometryError, HexapodGeometry
    from platform6dof.inverse import leg_lengths, leg_setpoint
    from platform6dof.jacobian import condition_number
    from platform6dof.limits import EnvelopeLimits
    from platform6dof.pose import PlatformSetpoint, Pose, PoseError

    __version__: str

__all__ = [
    "Envelope",
    "EnvelopeLimits",
    "ForwardBatch",
    "ForwardResult",
    "GeometryError",
    "HexapodGeometry",
    "PlatformSetpoint",
    "Pose",
    "PoseError",
    "__version__",
    "condition_number",
    "forward_batch",
    "leg_lengths",
    "leg_setpoint",
]
_HOME = {
    "Envelope": "envelope",
    "EnvelopeLimits": "limits",
    "ForwardBatch": "forward",
    "ForwardResult": "forward",
    "GeometryError": "geometry",
    "HexapodGeometry": "geometry",
    "PlatformSetpoint": "pose",
    "Pose": "pose",
    "PoseError": "pose",
    "condition_number": "jacobian",
    "forward_batch": "forward",
    "leg_lengths": "inverse",
    "leg_setpoint": "inverse",
}
"""Module of each public name, loaded when the name is asked for."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # the gate's process never asks

        return version("hil-bench")
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
