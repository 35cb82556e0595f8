"""From an open bus to six drives in operation, and back.

A bus on which somebody else is master is left alone. A drive that does not answer is named, with
the nodes that do answer, because a wrong node switch is the usual cause.
"""

from collections.abc import Iterable, Sequence

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.bank import DriveAbsentError, DriveSetupError
from drives.canopen_pdo import NMT_PRE_OPERATIONAL, NMT_START, OPERATIONAL, SDO_REQUEST_ID, nmt
from drives.canopen_rival import LISTEN_S, refuse_led_drives
from drives.canopen_service import Segment, ServiceNode
from drives.canopen_settings import CanopenSettings
from drives.canopen_setup import NodeIdentity, NodeSetup
from drives.canopen_watch import Watch
from drives.frames import Frame
from drives.scaling import LegScale

START_S = 1.0
"""Time in which a node tells that it is operational [s]."""
PROBE_S = 0.01
"""Time that a handful of nodes has to answer when all of a bus are looked for [s]."""
PROBE_AT_ONCE = 16
NODES_MAX = 127
_UPLOAD_DEVICE_TYPE = b"\x40\x00\x10\x00\x00\x00\x00\x00"


def configure_nodes(
    segments: Sequence[Segment],
    nodes: Sequence[ServiceNode],
    settings: CanopenSettings,
    scales: Sequence[LegScale],
    period_s: float,
    watch: Watch,
) -> tuple[list[NodeIdentity], tuple[str, ...]]:
    """Set six drives up and make them operational.

    Args:
        segments: The buses.
        nodes: Node of each leg, 6.
        settings: The drives and their bus.
        scales: Scale of each leg, 6.
        period_s: Bus cycle [s].
        watch: What has been noticed on the buses.

    Returns:
        Who they are, and a line of text about each leg.

    Raises:
        DriveSetupError: If somebody else commands the bus, or a drive is absent, another one, or
            does not hold what it was given.
        LinkLostError: If an adapter is gone.
    """
    end_s = segments[0].now_s() + settings.boot_timeout_s
    for segment in segments:
        segment.listen(LISTEN_S)
    _refuse_strangers(watch)
    _await_nodes(segments, nodes, settings, watch, end_s)
    refuse_led_drives(segments, nodes, scales)
    _refuse_strangers(watch)
    setups = [
        NodeSetup(node, leg, settings, scales[leg], period_s) for leg, node in enumerate(nodes)
    ]
    for node, bus in zip(nodes, settings.bus_of_leg, strict=True):
        segments[bus].send((nmt(NMT_PRE_OPERATIONAL, node.number),))
    identities = [setup.identify() for setup in setups]
    for setup in setups:
        setup.parameters()
    for node, bus in zip(nodes, settings.bus_of_leg, strict=True):
        segments[bus].send((nmt(NMT_START, node.number),))
    _await_operational(segments, nodes, watch)
    _refuse_strangers(watch)
    return identities, tuple(setup.describe() for setup in setups)


def leave_nodes(
    segments: Sequence[Segment], nodes: Sequence[ServiceNode], unpowered: Sequence[bool]
) -> None:
    """Make drives without force pre-operational that expect our heartbeat no longer.

    A drive that may have force is told nothing: its watchdog finds us gone, and stops it.

    Args:
        segments: The buses.
        nodes: Node of each leg, 6.
        unpowered: Whether it is proved that the drive of the leg has no force, 6.

    Raises:
        LinkLostError: If an adapter is gone.
    """
    for leg, node in enumerate(nodes):
        if not unpowered[leg]:
            continue
        try:
            node.write(0x1016, 1, bytes(4))
        except SdoAbortedError:
            pass  # it expects no heartbeat that could be missing
        except SdoCommunicationError:
            break  # it fell silent just now: its watchdog will find us gone, as it should
        for segment in segments:
            if node.segment is segment:
                segment.send((nmt(NMT_PRE_OPERATIONAL, node.number),))


def probe(segment: Segment, node_ids: Iterable[int] = range(1, NODES_MAX + 1)) -> None:
    """Ask nodes for their device type without waiting for each: who answers is heard.

    Args:
        segment: The bus.
        node_ids: Nodes to ask.

    Raises:
        LinkLostError: If the adapter is gone.
    """
    ids = list(node_ids)
    for first in range(0, len(ids), PROBE_AT_ONCE):
        segment.send(
            [
                Frame(SDO_REQUEST_ID + node, _UPLOAD_DEVICE_TYPE)
                for node in ids[first : first + PROBE_AT_ONCE]
            ]
        )
        segment.listen(PROBE_S)


def _refuse_strangers(watch: Watch) -> None:
    if watch.foreign:
        text = f"{watch.foreign} is on the bus: stop the other controller first"
        raise DriveSetupError(f"{text}; a bus has one master")


def _await_nodes(
    segments: Sequence[Segment],
    nodes: Sequence[ServiceNode],
    settings: CanopenSettings,
    watch: Watch,
    end_s: float,
) -> None:
    absent = [leg for leg, node in enumerate(nodes) if not _answers(node, end_s)]
    if not absent:
        return
    for segment in segments:
        probe(segment)
    wanted = ", ".join(f"leg {leg + 1} (node {nodes[leg].number})" for leg in absent)
    others = ", ".join(str(node) for node in sorted(watch.heard)) or "none at all"
    raise DriveAbsentError(
        f"{wanted} did not answer within {settings.boot_timeout_s:g} s; nodes that did: {others}"
    )


def _answers(node: ServiceNode, end_s: float) -> bool:
    """Say whether a node answers until then; it is asked once even if that is over."""
    while True:
        try:
            node.read(0x1000)
        except SdoAbortedError:
            return True
        except SdoCommunicationError:
            if node.segment.now_s() >= end_s:
                return False
        else:
            return True


def _await_operational(
    segments: Sequence[Segment], nodes: Sequence[ServiceNode], watch: Watch
) -> None:
    end_s = segments[0].now_s() + START_S
    for node, notes in zip(nodes, watch.nodes, strict=True):
        while notes.nmt_state != OPERATIONAL:
            left_s = end_s - node.segment.now_s()
            if left_s <= 0.0:
                raise DriveSetupError(
                    f"node {node.number} tells NMT state 0x{notes.nmt_state:02X} and not "
                    f"0x{OPERATIONAL:02X} {START_S:g} s after it was started"
                )
            node.segment.pump(left_s)
