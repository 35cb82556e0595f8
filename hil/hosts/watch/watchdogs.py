"""The watchdogs of a live host: its packets are followed only while they can be a vehicle's motion.

Whatever is seen first takes the wanted motion away along a smooth window, and brings it back
likewise when the stream has been sound again for a while; after 2 s without, the source is lost
until a person engages anew. Pure: time comes in, nothing goes out but what to do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hil.hosts.kind import Received, Refused
from hil.hosts.order import Ordering, PacketOrder
from hil.hosts.vehicle_limits import Means
from hil.hosts.watch.clocks import StampAlignment
from hil.hosts.watch.continuity import Continuity, Frozen, HostPace, cause_in_state
from hil.hosts.watch.physics import Physics
from hil.hosts.watch.states import Cause, HostState

FRESH_S: Final = 0.1
"""Time without a new packet after which the host is not followed [s]."""
LOST_S: Final = 2.0
"""Time without a sound stream after which the platform parks [s]."""
OUT_S: Final = 0.3
"""The wanted motion is taken away in this time [s]."""
REST_S: Final = 0.5
"""Least time for which the motion stays away [s]."""
IN_S: Final = 1.0
"""Time in which the motion comes back [s]."""
FIRST_S: Final = 1.0
"""Time for which a stream has been sound before its host is followed [s]."""
AGAIN_S: Final = 0.25
"""Time for which the stream has been sound where the host was followed a moment ago [s]."""
ROW: Final = 3
"""Number of packets in a row beyond a vehicle's means after which the host is lost."""
AGED_S: Final = 0.1
"""Age above which a packet comes from a backlog [s]."""
BURST: Final = 3
"""Number of packets without a stamp in one cycle above which only the newest is taken."""

_JUMPED: Final = {
    PacketOrder.RESTART: Cause.SEQUENCE_RESTART,
    PacketOrder.BACKWARD: Cause.TIME_BACKWARD,
    PacketOrder.FORWARD: Cause.RESET,
}
_BAD_MOTION: Final = frozenset({Refused.NOT_FINITE, Refused.RANGE})


@dataclass(frozen=True, slots=True)
class Judgement:
    """Result of the watchdogs in one cycle."""

    state: HostState
    cause: Cause
    """Reason why the host is not followed, or was not the last time."""
    weight: float
    """Share of its motion that is wanted, 0 to 1."""
    accepted: tuple[Received, ...]
    """Packets that continue the motion, oldest first."""
    anchor: bool
    """Whether `accepted` begins anew and continues nothing."""
    dropped: int
    """Packets that were not accepted so far, and refused datagrams."""
    missing: int
    """Packets that never came so far, by the host's own count."""

    @property
    def park(self) -> bool:
        """Whether the platform shall park, and move again for a person only."""
        return self.state is HostState.LOST


ROUND: Final = 0.15
"""Share of a fade in which it takes up its speed, and in which it gives it up."""


def window(share: float) -> float:
    """From 0 to 1 at an even speed that is taken up and given up evenly: parabola, line, parabola.

    A fade of rates is felt by its steepest slope: here 1 / (1 - ROUND) = 1.18, where 1 is the least
    there can be, and 10 u³ - 15 u⁴ + 6 u⁵ has 1.875.
    """
    u = min(max(share, 0.0), 1.0)
    if u > 0.5:
        return 1.0 - window(1.0 - u)
    if u < ROUND:
        return u * u / (2.0 * ROUND * (1.0 - ROUND))
    return (u - 0.5 * ROUND) / (1.0 - ROUND)


