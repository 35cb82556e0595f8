"""What a cycle of 13 frames costs over SLCAN: this project's bus against python-can's own.

An adapter in a process of its own takes the seven frames of a cycle (six RPDO and SYNC) and answers
with six TPDO. Each bus runs the same cycles as fast as they go; what is measured is the time from
the first byte out to the last TPDO decoded, and the processor time of this side alone.

Run it with `python -m benchmarks.bench_slcan`; its options say how many cycles.
"""

import multiprocessing
import os
import socket
import statistics
import time
import tty

import can
from rich.console import Console
from rich.table import Table

from benchmarks.frame import main
from drives.can.frames import Frame
from drives.can.slcan_bus import open_slcan

BITRATE = 1_000_000
CYCLE = [*(Frame(0x200 + node, bytes(range(7))) for node in range(1, 7)), Frame(0x080, b"")]
ANSWER = b"".join(b"t18%d737060800112233\r" % node for node in range(1, 7))
SYNC_LINE = b"t0800"


class Adapter:
    """An adapter that acknowledges, and answers each SYNC with six TPDO in one write."""

    def __init__(self, kind):
        self.listener = None
        if kind == "pty":
            self.fd, self.slave = os.openpty()
            tty.setraw(self.fd)
            tty.setraw(self.slave)
            self.channel = os.ttyname(self.slave)
        else:
            self.listener = socket.create_server(("127.0.0.1", 0))
            self.channel = f"socket://127.0.0.1:{self.listener.getsockname()[1]}"
        context = multiprocessing.get_context("fork")
        self.process = context.Process(target=self.serve, daemon=True)
        self.process.start()

    def serve(self):
        fd = self.fd if self.listener is None else self._accept()
        rest = b""
        while True:
            try:
                data = os.read(fd, 65536)
            except OSError:
                return
            if not data:
                return
            *lines, rest = (rest + data).split(b"\r")
            os.write(fd, b"".join(_answer(line) for line in lines))

    def _accept(self):
        connection = self.listener.accept()[0]  # pyright: ignore[reportOptionalMemberAccess]
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection.detach()

    def stop(self):
        self.process.terminate()
        self.process.join()
        if self.listener is None:
            os.close(self.fd)
            os.close(self.slave)
        else:
            self.listener.close()


def _answer(line):
    if line == SYNC_LINE:
        return b"z\r" + ANSWER
    return {b"V": b"V1013\r", b"N": b"NA123\r", b"F": b"F00\r"}.get(
        line, b"z\r" if line[:1] == b"t" else b"\r"
    )


def ours(channel):
    bus = open_slcan(channel, f"slcan:{channel}", bitrate=BITRATE, now_s=time.monotonic)

    def cycle():
        bus.send_frames(CYCLE)
        missing = 6
        while missing:
            missing -= len(bus.receive_frames(1.0))

    return bus, cycle


def python_can(channel):
    bus = can.Bus(channel, interface="slcan", bitrate=BITRATE, sleep_after_open=0)

    def cycle():
        for can_id, data in CYCLE:
            bus.send(can.Message(arbitration_id=can_id, data=data, is_extended_id=False))
        missing = 6
        while missing:
            missing -= bus.recv(1.0) is not None

    return bus, cycle


def measure(make, kind, cycles):
    """Return median and 99th percentile of a cycle [us], its processor time [us], and the rate."""
    adapter = Adapter(kind)
    bus, cycle = make(adapter.channel)
    for _ in range(cycles // 10):
        cycle()
    took_us = []
    began_s, cpu_s = time.perf_counter(), time.process_time()
    for _ in range(cycles):
        start_s = time.perf_counter()
        cycle()
        took_us.append((time.perf_counter() - start_s) * 1e6)
    cpu_us = (time.process_time() - cpu_s) / cycles * 1e6
    rate_hz = cycles / (time.perf_counter() - began_s)
    bus.shutdown()
    adapter.stop()
    return statistics.median(took_us), statistics.quantiles(took_us, n=100)[98], cpu_us, rate_hz


def run(cycles=2000):
    """Measure, print a table, return the figures."""
    results = {}
    table = Table(title=f"SLCAN, 7 frames out and 6 back, {cycles} cycles, as fast as they go")
    for heading in ("bus", "over", "median us", "p99 us", "CPU us/cycle", "cycles/s"):
        table.add_column(heading, justify="left" if heading in ("bus", "over") else "right")
    for kind in ("pty", "tcp"):
        for name, make in (("drives.can.slcan_bus", ours), ("python-can slcan", python_can)):
            figures = measure(make, kind, cycles)
            table.add_row(name, kind, *(f"{figure:.0f}" for figure in figures))
            names = ("median_us", "p99_us", "cpu_us", "cycles_per_s")
            results[f"{name} {kind}"] = dict(zip(names, figures, strict=True))
    Console(width=100).print(table)
    return results


if __name__ == "__main__":
    main(run, __doc__)
