"""Checks before drives are set up: six are present, each id is unique, and no drive is unassigned.

The checks only read. The one exception is the fault reset of the drive's maker, which the settings
name and which is written to a drive in fault.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.axes.cia402 import WITH_FORCE, State402, state_of
from drives.bank import DriveAbsentError, DriveSetupError
from drives.can.frames import BusState, Frame
from drives.canopen.objects import Parameter
from drives.canopen.pdo import SDO_ANSWER_ID, SDO_REQUEST_ID
from drives.canopen.service import SDO_TIMEOUT_S, Segment, ServiceNode
from drives.canopen.settings import CanopenSettings
from drives.canopen.watch import Watch
from drives.waits import ReportWaits, Wait
from hil_common.legs import LEG_COUNT

PROBE_S = 0.01
"""Time that a handful of nodes has to answer when all of a bus are looked for [s]."""
PROBE_AT_ONCE = 16
NODES_MAX = 127
LATE_ANSWERS_S = 0.05
"""Time after the last question to all in which slow nodes may answer [s]."""
SURPLUS_MAX = 2
"""SDO answers without a question that an adapter may make by doubling a frame."""
DEVICE_TYPE, STATUSWORD = 0x1000, 0x6041
_UPLOAD = 0x40


def probe(segment: Segment, nodes: Sequence[int], index: int = DEVICE_TYPE) -> None:
    """Read an object from several nodes at once.

    Args:
        nodes: Numbers of the nodes.
        index: Index of the object; sub-index 0.

    Raises:
        LinkLostError: If the adapter is gone.
    """
    question = bytes((_UPLOAD, *index.to_bytes(2, "little"), 0)) + bytes(4)
    for first in range(0, len(nodes), PROBE_AT_ONCE):
        some = nodes[first : first + PROBE_AT_ONCE]
        segment.send([Frame(SDO_REQUEST_ID + node, question) for node in some])
        segment.listen(PROBE_S)
    segment.listen(LATE_ANSWERS_S)


def await_nodes(
    segments: Sequence[Segment],
    nodes: Sequence[ServiceNode],
    settings: CanopenSettings,
    watch: Watch,
    report: ReportWaits,
) -> None:
    """Wait until all six drives answer; they may boot for as long as the settings say.

    Args:
        nodes: Node of each leg, 6.
        watch: What has been noticed on the buses.
        report: Takes a line about the nodes that are silent.

    Raises:
        DriveAbsentError: If one does not answer in time; names it and the nodes that do.
        LinkLostError: If an adapter is gone.
    """
    end_s = segments[0].now_s() + settings.boot_timeout_s
    absent = list(range(LEG_COUNT))
    while absent:
        for leg in tuple(absent):
            if _answers(nodes[leg]):
                absent.remove(leg)
            if absent:
                report(tuple(_silence(leg, nodes[leg], watch) for leg in absent))
        if segments[0].now_s() >= end_s:
            break
    if not absent:
        return
    for segment in segments:
        probe(segment, range(1, NODES_MAX + 1))
    wanted = ", ".join(f"leg {leg + 1} (node {nodes[leg].number})" for leg in absent)
    others = ", ".join(str(node) for node in sorted(watch.received)) or "none at all"
    text = f"{wanted} did not answer within {settings.boot_timeout_s:g} s"
    for segment in segments:
        if segment.bus.health().state is not BusState.ACTIVE:
            text += f"; adapter: {segment.bus.health().state.value}"
    for leg in absent:
        if nodes[leg].number in watch.received:
            text += f"; {_twice(nodes[leg].number)}: it is heard and answers nothing"
    raise DriveAbsentError(f"{text}; nodes that did: {others}")


def refuse_doubles(nodes: Sequence[ServiceNode]) -> None:
    """Refuse node ids that more than one node has: each of them answers every request.

    Args:
        nodes: Node of each leg, 6.

    Raises:
        DriveSetupError: With leg, id and what was seen.
    """
    for leg, node in enumerate(nodes, start=1):
        if node.surplus_answers > SURPLUS_MAX:
            raise DriveSetupError(
                f"leg {leg} (node {node.number}): {node.surplus_answers} SDO answers more than "
                f"questions: {_twice(node.number)}, or another program asks it at the same time"
            )


def with_doubt(error: DriveSetupError, nodes: Sequence[ServiceNode]) -> DriveSetupError:
    """Return an error of the set-up, with a note where two nodes may have one id.

    Two nodes that answer at once corrupt each other's frames: requests time out, answers mix.

    Args:
        error: What went wrong.
        nodes: Node of each leg, 6.
    """
    if "perhaps two nodes" in str(error):
        return error
    for node in nodes:
        if node.surplus_answers or (
            f"(node {node.number})" in str(error)
            and isinstance(error.__cause__, SdoCommunicationError)
        ):
            return DriveSetupError(f"{error}; {_twice(node.number)}")
    return error


@dataclass(frozen=True, slots=True)
class OtherNode:
    """Node that belongs to no leg."""

    bus: int
    """Its bus."""
    node: int
    """Its id."""
    statusword: int | None
    """6041h; None if it has none, so that it is no drive."""

    @property
    def powered(self) -> bool:
        """Whether it is a drive with power on its motor."""
        return self.statusword is not None and state_of(self.statusword) in WITH_FORCE

    def __str__(self) -> str:
        """Text such as `node 9 on bus 0 belongs to no leg: a drive, switch on disabled`."""
        text = f"node {self.node} on bus {self.bus} belongs to no leg"
        if self.statusword is None:
            return f"{text}: no drive"
        state = state_of(self.statusword)
        name = "no state of CiA 402" if state is None else state.value
        return f"{text}: a drive, {name} (6041h 0x{self.statusword:04X})"


def find_others(segments: Sequence[Segment], settings: CanopenSettings) -> tuple[OtherNode, ...]:
    """Search for nodes that belong to no leg, and refuse a drive among them that is powered.

    Returns:
        Those that answered.

    Raises:
        DriveSetupError: If one of them is a drive in operation: somebody else enabled it.
        LinkLostError: If an adapter is gone.
    """
    found: list[OtherNode] = []
    for bus, segment in enumerate(segments):
        legs = zip(settings.bus_of_leg, settings.node_ids, strict=True)
        ours = {settings.master_id} | {node for its_bus, node in legs if its_bus == bus}
        answers: dict[int, bytes] = {}
        received = segment.on_frame

        def listen(frame: Frame, answers: dict[int, bytes] = answers) -> None:
            if frame.can_id & 0x780 == SDO_ANSWER_ID and len(frame.data) == 8:
                answers[frame.can_id & 0x7F] = frame.data

        segment.on_frame = listen
        try:
            probe(segment, [n for n in range(1, NODES_MAX + 1) if n not in ours], STATUSWORD)
        finally:
            segment.on_frame = received
        for node, data in sorted(answers.items()):
            if node and node not in ours:
                found.append(OtherNode(bus, node, _uploaded(data)))
    for other in found:
        if other.powered:
            raise DriveSetupError(
                f"{other}: whoever enabled it commands this bus too; disable it, or take it off"
            )
    return tuple(found)


def leave_faults(nodes: Sequence[ServiceNode], settings: CanopenSettings) -> list[str]:
    """Write the maker's fault reset to drives in fault; bit 7 of the controlword completes it.

    Args:
        nodes: Node of each leg, 6.

    Returns:
        What was done, in words.

    Raises:
        DriveSetupError: If a drive refuses it.
    """
    done: list[str] = []
    for leg, node in enumerate(nodes, start=1):
        if not settings.fault_exit or read_state(node) is not State402.FAULT:
            continue
        for index, sub, kind, value in settings.fault_exit:
            write = Parameter(index, sub, kind, value, "way out of a fault")
            place = f"leg {leg} (node {node.number}): {write.meaning} ({write.place})"
            try:
                node.write(index, sub, write.encode())
            except (SdoAbortedError, SdoCommunicationError) as error:
                raise DriveSetupError(f"{place} of {value}: {error}") from error
            done.append(f"{place}: {value} written")
    return done


def read_state(node: ServiceNode) -> State402 | None:
    """Return the state of a drive by its statusword; None if it reports none."""
    try:
        return state_of(int.from_bytes(node.read(STATUSWORD)[:2], "little"))
    except (SdoAbortedError, SdoCommunicationError):
        return None


def _uploaded(data: bytes) -> int | None:
    """Return the 16 bits of an expedited answer (CiA 301, SDO upload); None for any other."""
    ours = data[0] & 0xE2 == 0x42 and int.from_bytes(data[1:3], "little") == STATUSWORD
    return int.from_bytes(data[4:6], "little") if ours else None


def _answers(node: ServiceNode) -> bool:
    try:
        node.read(DEVICE_TYPE)
    except SdoAbortedError:
        return True
    except SdoCommunicationError:
        return False
    return True


def _silence(leg: int, node: ServiceNode, watch: Watch) -> Wait:
    others = ", ".join(str(each) for each in sorted(watch.received)) or "none"
    remedy = f"it boots, or: supply, cable, its node id; nodes heard: {others}"
    if node.number in watch.received:
        remedy = f"{_twice(node.number)}: it is heard"
    what = f"node {node.number}, device type (1000h),"
    return Wait(DEVICE_TYPE, what, f"silent ({SDO_TIMEOUT_S:g} s)", "an answer", remedy, leg + 1)


def _twice(node: int) -> str:
    return f"perhaps two nodes with id {node}"
