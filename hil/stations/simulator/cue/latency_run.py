"""`hil host latency`: a ride on emulated CANopen drives, and its delays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypedDict

import numpy as np

from hil.config.errors import ConfigError, RefusedError, about
from hil.recording.reader import Recording
from hil.run.file_kinds import find_kind
from hil.stations.platform.bench.run_sequence import RunResult
from hil.stations.platform.commissioning.runs import play_prepared
from hil.stations.platform.cycle.kernel_warmup import warm_and_say
from hil.stations.platform.drives.rack import emulated_rack
from hil.stations.platform.motion.lowpass import LiveLowPass
from hil.stations.simulator.chain.chain import Chain
from hil.stations.simulator.chain.parts import parts_of
from hil.stations.simulator.figures.latency import SHARES, WORDS, Array, LatencyTrail, latency_trail
from hil.stations.simulator.plan.scenario import RidePlan, load_ride
from hil.stations.simulator.run.bench import ride_of
from hil.stations.simulator.run.warm import warm_ride
from hil.stations.simulator.sources.host import HostSettings, corner_of
from hil.stations.simulator.sources.recording import RideRecordSettings
from hil.stations.simulator.station import SCENARIO
from hil.terminal.console import out, print_json
from platform6dof.cueing.vehicle import GRAVITY_M_S2, VehicleState

FILTER: Final = "filter_at_1_hz"
"""Name of the filter's own delay among the shares."""
LOWPASS: Final = "lowpass_at_1_hz"
"""Name of that of the low-pass of a host's map, where it has one."""
PROBE_M_S2: Final = 0.2
"""Amplitude of the sine that the filter is asked [m/s²]: no limiter answers to so little."""
PROBE_S: Final = 12.0
"""Duration of the probe of the filter; the last cycles count [s]."""


class ShareSummary(TypedDict):
    """One delay on the way from a simulator to the legs."""

    name: str
    """Such as `kernel_to_loop`."""
    words: str
    """Description of the delay for people."""
    p50_ms: float
    """Half of the packets took no longer [ms]."""
    p99_ms: float
    """99 of 100 took no longer [ms]."""
    max_ms: float
    """The longest [ms]."""


class LatencySummary(TypedDict):
    """Delays between a simulator and the legs."""

    ok: bool
    """The ride ended as it should."""
    packets: int
    """Packets that were used while the ride was followed."""
    shares: list[ShareSummary]
    """Delays in order; last the low-pass's and the filter's own delay at 1 Hz, the same for all."""
    sum: ShareSummary
    """Sum of all delays but the low-pass's and the filter's own."""
    kernel_to_wire_periods: list[float]
    """Delay from the kernel's stamp to the setpoint on the wire: p50 and p99, in cycles."""
    largest: str
    """Name of the largest share by its p50."""
    period_ms: float
    """Cycle time [ms]."""
    recording: str
    """Path of the recording."""


def latency_and_show(
    scenario: str,
    *,
    seconds: float,
    drives: str,
    folder: Path,
    as_json: bool,
    changes: Sequence[str] = (),
    paced: bool = True,
) -> bool:
    """Ride a scenario and show where its time went; whether the ride ended as it should.

    Args:
        seconds: how long it is ridden [s].
        drives: URL of drives; empty for emulated CANopen ones.
        changes: of the scenario's settings, as ``key=value``.
        paced: whether frames of emulated drives take their time on the bus.

    Raises:
        ConfigError: if the scenario cannot be had.
        RefusedError: if nothing came while it was followed.
    """
    warm_ride(quiet=as_json)
    plan, result = ridden(
        scenario, seconds=seconds, drives=drives, folder=folder, quiet=as_json, changes=changes,
        paced=paced,
    )  # fmt: skip
    recording = Recording.open(result.recorder.path)
    summary = summarize_latency(plan, recording, result.reason)
    summary["ok"] = result.ok
    if as_json:
        print_json(summary)
    else:
        _show(summary, result.reason)
    return result.ok


def ridden(
    scenario: str,
    *,
    seconds: float,
    drives: str,
    folder: Path,
    quiet: bool,
    changes: Sequence[str] = (),
    paced: bool = True,
) -> tuple[RidePlan, RunResult]:
    """Ride a scenario as `latency_and_show` does; what was ridden, and how it ended.

    Raises:
        ConfigError: if the scenario cannot be had, or its source sends nothing.
        RefusedError: if the drives are not there.
    """
    path, _ = find_kind(scenario, SCENARIO, key="SCENARIO")
    changes = [*changes, f"duration_s={seconds}"]
    plan = load_ride(path, changes)
    if isinstance(plan.scenario.source, RideRecordSettings):
        text = "source.kind = 'recording': nothing is sent, so there is no way to time; a live "
        text += "host is needed, as in live_demo, flight_live or drive_live"
        raise ConfigError(str(path), [about("source.kind", text)])
    with _drives(plan, drives, paced=paced) as url:
        clock = "virtual" if url == "sim:" else "real"
        plan = load_ride(path, [*changes, ("devices.drives", url), ("clock", clock)])
        warm_and_say(quiet=quiet)
        return plan, play_prepared(ride_of(plan).prepared, folder, quiet=quiet)


