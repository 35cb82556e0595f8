"""Supervision of the robot: the windows in its file."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from arm_driver.supervision_settings import SupervisionSettings
from hil.config.settings import Settings

_STANDARD = SupervisionSettings()


class RobotSupervision(Settings):
    """Windows within which the robot has to stay in a stream; beyond them the stream ends."""

    period_tolerance: Annotated[float, Field(gt=0.0, le=0.1)] = _STANDARD.period_tolerance
    """Share by which the robot's period may differ from 0.35 s; the limit of speed holds to as
    much, so a tenth is the most."""
    ahead_s: Annotated[float, Field(ge=0.05, le=0.35)] = _STANDARD.ahead_s
    """Largest lead of requests over that [s]: as late as a request can be received, and less than a
    period."""
    behind_s: Annotated[float, Field(ge=0.05, le=1.05)] = _STANDARD.behind_s
    """Largest lag of requests behind that [s]: at most the silence after which the link is lost."""
    delay_s: tuple[
        Annotated[float, Field(gt=0.0, le=3.0)], Annotated[float, Field(gt=0.0, le=3.0)]
    ] = _STANDARD.delay_s
    """Least and largest time from the request for a waypoint to the arm's being there [s]."""
    following_mm: Annotated[float, Field(gt=0.0, le=20.0)] = 1e3 * _STANDARD.following_m
    """Largest deviation of the robot from the path as it was sent, at rest [mm]: a hand's breadth
    is too far for whoever stands beside it."""
    following_s: Annotated[float, Field(gt=0.0, le=0.2)] = _STANDARD.following_s
    """Growth of that deviation with the speed of the path [s]: 0.02 s are 2 mm at 100 mm/s."""
    following_deg: Annotated[float, Field(gt=0.0, le=10.0)] = math.degrees(_STANDARD.following_rad)
    """Largest turn away from the path [deg]."""
    feedback_periods: Annotated[int, Field(ge=1, le=10)] = _STANDARD.feedback_periods
    """Requests without a position in a row that are tolerated, of a robot that has sent one."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.delay_s[0] < self.delay_s[1]:
            raise ValueError(f"delay_s: {self.delay_s[0]} is not below {self.delay_s[1]} s")
        return self

    def settings(self) -> SupervisionSettings:
        """Convert to the settings of the host's end of the link."""
        return SupervisionSettings(
            period_tolerance=self.period_tolerance,
            ahead_s=self.ahead_s,
            behind_s=self.behind_s,
            delay_s=self.delay_s,
            following_m=1e-3 * self.following_mm,
            following_s=self.following_s,
            following_rad=math.radians(self.following_deg),
            feedback_periods=self.feedback_periods,
        )


def supervision_of(scenario: Mapping[str, Any]) -> SupervisionSettings | None:
    """Read the windows of a run from its recording's header; None if it has none.

    Raises:
        ConfigError: if they are no windows; with one line for each wrong value.
    """
    robot = scenario.get("robot")
    raw = robot.get("supervision") if isinstance(robot, Mapping) else None
    if raw is None:
        return None
    return RobotSupervision.build(raw, "the supervision in the recording").settings()
