"""Supervision of six nodes apart from their PDOs: heartbeat, boot-up, EMCY, foreign senders.

All times are those of the cycle; a silent node is detected by the next cycle, not by a timer.
Codes are those of CiA 301, "Emergency error codes", as a drive itself would send them; the bench's
own judgements and the codes reported by a drive are kept apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from drives.can.frames import Frame
from drives.canopen.pdo import (
    BOOT_UP,
    EMCY_ID,
    HEARTBEAT_ID,
    NMT_ID,
    OPERATIONAL,
    RPDO_IDS,
    SDO_ANSWER_ID,
    SDO_REQUEST_ID,
    SYNC_ID,
    TPDO_IDS,
    emergency,
)
from hil_common.legs import LEG_COUNT, SixInts

GENERIC_ERROR = 0x1000
"""A fault bit without any EMCY."""
NOT_OPERATIONAL = 0x8100
"""Communication: the node has left the state operational."""
ERROR_PASSIVE = 0x8120
HEARTBEAT_LOST = 0x8130
FOREIGN_MASTER = 0x8150
"""CAN identifier collision: somebody else sends what only the bench may send."""
RESTARTED = 0x8180
"""The node has restarted: it has lost its parameters and its reference position."""
ERROR_CODE_TOLD = bytes((0x4B, 0x3F, 0x60, 0x00))
"""Beginning of an answer with the two bytes of 603Fh:0 (CiA 301, SDO upload protocol)."""
DOUBLE_ID = 0xFF02
"""Two nodes have the id of a leg; a code of the bench's own (CiA 301: FFxxh, device specific)."""
BEATS = 100
"""Number of heartbeats over which their rate is measured."""
DOUBLE_SHARE = 0.6
"""Share of the normal time for that many heartbeats below which they come from two nodes; if they
were only read late, all at once, they take more of it."""
HEARTBEATS_MISSED = 3
"""Heartbeats that may be missing."""
_NEVER_S = float("-inf")
_ROUNDING_S = 1e-6
"""Time before a node's silence becomes too long at which it is examined again [s]."""


@dataclass(slots=True)
class NodeNotes:
    """Known facts of one node."""

    received_s: float | None = None
    """Time of its last heartbeat [s]; None before the first."""
    nmt_state: int = BOOT_UP
    """NMT state that it reported last."""
    restarted: bool = False
    """Whether it booted while it was in operation."""
    doubled: bool = False
    """Whether two nodes have its id."""
    beats: int = 0
    """Heartbeats since `beats_s`."""
    beats_s: float = 0.0
    """Start of that count [s]."""
    code: int = 0
    """Error code of its last EMCY that has not been taken back."""
    note: str = ""
    """The last event, in words."""
    guarded: bool = False
    """It sends no heartbeats, and is asked for its sign of life (node guarding)."""
    unanswered: int = 0
    """Number of guarding requests in a row without an answer."""
    toggle: int | None = None
    """Bit 7 of its last answer, which must alternate; None before the first."""
    warns: bool = False
    """Whether the drive warns without a fault, so that its code is that of the warning."""
    reported_code: int = 0
    """Code that it reported in 603Fh when it was asked; 0 before."""

    @property
    def fault_code(self) -> int:
        """The code, unless it is that of a warning."""
        return 0 if self.warns else self.code


