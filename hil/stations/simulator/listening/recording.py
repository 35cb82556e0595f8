"""``hil host record`` and ``hil host check``: a host's ride as a file, and whether it fits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.table import Table

from hil.config.errors import MotionError, RefusedError
from hil.hosts.kind import Received, Refused
from hil.hosts.maps import MapSettings
from hil.hosts.watch.remedies import host_remedy
from hil.hosts.watch.states import Cause, HostState
from hil.ipc.work_folder import WorkFolder
from hil.stations.simulator.listening.host_figures import HostFigures
from hil.stations.simulator.listening.host_receiver import (
    ListenChoice,
    listen,
    listening,
    seconds_of,
)
from hil.stations.simulator.listening.host_summaries import (
    HostCheckSummary,
    HostLineSummary,
    HostRecordSummary,
)
from hil.stations.simulator.listening.listen import (
    line_of,
    nothing_text,
    refused_by_reason,
    why_not,
)
from hil.stations.simulator.listening.ride_writer import RideWriter
from hil.stations.simulator.words import CAUSES
from hil.terminal.console import err, out, print_json, styled
from hil.timing.realtime import RealClock
from hil.timing.stop import StopSignals
from platform6dof.cueing.agreement import Judgement, agreements
from platform6dof.cueing.vehicle import VehicleFlags

if TYPE_CHECKING:
    from hil.machines.cueing.ride_map import RideMap
    from platform6dof.cueing.agreement import Agreement

SAID_EVERY_S: Final = 2.0
_UNSAID: Final = (Cause.NONE, Cause.NO_PACKET, Cause.FORCE)
"""Causes for not following a host yet that are no fault of its packets."""
GAP_MAX_S: Final = 0.25
"""Longest gap that `hil cue` bridges by itself [s]."""


def record(
    choice: ListenChoice, writer: RideWriter, seconds: float | None, *, quiet: bool
) -> HostFigures:
    """Write what comes until it is over.

    Args:
        seconds: how long; None until Ctrl-C [s].
        quiet: say nothing meanwhile.

    Raises:
        ConfigError: if the port cannot be had.
        RefusedError: if the disk takes no more.
    """
    lasts_s = seconds_of(seconds)
    figures = HostFigures(choice.host.settings)
    clock = RealClock()
    said_s = -math.inf

    def take(now_s: float, messages: Sequence[Received | Refused]) -> None:
        nonlocal said_s
        figures.step(now_s, messages)
        for one in messages:
            if isinstance(one, Received):
                writer.take(one)
        if not quiet and now_s - said_s >= SAID_EVERY_S:
            if said_s > -math.inf:
                err.print(line_of(figures), soft_wrap=True)
            said_s = now_s

    with StopSignals() as stop_request, listening(choice, clock) as ears:
        if not quiet:
            address, port = ears.address
            line = f"{choice.host.kind.title}: recording from {address}:{port} (UDP); Ctrl-C ends"
            err.print(line, soft_wrap=True)
        listen(ears, clock, lasts_s, lambda: stop_request.asked is not None, take)
        figures.unheard = ears.unheard
    return figures


def record_and_show(
    choice: ListenChoice, path: Path, seconds: float | None, *, as_json: bool
) -> bool:
    """Record a ride, and show what is in it."""
    seconds_of(seconds)
    with RideWriter(path) as writer:
        try:
            figures = record(choice, writer, seconds, quiet=as_json)
        except Exception:
            if not writer.rows:
                path.unlink(missing_ok=True)  # nothing came to be lost
            raise
    ok = writer.rows >= 2
    if not writer.rows:
        path.unlink(missing_ok=True)
    if as_json:
        print_json(
            HostRecordSummary(
                ok=ok, kind=choice.host.kind.name, file=str(path), rows=writer.rows,
                left_out=writer.left_out, refused=refused_by_reason(figures),
                seconds=writer.lasts_s, longest_gap_s=writer.longest_gap_s,
            )
        )  # fmt: skip
        return ok
    if not writer.rows:
        err.print(nothing_text(choice, figures), soft_wrap=True)
        return False
    out.print(f"{path}: {writer.rows} rows, {writer.lasts_s:.1f} s", soft_wrap=True)
    if writer.left_out:
        out.print(f"{writer.left_out} packets told less than the first one and were left out")
    if writer.longest_gap_s > GAP_MAX_S:
        gap = f"its longest gap is {writer.longest_gap_s:.2f} s"
        out.print(f"{gap}: `hil cue` bridges {GAP_MAX_S:g} s unless its map's gap_max_s says more")
    return ok


def check_and_show(choice: ListenChoice, seconds: float, *, as_json: bool) -> bool:
    """Compare the quantities of a host with each other, and show whether signs and units are right.

    Raises:
        RefusedError: if too little came to be judged.
    """
    with WorkFolder("hil-listen-") as work:
        path = work.path / "ride.csv"
        with RideWriter(path) as writer:
            figures = record(choice, writer, seconds, quiet=as_json)
        if not writer.rows:
            raise RefusedError(nothing_text(choice, figures))
        if figures.odd_pace and why_not(figures) == figures.odd_pace:
            raise RefusedError(f"what came cannot be judged: {figures.odd_pace}")
        found = _agreements(path, choice.host.settings)
    wrong = [one for one in found if one.judgement.wrong]
    why = why_not(figures)
    if not why and figures.state is HostState.WAITING and figures.cause not in _UNSAID:
        why = f"a run would not follow it: {CAUSES[figures.cause]}"
    agrees = any(one.judgement is Judgement.AGREES for one in found)
    newest = figures.newest
    posed = newest is not None and bool(newest.flags & VehicleFlags.POSE)
    ok = not wrong and not why and (agrees or posed)
    if as_json:
        print_json(
            HostCheckSummary(
                ok=ok, kind=choice.host.kind.name, seconds=writer.lasts_s, packets=writer.rows,
                why=why, lines=[_line(one) for one in found],
            )
        )  # fmt: skip
        return ok
    table = Table("", "against", "slope", "correlation", "", box=None, pad_edge=False)
    for one in found:
        style = "red" if one in wrong else "green" if one.judgement.value == "agrees" else "yellow"
        numbers = ["-" if math.isnan(x) else f"{x:.3g}" for x in (one.slope, one.correlation)]
        table.add_row(one.axis, one.against, *numbers, styled(style, one.judgement.value))
    out.print(table)
    for one in wrong:
        out.print(one.text, soft_wrap=True)
    if why and not wrong:
        out.print(why, style="red", soft_wrap=True)
    if posed:
        out.print("poses bear no force to judge: only where they stand is judged, not their signs")
    elif all(one.judgement is Judgement.SILENT for one in found if one.axis != "f_z"):
        out.print("too little motion to judge more: accelerate, brake, and take bends meanwhile")
    return ok


def _agreements(path: Path, settings: MapSettings) -> tuple[Agreement, ...]:
    """Compare the columns of a host's recorded ride by such a map."""
    from hil.stations.simulator.plan.ride_file import read_ride_file

    try:
        motion = read_ride_file(path, _map_of(path)).motion
        return agreements(motion, None, lambda one: host_remedy(one, settings))
    except MotionError as error:
        text = str(error).replace(f"{path}, ", "").replace(f"{path}: ", "")
        raise RefusedError(f"what came cannot be judged: {text}") from None


def _map_of(path: Path) -> RideMap:
    """Return the map by the columns' names, with a gap that a host may well have."""
    from hil.config.tables import read_header
    from hil.machines.cueing.ride_map import map_of_header

    return map_of_header(read_header(path).header, str(path)).model_copy(update={"gap_max_s": 5.0})


def _line(one: Agreement) -> HostLineSummary:
    slope, correlation = (None if math.isnan(x) else x for x in (one.slope, one.correlation))
    return HostLineSummary(
        axis=one.axis, against=one.against, slope=slope, correlation=correlation,
        judgement=one.judgement.value,
    )  # fmt: skip
