"""Survey of drives without moving them: devices, error histories, quality of the link."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from rich.table import Table

from drives.bank import DriveError
from drives.can.frames import BusHealth, BusState, FrameBus
from drives.canopen.scan import FoundNode, measure_round_trips, scan
from drives.canopen.timing import SyncTiming, measure_sync
from drives.links import (
    CanLink,
    Link,
    ModbusRtuLink,
    ModbusTcpLink,
    lock_modbus,
    open_can,
    parse_link,
)
from drives.modbus.gateway import ModbusGateway, gateway_at
from hil.config.errors import RefusedError
from hil.config.settings import ConfigError
from hil.machines.rig.bus_kind import as_kind
from hil.machines.rig.buses import buses_at
from hil.stations.platform.commissioning.drive_summaries import (
    FaultsSummary,
    LinkSummary,
    NodeSummary,
    ScanSummary,
)
from hil.terminal.console import out, print_json
from hil.timing.doctor import Finding, Grade
from hil.timing.realtime import RealClock

MODE_NAMES = {1: "pp", 2: "vl", 3: "pv", 4: "tq", 6: "hm", 7: "ip", 8: "csp", 9: "csv", 10: "cst"}
"""Modes of operation (CiA 402-2, object 6502h)."""
MODBUS_TIMEOUT_S = 0.5
RTU_QUIET_S = 0.05
ROUND_TRIPS = 200
SYNC_EVERY_S = 0.004
GOOD_ROUND_TRIP_S = 0.002
"""Longest round trip of a link that serves 250 cycles a second [s]."""


@dataclass(frozen=True, slots=True)
class LinkView:
    """Devices found on one link."""

    url: str
    """URL of the link."""
    nodes: tuple[FoundNode, ...]
    """CANopen nodes that answered."""
    gateway: tuple[str, ...]
    """Vendor, product code and revision of a Modbus device, empty for CAN."""
    health: BusHealth | None
    """Report of the CAN adapter about itself."""
    round_trips_s: tuple[float, ...]
    """Round trips of requests to the first node or to the gateway [s], sorted."""
    sync: SyncTiming | None = None
    """Timing from SYNC to the drives' TPDO1, None where that was not measured."""


def view_links(url: str, bitrate: int, *, round_trips: int = 0) -> list[LinkView]:
    """Survey each link of a URL (two CAN buses are two URLs with a space between).

    Args:
        url: URL of one or two links.
        bitrate: bit rate of CAN buses [bit/s].
        round_trips: number of requests to time.

    Raises:
        ConfigError: if the URL is not valid.
        DriveError: if a link cannot be opened or is lost.
    """
    try:
        ours = all(as_kind(bus).describe is not None for bus in buses_at(url))
        links = [parse_link(part) for part in url.split()] if ours else []
    except DriveError as error:
        raise ConfigError("URL", [str(error)]) from None
    if not links:
        raise ConfigError(
            "URL", [f"{url!r}: there is nothing to look at without a wire of the bench's own"]
        )
    return [_view_link(link, bitrate, round_trips) for link in links]


def _view_link(link: Link, bitrate: int, round_trips: int) -> LinkView:
    now_s = RealClock().now_s
    if isinstance(link, CanLink):
        with _bus(link, bitrate) as bus:
            nodes = tuple(scan(bus, now_s))
            timed = measure_round_trips(bus, now_s, nodes[0].node, round_trips) if nodes else []
            drives = [node.node for node in nodes if node.is_drive and not node.doubled]
            sync = None
            if round_trips and drives:
                sync = measure_sync(bus, now_s, drives, round_trips, SYNC_EVERY_S)
            return LinkView(link.url, nodes, (), bus.health(), tuple(sorted(timed)), sync)
    with _gateway(link) as gateway:
        identity = gateway.identify(1)
        timed: list[float] = []
        for _ in range(round_trips):
            started_s = now_s()
            gateway.identify(1)
            timed.append(now_s() - started_s)
        return LinkView(link.url, (), identity, None, tuple(sorted(timed)))


@contextmanager
def _bus(link: CanLink, bitrate: int) -> Iterator[FrameBus]:
    bus = open_can(link, bitrate=bitrate, now_s=RealClock().now_s)
    try:
        yield bus
    finally:
        bus.shutdown()


