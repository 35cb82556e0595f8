"""Mathematics of a six-legged platform: pure functions of poses and lengths, no clock, no files.

Frames: B is the base, P the moving platform. ``X_BP`` is the pose of P in B. Twists are written
``[v; omega]``, in base axes, of P's origin.
Legs are numbered 1..6 towards people and 0..5 in arrays. SI units throughout.
"""

from typing import TYPE_CHECKING

from hil_common.lazy_names import lazy_names

if TYPE_CHECKING:
    from platform6dof.envelope import Envelope
    from platform6dof.forward import ForwardBatch, ForwardResult, forward_batch
    from platform6dof.geometry import GeometryError, HexapodGeometry
    from platform6dof.inverse import leg_lengths, leg_setpoint
    from platform6dof.jacobian import condition_number
    from platform6dof.limits import EnvelopeLimits
    from platform6dof.pose import PlatformSetpoint

    __version__: str

__all__ = [
    "Envelope",
    "EnvelopeLimits",
    "ForwardBatch",
    "ForwardResult",
    "GeometryError",
    "HexapodGeometry",
    "PlatformSetpoint",
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
    "condition_number": "jacobian",
    "forward_batch": "forward",
    "leg_lengths": "inverse",
    "leg_setpoint": "inverse",
}
"""Module of each public name, loaded when the name is asked for."""

__getattr__, __dir__ = lazy_names(__name__, _HOME)
