"""Bounds of a move from rest to rest: what a rig says of its slow moves, without the planner."""

from dataclasses import dataclass, fields

from hil.config.errors import require_number


@dataclass(frozen=True, slots=True)
class MoveLimits:
    """Bounds of a move, each positive and finite."""

    speed_m_s: float
    """Speed of the platform's origin [m/s]."""
    acceleration_m_s2: float
    """[m/s2]."""
    jerk_m_s3: float
    """[m/s3]."""
    angular_speed_rad_s: float
    """About the axis of the turn [rad/s]."""
    angular_acceleration_rad_s2: float
    """[rad/s2]."""
    angular_jerk_rad_s3: float
    """[rad/s3]."""

    def __post_init__(self) -> None:
        """Refuse a bound that bounds nothing."""
        for field in fields(self):
            require_number(field.name, getattr(self, field.name), "", above=0.0)

    def scaled(self, share: float) -> "MoveLimits":
        """Return every bound times a share.

        Args:
            share: Above 0; 1 changes nothing.

        Raises:
            MotionError: If the share is not positive and finite.
        """
        share = require_number("share of the limits", share, "", above=0.0)
        return MoveLimits(*(share * getattr(self, field.name) for field in fields(self)))