class HostWatch:
    """Judges the packets of a host, cycle by cycle.

    Args:
        means: what its vehicle can do at most.
        physics: compares its packets with physics; None for one without a map.
    """

    def __init__(self, means: Means | None = None, physics: Physics | None = None) -> None:
        self.state: HostState = HostState.WAITING
        self.cause: Cause = Cause.NONE
        self.dropped: int = 0
        self._continuity = Continuity(means or Means())
        self._ordering = Ordering()
        self._physics = physics or Physics()
        self._pace, self._frozen, self._alignment = HostPace(), Frozen(), StampAlignment()
        self._fresh_s = self._received_s = -math.inf
        self._row = 0
        self._sound_s = math.nan
        self._since_s = 0.0
        self._from = 0.0
        self._fault_s = math.nan
        self._anchor = True

    def step(self, now_s: float, messages: Sequence[Received | Refused]) -> Judgement:
        """Judge one cycle.

        Args:
            now_s: on the clock of the run [s].
            messages: what came since the last cycle, in the order in which the kernel took it.
        """
        accepted: list[Received] = []
        packets = [one for one in messages if isinstance(one, Received)]
        backlog = len(packets) > BURST and math.isnan(packets[-1].packet.state.t_s)
        for one in messages:
            if isinstance(one, Refused):
                self._refused(now_s, one)
            elif backlog and one is not packets[-1]:
                self.dropped += 1
            elif self._take(now_s, one):
                accepted.append(one)
            else:
                self.dropped += 1
        if now_s - self._fresh_s >= FRESH_S:
            silent = now_s - self._received_s >= FRESH_S
            self._fault(now_s, Cause.NO_PACKET if silent else Cause.STAMP_FROZEN)
        elif self._physics.suspects:
            wrong = self._physics.cause(self.state)
            if wrong is not Cause.NONE:
                self._fault(now_s, wrong)
        self._go_on(now_s)
        anchor = self._anchor and bool(accepted)
        self._anchor = self._anchor and not accepted
        weight = self._weight(now_s)
        return Judgement(
            self.state, self.cause, weight, tuple(accepted), anchor, self.dropped,
            self._ordering.missing,
        )  # fmt: skip

    @property
    def why(self) -> str:
        """Finding of physics, with the key to write; empty if its cause is another one."""
        return self._physics.text(self.cause)

    def other_sender(self) -> None:
        """Another sender leads from now on: nothing of what was found holds for it."""
        self._physics.begin()

    def reengage(self, now_s: float) -> None:
        """A person wants the host followed, from nothing on, as soon as its stream is sound."""
        sound = self.state in (HostState.LIVE, HostState.FADING_IN)
        self.state = HostState.FADING_IN if sound else HostState.WAITING
        self._since_s, self._from = now_s, 0.0
        if not sound:
            self._restart()

    # -- packets -----------------------------------------------------------------------------

    def _refused(self, now_s: float, why: Refused) -> None:
        self.dropped += 1
        if why in _BAD_MOTION:
            self._count_bad(now_s)

    def _take(self, now_s: float, received: Received) -> bool:
        """Return whether a packet continues the motion; a fault is noted."""
        self._received_s = max(self._received_s, received.kernel_s)
        order = self._ordering.judge(received)
        if order is PacketOrder.LATE:
            return False
        if order in _JUMPED:
            return self._jumped(now_s, received, _JUMPED[order])
        if order is not PacketOrder.SAME_STAMP and self._aged(now_s, received):
            return False
        cause = cause_in_state(received.packet.state)
        if cause is Cause.RESET:
            return self._jumped(now_s, received, cause)
        if cause is not Cause.NONE:
            self._fresh_s = received.kernel_s
            self._pace.forget()
            self._fault(now_s, cause)
            return False
        if order is PacketOrder.SAME_STAMP:
            return False
        jump = self._continuity.jump(received)
        if jump is not Cause.NONE:
            return self._jumped(now_s, received, jump)
        if self._continuity.beyond(received):
            self._count_bad(now_s)
            if self._row == 0:
                self._continuity.keep(received)
            return False
        return self._sound(now_s, received)

    def _sound(self, now_s: float, received: Received) -> bool:
        """Return a packet that continues the motion, unless its values or its time are frozen."""
        self._row = 0
        self._fresh_s = received.kernel_s
        self._continuity.keep(received)
        if self._frozen.judge(received):
            self._fault(now_s, Cause.VALUES_FROZEN)
            return self._still_goes_on
        if self._pace.off(received):
            self._fault(now_s, Cause.SPEED_FACTOR)
            return self._still_goes_on
        at_s = received.packet.state.t_s
        if at_s != at_s:
            at_s = received.kernel_s
        if at_s >= self._physics.next_s:
            self._physics.take(received.packet.state, at_s)
        if math.isnan(self._sound_s):
            self._sound_s = received.kernel_s
        return self.state is not HostState.FADING_OUT

    @property
    def _still_goes_on(self) -> bool:
        """Whether the motion that fades is that of packets which come even now, without a jump."""
        soft = self.cause in (Cause.VALUES_FROZEN, Cause.SPEED_FACTOR)
        return soft and self.state is HostState.FADING_OUT

    def _aged(self, now_s: float, received: Received) -> bool:
        """Return whether a packet was held up for too long, and newer ones follow."""
        if now_s - received.kernel_s > AGED_S:
            return True
        stamp_s = received.packet.state.t_s
        if math.isnan(stamp_s):
            return False
        behind_s = received.kernel_s - self._alignment.at(stamp_s, received.kernel_s)
        return behind_s > AGED_S and self._ordering.catching_up

    def _jumped(self, now_s: float, received: Received, cause: Cause) -> bool:
        """Begin anew from this packet, which is not used itself."""
        self._fresh_s = received.kernel_s
        self._row = 0
        self._alignment = StampAlignment()
        self._pace.forget()
        self._physics.anchor()
        self._continuity.keep(received)
        self._fault(now_s, cause)
        return False

    def _count_bad(self, now_s: float) -> None:
        self._row += 1
        if self._row >= ROW:
            self._row = 0
            self._fault(now_s, Cause.STEP)

    # -- states ------------------------------------------------------------------------------

    def _fault(self, now_s: float, cause: Cause) -> None:
        """The stream is not sound now: away with the motion, if any is followed."""
        self._sound_s = math.nan
        if self.state in (HostState.LIVE, HostState.FADING_IN):
            self._from = self._weight(now_s)
            self.state, self._since_s = HostState.FADING_OUT, now_s
            self._fault_s = now_s
            self.cause = cause
        elif self.state is not HostState.FADING_OUT:
            self._restart()
            self.cause = cause if self.state is HostState.WAITING else self.cause

    def _restart(self) -> None:
        self._sound_s = math.nan
        self._alignment = StampAlignment()
        self._anchor = True

    def _go_on(self, now_s: float) -> None:
        """States that end by time."""
        for_s = now_s - self._since_s
        sound_s = now_s - self._sound_s  # NaN while it is not
        if self.state is HostState.WAITING:
            if sound_s > FIRST_S and self._physics.settled:
                self.state, self._since_s, self._from = HostState.FADING_IN, now_s, 0.0
        elif self.state is HostState.FADING_OUT:
            if for_s >= OUT_S:
                self.state, self._since_s = HostState.AWAY, now_s
                self._restart()
        elif self.state is HostState.AWAY:
            if for_s >= REST_S and sound_s >= AGAIN_S:
                self.state, self._since_s, self._from = HostState.FADING_IN, now_s, 0.0
            elif now_s - self._fault_s >= LOST_S and math.isnan(sound_s):
                self.state, self._since_s = HostState.LOST, now_s
        elif self.state is HostState.FADING_IN and for_s >= IN_S:
            self.state, self._since_s = HostState.LIVE, now_s

    def _weight(self, now_s: float) -> float:
        for_s = now_s - self._since_s
        if self.state is HostState.LIVE:
            return 1.0
        if self.state is HostState.FADING_OUT:
            return self._from * (1.0 - window(for_s / OUT_S))
        if self.state is HostState.FADING_IN:
            return self._from + (1.0 - self._from) * window(for_s / IN_S)
        return 0.0
