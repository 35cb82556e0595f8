"""What an operator may ask of the arm station: to be steered by handles."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from hil.config.errors import RefusedError
from hil.desk.velocity.gamepad import GamepadSource, HandleShape, open_handles
from hil.desk.velocity.remote_writer import ScreenPlace
from hil.desk.velocity.source import Frame, SourceUnavailableError, Twist
from hil.run.lead import Handles
from hil.stations.arm.scenario import PLANNED

SHAPE: Final = HandleShape(linear_m_s=0.05, angular_rad_s=math.radians(5.0))
"""Of the handles on the screen: half of what the arms may do, so that nothing saturates."""
FRAME: Final[Frame] = "gripper"
GAMEPAD_AXES: Final = ("ABS_Y", "ABS_X", "ABS_HAT0Y", "ABS_HAT0X", "ABS_RY", "ABS_RX")
GAMEPAD_SIGNS: Final = (-1.0, -1.0, -1.0, 1.0, 1.0, -1.0)
GAMEPAD_HOLD: Final = "BTN_TL"


def _velocity(deflections: Sequence[float]) -> Twist:
    return SHAPE.twist(tuple(deflections), FRAME)


def _gamepad(device: str, now_s: Callable[[], float]) -> GamepadSource:
    """It moves nothing before it was seen at rest, nor without its button."""
    try:
        handles = open_handles(device, GAMEPAD_AXES, GAMEPAD_HOLD, now_s=now_s)
    except SourceUnavailableError as error:
        raise RefusedError(str(error)) from None
    return GamepadSource(handles, replace(SHAPE, signs=GAMEPAD_SIGNS), FRAME)


def _place(scenario: Mapping[str, Any]) -> ScreenPlace | None:
    """A planned source is played as it is written; one that a person moves gives way."""
    source = scenario["source"]
    return None if source["kind"] in PLANNED else ScreenPlace(source)


def handles() -> Handles:
    """Handles as the station takes them."""
    return Handles(velocity=_velocity, gamepad=_gamepad, place=_place)
