"""Six scripted nodes on a CAN bus, written from the bytes of the standards, not from the bank.

An SDO server over a dictionary, TPDO1 with each SYNC, heartbeats while somebody waits. What a node
does wrong is an attribute of it.
"""

from drives.bank import LinkLostError
from drives.can.frames import BusHealth, BusState, Frame

STATUS = {
    "off": 0x0240,
    "ready": 0x0221,
    "on": 0x0223,
    "run": 0x1227,
    "stop": 0x0207,
    "fault": 0x0208,
}
STEPS = {
    ("off", 0x06): "ready",
    ("ready", 0x07): "on",
    ("on", 0x0F): "run",
    ("on", 0x06): "ready",
    ("run", 0x06): "ready",
    ("run", 0x02): "stop",
    ("stop", 0x00): "off",
    ("ready", 0x00): "off",
}


class ScriptedNode:
    def __init__(self, node):
        self.node = node
        self.objects = {
            (0x1000, 0): b"\x92\x01\x02\x00",
            (0x1008, 0): b"Drive",
            (0x1018, 1): b"\x9a\x02\x00\x00",
            (0x1018, 2): b"\x07\x00\x00\x00",
            (0x1018, 4): (500 + node).to_bytes(4, "little"),
            (0x6502, 0): b"\xe1\x03\x00\x00",
            (0x60FD, 0): b"\x00\x00\x00\x00",
            # 10000 increments a turn, 10000 um a turn: a million counts per metre
            (0x608F, 1): b"\x10\x27\x00\x00",
            (0x608F, 2): b"\x01\x00\x00\x00",
            (0x6092, 1): b"\x10\x27\x00\x00",
            (0x6092, 2): b"\x01\x00\x00\x00",
        }
        self.silent = False  # no heartbeat, no PDO, no SDO
        self.no_pdo = False
        self.no_heartbeat = False
        self.lacks = set()
        self.keeps = {}  # (index, sub): value that it holds whatever is written
        self.nmt = 0x7F
        self.state = "off"
        self.mode, self.position, self.word = 0, 1000 * node, 0
        self.target = None
        self.answers_as = node
        self.homed_bits = 0

    def sdo(self, data):
        """Expedited upload and download of CiA 301, and the first segment of longer ones."""
        command, index, sub = data[0], int.from_bytes(data[1:3], "little"), data[3]
        head = data[1:4]
        if command == 0x80:
            return None
        if (index, sub) in self.lacks:
            return b"\x80" + head + b"\x00\x00\x02\x06"
        if command == 0x40:
            value = self.objects.get((index, sub))
            if value is None:
                return b"\x80" + head + b"\x00\x00\x02\x06"
            if len(value) > 4:
                self.segment = value
                return b"\x41" + head + len(value).to_bytes(4, "little")
            return bytes((0x43 | (4 - len(value)) << 2,)) + head + value.ljust(4, b"\0")
        if command & 0xEF == 0x60:  # a segment, with the toggle bit
            part, self.segment = self.segment[:7], self.segment[7:]
            flags = command & 0x10 | (7 - len(part)) << 1 | (not self.segment)
            return bytes((flags,)) + part.ljust(7, b"\0")
        size = 4 - (command >> 2 & 3)
        self.objects[index, sub] = self.keeps.get((index, sub), data[4 : 4 + size])
        return b"\x60" + head + bytes(4)

    def on_sync(self):
        word, mode, target = self.word, self.mode, self.target
        if self.state == "fault":
            if word & 0x80 and not getattr(self, "was", 0) & 0x80:
                self.state = "off"
        else:
            self.state = STEPS.get((self.state, word & 0x0F), self.state)
        self.was = word
        status = STATUS[self.state]
        if mode == 6:
            if word & 0x10:
                self.position, self.homed_bits = 0, 0x1400
            status = status & ~0x1000 | self.homed_bits
        elif self.state == "run" and target is not None:
            self.position = target
        return (
            status.to_bytes(2, "little")
            + mode.to_bytes(1, "little")
            + self.position.to_bytes(4, "little", signed=True)
        )


class ScriptedBus:
    """A `FrameBus` with six scripted nodes behind it."""

    def __init__(self, time):
        self.time = time
        self.nodes = [ScriptedNode(node) for node in range(1, 7)]
        self.sent, self.waiting = [], []
        self.beat_s = time.now
        self.state = BusState.ACTIVE
        self.lost = ""
        self.extra = []  # (time, Frame) of strangers
        self.pdo_delay_s = 0.0001
        self.closed = 0
        self.note = ""

    def send_frames(self, frames):
        if self.lost:
            raise LinkLostError(self.lost)
        for frame in frames:
            self.sent.append(frame)
            self._arrive(frame)

    def _arrive(self, frame):
        now = self.time.now
        for node in self.nodes:
            if node.silent:
                continue
            if frame.can_id == 0x000 and frame.data[1] in (0, node.node):
                node.nmt = {1: 0x05, 2: 0x04, 0x80: 0x7F}[frame.data[0]]
            elif frame.can_id == 0x600 + node.node:
                answer = node.sdo(frame.data)
                if answer is not None:
                    self._put(0.0002, 0x580 + node.answers_as, answer)
            elif frame.can_id == 0x200 + node.node and node.nmt == 5:
                node.word = int.from_bytes(frame.data[:2], "little")
                node.mode = frame.data[2]
                node.target = int.from_bytes(frame.data[3:], "little", signed=True)
            elif frame.can_id == 0x080 and node.nmt == 5:
                data = node.on_sync()
                if not node.no_pdo:
                    self._put(self.pdo_delay_s, 0x180 + node.answers_as, data)
        del now

    def _put(self, after_s, can_id, data):
        self.waiting.append((self.time.now + after_s, Frame(can_id, bytes(data))))

    def put(self, can_id, text):
        """Let a frame arrive now, its data as hexadecimal text."""
        self._put(0.0, can_id, bytes.fromhex(text))

    def receive_frames(self, timeout_s):
        if self.lost:
            raise LinkLostError(self.lost)
        end_s = self.time.now + timeout_s
        while True:
            while self.beat_s <= self.time.now:
                self._beat()
            due = [frame for at_s, frame in self.waiting if at_s <= self.time.now]
            if due or self.time.now >= end_s:
                self.waiting = [each for each in self.waiting if each[0] > self.time.now]
                return due
            events = [at_s for at_s, _ in self.waiting] + [self.beat_s, end_s]
            self.time.move_to(min(events))

    def _beat(self):
        for node in self.nodes:
            if not node.silent and not node.no_heartbeat:
                frame = Frame(0x700 + node.answers_as, bytes((node.nmt,)))
                self.waiting.append((self.beat_s, frame))
        self.beat_s += 0.02

    def health(self):
        return BusHealth(self.state, note=self.note)

    def shutdown(self):
        self.closed += 1
