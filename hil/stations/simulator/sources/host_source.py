"""State of a host, cycle by cycle, from its datagrams, with its weight."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, Protocol

from hil.hosts.kind import (
    SET_ASIDE,
    Codec,
    HostKind,
    Packet,
    Received,
    Refused,
    challenge_of,
    decode_at,
    end_session,
)
from hil.hosts.link import Address, Datagram, HostLink
from hil.hosts.maps import mapped
from hil.hosts.watch.packet_follower import Follower
from hil.hosts.watch.physics import Physics
from hil.hosts.watch.states import Cause, HostReading, HostState
from hil.hosts.watch.watchdogs import HostWatch, Judgement
from hil.stations.simulator.plan.source import Surroundings
from hil.stations.simulator.sources.sender_process import SenderProcess
from hil.stations.simulator.sources.smoothing import smoothing
from platform6dof.cueing.completion import Completion
from platform6dof.cueing.parameters import CueingError
from platform6dof.cueing.vehicle import REST, VehicleFlags, VehicleState


class HostWire(Protocol):
    """Origin of datagrams: a socket, or an emulated simulator."""

    @property
    def ended_s(self) -> float:
        """Time at which the stream ends, on the run's clock [s]; infinite if not known."""
        ...

    @property
    def foreign(self) -> int:
        """Datagrams so far that were of somebody else, or of no size that any of ours has."""
        ...

    @property
    def leader(self) -> str:
        """The sender that leads, as text; empty before one does, and where there is but one."""
        ...

    @property
    def other(self) -> str:
        """Another sender, and why it is left out; empty if there is none."""
        ...

    @property
    def place(self) -> str:
        """Address of reception, such as ``UDP 127.0.0.1:5501``; empty in this process."""
        ...

    def begin(self, now_s: float) -> None:
        """The platform follows from now on [s]."""
        ...

    def choose(self) -> bool:
        """Let another sender lead, as a person wants it; whether that can be."""
        ...

    def transfer(self, now_s: float, requests: Iterable[bytes]) -> list[Datagram]:
        """Send requests, and take what came since the last cycle [s]."""
        ...

    def own(self, datagram: Datagram) -> None:
        """This one was understood."""
        ...

    def answer(self, datagram: Datagram, data: bytes) -> None:
        """Send something back to whoever sent a datagram."""
        ...


class SocketWire:
    """A socket as a wire.

    Args:
        link: the socket.
        asked: where requests go; None for a wire without.
        partner: the process that emulates the host; None for a real one.
    """

    def __init__(
        self, link: HostLink, asked: Address | None, partner: SenderProcess | None = None
    ) -> None:
        self._link, self._asked, self._partner = link, asked, partner
        self._ended_s = math.inf
        self.place: str = "UDP {}:{}".format(*link.address)
        """Address on which the host is received."""

    @property
    def ended_s(self) -> float:
        """Time at which an emulated vehicle has ended, on the clock of the run [s]."""
        return self._ended_s

    @property
    def foreign(self) -> int:
        """Number of datagrams that were not the host's, or too large."""
        return self._link.foreign + self._link.oversized

    @property
    def leader(self) -> str:
        """The sender that leads."""
        owner = self._link.owner
        return "" if owner is None else f"{owner[0]}:{owner[1]}"

    @property
    def other(self) -> str:
        """Another sender, and why it is left out."""
        return self._link.other

    def choose(self) -> bool:
        """Let another sender lead."""
        return self._link.choose()

    def begin(self, now_s: float) -> None:
        """An emulated vehicle begins; a real one does what it does."""
        if self._partner is not None and self._ended_s == math.inf:
            self._partner.begin()
            self._ended_s = now_s + self._partner.lasts_s

    def transfer(self, now_s: float, requests: Iterable[bytes]) -> list[Datagram]:
        """Send requests, and drain the socket."""
        for request in requests:
            if self._asked is not None:
                self._link.send(request, self._asked)
        return self._link.drain()

    def own(self, datagram: Datagram) -> None:
        """This sender alone leads from now on."""
        self._link.own(datagram.sender)

    def answer(self, datagram: Datagram, data: bytes) -> None:
        """Send something back."""
        self._link.send(data, datagram.sender)


_POSED: Final = (REST.f_m_s2, REST.omega_rad_s)


