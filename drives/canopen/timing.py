"""Times of drives from SYNC to their TPDO1: what a cycle waits for, timed without a setpoint.

The drives are made operational for a moment and sent SYNC, and nothing else: no RPDO, so nothing is
commanded. Transmission type and state of TPDO1 are put back afterwards. Drives that somebody
operates, or that have force, are left alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from struct import Struct

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.axes.cia402 import State402
from drives.can.frames import Frame, FrameBus
from drives.canopen.boot import read_state
from drives.canopen.pdo import (
    HEARTBEAT_ID,
    INVALID,
    NMT_ID,
    NMT_PRE_OPERATIONAL,
    NMT_START,
    OPERATIONAL,
    RPDO_IDS,
    SYNC,
    SYNC_ID,
    nmt,
)
from drives.canopen.service import Segment, ServiceNode

LISTEN_S = 0.12
"""Time for which the bus is monitored whether somebody operates the drives [s]."""
ANSWER_S = 0.02
"""Longest wait for the TPDO1 of one SYNC [s]."""
SETTLE_S = 0.05
"""Time in which drives become operational [s]."""
_COMMUNICATION, _MAPPING = 0x1800, 0x1A00
_U32 = Struct("<I")
_AT_REST = frozenset(
    (
        State402.NOT_READY_TO_SWITCH_ON,
        State402.SWITCH_ON_DISABLED,
        State402.READY_TO_SWITCH_ON,
        State402.SWITCHED_ON,
        State402.FAULT,
    )
)


@dataclass(slots=True)
class SyncTiming:
    """Result of the timing."""

    trips_s: dict[int, list[float]] = field(default_factory=dict[int, list[float]])
    """Times from SYNC to the TPDO1 of each node, by id [s], sorted."""
    missing: dict[int, int] = field(default_factory=dict[int, int])
    """SYNCs that a node did not answer, by id."""
    untimed: list[str] = field(default_factory=list[str])
    """Reasons why nothing, or one node, was not timed; one text each."""


def measure_sync(
    bus: FrameBus, now_s: Callable[[], float], nodes: Sequence[int], count: int, period_s: float
) -> SyncTiming:
    """Time SYNC to TPDO1 of drives, all at once as in a cycle.

    Args:
        bus: The bus, open, with nobody else reading it.
        nodes: Ids of the drives.
        period_s: Time between two [s].

    Raises:
        LinkLostError: If the adapter is gone.
    """
    segment, timing = Segment(bus, now_s), SyncTiming()
    if operated := _operated(segment, nodes):
        timing.untimed.append(f"{operated}: the drives are left alone")
        return timing
    asked: list[_Tpdo] = []
    try:
        for number in nodes:
            tpdo = _Tpdo(ServiceNode(number, segment))
            if why := tpdo.prepare():
                timing.untimed.append(f"node {number}: {why}")
            else:
                asked.append(tpdo)
        if asked:
            _time(segment, asked, count, period_s, timing)
    finally:
        for tpdo in asked:
            tpdo.put_back()
    return timing


class _Tpdo:
    """TPDO1 of one drive, sent with each SYNC for a while."""

    def __init__(self, node: ServiceNode) -> None:
        self.node = node
        self.can_id = 0
        self._held: dict[int, bytes] = {}

    def prepare(self) -> str:
        """Let it come with each SYNC; returns why that is not possible, or nothing."""
        node = self.node
        try:
            state = read_state(node)
            if state not in _AT_REST:
                return f"it is {'in no state of CiA 402' if state is None else state.value}"
            node.segment.send((nmt(NMT_PRE_OPERATIONAL, node.number),))
            cob_id, kind = node.read(_COMMUNICATION, 1), node.read(_COMMUNICATION, 2)
            if not node.read(_MAPPING)[0]:
                return "its TPDO1 holds nothing"
            number = _U32.unpack(cob_id[:4])[0]
            self._held = {2: kind, 1: cob_id}
            self.can_id = number & 0x7FF
            node.write(_COMMUNICATION, 1, _U32.pack(number | INVALID))
            node.write(_COMMUNICATION, 2, b"\x01")
            node.write(_COMMUNICATION, 1, _U32.pack(number & ~INVALID))
        except (SdoAbortedError, SdoCommunicationError) as error:
            self.put_back()
            return f"its TPDO1 cannot be sent with SYNC: {error}"
        return ""

    def put_back(self) -> None:
        """Make the drive pre-operational and its TPDO1 what it was."""
        node = self.node
        node.segment.send((nmt(NMT_PRE_OPERATIONAL, node.number),))
        try:
            if self._held:
                off = _U32.unpack(self._held[1][:4])[0] | INVALID
                node.write(_COMMUNICATION, 1, _U32.pack(off))
            for sub, data in self._held.items():
                node.write(_COMMUNICATION, sub, data)
        except (SdoAbortedError, SdoCommunicationError):
            pass  # the next set-up writes it anyway


def _time(
    segment: Segment, asked: Sequence[_Tpdo], count: int, period_s: float, timing: SyncTiming
) -> None:
    now_s = segment.now_s
    node_of = {tpdo.can_id: tpdo.node.number for tpdo in asked}
    trips: dict[int, list[float]] = {number: [] for number in node_of.values()}
    sent_s, waiting = 0.0, set[int]()

    def listen(frame: Frame) -> None:
        node = node_of.get(frame.can_id)
        if node in waiting:
            waiting.discard(node)
            trips[node].append(now_s() - sent_s)

    segment.send([nmt(NMT_START, tpdo.node.number) for tpdo in asked])
    segment.listen(SETTLE_S)
    segment.on_frame = listen
    for _ in range(count):
        waiting = set(trips)
        sent_s = now_s()
        segment.send((SYNC,))
        while waiting and (left_s := sent_s + ANSWER_S - now_s()) > 0.0:
            segment.pump(left_s)
        segment.listen(sent_s + period_s - now_s())
    for number, found in trips.items():
        timing.trips_s[number] = sorted(found)
        timing.missing[number] = count - len(found)


def _operated(segment: Segment, nodes: Sequence[int]) -> str:
    """Listen whether somebody operates the drives; say who, or nothing."""
    seen: list[str] = []

    def listen(frame: Frame) -> None:
        service, node = frame.can_id & 0x780, frame.can_id & 0x7F
        if frame.can_id in (SYNC_ID, NMT_ID) or (service in RPDO_IDS and node in nodes):
            seen.append(f"another controller sends 0x{frame.can_id:03X}")
        elif service == HEARTBEAT_ID and node in nodes and frame.data == bytes((OPERATIONAL,)):
            seen.append(f"node {node} is operational")

    segment.on_frame = listen
    segment.listen(LISTEN_S)
    return seen[0] if seen else ""