class Watch:
    """Takes in all frames except the PDOs of the bench's drives.

    Args:
        node_ids: Node of each leg, 6.
        bus_of_leg: Bus of each leg, 6.
        master_id: Node id of the bench.
        heartbeat_s: How often a node sends its heartbeat [s].
    """

    def __init__(
        self,
        node_ids: Sequence[int],
        bus_of_leg: Sequence[int],
        master_id: int,
        heartbeat_s: float,
    ) -> None:
        self.nodes: tuple[NodeNotes, ...] = tuple(NodeNotes() for _ in range(LEG_COUNT))
        self._node_ids = tuple(node_ids)
        self.operating: bool = False
        self.foreign: str = ""
        self.unknown_ids: int = 0
        self.received: set[int] = set()
        self._double_s = DOUBLE_SHARE * BEATS * heartbeat_s
        self._silence_s = HEARTBEATS_MISSED * heartbeat_s
        self._well_until_s = _NEVER_S
        self._leg_of = {
            (bus, node): leg
            for leg, (bus, node) in enumerate(zip(bus_of_leg, node_ids, strict=True))
        }
        self._ours = {SYNC_ID: "SYNC", NMT_ID: "NMT"}
        self._ours[HEARTBEAT_ID + master_id] = "the bench's heartbeat"
        for node in node_ids:
            for base in RPDO_IDS:
                self._ours[base + node] = f"setpoints of node {node}"
            self._ours[SDO_REQUEST_ID + node] = f"an SDO request to node {node}"

    def take(self, frame: Frame, bus: int, now_s: float) -> None:
        """Take in a frame."""
        can_id = frame.can_id
        stranger = self._ours.get(can_id)
        if stranger is not None:
            self.foreign = f"{stranger} (0x{can_id:03X}) of another master on bus {bus}"
            self._well_until_s = _NEVER_S
            return
        service, node = can_id & 0x780, can_id & 0x7F
        if node and service in _OF_NODES:
            self.received.add(node)
        leg = self._leg_of.get((bus, node))
        if leg is None or service not in _OF_NODES:
            self.unknown_ids += 1
        elif service == HEARTBEAT_ID:
            self._heartbeat(leg, frame.data, now_s)
        elif service == EMCY_ID:
            self._emergency(self.nodes[leg], frame.data)
        elif service == SDO_ANSWER_ID and frame.data[:4] == ERROR_CODE_TOLD:
            self.nodes[leg].reported_code = int.from_bytes(frame.data[4:6], "little")

    def begin_operation(self, now_s: float) -> None:
        """Count a boot-up as a restart, and supervise silence, from now on [s]."""
        self.operating = True
        self._well_until_s = _NEVER_S
        for notes in self.nodes:
            notes.received_s = notes.beats_s = now_s
            notes.beats = 0

    def guard(self, leg: int) -> None:
        """Note that a node is guarded: its answers show that it is alive, and its state.

        It was made operational and cannot have reported this yet.
        """
        notes = self.nodes[leg]
        notes.guarded, notes.nmt_state = True, OPERATIONAL
        notes.toggle, notes.unanswered = None, 0

    def asked(self) -> None:
        """Note that all guarded nodes were sent a request."""
        for notes in self.nodes:
            if notes.guarded:
                notes.unanswered += 1
                if notes.unanswered > HEARTBEATS_MISSED:
                    self._well_until_s = _NEVER_S

    def all_well(self, now_s: float) -> bool:
        """Return whether all six are `alive` and have no code, usually with one comparison.

        The result is kept until a node reports a change, or may have been silent for too long.
        """
        if now_s < self._well_until_s:
            return True
        if (
            any(self.judgements(now_s))
            or any(n.fault_code for n in self.nodes)
            or not all(self.alive(leg, now_s) for leg in range(LEG_COUNT))
        ):
            return False
        received_s = [
            notes.received_s
            for notes in self.nodes
            if notes.received_s is not None and not notes.guarded  # asked() sees those
        ]
        self._well_until_s = min(received_s, default=now_s) + self._silence_s - _ROUNDING_S
        return True

    def alive(self, leg: int, now_s: float) -> bool:
        """Return whether a node's reports are valid: received recently, without a restart."""
        notes = self.nodes[leg]
        doubtful = notes.restarted or notes.doubled or notes.nmt_state != OPERATIONAL
        return not (doubtful or self._silent(notes, now_s))

    def judgements(self, now_s: float) -> SixInts:
        """Return the error code that the bench itself assigns to each node; 0 if nothing is wrong.

        It takes precedence over the code that a drive reports (`NodeNotes.fault_code`).
        """
        a, b, c, d, e, f = (self._judgement(notes, now_s) for notes in self.nodes)
        return (a, b, c, d, e, f)

    def double(self, leg: int, now_s: float, what: str) -> None:
        """Note that two nodes have the id of a leg; none of its data is used again.

        Args:
            leg: Index of the leg.
            what: Evidence, in words.
        """
        notes = self.nodes[leg]
        if not notes.doubled:
            notes.doubled = True
            node = self._node_ids[leg]
            notes.note = f"perhaps two nodes with id {node}: {what} at {now_s:.3f} s"
            self._well_until_s = _NEVER_S

    def forgive(self, leg: int) -> None:
        """Forget the EMCY of a node whose fault has been acknowledged."""
        self.nodes[leg].code = 0

    def warn(self, leg: int, *, warns: bool, well: bool = False) -> None:
        """Note that a drive warns, or no longer warns.

        Args:
            leg: Index of the leg.
            warns: Whether it warns.
            well: Whether nothing has replaced the warning, so that its code is cleared.
        """
        notes = self.nodes[leg]
        notes.warns, notes.reported_code = warns, 0
        self._well_until_s = _NEVER_S
        if well:
            notes.code = 0

    def _silent(self, notes: NodeNotes, now_s: float) -> bool:
        if notes.guarded:
            return notes.unanswered > HEARTBEATS_MISSED
        return notes.received_s is None or now_s - notes.received_s > self._silence_s

    def _judgement(self, notes: NodeNotes, now_s: float) -> int:
        if notes.doubled:
            return DOUBLE_ID
        if notes.restarted:
            return RESTARTED
        if self.foreign:
            return FOREIGN_MASTER
        if self._silent(notes, now_s):
            return HEARTBEAT_LOST
        if notes.nmt_state != OPERATIONAL:
            return NOT_OPERATIONAL
        return 0

    def _heartbeat(self, leg: int, data: bytes, now_s: float) -> None:
        notes = self.nodes[leg]
        if len(data) != 1:
            self.unknown_ids += 1
            return
        state, toggle = data[0] & 0x7F, data[0] & 0x80
        notes.received_s = now_s
        if self.operating:
            self._count_beat(leg, now_s)
        if notes.guarded and state != BOOT_UP:
            # An answer that was seen before is none; after a lost one the next but one counts.
            if toggle != notes.toggle:
                notes.unanswered = 0
            notes.toggle = toggle
        if state != OPERATIONAL:
            self._well_until_s = _NEVER_S
        if state == BOOT_UP:
            notes.note = f"booted at {now_s:.3f} s"
            notes.restarted = notes.restarted or self.operating
        elif self.operating and state != OPERATIONAL:
            notes.note = f"told NMT state 0x{state:02X} at {now_s:.3f} s"
        notes.nmt_state = state

    def _count_beat(self, leg: int, now_s: float) -> None:
        notes = self.nodes[leg]
        notes.beats += 1
        if notes.beats == BEATS:
            span_s = now_s - notes.beats_s
            if span_s < self._double_s:
                self.double(leg, now_s, f"{BEATS} heartbeats in {span_s:.2f} s")
            notes.beats, notes.beats_s = 0, now_s

    def _emergency(self, notes: NodeNotes, data: bytes) -> None:
        message = emergency(data)
        if message is None:
            self.unknown_ids += 1
            return
        self._well_until_s = _NEVER_S
        if message.code >> 8 == 0:
            notes.code = 0
            return
        notes.code = message.code
        notes.note = f"EMCY 0x{message.code:04X}, error register 0x{message.register:02X}"


_OF_NODES = frozenset((EMCY_ID, *TPDO_IDS, SDO_ANSWER_ID, HEARTBEAT_ID))
