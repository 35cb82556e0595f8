"""Settings of the emulated arm controller.

Not modelled: the controller's own set-up dialogue; all is given at the start.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

from sim.devices.arm.limits import ReachSettings
from sim.devices.arm.path import BlendSettings
from sim.devices.arm.plant_servos import EnvelopeSettings
from sim.devices.arm.protocol import ANSWER_BYTES, REQUEST_BYTES, SEQ_COUNT
from sim.devices.arm.servo import ServoSettings
from sim.devices.arm.wire import BITS_PER_BYTE

START_DEG: Final = (0.0, 45.0, -180.0, 0.0, 45.0, 0.0)
"""Elbow bent by a right angle, gripper forward: far from limits and singularities."""


@dataclass(frozen=True, slots=True)
class ArmControllerSettings:
    """An arm with its controller.

    Raises:
        ValueError: If a value makes no sense; the text says what would.
    """

    baud: int = 9600
    """Bits per second of the line."""
    period_s: float = 0.35
    """Time between two requests while it moves [s]."""
    retry_after_s: float = 0.25
    """So long it waits for an answer before it asks once more [s]."""
    delay_s: float = 0.0
    """So much later than it could it takes up each waypoint [s]."""
    feedback: bool = False
    """Whether requests say where the gripper is."""
    echo: bool = False
    """Whether it echoes what it receives."""
    calibrated: bool = True
    """Whether the arm is calibrated at the start."""
    autostart: bool = True
    """Whether the program runs from the start."""
    first_seq: int = 0
    """Sequence number of the first request."""
    start_deg: tuple[float, ...] = START_DEG
    """Joint angles at the start [deg]."""
    tool_m: float = 0.0
    """Distance of the gripper from the flange [m]."""
    reach: ReachSettings = field(default_factory=ReachSettings)
    """What is refused."""
    blends: BlendSettings = field(default_factory=BlendSettings)
    """How segments are joined."""
    servos: ServoSettings = field(default_factory=ServoSettings)
    """How the joints move."""
    envelope: EnvelopeSettings = field(default_factory=EnvelopeSettings)
    """When joints of a plant count as not following."""

    def __post_init__(self) -> None:
        if not 0.3 <= self.period_s <= 10.0:
            raise ValueError(f"period_s = {self.period_s}: 0.3 to 10 s")
        if not 0.0 < self.retry_after_s < self.period_s:
            raise ValueError(
                f"retry_after_s = {self.retry_after_s}: above 0 and below {self.period_s:g} s"
            )
        if not 0.0 <= self.delay_s <= self.period_s:
            raise ValueError(f"delay_s = {self.delay_s}: 0 to a period, {self.period_s:g} s")
        if not (1200 <= self.baud <= 115_200 and self._second_answer_s() <= self.period_s):
            raise ValueError(
                f"baud = {self.baud}: a second answer has to come within {self.period_s:g} s; "
                "9600 or 19200 are usual, 115200 is the most"
            )
        if not 0 <= self.first_seq < SEQ_COUNT:
            raise ValueError(f"first_seq = {self.first_seq}: 0 to {SEQ_COUNT - 1}")
        if len(self.start_deg) != 6 or not all(map(math.isfinite, self.start_deg)):
            raise ValueError(f"start_deg = {self.start_deg}: six angles are needed")
        if not 0.0 <= self.tool_m <= 1.0:
            raise ValueError(f"tool_m = {self.tool_m}: 0 to 1 m")

    def exchange_s(self) -> float:
        """Return how long a request without position and its answer take on the wire [s]."""
        return (REQUEST_BYTES + ANSWER_BYTES) * BITS_PER_BYTE / self.baud

    def _second_answer_s(self) -> float:
        return self.retry_after_s + self.exchange_s()
