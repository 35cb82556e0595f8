"""``hil host listen``: packets of a host, as a table that is redrawn, or as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.live import Live
from rich.table import Table

from hil.hosts.kind import Received, Refused
from hil.hosts.watch.states import Cause, HostState
from hil.stations.simulator.listening.host_figures import HostFigures
from hil.stations.simulator.listening.host_receiver import (
    HostReceiver,
    ListenChoice,
    listen,
    listening,
    seconds_of,
)
from hil.stations.simulator.listening.host_summaries import HostListenSummary, HostValuesSummary
from hil.terminal.console import err, out, print_json
from hil.timing.realtime import RealClock
from hil.timing.stop import StopSignals
from platform6dof.cueing.attitude import to_euler
from platform6dof.cueing.vehicle import VehicleFlags

if TYPE_CHECKING:
    from platform6dof.cueing.vehicle import VehicleState

DRAWN_EVERY_S: Final = 0.25
SAID_EVERY_S: Final = 1.0
"""Time between two lines where nobody sees a table being redrawn [s]."""


def listen_and_show(choice: ListenChoice, seconds: float | None, *, as_json: bool) -> bool:
    """Listen, show what comes, and say whether anything was understood.

    Args:
        seconds: how long; None until Ctrl-C [s].

    Raises:
        ConfigError: if the port cannot be had.
    """
    lasts_s = seconds_of(seconds)
    figures = HostFigures(choice.host.settings)
    clock = RealClock()
    with StopSignals() as stop_request, listening(choice, clock) as ears:
        if not as_json:
            err.print(_where(choice, ears), soft_wrap=True)
        display = _Display(figures, ears, quiet=as_json)
        with display:
            took_s = listen(
                ears, clock, lasts_s, lambda: stop_request.asked is not None, display.take
            )
        figures.unheard = ears.unheard
        summary = summarize(choice, ears, figures, took_s)
    if as_json:
        print_json(summary)
    elif not display.drawn:
        out.print(table_of(figures, ears))
    if summary["why"] and not as_json:
        out.print(summary["why"], style="red", soft_wrap=True)
    if not figures.packets and not as_json:
        err.print(nothing_text(choice, figures), soft_wrap=True)
    return figures.packets > 0


class _Display:
    """Feeds the figures, and draws them periodically."""

    def __init__(self, figures: HostFigures, ears: HostReceiver, *, quiet: bool) -> None:
        self._figures, self._ears, self._quiet = figures, ears, quiet
        self.drawn: bool = out.is_terminal and not quiet
        """Whether a person sees the table being drawn."""
        self._live = Live(console=out, auto_refresh=False) if self.drawn else None
        self._next_s = -math.inf

    def __enter__(self) -> None:
        if self._live is not None:
            self._live.start()

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.update(table_of(self._figures, self._ears), refresh=True)
            self._live.stop()

    def take(self, now_s: float, messages: Sequence[Received | Refused]) -> None:
        """Take in the packets of one poll."""
        self._figures.step(now_s, messages)
        if now_s < self._next_s or self._quiet:
            return
        if self._live is not None:
            self._live.update(table_of(self._figures, self._ears), refresh=True)
        elif self._next_s > -math.inf:
            err.print(line_of(self._figures), soft_wrap=True)
        self._next_s = now_s + (SAID_EVERY_S if self._live is None else DRAWN_EVERY_S)


def _where(choice: ListenChoice, ears: HostReceiver) -> str:
    address, port = ears.address
    return f"{choice.host.kind.title}: listening on {address}:{port} (UDP); Ctrl-C ends"


def nothing_text(choice: ListenChoice, figures: HostFigures) -> str:
    """Return advice for a reception in which nothing was understood."""
    if figures.refused:
        why = ", ".join(f"{count} × {one.value}" for one, count in figures.refused.items())
        seen = f"; {figures.unheard}" if figures.unheard else ""
        return (
            f"nothing that came was understood ({why}{seen}): is it another kind? `hil host list`"
        )
    asks = choice.host.kind.asks_port
    asked = "" if asks is None else f", and hear requests on its UDP port {asks}"
    return (
        "nothing came: does the simulator run, and send to this address and port"
        f"{asked}? `hil host emulate {choice.host.name}` sends something to try"
    )


def line_of(figures: HostFigures) -> str:
    """Return one line for a log."""
    refused = sum(figures.refused.values())
    why = f"; {why_not(figures)}" if why_not(figures) else ""
    return (
        f"{figures.state.name.lower()}: {figures.packets} packets, "
        f"{_text(figures.rate_hz, '.1f')} Hz, jitter {_text(1e3 * figures.jitter_s, '.1f')} ms, "
        f"loss {_text(100.0 * figures.loss, '.1f')} %, {refused} refused{why}"
    )


def why_not(figures: HostFigures) -> str:
    """Name what contradicts physics or the clock and prevents following; else empty."""
    followed = figures.state in (HostState.LIVE, HostState.FADING_IN)
    return "" if followed else figures.why or figures.odd_pace


def table_of(figures: HostFigures, ears: HostReceiver) -> Table:
    """Return all that is known, a row each."""
    table = Table("", "", "", "", "", box=None, pad_edge=False, show_header=False)
    followed = figures.state in (HostState.LIVE, HostState.FADING_IN)
    unsaid = followed or figures.cause is Cause.NONE
    cause = "" if unsaid else figures.cause.name.lower().replace("_", " ")
    table.add_row("state", figures.state.name, cause)
    table.add_row("packets", str(figures.packets), f"{_text(figures.rate_hz, '.1f')} Hz")
    table.add_row("jitter", f"{_text(1e3 * figures.jitter_s, '.2f')} ms")
    table.add_row("loss", f"{_text(100.0 * figures.loss, '.2f')} %")
    for one, count in figures.refused.items():
        table.add_row("refused", str(count), one.value)
    if ears.foreign:
        table.add_row("foreign", str(ears.foreign), ears.other or "of another sender")
    state = figures.newest
    if state is None:
        return table
    rows = (
        ("force", figures.force_m_s2, "m/s²", f"forward, right, down{_made(state)}"),
        ("rates", tuple(map(math.degrees, state.omega_rad_s)), "deg/s", "roll, pitch, yaw"),
        ("attitude", angles_deg(state), "deg", "roll, pitch, heading"),
        ("velocity", state.v_m_s, "m/s", "forward, right, down"),
        ("position", state.position_m, "m", "north, east, down"),
    )
    for name, values, unit, axes in rows:
        text = "  ".join(f"{_text(value, '.3f'):>10}" for value in values)
        table.add_row(name, text, unit, axes)
    flags = state.flags.name or ""
    table.add_row("host", f"time {_text(state.t_s, '.3f')} s", flags.lower().replace("|", ", "))
    return table


def _made(state: VehicleState) -> str:
    """Return whether the force is computed because the packets have none."""
    is_whole = all(map(math.isfinite, state.f_m_s2)) or VehicleFlags.POSE in state.flags
    return "" if is_whole else "; what is not told is made of the velocity"


def angles_deg(state: VehicleState) -> tuple[float, float, float]:
    """Return roll, pitch and heading of a state [deg]."""
    roll, pitch, yaw = map(math.degrees, to_euler(state.attitude))
    return roll, pitch, yaw % 360.0


def summarize(
    choice: ListenChoice, ears: HostReceiver, figures: HostFigures, took_s: float
) -> HostListenSummary:
    """Summarise the packets received as a JSON object."""
    address, port = ears.address
    return HostListenSummary(
        ok=figures.packets > 0,
        kind=choice.host.kind.name,
        address=f"{address}:{port}",
        seconds=took_s,
        packets=figures.packets,
        refused=refused_by_reason(figures),
        rate_hz=_number(figures.rate_hz),
        jitter_s=_number(figures.jitter_s),
        loss=_number(figures.loss),
        state=figures.state.name,
        cause=figures.cause.name,
        why=why_not(figures),
        values=None if figures.newest is None else _values(figures.newest),
    )


def refused_by_reason(figures: HostFigures) -> dict[str, int]:
    """Return the counts of refused datagrams by why."""
    return {one.value: count for one, count in figures.refused.items()}


def _values(state: VehicleState) -> HostValuesSummary:
    return HostValuesSummary(
        t_s=_number(state.t_s),
        f_m_s2=[_number(value) for value in state.f_m_s2],
        omega_rad_s=[_number(value) for value in state.omega_rad_s],
        attitude=[_number(value) for value in state.attitude],
        v_m_s=[_number(value) for value in state.v_m_s],
        position_m=[_number(value) for value in state.position_m],
        flags=[flag.name for flag in state.flags if flag.name],
        speed_factor=_number(state.speed_factor),
    )


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _text(value: float, form: str) -> str:
    return format(value, form) if math.isfinite(value) else "-"
