"""An SLCAN adapter as a `BytePort` over any bus of frames, on that bus's own virtual clock."""

from drives.can.frames import REMOTE, BusState, Frame
from drives.can.slcan_bus import SlcanBus

ANSWERS = {b"V": b"V1013\r", b"N": b"NA123\r"}
FLAGS = {BusState.ACTIVE: b"F00\r", BusState.PASSIVE: b"F20\r", BusState.BUS_OFF: b"FA0\r"}


class TextPort:
    """Takes lines, gives lines, says `z` to every frame as many adapters do."""

    url = device = "text:"

    def __init__(self, bus):
        self.bus, self.said = bus, b""

    def fileno(self):
        return -1

    def write(self, data):
        assert data.endswith(b"\r")
        frames = []
        for line in data[:-1].split(b"\r"):
            if line[:1] == b"t":
                assert line == line.upper().replace(b"T", b"t"), "digits are capitals"
                assert len(line) == 5 + 2 * int(line[4:5])
                frames.append(Frame(int(line[1:4], 16), bytes.fromhex(line[5:].decode())))
                self.said += b"z\r"
            elif line[:1] == b"r":
                assert len(line) == 5, "a remote frame has a length and no data"
                frames.append(Frame(REMOTE | int(line[1:4], 16), bytes(int(line[4:5]))))
                self.said += b"z\r"
            elif line == b"F":
                self.said += FLAGS[self.bus.health().state]
            else:
                self.said += ANSWERS.get(line, b"\r")
        if frames:
            self.bus.send_frames(frames)

    def read(self, timeout_s):
        said, self.said = self.said, b""
        frames = self.bus.receive_frames(0.0 if said else timeout_s)
        lines = [f"t{can_id:03X}{len(data)}{data.hex().upper()}\r" for can_id, data in frames]
        return said + "".join(lines).encode()

    def close(self):
        self.bus.shutdown()


class QuietOpening(TextPort):
    """Hears nothing of the bus until the channel is open, so that opening takes no time."""

    def read(self, timeout_s):
        said, self.said = self.said, b""
        return said


def slcan_over(bus, now_s):
    """Return a bus of frames behind an SLCAN adapter of text."""
    link = SlcanBus(QuietOpening(bus), bitrate=1_000_000, now_s=now_s)
    link._port = TextPort(bus)
    return link
