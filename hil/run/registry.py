"""The stations that are installed: found by their entry points, loaded when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Final

from hil.config.errors import ConfigError
from hil.config.file_kind import FileKind
from hil.config.offers import Offer, offers
from hil.run.station import MachinePreview, Station

if TYPE_CHECKING:
    from hil.recording.header import RunHeader
    from hil.run.workspace_maker import WorkspaceMaker

GROUP: Final = "hil.stations"
"""Entry points whose objects are `Station` values; each bears the station's name."""
DEFAULT: Final = "platform"  # of a scenario that names none


@dataclass(frozen=True, slots=True)
class Installed:
    """A station as some distribution offers it."""

    name: str
    distribution: str
    station: Station | None
    broken: str = ""
    """Reason why not, and what to do; empty if it can."""


@cache
def installed() -> tuple[Installed, ...]:
    """All stations that are offered, by name; those that cannot be used say why."""
    found = offers(GROUP, _not_a_station)
    return tuple(Installed(one.name, one.distribution, one.value, one.broken) for one in found)


def parts_offered() -> tuple[Offer, ...]:
    """Offers to the stations that can be used: motions, banks of drives."""
    return tuple(offer for station in stations() for offer in station.offered())


def stations() -> tuple[Station, ...]:
    """Those that can be used."""
    return tuple(one.station for one in installed() if one.station is not None)


def station_or_none(name: str) -> Station | None:
    """A station by its name; None if it is not installed, or broken."""
    return next((one for one in stations() if one.name == name), None)


def station_named(name: object, source: str) -> Station:
    """A station by its name.

    Raises:
        ConfigError: if it is not installed, or broken; with those that can be used.
    """
    for one in installed():
        if one.name == name and one.station is not None:
            return one.station
        if one.name == name:
            raise ConfigError(source, [f"station = {name!r} cannot be used: {one.broken}"])
    known = ", ".join(repr(one.name) for one in stations()) or "none"
    raise ConfigError(source, [f"station = {name!r} is not installed; installed are {known}"])


def missing(header: RunHeader) -> str:
    """Parts that are missing to show more of a run than its signals and events, in words."""
    if header.of_no_machine:
        return "no machine took part in this run"
    name = header.signals.station
    found = next((one for one in installed() if one.name == name), None)
    if found is None:
        return f"station {name!r} is not installed here; install the package that brings it"
    return found.broken or f"station {name!r} has none"


def station_of_kind(kind: FileKind) -> Station:
    """The station that runs files of a kind; a `ConfigError` if none that works is here.

    A machine is run by the station that others extend.
    """
    for one in sorted(stations(), key=lambda one: bool(one.extends)):
        if kind is one.scenarios or (kind.runs and kind in one.machines):
            return one
    raise ConfigError(kind.name, ["no station that can be used has such scenarios: hil stations"])


def machine_preview(kind: FileKind) -> MachinePreview | None:
    """Maker of pictures of machines whose files are of a kind; None if there is none."""
    makers = (one.machine_preview for one in stations() if kind in one.machines)
    return next((maker for maker in makers if maker is not None), None)


def workspace_maker(kind: FileKind) -> WorkspaceMaker | None:
    """Maker of maps and proofs of machines whose files are of a kind; None if there is none."""
    makers = (one.workspace for one in stations())
    return next((one for one in makers if one is not None and one.kind is kind), None)


def _not_a_station(entry: EntryPoint, station: object) -> str:
    if not isinstance(station, Station):
        kind = type(station).__name__
        return f"{entry.value} is a {kind}; it must be a hil.run.station.Station"
    if station.name != entry.name:
        return f"{entry.value} is station {station.name!r}; its entry point must bear that name"
    if (station_name := station.signals.station) != station.name:
        return f"its signals are of station {station_name!r}; they must bear its name"
    return ""
