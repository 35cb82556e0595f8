"""Settings of the task `valve`: bounds of what is drawn, and of what is judged."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hil.config.settings import Settings

Torque = Annotated[float, Field(ge=0.0, le=50.0)]
Damping = Annotated[float, Field(ge=0.0, le=20.0)]
Coefficient = Annotated[float, Field(ge=0.01, le=2.0)]
Radius = Annotated[float, Field(ge=0.03, le=0.2)]
Turn = Annotated[float, Field(ge=0.0, le=3600.0)]
Coordinate = Annotated[float, Field(ge=-5.0, le=5.0)]
Length = Annotated[float, Field(ge=0.0, le=0.5)]
Period = Annotated[int, Field(ge=1, le=20)]
Positive = Annotated[float, Field(gt=0.0, le=1000.0)]
PAIRS = ("turn_deg", "friction_nm", "damping_nm_s", "finger_friction", "rim_radius_m", "period_ms")


class ValveSettings(Settings):
    """Settings of the task `valve`."""

    kind: Literal["valve"]
    """Always ``valve``."""
    angle_deg: Annotated[float, Field(ge=-3600.0, le=3600.0)] | None = None
    """Angle to turn by, positive clockwise as the robot sees it, in place of a drawn one [deg]."""
    turn_deg: tuple[Turn, Turn] = (30.0, 720.0)
    """Least and greatest amount of a drawn angle, of either sign [deg]."""
    travel_deg: Positive | None = None
    """Travel of the valve to either side, at whose ends it stops; left out, none [deg]."""
    friction_nm: tuple[Torque, Torque] = (2.0, 8.0)
    """Least and greatest Coulomb friction of the valve [N m]."""
    damping_nm_s: tuple[Damping, Damping] = (0.0, 3.0)
    """Least and greatest viscous friction of the valve [N m s/rad]."""
    finger_friction: tuple[Coefficient, Coefficient] = (0.6, 1.0)
    """Least and greatest coefficient of friction between fingers and rim."""
    rim_radius_m: tuple[Radius, Radius] = (0.06, 0.09)
    """Least and greatest radius of the rim's middle line [m]."""
    around_m: tuple[Length, Length, Length] = (0.10, 0.15, 0.15)
    """Greatest distance of the wheel from its nominal place: depth, sideways, height [m]."""
    wheel_at_m: tuple[Coordinate, Coordinate, Coordinate] | None = None
    """Place of the wheel in the airlock, in place of a drawn one [m]."""
    tilt_deg: Annotated[float, Field(ge=0.0, le=60.0)] = 20.0
    """Greatest angle of the wheel's axis from its nominal direction [deg]."""
    report_error_m: Length = 0.03
    """Greatest distance of the wheel from where it is reported [m]."""
    report_error_deg: Annotated[float, Field(ge=0.0, le=45.0)] = 5.0
    """Greatest angle of the wheel's axis from where it is reported [deg]."""
    period_ms: tuple[Period, Period] = (1, 10)
    """Least and greatest period of control; sensors of forces are late by one [ms]."""
    force_noise_n: Annotated[float, Field(ge=0.0, le=10.0)] = 0.5
    """Standard deviation of the wrist's forces [N]."""
    moment_noise_nm: Annotated[float, Field(ge=0.0, le=1.0)] = 0.05
    """Standard deviation of the moments of wrist and joints [N m]."""
    gravity_m_s2: Annotated[float, Field(ge=0.0, le=20.0)] = 0.0
    """Gravity, downwards [m/s²]."""
    jammed: bool = False
    """Whether the wheel cannot be turned."""
    removed: bool = False
    """Whether there is no wheel."""
    angle_within_deg: Positive = 0.5
    """Greatest error of the angle after release [deg]."""
    force_error_n: Positive = 10.0
    """Greatest error of the force, for 99 % of the time from 0.5 s after each grasp [N]."""
    moment_error_nm: Positive = 2.0
    """Greatest error of the moment, likewise [N m]."""
    saturated_s: Positive = 0.2
    """Longest time for which a drive of the arm may be saturated at a stretch [s]."""
    slip_deg: Positive = 5.0
    """Greatest turn of the hand on the rim in a grasp [deg]."""
    time_limit_s: Annotated[float, Field(gt=0.0, le=3600.0)] = 240.0
    """Time within which all must be done [s]."""

    @model_validator(mode="after")
    def _bounds_in_order(self) -> Self:
        for name in PAIRS:
            least, greatest = getattr(self, name)
            if least > greatest:
                raise ValueError(f"{name}: the first, {least:g}, is above the second {greatest:g}")
        return self