@contextmanager
def _gateway(link: Link) -> Iterator[ModbusGateway]:
    """Device behind a Modbus link, for this program alone: a survey disturbs a running bank."""
    if not isinstance(link, ModbusTcpLink | ModbusRtuLink):
        raise ConfigError("URL", [f"{link.url}: no Modbus"])
    lock = lock_modbus(link)
    try:
        gateway = gateway_at(link, link.url, MODBUS_TIMEOUT_S, RTU_QUIET_S)
        try:
            gateway.connect()
            yield gateway
        finally:
            gateway.close()
    finally:
        lock.release()


def scan_and_show(url: str, bitrate: int, *, as_json: bool) -> bool:
    """List the devices on a link; False if there are none."""
    views = _scan_links(url, bitrate)
    found = any(view.nodes or view.gateway for view in views)
    if as_json:
        print_json(ScanSummary(ok=found, links=[_summarize_view(view) for view in views]))
        return found
    for view in views:
        out.print(view.url, soft_wrap=True)
        if view.gateway:
            out.print("  Modbus device: " + ", ".join(view.gateway))
        elif not view.nodes:
            out.print("  nobody answers: power, wiring, terminators, bitrate?")
        else:
            _show_nodes(view.nodes)
    return found


def faults_and_show(url: str, bitrate: int, *, as_json: bool) -> bool:
    """Show the error histories of the drives; False if a drive has one."""
    views = _scan_links(url, bitrate)
    nodes = [node for view in views for node in view.nodes]
    if not nodes:
        if any(view.gateway for view in views):
            text = "a Modbus gateway keeps no history; present faults are in the record of a run"
            raise RefusedError(f"{url}: {text}")
        raise RefusedError(f"{url}: no CANopen drive answers, so there is no history to show")
    clean = not any(node.errors for node in nodes)
    if as_json:
        codes = {str(node.node): [_code(error) for error in node.errors] for node in nodes}
        print_json(FaultsSummary(ok=clean, faults=codes))
        return clean
    for node in nodes:
        words = ", ".join(_code(error) for error in node.errors) or "none"
        out.print(f"node {node.node}: {words}")
    return clean


AGE_BY_LAG: Final = (
    "no frame tells when it was sampled: the gate identifies the lag of the measured path, from "
    "the first movement on, and holds it against supervision.feedback_lag_max_s"
)
AGE_BY_STAMP: Final = (
    "by the time stamp (1013h) of node {} if the drive file has it as [stamp]; else "
)
AGE_BY_ECHO: Final = (
    "an answer is proved its request's by the echo of its number, where the map has one "
    "(read.echo); what it tells of is proved by the lag of the measured path"
)
"""Statement on the age of feedback that a kind of link may hide."""


def link_findings(url: str, bitrate: int) -> list[Finding]:
    """Findings of ``hil doctor`` on a link: adapter, drives found, round trip."""
    try:
        views = view_links(url, bitrate, round_trips=ROUND_TRIPS)
    except DriveError as error:
        return [Finding("drives", Grade.BAD, str(error), "power, cable, permissions, URL")]
    return [finding for view in views for finding in _judge(view)]


def _judge(view: LinkView) -> Iterator[Finding]:
    health = view.health
    if health is not None:
        worse = health.state in (BusState.PASSIVE, BusState.BUS_OFF) or bool(health.overruns)
        text = f"{view.url}: {health.state.value}, {health.bad_lines} bad lines"
        note = f"{text}, {health.overruns} overruns{'; ' + health.note if health.note else ''}"
        remedy = "termination, bitrate, wiring" if worse else ""
        yield Finding("adapter", Grade.BAD if worse else Grade.OK, note, remedy)
    count = len(view.nodes) or len(view.gateway[:1])
    who = ", ".join(f"{n.node} ({n.name}, serial {n.serial})" for n in view.nodes)
    who = who or " ".join(view.gateway) or "nobody answers"
    remedy = "" if count else "power, wiring, terminators, bitrate, node switches"
    yield Finding("drives", Grade.OK if count else Grade.BAD, who, remedy)
    for node in view.nodes:
        if node.doubled:
            text = f"perhaps two nodes with id {node.node}: each question has two answers"
            yield Finding("node id", Grade.BAD, text, "node switches; take one of them off the bus")
    if count:
        stamped = ", ".join(str(node.node) for node in view.nodes if node.stamped)
        by_lag = (AGE_BY_STAMP.format(stamped) if stamped else "") + AGE_BY_LAG
        yield Finding("age of feedback", Grade.OK, AGE_BY_ECHO if view.gateway else by_lag)
    trips = view.round_trips_s
    if view.sync is not None:
        yield from _judge_sync(view.sync)
        if trips:
            # An SDO is answered when a drive finds time for it: it delays no cycle.
            text = f"{_in_us(trips)} for one request to node {view.nodes[0].node}; set-up only"
            yield Finding("SDO", Grade.OK, text)
    elif trips:
        good = _p99(trips) <= GOOD_ROUND_TRIP_S
        remedy = "" if good else "a lower rate: the cycle waits for answers"
        text = f"{_in_us(trips)} for one request"
        yield Finding("round trip", Grade.OK if good else Grade.WARN, text, remedy)


