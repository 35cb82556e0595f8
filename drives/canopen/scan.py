"""A scan of a CANopen bus, which changes nothing, for the command line.

Only SDO uploads are sent. Do not scan a bus on which a cycle runs: an SDO channel has one client.
"""

from collections.abc import Callable
from dataclasses import dataclass

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.can.frames import Frame, FrameBus
from drives.canopen.boot import NODES_MAX, PROBE_S, SURPLUS_MAX, probe
from drives.canopen.pdo import HEARTBEAT_ID, SDO_ANSWER_ID
from drives.canopen.rival import refuse_master
from drives.canopen.service import Segment, ServiceNode
from drives.canopen.setup import PROFILE

HISTORY_MAX = 254
"""Entries that an error history 1003h has at most."""


@dataclass(frozen=True, slots=True)
class FoundNode:
    """A node that answered."""

    node: int
    """Its id."""
    device_type: int
    """1000h; the low word is the device profile, 402 of a drive."""
    name: str
    """1008h, empty if it has none."""
    vendor: int
    """1018h:1."""
    product: int
    """1018h:2."""
    serial: int
    """1018h:4."""
    modes: tuple[int, ...]
    """Modes of operation that it supports, 6502h; empty if it is no drive."""
    errors: tuple[int, ...]
    """Error history 1003h, newest first: the low word is the error code."""
    doubled: bool = False
    """It answers each question more than once: perhaps two nodes with one id."""
    stamped: bool = False
    """It has a time stamp, 1013h."""

    @property
    def is_drive(self) -> bool:
        """Whether it says that it is a drive (CiA 402)."""
        return self.device_type & 0xFFFF == PROFILE


def scan(bus: FrameBus, now_s: Callable[[], float], timeout_s: float = 0.5) -> list[FoundNode]:
    """Ask all node ids of a bus who they are.

    Args:
        bus: The bus, open, with nobody else reading it.
        timeout_s: How long to listen still for heartbeats and late answers [s].

    Returns:
        The nodes that answered, by id.

    Raises:
        DriveSetupError: If somebody runs cycles on the bus; nothing was asked then.
        LinkLostError: If the adapter is gone.
    """
    segment = Segment(bus, now_s)
    received: set[int] = set()

    def listen(frame: Frame) -> None:
        if frame.can_id & 0x780 in (SDO_ANSWER_ID, HEARTBEAT_ID) and frame.can_id & 0x7F:
            received.add(frame.can_id & 0x7F)

    segment.on_frame = listen
    refuse_master(segment)
    probe(segment, range(1, NODES_MAX + 1))
    segment.listen(max(timeout_s, PROBE_S))
    found = (_identify(ServiceNode(node, segment)) for node in sorted(received))
    return [each for each in found if each is not None]


def measure_round_trips(
    bus: FrameBus, now_s: Callable[[], float], node: int, count: int
) -> list[float]:
    """Time requests to a node: how long it takes from a question to its answer.

    Args:
        bus: The bus, open, with nobody else reading it.

    Returns:
        Round trips [s]; unanswered requests are left out.

    Raises:
        LinkLostError: If the adapter is gone.
    """
    asked = ServiceNode(node, Segment(bus, now_s))
    trips: list[float] = []
    for _ in range(count):
        started_s = now_s()
        try:
            asked.read(0x1000)
        except (SdoAbortedError, SdoCommunicationError):
            continue
        trips.append(now_s() - started_s)
    return trips


def _identify(node: ServiceNode) -> FoundNode | None:
    try:
        device_type = _number(node, 0x1000, 0)
        supported = _number(node, 0x6502, 0)
        name = _bytes(node, 0x1008, 0).rstrip(b"\0").decode("ascii", "replace")
        return FoundNode(
            node=node.number,
            device_type=device_type,
            name=name,
            vendor=_number(node, 0x1018, 1),
            product=_number(node, 0x1018, 2),
            serial=_number(node, 0x1018, 4),
            modes=tuple(mode for mode in range(1, 33) if supported >> (mode - 1) & 1),
            errors=_history(node),
            doubled=node.surplus_answers > SURPLUS_MAX,
            stamped=bool(_bytes(node, 0x1013, 0)),
        )
    except SdoCommunicationError:
        return None  # it has a heartbeat, or had a voice a moment ago, and does not answer


def _history(node: ServiceNode) -> tuple[int, ...]:
    count = min(_number(node, 0x1003, 0), HISTORY_MAX)
    return tuple(_number(node, 0x1003, sub) for sub in range(1, count + 1))


def _number(node: ServiceNode, index: int, sub: int) -> int:
    return int.from_bytes(_bytes(node, index, sub)[:4], "little")


def _bytes(node: ServiceNode, index: int, sub: int) -> bytes:
    """Return the bytes of an object, none if the node does not have it."""
    try:
        return node.read(index, sub)
    except SdoAbortedError:
        return b""
