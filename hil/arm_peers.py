"""Whom the arm station's loop talks to: the wire to the robot, and who notes what happens."""

from typing import Protocol

from arm_driver.contour import EndReason
from arm_driver.host_values import LinkReport, Offer, StreamPlan
from arm_driver.location import Location
from hil.clock import Tick
from hil.stations.arm_step import ArmStep


class ArmWire(Protocol):
    """A link to a robot, real or emulated; see `arm_driver.link.ArmLink`."""

    def start(self, plan: StreamPlan, measured: Location | None = None) -> None:
        """Begin a stream, on the operator's arm command."""
        ...

    def offer(self, location: Location) -> Offer:
        """Put the next waypoint into the slot."""
        ...

    def poll(self) -> LinkReport:
        """Return the link as it is now."""
        ...

    def end(self, reason: EndReason) -> None:
        """End the stream."""
        ...

    def close(self) -> None:
        """Leave the link."""
        ...


class Witness(Protocol):
    """Who notes what happens; it may not fail and may not wait."""

    def step(self, tick: Tick, step: ArmStep, report: LinkReport) -> None:
        """A waypoint was put into the slot, or refused."""
        ...

    def note(self, tick: Tick, text: str) -> None:
        """Something happened that a reader of the recording should know."""
        ...