def _judge_sync(sync: SyncTiming) -> Iterator[Finding]:
    """Judge the wait of a cycle for the last TPDO1; one slow drive is not a slow adapter."""
    item = "SYNC to TPDO"
    for why in sync.untimed:
        yield Finding(item, Grade.WARN, f"not timed: {why}", "see the drive's state and its TPDO1")
    for node, missing in sync.missing.items():
        if missing:
            count = missing + len(sync.trips_s[node])
            text = f"node {node}: no TPDO1 after {missing} of {count} SYNC"
            yield Finding(item, Grade.BAD, text, "cable, terminators; its 1800h and 1A00h")
    timed = {node: trips for node, trips in sync.trips_s.items() if trips}
    if not timed:
        return
    slow = {node: _p99(trips) for node, trips in timed.items() if _p99(trips) > GOOD_ROUND_TRIP_S}
    slowest = max(timed, key=lambda node: _p99(timed[node]))
    text = (
        f"{_in_us(timed[slowest])} to TPDO1 of the slowest of {len(timed)} drives, node {slowest}"
    )
    remedy = ""
    if len(slow) == len(timed):
        remedy = "a lower rate: the cycle waits for answers; another adapter: all drives are slow"
    elif slow:
        names = ", ".join(str(node) for node in slow)
        remedy = f"node {names} alone: firmware, inhibit time 1800h:3; the adapter is quick enough"
    yield Finding(item, Grade.WARN if slow else Grade.OK, text, remedy)


def _p99(trips_s: Sequence[float]) -> float:
    return trips_s[min(len(trips_s) - 1, len(trips_s) * 99 // 100)]


def _in_us(trips_s: Sequence[float]) -> str:
    return f"p50 {trips_s[len(trips_s) // 2] * 1e6:.0f}, p99 {_p99(trips_s) * 1e6:.0f} us"


def _scan_links(url: str, bitrate: int) -> list[LinkView]:
    try:
        return view_links(url, bitrate)
    except DriveError as error:
        raise RefusedError(str(error)) from error


def _show_nodes(nodes: tuple[FoundNode, ...]) -> None:
    table = Table(
        "node", "device", "vendor", "product", "serial", "modes", "errors", box=None, pad_edge=False
    )
    for node in nodes:
        name = node.name or ("drive" if node.is_drive else f"profile {node.device_type & 0xFFFF}")
        modes = " ".join(MODE_NAMES.get(mode, str(mode)) for mode in node.modes)
        row = (node.node, name, f"{node.vendor:X}h", f"{node.product:X}h", node.serial)
        table.add_row(*map(str, row), modes, str(len(node.errors) or ""))
    out.print(table)
    for node in nodes:
        if node.doubled:
            text = f"perhaps two nodes with id {node.node}: it answers each question twice"
            out.print(f"  {text}, and these words are those of either")


def _code(error: int) -> str:
    return f"{error & 0xFFFF:04X}h"


def _summarize_view(view: LinkView) -> LinkSummary:
    nodes = [
        NodeSummary(
            node=node.node,
            name=node.name,
            vendor=node.vendor,
            product=node.product,
            serial=node.serial,
            doubled=node.doubled,
            modes=[MODE_NAMES.get(mode, str(mode)) for mode in node.modes],
            errors=[_code(error) for error in node.errors],
        )
        for node in view.nodes
    ]
    return LinkSummary(url=view.url, gateway=view.gateway, nodes=nodes)
