"""Handles of a panel and of a gamepad beside it, as stations that are steered by them take them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from hil.config.errors import RefusedError
from hil.desk.velocity.gamepad import GamepadSource, HandleShape, open_handles
from hil.desk.velocity.source import Frame, SourceUnavailableError, Twist
from hil.run.lead import Handles

if TYPE_CHECKING:
    from hil.run.lead import HandlesPlace

FRAME: Final[Frame] = "gripper"
GAMEPAD_AXES: Final = ("ABS_Y", "ABS_X", "ABS_HAT0Y", "ABS_HAT0X", "ABS_RY", "ABS_RX")
GAMEPAD_SIGNS: Final = (-1.0, -1.0, -1.0, 1.0, 1.0, -1.0)
GAMEPAD_HOLD: Final = "BTN_TL"


def screen_handles(
    linear_m_s: float, angular_rad_s: float,
    place: Callable[[Mapping[str, Any]], HandlesPlace | None],
) -> Handles:  # fmt: skip
    """Handles on the screen, and a gamepad that moves nothing without its button.

    Args:
        linear_m_s: at full deflection.
        angular_rad_s: likewise.
        place: where a run of a scenario listens; None for one that nobody steers.
    """
    shape = HandleShape(linear_m_s=linear_m_s, angular_rad_s=angular_rad_s)

    def velocity(deflections: Sequence[float]) -> Twist:
        return shape.twist(tuple(deflections), FRAME)

    def gamepad(device: str, now_s: Callable[[], float]) -> GamepadSource:
        """It moves nothing before it was seen at rest, nor without its button."""
        try:
            found = open_handles(device, GAMEPAD_AXES, GAMEPAD_HOLD, now_s=now_s)
        except SourceUnavailableError as error:
            raise RefusedError(str(error)) from None
        return GamepadSource(found, replace(shape, signs=GAMEPAD_SIGNS), FRAME)

    return Handles(velocity=velocity, gamepad=gamepad, place=place)
