"""What an operator wants of a ride that goes on: gain, preset, mute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import orjson
from pydantic import Field

from hil.config.errors import ConfigError
from hil.config.settings import Settings
from hil.stations.simulator.motion import FADE_IN_S, RideMotion

if TYPE_CHECKING:
    from hil.stations.simulator.parts import Parts

InputName = Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,39}$")]
"""Of an input that an operator has."""


class Desired(Settings):
    """The table that takes the place of a motion's, as the desk carries it."""

    kind: Literal["ride"]
    gain: Annotated[float, Field(ge=0.0, le=10.0)] | None = None
    """Factor on force and rates; it is reached over 1 s. None: as it is."""
    muted: bool = False
    """Whether the motion fades out, in 0.3 s; it comes back over 1 s."""
    preset: Annotated[int, Field(ge=0, le=7)] | None = None
    """Number of the preset, in the order of the scenario; None: the scenario's, by the host's
    flag."""
    inputs: Annotated[dict[InputName, float], Field(max_length=32)] = Field(default_factory=dict)
    """What is asked of a source that is a model, by name: `steering`, `throttle`, …"""


class RideWishes:
    """Takes such tables while a ride lasts."""

    def __init__(self, ride: RideMotion, parts: Parts) -> None:
        self._ride, self._parts = ride, parts
        self.serial: int = 0
        """Number of the newest that was taken, or refused."""

    def take(self, serial: int, table: bytes) -> str:
        """Take a table.

        Returns:
            What is wrong with it; empty if it is taken.
        """
        self.serial = serial
        if not table:
            desired = Desired(kind="ride")
        else:
            try:
                desired = Desired.build(orjson.loads(table), "ride")
                self._parts.require(desired.preset)
            except (ConfigError, ValueError) as error:
                return str(error)
        if desired.gain is not None:
            self._ride.gain.go(desired.gain, FADE_IN_S)
        self._ride.mute(desired.muted)
        self._ride.inputs = desired.inputs
        self._parts.choose(desired.preset)
        return ""