@contextmanager
def _drives(plan: RidePlan, url: str, *, paced: bool) -> Iterator[str]:
    if url:
        yield url
        return
    with emulated_rack("canopen", plan.rig_file, buses=2, paced=paced) as rack:
        yield rack


def summarize_latency(plan: RidePlan, recording: Recording, reason: str = "") -> LatencySummary:
    """Summarise the delays of a ride's recording.

    Args:
        reason: why the ride did not come to its end; empty if it did.

    Raises:
        RefusedError: if no packet was used while it was followed.
    """
    trail = latency_trail(recording)
    if not len(trail.t_s):
        why = reason or "a live host is needed; a recording has no way to go"
        raise RefusedError(f"{recording.path}: no packet was used in ENGAGED: {why}")
    period_s = plan.scenario.period_s
    shares = [
        _share(name, trail.shares_s[:, at])
        for at, name in enumerate(SHARES)
        if np.isfinite(trail.shares_s[:, at]).any()
    ]
    if (later_s := lowpass_delay_s(plan)) is not None:
        shares.append(_share(LOWPASS, np.array([later_s])))
    shares.append(_share(FILTER, np.array([filter_delay_s(plan)])))
    latency_s = trail.kernel_to_wire_s
    p50, p99 = np.percentile(latency_s[np.isfinite(latency_s)], [50.0, 99.0]) / period_s
    return LatencySummary(
        ok=True,
        packets=len(trail.t_s),
        shares=shares,
        sum=_sum(trail),
        kernel_to_wire_periods=[float(p50), float(p99)],
        largest=max(shares, key=lambda one: one["p50_ms"])["name"],
        period_ms=1e3 * period_s,
        recording=str(recording.path),
    )


def _sum(trail: LatencyTrail) -> ShareSummary:
    share = _share("sum", trail.sums_s)
    share["words"] = "from the host to the legs"
    return share


def _share(name: str, seconds: Array) -> ShareSummary:
    known = seconds[np.isfinite(seconds)] * 1e3
    p50, p99 = np.percentile(known, [50.0, 99.0]).tolist()
    most = float(known.max())
    words = WORDS.get(name, name)
    return ShareSummary(name=name, words=words, p50_ms=p50, p99_ms=p99, max_ms=most)


def lowpass_delay_s(plan: RidePlan) -> float | None:
    """By how much the low-pass of a host's map is later, at 1 Hz [s]; None without."""
    source = plan.scenario.source
    if not isinstance(source, HostSettings):
        return None
    corner_hz = corner_of(source, Path(plan.scenario_file))
    if corner_hz is None:
        return None
    return LiveLowPass(corner_hz, plan.scenario.period_s).phase_delay_s(1.0)


def filter_delay_s(plan: RidePlan) -> float:
    """By how much the force that is felt forward comes after the wanted one, at 1 Hz [s].

    Its phase over 2 pi, from the fundamental of the filter and the head alone, no governor behind;
    below 0 where it comes before. Past half a period the sign is the other one.
    """
    without = plan.scenario.cueing.model_copy(update={"governor": False})
    scenario = plan.scenario.model_copy(update={"cueing": without})
    chain: Chain = parts_of(plan.model_copy(update={"scenario": scenario})).chain
    period_s = scenario.period_s
    count = round(PROBE_S / period_s)
    wanted, felt = np.empty(count), np.empty(count)
    for index in range(count):
        t_s = index * period_s
        force = PROBE_M_S2 * math.sin(2.0 * math.pi * t_s)
        state = VehicleState(
            t_s, (force, 0.0, -GRAVITY_M_S2), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0),
            (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0),
        )  # fmt: skip
        felt[index] = chain.follow(state, 1.0, 1.0).felt[0]
        wanted[index] = force
    last = slice(count - round(4.0 / period_s), count)
    turns = np.exp(-2j * np.pi * period_s * np.arange(count))[last]
    return -float(np.angle((felt[last] @ turns) / (wanted[last] @ turns))) / (2.0 * math.pi)


def _show(summary: LatencySummary, reason: str) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("share", "p50 ms", "p99 ms", "max ms"):
        table.add_column(name, justify="left" if name == "share" else "right")
    for one in (*summary["shares"], summary["sum"]):
        figures = (f"{one[key]:.2f}" for key in ("p50_ms", "p99_ms", "max_ms"))
        table.add_row(one["words"], *figures)
    out.print(table)
    p50, p99 = summary["kernel_to_wire_periods"]
    out.print(f"kernel's stamp to the wire: p50 {p50:.2f}, p99 {p99:.2f} cycles")
    out.print(f"{summary['packets']} packets; largest share: {summary['largest']}")
    if reason:
        out.print(reason, soft_wrap=True)


def require_seconds(seconds: float) -> None:
    """Refuse a time in which nothing could be measured.

    Raises:
        ConfigError: with the value and what would be right.
    """
    if not 2.0 <= seconds <= 3600.0:
        raise ConfigError("--seconds", [f"{seconds:g}: 2 to 3600 s are needed"])
