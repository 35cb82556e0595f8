"""``hil host list``: hosts, where they send, and the quantities of their wires."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from rich.table import Table

from hil.config.settings import read_toml
from hil.hosts.maps import installed_hosts
from hil.stations.simulator.listening.host_lookup import shipped_maps
from hil.stations.simulator.listening.host_summaries import (
    HostKindSummary,
    HostListSummary,
    HostMapSummary,
)
from hil.stations.simulator.sources.wire_registry import installed_wires
from hil.terminal.console import out, print_json
from sim.hosts.kinds import KINDS

if TYPE_CHECKING:
    from hil.hosts.kind import HostKind

_WORDS = {
    "t_s": "time", "f_m_s2": "force", "omega_rad_s": "rates", "domega_rad_s2": "their derivatives",
    "attitude": "attitude", "v_m_s": "velocity", "position_m": "position",
    "speed_factor": "speed of its time", "sequence": "sequence",
}  # fmt: skip


def list_and_show(*, as_json: bool) -> None:
    """Show kinds of hosts and their maps."""
    offered, wires = installed_hosts(), installed_wires()
    emulated = {*KINDS, *(one.name for one in wires if not one.broken)}
    kinds: list[HostKind] = [offer.value for offer in offered if not offer.broken]
    maps = [HostMapSummary(name=path.stem, kind=str(read_toml(path).get("kind")))
            for path in shipped_maps()]  # fmt: skip
    broken = [f"{offer.words}: {offer.broken}" for offer in (*offered, *wires) if offer.broken]
    if as_json:
        shown = [_summarize(kind, emulated) for kind in kinds]
        print_json(HostListSummary(ok=True, kinds=shown, broken=broken, maps=maps))
        return
    table = Table("kind", "what it is", "UDP port", "asked on", "maps", "tells",
                  box=None, pad_edge=False)  # fmt: skip
    for kind in kinds:
        of_kind = ", ".join(one["name"] for one in maps if one["kind"] == kind.name)
        asked = "" if kind.asks_port is None else str(kind.asks_port)
        table.add_row(kind.name, kind.title, str(kind.port), asked, of_kind, fields_text(kind))
    out.print(table)
    for line in broken:
        out.print(line)


def fields_text(kind: HostKind) -> str:
    """Describe the quantities of a kind's wire."""
    if kind.fields_by_map is not None:
        return "what its map says"
    phrases = [words for name, words in _WORDS.items() if name in kind.fields]
    flags = [name.removeprefix("flags.").lower() for name in sorted(kind.fields)
             if name.startswith("flags.")]  # fmt: skip
    return ", ".join(phrases + flags)


def _summarize(kind: HostKind, emulated: Container[str]) -> HostKindSummary:
    return HostKindSummary(
        name=kind.name,
        title=kind.title,
        port=kind.port,
        asks_port=kind.asks_port,
        tells=sorted(kind.fields),
        emulated=kind.name in emulated,
    )