class HostSource:
    """A `LiveSource` of one host.

    Args:
        kind: of the host.
        map_: settings of its map.
        wire: where its datagrams come from.
        around: the run.

    Raises:
        ConfigError: if the map's low-pass is none at the loop's rate.
    """

    def __init__(self, kind: HostKind, map_: Any, wire: HostWire, around: Surroundings) -> None:
        self._map, self._wire = map_, wire
        self._codec: Codec = kind.codec(map_)
        self._watch = HostWatch(map_.means.means(), Physics(map_))
        completion = Completion(around.period_s, around.head_m)
        self._follower = Follower("t_s" in kind.fields_for(map_), completion)
        self._smooth = smoothing(map_.lowpass_hz, around)
        self._period_s, self._missed = around.period_s, 0
        self._used = 0
        self._other = ""
        self._cause_now = Cause.NONE
        self._unfit = 0

    @property
    def ended_s(self) -> float:
        """Time at which its emulated vehicle has ended; infinite for a real host."""
        return self._wire.ended_s

    def begin(self, now_s: float) -> None:
        """Follow from nothing on, as soon as the stream is sound."""
        self._wire.begin(now_s)
        self._watch.reengage(now_s)

    @property
    def leader(self) -> str:
        """The sender that leads, as text; empty before one does."""
        return self._wire.leader

    @property
    def why(self) -> str:
        """Details of the cause: a sender left out, what contradicts physics, or the silent wire."""
        silent = self._cause_now is Cause.NO_PACKET
        return self._other or self._watch.why or (self._wire.place if silent else "")

    def choose(self) -> bool:
        """Let another sender lead, as a person wants it; whether the one that led is silent."""
        chosen = self._wire.choose()
        if chosen:
            end_session(self._codec)
            self._watch.other_sender()
        return chosen

    def poll(self, now_s: float) -> HostReading:
        """Return the reading of this cycle."""
        came: list[Received | Refused] = []
        for datagram in self._wire.transfer(now_s, self._codec.requests(now_s)):
            decoded = decode_at(self._codec, datagram.data, datagram.kernel_s, datagram.sender)
            if isinstance(decoded, Refused):
                answer = challenge_of(self._codec, decoded, now_s, datagram.sender)
                if answer is not None:
                    self._wire.answer(datagram, answer)
                if decoded not in SET_ASIDE:
                    came.append(decoded)
                continue
            self._wire.own(datagram)
            packet = Packet(mapped(decoded.state, self._map), decoded.sequence)
            came.append(Received(packet, datagram.kernel_s, datagram.taken_s))
        judged = self._watch.step(now_s, came)
        if judged.anchor:
            self._follower.anchor()
            if self._smooth is not None:
                self._smooth.reset()
        self._cause_now = self._cause(judged, now_s)
        newest: Received | None = None
        for received in judged.accepted:
            if self._take(received):
                newest = received
        return HostReading(
            state=self._state(now_s),
            host=judged.state,
            cause=self._cause_now,
            weight=judged.weight,
            anchor=judged.anchor,
            host_s=math.nan if newest is None else newest.packet.state.t_s,
            kernel_s=math.nan if newest is None else newest.kernel_s,
            taken_s=math.nan if newest is None else newest.taken_s,
            packets=self._used,
            dropped=judged.dropped + self._wire.foreign + self._unfit,
            missing=judged.missing,
        )

    def missed(self, cycles: int) -> None:
        """Note the number of cycles in which it was not polled before the next one."""
        self._missed = cycles

    def _state(self, now_s: float) -> VehicleState | None:
        """Compute the vehicle's state; a low-pass takes in its motion in missed cycles too."""
        missed, self._missed = self._missed, 0
        if self._smooth is None:
            return self._follower.state(now_s)
        state = None
        for back in range(missed, -1, -1):
            state = self._follower.state(now_s - back * self._period_s)
            if state is not None:
                state = self._smooth.step(state)
        return state

    def preview(self, now_s: float, span_s: float, step_s: float) -> tuple[VehicleState, ...]:
        """Return nothing: the future of a live host is not known."""
        del now_s, span_s, step_s
        return ()

    def farewell(self) -> None:
        """Tell a host that was asked to send that it may stop."""
        ends = getattr(self._codec, "farewell", None)
        if ends is not None:
            self._wire.transfer(math.inf, ends())

    def _cause(self, judged: Judgement, now_s: float) -> Cause:
        """Find why the host is not followed; of a vehicle that has ended, its end."""
        away = judged.state in (HostState.FADING_OUT, HostState.AWAY, HostState.LOST)
        if away and self.ended_s <= now_s:
            return Cause.END
        silent = judged.cause is Cause.NO_PACKET and (away or judged.state is HostState.WAITING)
        self._other = (self._wire.other or self._other) if silent else ""
        return Cause.OTHER_SENDER if self._other else judged.cause

    def _take(self, received: Received) -> bool:
        state = received.packet.state
        if state.flags & VehicleFlags.POSE:  # no force is behind it, and none is needed
            force, rates = _POSED
            state = replace(state, f_m_s2=force, omega_rad_s=rates)
        try:
            self._follower.take(state, received.kernel_s)
        except CueingError:
            self._unfit += 1
            return False
        self._used += 1
        return True
