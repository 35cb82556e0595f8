"""What a robot's controller was found to do, as its file has it."""

from typing import Annotated

from pydantic import Field

from hil.config.fields import NotNegative, Positive
from hil.config.settings import Settings

Measured = tuple[Positive, NotNegative]
"""A value and its standard error, in the same unit."""
Finite = Annotated[float, Field(ge=-1e3, le=1e3)]


class RobotIdentified(Settings):
    """Written by ``hil arm identify``; nothing reads it but people.

    What follows from it stands in ``[blend]`` and ``[supervision]``.
    """

    date: Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    """Day, in UTC."""
    path_delay_s: Measured
    """From the request for a waypoint to its being the set-point [s], and standard error."""
    blend_s: Measured
    """Duration of the longest blend [s], and standard error."""
    lag_x_s: Measured
    """Of the servos behind the set-point, along x of the base [s], and standard error."""
    lag_y_s: Measured
    """Along y."""
    lag_z_s: Measured
    """Along z."""
    lag_turn_s: Measured
    """About the gripper's own axis."""
    following_mm: tuple[Finite, Finite, Finite]
    """Behind the set-point along x, y, z at the largest speed of the gripper."""
    following_deg: Finite
    """Behind it at the largest turn rate."""

    def lines(self) -> tuple[str, ...]:
        """What it says, for people."""
        delay, blend = (
            f"{1e3 * v:.1f} ± {1e3 * e:.1f}" for v, e in (self.path_delay_s, self.blend_s)
        )
        x, y, z = self.following_mm
        return (
            f"delay of the path {delay} ms, longest blend {blend} ms",
            f"behind its set-point by {x:.2f}, {y:.2f}, {z:.2f} mm (x, y, z) and "
            f"{self.following_deg:.2f} deg at full speed",
        )
