"""What one exchange of a CANopen bank costs: processor and wall time, beside `canopen`'s own PDOs.

Six drives that are enabled are answered by a script in the same thread, so that nothing but the
bank's own work is counted: the time of the script is taken off. In memory the bus is a list of
frames; over a socket pair the bank speaks SLCAN text as it does to an adapter. The peer reads and
writes the same objects by `canopen`'s `PdoVariable`, without any state machine, scale or feedback.

    python -m benchmarks.bench_exchange [--cycles 5000] [--profile]
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import socket
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from struct import Struct

import canopen
from canopen.objectdictionary import ODVariable, datatypes
from rich.console import Console
from rich.table import Table

from drives.axes.scaling import LegScale
from drives.bank import DriveGoal, DriveState, LegCommand
from drives.can.frames import BusHealth, BusState, Frame
from drives.can.slcan_bus import SlcanBus
from drives.can.slcan_port import BytePort
from drives.canopen.bank import CanopenBank
from drives.canopen.settings import CanopenSettings

PERIOD_S = 0.004
HEARTBEAT_S = 0.02
ENABLED = (DriveState.ENABLED,) * 6
_ACTUAL, _U32 = Struct("<Hbi"), Struct("<I")
_STATUS = {0x06: 0x0221, 0x07: 0x0223, 0x0F: 0x1227, 0x1F: 0x1227, 0x02: 0x0207}


def settings(buses: int) -> CanopenSettings:
    """Six like drives on one bus or two."""
    return CanopenSettings(
        length_min_m=(0.675,) * 6,
        length_max_m=(1.405,) * 6,
        speed_max_m_s=(0.6,) * 6,
        acceleration_max_m_s2=(8.0,) * 6,
        quick_stop_deceleration_m_s2=(6.0,) * 6,
        rated_force_n=(4000.0,) * 6,
        bus_of_leg=(0, 0, 0, 1, 1, 1) if buses == 2 else (0,) * 6,
        # The script beats faster; a pause of this whole process must not look like lost drives.
        heartbeat_producer_s=0.5,
    )


class Script:
    """Drives that do at once what they are told: objects over SDO, answers to SYNC.

    Args:
        nodes: Their ids.
    """

    def __init__(self, nodes: Sequence[int]) -> None:
        self.nodes = tuple(nodes)
        self.objects: dict[tuple[int, int, int], bytes] = {}
        self.word = dict.fromkeys(nodes, 0)
        self.mode = dict.fromkeys(nodes, 0)
        self.position = dict.fromkeys(nodes, 0)
        self.operational = False
        self.out: list[Frame] = []
        self.beat_due_s = 0.0

    def take(self, frame: Frame) -> None:
        """Take one frame of the bank; what the drives say to it is in `out`."""
        can_id, data = frame
        if can_id == 0x080:
            self._sync()
        elif 0x201 <= can_id <= 0x206:
            node = can_id - 0x200
            self.word[node], self.mode[node], self.position[node] = _ACTUAL.unpack(data)
        elif can_id == 0x000:
            self.operational = data[0] == 1
        elif 0x601 <= can_id <= 0x606 and data[0] != 0x80:
            self.out.append(Frame(can_id - 0x80, self._sdo(can_id - 0x600, data)))

    def beat(self, now_s: float) -> None:
        """Let each drive tell that it lives, when that is due."""
        if now_s >= self.beat_due_s:
            self.beat_due_s = now_s + HEARTBEAT_S
            state = b"\x05" if self.operational else b"\x7f"
            self.out += [Frame(0x700 + node, state) for node in self.nodes]

    def _sync(self) -> None:
        for node in self.nodes:
            word, mode = self.word[node], self.mode[node]
            status = _STATUS.get(word, 0x0240)
            if mode == 6:
                attained = 0x1400 if word & 0x10 else 0
                status = status & ~0x1000 | attained
                self.position[node] = 0
            self.out.append(Frame(0x180 + node, _ACTUAL.pack(status, mode, self.position[node])))

    def _sdo(self, node: int, data: bytes) -> bytes:
        index, sub, head = int.from_bytes(data[1:3], "little"), data[3], data[1:4]
        fixed = {0x1000: 0x00020192, 0x6502: 0x3E1, 0x1018: 1}.get(index)
        if data[0] != 0x40:
            self.objects[node, index, sub] = data[4 : 8 - (data[0] >> 2 & 3)]
            return b"\x60" + head + bytes(4)
        value = self.objects.get((node, index, sub))
        if value is None and fixed is not None:
            value = _U32.pack(fixed)
        if value is None and index == 0x60FD:
            value = _U32.pack(8)
        if value is None:
            return b"\x80" + head + b"\x00\x00\x02\x06"
        return bytes((0x43 | (4 - len(value)) << 2,)) + head + value.ljust(4, b"\0")


class Meter:
    """Time that the script takes, so that it can be taken off [s]."""

    wall_s = 0.0
    cpu_s = 0.0


class ScriptedBus:
    """A `FrameBus` in memory."""

    def __init__(self, script: Script, meter: Meter) -> None:
        self.script, self.meter = script, meter

    def send_frames(self, frames: Sequence[Frame]) -> None:
        wall_s, cpu_s = time.perf_counter(), time.thread_time()
        for frame in frames:
            self.script.take(frame)
        self.meter.wall_s += time.perf_counter() - wall_s
        self.meter.cpu_s += time.thread_time() - cpu_s

    def receive_frames(self, timeout_s: float) -> list[Frame]:
        self.script.beat(time.monotonic())
        frames, self.script.out = self.script.out, []
        if not frames and timeout_s:
            time.sleep(min(timeout_s, 0.001))
        return frames

    def health(self) -> BusHealth:
        return BusHealth(BusState.ACTIVE)

    def shutdown(self) -> None:
        pass


class ScriptedPort(BytePort):
    """One end of a socket pair; the script at the other end answers each write before it returns.

    The script's own time is taken off; the system calls of this end are not.
    """

    def __init__(self, script: Script, meter: Meter) -> None:
        near, far = socket.socketpair()
        near.setblocking(False)
        far.setblocking(False)
        self.script, self.meter, self.far = script, meter, far
        super().__init__(near.detach(), "slcan:pair", "pair", time.monotonic)

    def write(self, data: bytes) -> None:
        super().write(data)
        wall_s, cpu_s = time.perf_counter(), time.thread_time()
        self._answer(os.read(self.far.fileno(), 65536))
        self.meter.wall_s += time.perf_counter() - wall_s
        self.meter.cpu_s += time.thread_time() - cpu_s

    def read(self, timeout_s: float) -> bytes:
        wall_s, cpu_s = time.perf_counter(), time.thread_time()
        self.script.beat(time.monotonic())
        self._say()
        self.meter.wall_s += time.perf_counter() - wall_s
        self.meter.cpu_s += time.thread_time() - cpu_s
        return super().read(min(timeout_s, HEARTBEAT_S))

    def _answer(self, data: bytes) -> None:
        for line in data.split(b"\r"):
            if line[:1] == b"t":
                self.script.take(Frame(int(line[1:4], 16), bytes.fromhex(line[5:].decode())))
            elif line in (b"V", b"N", b"F", b"C", b"O") or line[:1] == b"S":
                answer = {b"V": b"V1013\r", b"N": b"NA123\r", b"F": b"F00\r"}.get(line, b"\r")
                self.far.send(answer)
        self._say()

    def _say(self) -> None:
        frames, self.script.out = self.script.out, []
        if frames:
            lines = (f"t{can_id:03X}{len(data)}{data.hex()}\r" for can_id, data in frames)
            self.far.send("".join(lines).encode())


@dataclass(frozen=True)
class Case:
    """What is measured: a call, and whose time is taken off."""

    name: str
    call: Callable[[int], None]
    meter: Meter
    close: Callable[[], None]


def bank_case(kind: str, buses: int) -> Case:
    """Six drives, homed and enabled, behind buses of one kind."""
    chosen, meter = settings(buses), Meter()
    groups = [
        [node for node, on in zip(chosen.node_ids, chosen.bus_of_leg, strict=True) if on == bus]
        for bus in range(buses)
    ]
    scripts = [Script(group) for group in groups]
    if kind == "memory":
        links = [ScriptedBus(script, meter) for script in scripts]
    else:
        links = [
            SlcanBus(ScriptedPort(script, meter), bitrate=1_000_000, now_s=time.monotonic)
            for script in scripts
        ]
    scales = tuple(LegScale(1e6, 1, 0.7 + 0.01 * leg) for leg in range(6))
    bank = CanopenBank(
        links, replace(chosen, boot_timeout_s=1.0), scales, PERIOD_S, now_s=time.monotonic
    )
    bank.configure()
    for goal, over in (
        (DriveGoal.HOMED, lambda feedback: all(feedback.homed)),
        (DriveGoal.ENABLED, lambda feedback: feedback.state == ENABLED),
    ):
        bank.request(goal)
        for _ in range(3000):
            if over(bank.exchange(None)):
                break
        else:
            raise RuntimeError(f"{kind}: {goal} is not reached: {bank.waiting}")

    def call(cycle: int) -> None:
        way_m = 1e-4 * (cycle % 100)
        lengths = (0.9 + way_m, 0.9, 0.91 - way_m, 0.92, 0.93 + way_m, 0.94)
        feedback = bank.exchange(LegCommand(lengths, (0.05, 0.0, -0.05, 0.0, 0.05, 0.0)))
        if feedback.state != ENABLED:
            raise RuntimeError(f"{kind}, cycle {cycle}: {feedback}")

    return Case(f"this bank, {kind}, {buses} bus{'es' * (buses > 1)}", call, meter, bank.close)


def peer_case() -> Case:
    """The same objects by `canopen`: set six RPDOs, transmit, SYNC; take six TPDOs, read them."""
    meter, sent = Meter(), []
    network = canopen.Network()
    network.send_message = lambda can_id, data, remote=False: sent.append((can_id, bytes(data)))
    nodes = [canopen.RemoteNode(node, _dictionary()) for node in range(1, 7)]
    for node in nodes:
        network.add_node(node)
        for pdo, base, objects in (
            (node.rpdo[1], 0x200, (0x6040, 0x6060, 0x607A)),
            (node.tpdo[1], 0x180, (0x6041, 0x6061, 0x6064)),
        ):
            pdo.clear()
            for index in objects:
                pdo.add_variable(index)
            pdo.cob_id, pdo.enabled = base + node.id, True
            pdo.subscribe()
    answer = _ACTUAL.pack(0x1227, 8, 200_000)

    def call(cycle: int) -> None:
        sent.clear()
        for node in nodes:
            word, mode, target = node.rpdo[1]
            word.raw, mode.raw, target.raw = 0x0F, 8, 200_000 + cycle
            node.rpdo[1].transmit()
        network.sync.transmit()
        if len(sent) != 7:
            raise RuntimeError(f"canopen sent {len(sent)} frames, 7 are a cycle")
        for node in nodes:
            network.notify(0x180 + node.id, bytearray(answer), 0.0)
            if [value.raw for value in node.tpdo[1]] != [0x1227, 8, 200_000]:
                raise RuntimeError(f"node {node.id} told something else than was sent")

    return Case("canopen PdoVariable, without a bus", call, meter, lambda: None)


def _dictionary() -> canopen.ObjectDictionary:
    dictionary = canopen.ObjectDictionary()
    types = {0x6040: datatypes.UNSIGNED16, 0x6041: datatypes.UNSIGNED16}
    types |= {0x6060: datatypes.INTEGER8, 0x6061: datatypes.INTEGER8}
    types |= {0x607A: datatypes.INTEGER32, 0x6064: datatypes.INTEGER32}
    for index, kind in types.items():
        variable = ODVariable(f"{index:04X}", index)
        variable.data_type = kind
        dictionary.add_object(variable)
    for communication, mapping in ((0x1400, 0x1600), (0x1800, 0x1A00)):
        for index in (communication, mapping):
            dictionary.add_object(canopen.objectdictionary.ODRecord(f"{index:04X}", index))
    return dictionary


def measure(case: Case, cycles: int) -> dict[str, float]:
    """Return median and 99th percentile of wall time and of processor time of a call [us]."""
    for cycle in range(cycles // 10):
        case.call(cycle)
    wall_us, cpu_us, meter = [], [], case.meter
    for cycle in range(cycles):
        meter.wall_s = meter.cpu_s = 0.0
        wall_s, cpu_s = time.perf_counter(), time.thread_time()
        case.call(cycle)
        cpu_s, wall_s = time.thread_time() - cpu_s, time.perf_counter() - wall_s
        wall_us.append((wall_s - meter.wall_s) * 1e6)
        cpu_us.append((cpu_s - meter.cpu_s) * 1e6)
    figures = {}
    for name, values in (("cpu", cpu_us), ("wall", wall_us)):
        figures[f"{name}_p50_us"] = statistics.median(values)
        figures[f"{name}_p99_us"] = statistics.quantiles(values, n=100)[98]
    return figures


def run(cycles: int = 5000, console: Console | None = None) -> dict[str, dict[str, float]]:
    """Measure, print a table, return the figures."""
    results: dict[str, dict[str, float]] = {}
    title = f"one exchange with six enabled drives, {cycles} cycles"
    table = Table("what", "CPU p50 us", "CPU p99 us", "wall p50 us", "wall p99 us", title=title)
    for make in (
        lambda: bank_case("memory", 1),
        lambda: bank_case("SLCAN", 1),
        lambda: bank_case("SLCAN", 2),
        peer_case,
    ):
        case = make()
        figures = results[case.name] = measure(case, cycles)
        case.close()
        table.add_row(case.name, *(f"{figures[key]:.0f}" for key in figures))
    (console or Console(width=100)).print(table)
    return results


def profile(cycles: int) -> None:
    """Show where the time of an exchange over SLCAN goes."""
    case = bank_case("SLCAN", 1)
    profiler = cProfile.Profile()
    profiler.enable()
    for cycle in range(cycles):
        case.call(cycle)
    profiler.disable()
    case.close()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(30)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cycles", type=int, default=5000)
    parser.add_argument("--profile", action="store_true", help="show where the time goes instead")
    arguments = parser.parse_args()
    if arguments.profile:
        profile(arguments.cycles)
    else:
        run(arguments.cycles)


if __name__ == "__main__":
    main()
