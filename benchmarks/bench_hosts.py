"""Live hosts: from packets to cycles beside holding the newest, and a flood beside a busy loop.

python -m benchmarks.bench_hosts [--rounds N] [--seconds S]
"""

from __future__ import annotations

import math
import socket
import statistics
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.busy import ALWAYS, BesideBusy, beside
from benchmarks.frame import main
from hil.config.file_search import configs_dir
from hil.hosts.link import HostLink, Listening
from hil.hosts.maps import load_map
from hil.hosts.watch.packet_follower import Follower
from hil.stations.simulator.plan.source import Surroundings
from hil.stations.simulator.sources.host_source import HostSource, SocketWire
from hil.timing.realtime import RealClock
from platform6dof.cueing.vehicle import REST
from sim.hosts.flight import scripted_flight
from sim.hosts.kinds import wire_of
from sim.hosts.telemetry import Telemetry

RATE_HZ: Final = 500.0
HOST_HZ: Final = 60.0
SECONDS: Final = 60.0
FLOOD: Final = """
import socket, sys
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to, junk = ("127.0.0.1", int(sys.argv[1])), b"x" * 112
while True:
    try:
        for _ in range(1000):
            one.sendto(junk, to)
    except OSError:
        pass
"""


def followed(how: str, seed: int) -> tuple[float, float, float]:
    """Delay [s], ripple rms and largest step of a sine of 1 Hz and amplitude 1."""
    rng = np.random.default_rng(seed)
    sent_s = np.arange(int(SECONDS * HOST_HZ)) / HOST_HZ
    came_s = sent_s + 0.002 + 0.01 * rng.random(len(sent_s))
    kept = rng.random(len(sent_s)) >= 0.01
    sent_s, came_s = sent_s[kept], came_s[kept]
    follower, taken, held = Follower(how == "stamps"), 0, 0.0
    times: list[float] = []
    told: list[float] = []
    for tick in range(int((SECONDS - 1.0) * RATE_HZ)):
        now_s = tick / RATE_HZ
        while taken < len(came_s) and came_s[taken] <= now_s:
            held = math.sin(2.0 * math.pi * sent_s[taken])
            state = replace(REST, t_s=sent_s[taken], f_m_s2=(held, 0.0, 0.0))
            follower.take(state, came_s[taken])
            taken += 1
        state = follower.state(now_s)
        if state is not None and now_s > 3.0:
            times.append(now_s)
            told.append(held if how == "newest" else state.f_m_s2[0])
    t, y = np.array(times), np.array(told)
    basis = np.stack([np.sin(2 * np.pi * t), np.cos(2 * np.pi * t), np.ones_like(t)], axis=1)
    fit = np.linalg.lstsq(basis, y, rcond=None)[0]
    ripple = float(np.sqrt(np.mean((y - basis @ fit) ** 2)))
    return -math.atan2(fit[1], fit[0]) / (2 * math.pi), ripple, float(np.abs(np.diff(y)).max())


def lateness(load: str, seconds: float) -> dict[str, float]:
    """Lateness of a 500 Hz loop that hears a host, beside a flood or a busy loop [s]."""
    clock = RealClock()
    kind, map_ = load_map(configs_dir() / "hosts" / "hcu1.toml")
    link = HostLink(Listening(), clock.now_s)
    around = Surroundings(Path("bench"), 1 / RATE_HZ, False, 0, clock.now_s)
    source = HostSource(kind, map_, SocketWire(link, None), around)
    program = ("-c", FLOOD if load == "flood" else ALWAYS, str(link.address[1]))
    host, wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), wire_of("hcu1", "", HOST_HZ)
    feed = scripted_flight()
    late_s: list[float] = []
    reading = None
    with closing(link), host, beside(*program):
        for tick in clock.ticks(1 / RATE_HZ):
            if tick.index % 8 == 0:
                shown = Telemetry(feed.at(tick.t_s), tick.t_s, tick.index // 8)
                host.sendto(wire.pack(shown)[0].data, link.address)
            reading = source.poll(clock.now_s())
            if tick.t_s > 0.5:
                late_s.append(tick.late_s)
            if tick.t_s > seconds:
                break
    return {
        "p50_s": float(np.quantile(late_s, 0.5)),
        "p99_s": float(np.quantile(late_s, 0.99)),
        "foreign": float(link.foreign),
        "packets": 0.0 if reading is None else float(reading.packets),
    }


def run(rounds: int = 7, seconds: float = 4.0) -> dict[str, Any]:
    """All figures."""
    found: dict[str, Any] = {}
    for how in ("stamps", "arrivals", "newest"):
        each = np.median([followed(how, seed) for seed in range(3)], axis=0)
        found[how] = dict(zip(("delay_s", "ripple", "step"), each.tolist(), strict=True))
        delay_s, ripple, step = each
        print(f"{how}: delay {1e3 * delay_s:.1f} ms, ripple {ripple:.4f}, step {step:.3f}")
    pairs = [(lateness("flood", seconds), lateness("busy", seconds)) for _ in range(rounds)]
    judged = BesideBusy.of_pairs([(flood["p99_s"], busy["p99_s"]) for flood, busy in pairs])
    for at, (name, p99_s) in enumerate((("flood", judged.ours_s), ("busy", judged.busy_s))):
        reading = statistics.median(pair[at]["packets"] for pair in pairs)
        found[name] = {"p99_s": p99_s, "packets": reading}
        print(f"{name}: lateness p99 {1e6 * p99_s:.0f} us, packets used {reading:.0f}")
    found["holds"] = judged.holds
    print(f"flood <= {1e6 * judged.bound_s:.0f} us beside the busy loop: {judged.holds}")
    return found


if __name__ == "__main__":
    main(run, __doc__)
