"""A ride that an operator leads: PLAY begins it, a table from the panel changes gain or preset."""

from __future__ import annotations

import math

from hil.desk.operation import Refusal
from hil.desk.order import Button
from hil.hosts.watch.states import HostState
from hil.stations.platform.lead.motion import OperatedMotion
from hil.stations.simulator.chain.motion import RideMotion, RidePhase
from hil.stations.simulator.lead.ride_request import RideRequests
from hil.stations.simulator.plan.scenario import RidePlan
from hil.stations.simulator.words import state_text
from platform6dof.pose import PlatformSetpoint


class LedRide(OperatedMotion):
    """Motion that is followed in ENGAGED: at rest until PLAY, then the ride; there is no tempo."""

    def __init__(self, plan: RidePlan, ride: RideMotion, requests: RideRequests) -> None:
        self._ride, self._requests = ride, requests
        super().__init__(plan, ride)

    def begin(self) -> None:
        """Start at neutral."""
        super().begin()
        self._ride.begin()

    @property
    def playing(self) -> str:
        """``"play"`` while the ride runs, else empty."""
        resting = self._ride.phase in (RidePhase.RESTING, RidePhase.OVER)
        return "" if resting else "play"

    @property
    def tempo(self) -> float:
        """A live ride has its source's."""
        return 1.0

    @property
    def motion_t_s(self) -> float:
        """Time for which the ride has been followed [s]."""
        return self._ride.followed_s

    @property
    def serial(self) -> int:
        """Number of the requests in force."""
        return self._requests.serial

    def order(
        self, override: float, target: tuple[float, ...] | None, serial: int, table: bytes
    ) -> None:
        """Take what is wanted from this cycle on: gain, preset, mute, as the prover let it through.

        Args:
            override: of no meaning here.
            target: likewise.
            table: JSON of a `desired.Desired`.
        """
        if serial != self._requests.serial and (why := self._requests.take(serial, table)):
            self._said = Refusal(why, serial=serial)

    def play(self) -> None:
        """Follow the source from rest."""
        reading = self._ride.reading
        if self.playing:
            self._said = Refusal("the ride goes on already", Button.PLAY.value)
        elif reading.host not in (HostState.LIVE, HostState.FADING_IN):
            why = f"the source is {state_text(reading.host, reading.cause)}"
            self._said = Refusal(why, Button.PLAY.value)
        else:
            self._ride.follow()

    def choose(self) -> None:
        """Let another sender lead the source, if the one that led is silent."""
        self._ride.on_choose()

    def pose(self) -> None:
        """A ride goes to no pose."""
        self._said = Refusal("a ride goes to no pose", Button.POSE.value)

    def leave(self) -> None:
        """ENGAGED is over: nothing is followed any more."""
        self.begin()

    @property
    def duration_s(self) -> float:
        """Infinite: the operator ends it [s]."""
        return math.inf

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Return where the platform shall be in this cycle, and how it shall move there.

        Args:
            t_s: time since ENGAGED began [s]; it only ever rises.
        """
        return self._ride.sample(t_s)
