"""The start of six drives, from an open bus to operation, and their return to pre-operational.

If another master is on the bus, nothing is sent. A drive that does not answer is named, with
the nodes that do answer, because a wrong node switch is the usual cause.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.axes.scaling import LegScale
from drives.bank import DriveSetupError
from drives.canopen.boot import await_nodes, find_others, leave_faults, refuse_doubles, with_doubt
from drives.canopen.pdo import NMT_PRE_OPERATIONAL, NMT_START, OPERATIONAL, PRE_OPERATIONAL, nmt
from drives.canopen.rival import LISTEN_S, refuse_controlled_drives
from drives.canopen.service import Segment, ServiceNode
from drives.canopen.settings import CanopenSettings
from drives.canopen.setup import NodeIdentity, NodeSetup
from drives.canopen.watch import Watch
from drives.waits import ReportWaits, Wait

START_S = 1.0
"""Time in which a node reports that it is operational [s]."""
UNTOLD = (
    ", bit 12 of 6041h is not looked at: mode display and following error tell whether it follows"
)
"""Words added to the line of a leg whose drive does not report that it follows."""


class Configured(NamedTuple):
    """Six drives that are set up."""

    identities: list[NodeIdentity]
    """Identity of each drive, 6."""
    lines: tuple[str, ...]
    """One line of text about each leg, 6."""
    notes: tuple[str, ...]
    """Further notes: nodes that belong to no leg, objects written to leave faults."""


def configure_nodes(
    segments: Sequence[Segment],
    nodes: Sequence[ServiceNode],
    settings: CanopenSettings,
    scales: Sequence[LegScale],
    period_s: float,
    watch: Watch,
    report: ReportWaits,
) -> Configured:
    """Set six drives up and make them operational.

    Args:
        nodes: Node of each leg, 6.
        scales: Scale of each leg, 6.
        watch: Supervision of the buses.
        report: Called now and then with the reason for waiting.

    Returns:
        Identities of the drives, and text about them.

    Raises:
        DriveSetupError: If another master commands the bus, or a drive is absent, another one, or
            does not hold the values that were written.
        LinkLostError: If an adapter is gone.
    """
    for segment in segments:
        segment.listen(LISTEN_S)
    _refuse_strangers(watch)
    await_nodes(segments, nodes, settings, watch, report)
    refuse_controlled_drives(segments, nodes, scales)
    _refuse_strangers(watch)
    others = find_others(segments, settings)
    _report_transfers(nodes, report)
    setups = [
        NodeSetup(node, leg, settings, scales[leg], period_s) for leg, node in enumerate(nodes)
    ]
    for node, bus in zip(nodes, settings.bus_of_leg, strict=True):
        segments[bus].send((nmt(NMT_PRE_OPERATIONAL, node.number),))
    _await_pre_operational(segments, nodes, watch)
    identities, done = _set_up(nodes, setups, settings)
    for leg, (node, bus) in enumerate(zip(nodes, settings.bus_of_leg, strict=True)):
        if identities[leg].guarded:
            watch.guard(leg)
        segments[bus].send((nmt(NMT_START, node.number),))
    _await_operational(segments, nodes, watch)
    _refuse_strangers(watch)
    lines = tuple(setup.describe() + ("" if settings.follows_bit else UNTOLD) for setup in setups)
    return Configured(identities, lines, (*(str(other) for other in others), *done))


def read_places(nodes: Sequence[ServiceNode]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the counts of drives with absolute encoders, and their error codes.

    Args:
        nodes: Node of each leg, 6.

    Raises:
        DriveSetupError: If a drive does not report its position.
    """
    counts: list[int] = []
    codes: list[int] = []
    for leg, node in enumerate(nodes, start=1):
        try:
            counts.append(int.from_bytes(node.read(0x6064)[:4], "little", signed=True))
            codes.append(_error_code(node))
        except (SdoAbortedError, SdoCommunicationError) as error:
            text = f"leg {leg} (node {node.number}): position (6064h): {error}"
            raise DriveSetupError(text) from error
    return tuple(counts), tuple(codes)


def begin_to_leave(nodes: Sequence[ServiceNode], unpowered: Sequence[bool]) -> list[ServiceNode]:
    """Request drives without force to stop expecting the bench's heartbeat, all at once.

    The cycle must run until they have `answered`, or a slow drive records a fault. A drive that may
    have force is sent nothing: its watchdog detects that the bench is gone, and stops it.

    Args:
        nodes: Node of each leg, 6.
        unpowered: Whether it is proved that the drive of the leg has no force, 6.

    Returns:
        The drives that were sent the request.

    Raises:
        LinkLostError: If an adapter is gone.
    """
    asked = [node for node, proved in zip(nodes, unpowered, strict=True) if proved]
    for node in asked:
        node.post(*node.sign_off)
    return asked


def leave_nodes(segments: Sequence[Segment], nodes: Sequence[ServiceNode]) -> None:
    """Make drives pre-operational, in one write for each bus: then no setpoints are missed.

    Args:
        nodes: The drives that were sent the request by `begin_to_leave`.

    Raises:
        LinkLostError: If an adapter is gone.
    """
    for segment in segments:
        frames = [nmt(NMT_PRE_OPERATIONAL, n.number) for n in nodes if n.segment is segment]
        if frames:
            segment.send(frames)


def _refuse_strangers(watch: Watch) -> None:
    if watch.foreign:
        text = f"{watch.foreign} is on the bus: stop the other controller first"
        raise DriveSetupError(f"{text}; a bus has one master")


def _set_up(
    nodes: Sequence[ServiceNode], setups: Sequence[NodeSetup], settings: CanopenSettings
) -> tuple[list[NodeIdentity], list[str]]:
    """Identify the drives and write into them; return their identities, and notes."""
    try:
        identities = [setup.identify() for setup in setups]
        refuse_doubles(nodes)
        done = leave_faults(nodes, settings)
        for setup in setups:
            setup.release()
        for setup in setups:
            setup.parameters()
    except DriveSetupError as error:
        raise with_doubt(error, nodes) from error
    refuse_doubles(nodes)
    return identities, done


def _error_code(node: ServiceNode) -> int:
    """Return 603Fh; 0 for a drive that has none."""
    try:
        return int.from_bytes(node.read(0x603F)[:2], "little")
    except SdoAbortedError:
        return 0


def _report_transfers(nodes: Sequence[ServiceNode], report: ReportWaits) -> None:
    """Let each SDO transfer report the progress: hundreds of slow transfers take long."""

    def of(node: ServiceNode, leg: int) -> Callable[[int, int], None]:
        def transfer(index: int, sub: int) -> None:
            seen = f"at leg {leg} (node {node.number}), object {index:04X}h:{sub}"
            report((Wait(index, "the set-up of six drives by SDO", seen, "its end"),))

        return transfer

    for leg, node in enumerate(nodes, start=1):
        node.on_transfer = of(node, leg)


def _await_pre_operational(
    segments: Sequence[Segment], nodes: Sequence[ServiceNode], watch: Watch
) -> None:
    """Wait until drives that report their NMT state are pre-operational: only then PDOs are mapped.

    A drive that reports none is not waited for; it refuses a write that comes too early.
    """
    end_s = segments[0].now_s() + START_S
    for node, notes in zip(nodes, watch.nodes, strict=True):
        while notes.received_s is not None and notes.nmt_state != PRE_OPERATIONAL:
            left_s = end_s - node.segment.now_s()
            if left_s <= 0.0:
                return
            node.segment.pump(left_s)


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
