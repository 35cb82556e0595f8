"""Operator's requests during a ride: gain, preset, mute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Literal

import orjson
from pydantic import Field

from hil.config.errors import ConfigError
from hil.config.settings import Settings
from hil.stations.simulator.chain.motion import FADE_IN_S, RideMotion
from hil.stations.simulator.plan.source import INPUT_NAME, OperatorInput

if TYPE_CHECKING:
    from hil.stations.simulator.chain.parts import Parts

InputName = Annotated[str, Field(pattern=INPUT_NAME)]
"""Name of an input that an operator has."""


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
    """Values requested of a source that is a model, by name: `steering`, `throttle`, …"""


def require_inputs(asked: Mapping[str, float], there: Iterable[OperatorInput]) -> None:
    """Refuse inputs that a ride's source does not have, and values out of their bounds.

    Raises:
        ValueError: with the name, the value and what would be right.
    """
    known = {one.name: one for one in there}
    for name, value in asked.items():
        if (own := known.get(name)) is None:
            names = ", ".join(known) or "none"
            raise ValueError(f"inputs.{name} = {value:g}: the source has no such input: {names}")
        if not own.low <= value <= own.high:
            bounds = f"[{own.low:g}, {own.high:g}] {own.unit}".rstrip()
            raise ValueError(f"inputs.{name} = {value:g} is outside {bounds}")


def started(there: Iterable[OperatorInput]) -> dict[str, float]:
    """Return the values of inputs before a person sets any, by name."""
    return {one.name: one.start for one in there}


class RideRequests:
    """Applies such tables during a ride.

    Args:
        inputs: what may be asked of its source.
    """

    def __init__(
        self, ride: RideMotion, parts: Parts, inputs: tuple[OperatorInput, ...] = ()
    ) -> None:
        self._ride, self._parts, self._inputs = ride, parts, inputs
        self.serial: int = 0
        """Number of the newest request that was taken, or refused."""

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
                require_inputs(desired.inputs, self._inputs)
            except (ConfigError, ValueError) as error:
                return str(error)
        if desired.gain is not None:
            self._ride.gain.go(desired.gain, FADE_IN_S)
        self._ride.mute(desired.muted)
        self._ride.inputs = started(self._inputs) | desired.inputs
        self._parts.choose(desired.preset)
        return ""
