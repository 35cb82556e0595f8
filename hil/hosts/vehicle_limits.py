"""What a vehicle can do at most, by axis: what is more was not its motion but a fault of its host.

A step may be as large as a sudden bump, and larger the longer nothing was heard.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from hil.config.settings import Settings
from platform6dof.cueing.vehicle import Vector3

Bound = Annotated[float, Field(gt=0.0, le=1e4)]
"""Of a force or a rate."""
Bounds = tuple[Bound, Bound, Bound]


class MeansSettings(Settings):
    """Table ``[means]`` of a host's map: what its vehicle can do at most."""

    f_step_m_s2: Bounds = (20.0, 20.0, 30.0)
    """Largest step of the specific force between two packets, forward, right, down [m/s²]."""
    f_rate_m_s3: Bounds = (200.0, 200.0, 300.0)
    """What is added to it for each second between them [m/s³]."""
    f_most_m_s2: Bounds = (80.0, 80.0, 120.0)
    """Largest specific force [m/s²]."""
    rate_step_rad_s: Bounds = (1.0, 1.0, 1.0)
    """Largest step of the body's rates between two packets [rad/s]."""
    rate_rate_rad_s2: Bounds = (30.0, 20.0, 20.0)
    """What is added to it for each second between them [rad/s²]."""
    rate_most_rad_s: Bounds = (10.0, 6.0, 6.0)
    """Largest rates of the body [rad/s]."""
    position_margin_m: Annotated[float, Field(gt=0.0, le=1e3)] = 3.0
    """How much further than its speed allows a vehicle may be from where it was [m]."""
    attitude_margin_rad: Annotated[float, Field(gt=0.0, le=3.0)] = 0.2
    """How much further than its rates allow it may have turned [rad]."""

    def means(self) -> Means:
        """The same for a watchdog."""
        return Means(**{name: getattr(self, name) for name in type(self).model_fields})


@dataclass(frozen=True, slots=True)
class Means:
    """What a vehicle can do at most; see `MeansSettings` for what each number says."""

    f_step_m_s2: Vector3 = (20.0, 20.0, 30.0)
    f_rate_m_s3: Vector3 = (200.0, 200.0, 300.0)
    f_most_m_s2: Vector3 = (80.0, 80.0, 120.0)
    rate_step_rad_s: Vector3 = (1.0, 1.0, 1.0)
    rate_rate_rad_s2: Vector3 = (30.0, 20.0, 20.0)
    rate_most_rad_s: Vector3 = (10.0, 6.0, 6.0)
    position_margin_m: float = 3.0
    attitude_margin_rad: float = 0.2
