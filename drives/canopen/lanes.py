"""One bus of the cycle: how its frames get on the wire, and how what comes finds its leg.

`FrameLane` works on every bus. `TextLane` does the same on an SLCAN adapter without a frame ever
being an object: a whole cycle is packed by one `Struct` and turned into text at once, and a line is
known by its first characters. Which one it is, is chosen once; the bytes on the wire are the same.
"""

from binascii import Error as HexError
from binascii import unhexlify
from collections.abc import Callable, Sequence
from operator import itemgetter
from struct import Struct
from typing import Protocol

from drives.axes.values import AxesWords
from drives.can.frames import Frame
from drives.can.slcan_bus import SlcanBus
from drives.can.slcan_codec import encode_frames
from drives.canopen.cycle import PdoInbox
from drives.canopen.pdo import (
    HEARTBEAT_ID,
    RPDO_IDS,
    SETPOINT,
    SYNC,
    TPDO_IDS,
    guard_request,
    heartbeat,
    second_setpoint,
)
from drives.canopen.service import Segment
from drives.canopen.settings import CanopenSettings
from hil_common.legs import LEG_COUNT, SixInts


class Lane(Protocol):
    """One bus in the cycle."""

    def send(self, words: AxesWords, speeds: Sequence[int] | None, *, beat: bool) -> None:
        """Put setpoints and SYNC on the bus in one write, and our heartbeat if it is due.

        Args:
            speeds: Speeds of the command [counts/s], 6; None without a command.
            beat: Whether the heartbeat is due.

        Raises:
            LinkLostError: If the adapter is gone.
        """
        ...

    def guard(self, nodes: Sequence[int]) -> None:
        """Ask these nodes for their sign of life with each heartbeat of ours from now on."""
        ...

    def take(self, timeout_s: float) -> None:
        """Read the bus once, and give each frame to whom it concerns.

        Args:
            timeout_s: Longest wait for something [s].

        Raises:
            LinkLostError: If the adapter is gone.
        """
        ...


def lane_of(segment: Segment, bus: int, settings: CanopenSettings, inbox: PdoInbox) -> Lane:
    """Return the lane for a bus, the short way if it is one of text.

    Args:
        bus: Its number.
        inbox: Takes the frames that come.
    """
    if isinstance(segment.bus, SlcanBus):
        return TextLane(segment, segment.bus, bus, settings, inbox)
    return FrameLane(segment, bus, settings, inbox)


class FrameLane:
    """A bus that takes and gives frames; the arguments are those of `lane_of`."""

    def __init__(
        self, segment: Segment, bus: int, settings: CanopenSettings, inbox: PdoInbox
    ) -> None:
        self._segment, self._bus, self._inbox = segment, bus, inbox
        self._legs = _legs_of(settings, bus)
        self._setpoint_ids = tuple(RPDO_IDS[0] + node for node in settings.node_ids)
        self._second_ids = tuple(RPDO_IDS[1] + node for node in settings.node_ids)
        self._second_layout = second_setpoint(settings)
        self._second = _Second(self._legs, settings)
        self._beats = [heartbeat(settings.master_id)]

    def send(self, words: AxesWords, speeds: Sequence[int] | None, *, beat: bool) -> None:
        """See `Lane.send`."""
        frames: list[Frame] = []
        for leg in self._legs:
            data = SETPOINT.pack(words.controlword[leg], words.mode[leg], words.target[leg])
            frames.append(Frame(self._setpoint_ids[leg], data))
        if self._second_layout is not None:
            rows = zip(*self._second.columns(words, speeds), strict=True)
            for leg, row in zip(self._legs, rows, strict=True):
                frames.append(Frame(self._second_ids[leg], self._second_layout.pack(*row)))
        frames.append(SYNC)
        if beat:
            frames += self._beats
        self._segment.send(frames)

    def guard(self, nodes: Sequence[int]) -> None:
        """See `Lane.guard`."""
        self._beats += [guard_request(node) for node in nodes]

    def take(self, timeout_s: float) -> None:
        """See `Lane.take`."""
        segment = self._segment
        frames = segment.bus.receive_frames(timeout_s)
        if frames:
            now_s = segment.now_s()
            for frame in frames:
                if not self._inbox.take(frame, self._bus, now_s) and _for_service(frame):
                    segment.hand_on(frame)


