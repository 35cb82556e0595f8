"""Results of the identification of a robot's controller, as its file has them."""

from typing import Annotated

from pydantic import Field

from hil.config.fields import NotNegative, Positive
from hil.config.settings import Settings

Measured = tuple[Positive, NotNegative]
"""A value and its standard error, in the same unit."""
Finite = Annotated[float, Field(ge=-1e3, le=1e3)]


class RobotIdentified(Settings):
    """Results written by ``hil arm identify``, for people only.

    The settings that follow from it are in ``[blend]`` and ``[supervision]``.
    """

    date: Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    """Day, in UTC."""
    path_delay_s: Measured
    """Delay from the request for a waypoint to its being the set-point [s], and standard error."""
    blend_s: Measured
    """Duration of the longest blend [s], and standard error."""
    lag_x_s: Measured
    """Lag of the servos behind the set-point, along x of the base [s], and standard error."""
    lag_y_s: Measured
    """Lag of the servos along y [s], and standard error."""
    lag_z_s: Measured
    """Lag of the servos along z [s], and standard error."""
    lag_turn_s: Measured
    """Lag of the servos about the gripper's own axis [s], and standard error."""
    following_mm: tuple[Finite, Finite, Finite]
    """Distance behind the set-point along x, y, z at the largest speed of the gripper [mm]."""
    following_deg: Finite
    """Angle behind the set-point at the largest turn rate [deg]."""

    def lines(self) -> tuple[str, ...]:
        """Format the results as lines for people."""
        delay, blend = (
            f"{1e3 * v:.1f} ± {1e3 * e:.1f}" for v, e in (self.path_delay_s, self.blend_s)
        )
        x, y, z = self.following_mm
        return (
            f"delay of the path {delay} ms, longest blend {blend} ms",
            f"behind its set-point by {x:.2f}, {y:.2f}, {z:.2f} mm (x, y, z) and "
            f"{self.following_deg:.2f} deg at full speed",
        )
