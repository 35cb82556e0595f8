"""Another controller on a CANopen bus: seen before anything is sent that could move a drive.

No lock of this computer keeps out a controller on another one. One that runs cycles is noticed; one
that does not shows in its drives: they are under force, or move. Until both are ruled out, nothing
is sent but requests to read (SDO upload), and not even these where a controller is noticed.
"""

from collections.abc import Callable, Sequence

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.axes.cia402 import WITH_FORCE, state_of
from drives.axes.count_circle import difference
from drives.axes.scaling import LegScale
from drives.bank import DriveSetupError
from drives.can.frames import Frame
from drives.canopen.pdo import NMT_ID, SYNC_ID
from drives.canopen.service import Segment, ServiceNode

LISTEN_S = 0.12
"""Time for which a bus is monitored before anything is sent on it [s]."""
MOTION_S = 0.1
"""Time between two looks at the positions of drives [s]."""
MOTION_M = 1e-4
"""A leg that has gone further in that time moves [m]."""
REMEDY = (
    f"no controller was heard in {LISTEN_S:g} s, so an earlier run may have left it so: take the "
    "power off the drives, or stop one that leads them without SYNC, and start again; nothing was "
    "moved"
)


def refuse_master(segment: Segment) -> None:
    """Listen to a bus, and refuse one that somebody runs cycles on.

    Args:
        segment: The bus; what it receives is handed on as before.

    Raises:
        DriveSetupError: With what was received.
        LinkLostError: If the adapter is gone.
    """
    received: list[str] = []
    before: Callable[[Frame], None] = segment.on_frame

    def listen(frame: Frame) -> None:
        before(frame)
        if frame.can_id in (SYNC_ID, NMT_ID):
            received.append("SYNC" if frame.can_id == SYNC_ID else "NMT")

    segment.on_frame = listen
    try:
        segment.listen(LISTEN_S)
    finally:
        segment.on_frame = before
    if received:
        text = f"{received[0]} of another master is on the bus: stop the other controller first"
        raise DriveSetupError(f"{text}; a question would disturb what it does")


def refuse_controlled_drives(
    segments: Sequence[Segment], nodes: Sequence[ServiceNode], scales: Sequence[LegScale]
) -> None:
    """Refuse drives that are under force or in motion before anything was asked of them.

    Args:
        nodes: Node of each leg, 6.
        scales: Scale of each leg, 6.

    Raises:
        DriveSetupError: With leg, node, what was seen, and what to do.
        LinkLostError: If an adapter is gone.
    """
    before = [_position(node) for node in nodes]
    for leg, node in enumerate(nodes, start=1):
        word = _number(node, 0x6041, signed=False)
        state = None if word is None else state_of(word)
        if state in WITH_FORCE and state is not None:
            text = f"leg {leg} (node {node.number}) is {state.value} (statusword 0x{word:04X})"
            raise DriveSetupError(f"{text} before anything was asked of it: {REMEDY}")
    for segment in segments:
        segment.listen(MOTION_S)
    for leg, (node, scale, first) in enumerate(zip(nodes, scales, before, strict=True), start=1):
        last = _position(node)
        if first is None or last is None:
            continue
        moved_m = abs(difference(last, first)) / scale.counts_per_m
        if moved_m > MOTION_M:
            text = (
                f"leg {leg} (node {node.number}) moved by {1e3 * moved_m:.3g} mm in {MOTION_S:g} s"
            )
            text += f", more than {1e3 * MOTION_M:g} mm, before anything was asked of it"
            raise DriveSetupError(f"{text}: {REMEDY}")


def _position(node: ServiceNode) -> int | None:
    return _number(node, 0x6064, signed=True)


def _number(node: ServiceNode, index: int, *, signed: bool) -> int | None:
    """Value of an object; None if it cannot be read: the set-up of the drive will say so."""
    try:
        return int.from_bytes(node.read(index), "little", signed=signed)
    except (SdoAbortedError, SdoCommunicationError):
        return None
