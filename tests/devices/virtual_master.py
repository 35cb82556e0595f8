"""A small CANopen master in virtual time, written from the standard for these tests alone."""

from __future__ import annotations

import struct

from sim.devices.can.rack import CanFrame, CanRack
from sim.devices.drive.parameters import RackSettings

NODES = range(1, 7)
HOMING, CSP, IP = 6, 8, 7


class VirtualMaster:
    """Sends frames to a rack, moves time on and keeps what came back."""

    def __init__(self, settings: RackSettings | None = None, *, seed: int = 1) -> None:
        self.rack = CanRack(settings or RackSettings(), seed=seed)
        self.now_s = 0.0
        self.seen: list[CanFrame] = []
        self.rack.advance(0.0)
        self.wait(0.06)

    def wait(self, dt_s: float) -> list[CanFrame]:
        """Let time pass; returns the frames that came."""
        self.now_s += dt_s
        frames = self.rack.transmit(self.now_s)
        self.seen += frames
        return frames

    def send(self, can_id: int, data: bytes = b"") -> bool:
        return self.rack.receive((can_id, data), self.now_s)

    def ask(self, can_id: int, data: bytes = b"", dt_s: float = 0.003) -> list[CanFrame]:
        self.send(can_id, data)
        return self.wait(dt_s)

    def nmt(self, command: int, node: int = 0) -> None:
        self.ask(0x000, bytes((command, node)))

    def sdo(self, node: int, request: bytes) -> bytes:
        """One SDO request and its answer."""
        answers = [d for i, d in self.ask(0x600 + node, request) if i == 0x580 + node]
        assert len(answers) == 1, answers
        return answers[0]

    def write(self, node: int, index: int, sub: int, form: str, value: int) -> int:
        """Expedited download; returns 0 or the abort code."""
        data = struct.pack("<" + form, value)
        head = struct.pack("<BHB", 0x23 | (4 - len(data)) << 2, index, sub)
        answer = self.sdo(node, head + data.ljust(4, b"\0"))
        return 0 if answer[0] == 0x60 else struct.unpack_from("<I", answer, 4)[0]

    def read(self, node: int, index: int, sub: int, form: str) -> int:
        answer = self.sdo(node, struct.pack("<BHB4x", 0x40, index, sub))
        assert answer[0] & 0xE3 == 0x43, answer.hex()
        return struct.unpack_from("<" + form, answer, 4)[0]

    def configure(self, rpdo_timeout_ms: int = 0, heartbeat_ms: int = 0) -> None:
        """SYNC-driven RPDO1 and TPDO1 on all nodes, watchdogs as given, then OPERATIONAL."""
        for node in NODES:
            for comm, base in ((0x1400, 0x200), (0x1800, 0x180)):
                assert self.write(node, comm, 1, "I", 0x8000_0000 | base + node) == 0
                assert self.write(node, comm, 2, "B", 1) == 0
                assert self.write(node, comm, 1, "I", base + node) == 0
            assert self.write(node, 0x1400, 5, "H", rpdo_timeout_ms) == 0
            assert self.write(node, 0x1016, 1, "I", 127 << 16 | heartbeat_ms) == 0
        self.nmt(1)

    def cycle(
        self, controlword: int, mode: int, targets: list[int], period_s: float = 0.004
    ) -> dict[int, tuple[int, int, int]]:
        """Six RPDOs and SYNC; returns statusword, mode, position of each node that answered."""
        for node in NODES:
            self.send(0x200 + node, struct.pack("<Hbi", controlword, mode, targets[node - 1]))
        self.send(0x080)
        frames = self.wait(period_s)
        return {i - 0x180: struct.unpack("<Hbi", d) for i, d in frames if i & 0x780 == 0x180}

    def cycles(
        self, count: int, controlword: int, mode: int, targets: list[int]
    ) -> dict[int, tuple[int, int, int]]:
        status: dict[int, tuple[int, int, int]] = {}
        for _ in range(count):
            status = self.cycle(controlword, mode, targets)
        return status

    def enable(self, mode: int = CSP) -> dict[int, tuple[int, int, int]]:
        """Shutdown, switch on, enable operation, holding where the drives are."""
        here = [status[2] for status in self.cycles(2, 0x00, mode, [0] * 6).values()]
        for controlword in (0x06, 0x07):
            self.cycles(3, controlword, mode, here)
        return self.cycles(60, 0x0F, mode, here)

    def home(self) -> dict[int, tuple[int, int, int]]:
        """Home all six by method 21 and return to the cyclic mode where they stand."""
        self.enable(HOMING)
        status = self.cycles(600, 0x1F, HOMING, [0] * 6)
        assert all(word & 0x3400 == 0x1400 for word, _, _ in status.values())
        here = [position for _, _, position in status.values()]
        return self.cycles(10, 0x0F, CSP, here)