class TextLane:
    """A bus behind an SLCAN adapter; the arguments are those of `lane_of`, and the adapter's bus.

    A line is `t`, three digits of identifier, one of length and two per byte: with the `t` left
    out, whole bytes. So the lines of like frames are one block of bytes with fixed places.
    """

    def __init__(
        self,
        segment: Segment,
        link: SlcanBus,
        bus: int,
        settings: CanopenSettings,
        inbox: PdoInbox,
    ) -> None:
        self._segment, self._link, self._bus, self._inbox = segment, link, bus, inbox
        self._legs = legs = _legs_of(settings, bus)
        self._pick = _picker(legs)
        nodes = [settings.node_ids[leg] for leg in legs]
        self._setpoints = _LineBlock(SETPOINT, [RPDO_IDS[0] + node for node in nodes])
        layout = second_setpoint(settings)
        self._second = _Second(legs, settings)
        self._second_lines = None
        if layout is not None:
            self._second_lines = _LineBlock(layout, [RPDO_IDS[1] + node for node in nodes])
        self._sync = encode_frames((SYNC,))
        self._sync_and_beat = encode_frames((SYNC, heartbeat(settings.master_id)))
        self._known: dict[bytes, tuple[int, int, int]] = {}
        for leg, node in zip(legs, nodes, strict=True):
            for number, size in enumerate(inbox.sizes):
                head = f"t{TPDO_IDS[number] + node:03X}{size}"
                for each in (head, head.lower()):
                    self._known[each.encode()] = (5 + 2 * size, number, leg)
        self._beats = {
            encode_frames((beat,)).rstrip(): beat for beat in (heartbeat(node) for node in nodes)
        }

    def send(self, words: AxesWords, speeds: Sequence[int] | None, *, beat: bool) -> None:
        """See `Lane.send`."""
        pick = self._pick
        text = self._setpoints.text(pick(words.controlword), pick(words.mode), pick(words.target))
        if self._second_lines is not None:
            text += self._second_lines.text(*self._second.columns(words, speeds))
        self._link.send_text(text + (self._sync_and_beat if beat else self._sync))

    def guard(self, nodes: Sequence[int]) -> None:
        """See `Lane.guard`."""
        self._sync_and_beat += encode_frames([guard_request(node) for node in nodes])

    def take(self, timeout_s: float) -> None:
        """See `Lane.take`."""
        known, inbox = self._known, self._inbox
        for line in self._link.receive_lines(timeout_s):
            if line == b"z":
                continue  # the adapter has taken a frame: half of all lines
            place = known.get(line[:5])
            if place is None or len(line) != place[0]:
                if line:
                    self._take_other(line)
                continue
            try:
                data = unhexlify(line[5:])
            except HexError:
                self._take_other(line)
            else:
                inbox.take_tpdo(place[1], place[2], data)

    def _take_other(self, line: bytes) -> None:
        """Take a line that is no TPDO of ours as it should be."""
        frame = self._beats.get(line) or self._link.take_line(line)
        if frame is None or self._inbox.take(frame, self._bus, self._segment.now_s()):
            return
        if _for_service(frame):
            self._segment.hand_on(frame)


class _LineBlock:
    """Lines of frames that are alike but for identifier and values, made in one go.

    Args:
        layout: Little-endian layout of the data of one frame.
        can_ids: Identifier of each frame.
    """

    def __init__(self, layout: Struct, can_ids: Sequence[int]) -> None:
        self._bytes = 2 + layout.size
        data = layout.format.removeprefix("<")
        self._struct = Struct("<" + ("H" + data) * len(can_ids))
        self._step = 1 + len(data)
        self._values = [0] * (self._step * len(can_ids))
        # Identifier and length are 16 bits with the most significant digit first.
        heads = ((can_id << 4 | layout.size).to_bytes(2, "big") for can_id in can_ids)
        self._values[0 :: self._step] = [int.from_bytes(head, "little") for head in heads]

    def text(self, *columns: Sequence[int]) -> bytes:
        """Return the lines, each with its carriage return.

        Args:
            columns: For each value of the layout, the values of all frames.
        """
        values, step = self._values, self._step
        for place, column in enumerate(columns, start=1):
            values[place::step] = column
        digits = self._struct.pack(*values).hex("-", -self._bytes)
        return ("t" + digits.upper().replace("-", "\rt") + "\r").encode("ascii")


def _for_service(frame: Frame) -> bool:
    """Say whether `canopen` needs a frame; heartbeats are watched by the cycle itself."""
    return frame.can_id & 0x780 != HEARTBEAT_ID


def _legs_of(settings: CanopenSettings, bus: int) -> tuple[int, ...]:
    return tuple(leg for leg, its_bus in enumerate(settings.bus_of_leg) if its_bus == bus)


def _picker(legs: tuple[int, ...]) -> Callable[[SixInts], Sequence[int]]:
    """Return what picks the values of some legs out of six."""
    if len(legs) == LEG_COUNT:
        return lambda values: values
    if len(legs) == 1:
        return lambda values: (values[legs[0]],)
    return itemgetter(*legs)


class _Second:
    """Values of some legs for RPDO2, in the order of its layout."""

    def __init__(self, legs: tuple[int, ...], settings: CanopenSettings) -> None:
        self._legs, self._pick = legs, _picker(legs)
        self._with_speeds = settings.speed_feed_forward
        self._with_targets = len(settings.type.targets(settings.mode)) > 1

    def columns(self, words: AxesWords, speeds: Sequence[int] | None) -> list[Sequence[int]]:
        """Return speed offsets [counts/s], 0 where no command is followed, and targets [counts]."""
        found: list[Sequence[int]] = []
        if self._with_speeds and speeds is None:
            found.append([0] * len(self._legs))
        elif self._with_speeds and speeds is not None:
            found.append([speeds[leg] if words.commanded[leg] else 0 for leg in self._legs])
        if self._with_targets:
            found.append(self._pick(words.target))
        return found
