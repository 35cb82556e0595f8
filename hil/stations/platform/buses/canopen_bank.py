"""The bank of CANopen drives, made in the gate's process."""

from __future__ import annotations

from collections.abc import Callable

from drives.bank import DriveBank, DriveError, DriveModelError
from drives.can.frames import FrameBus
from drives.canopen.bank import CanopenBank
from drives.canopen.settings import from_json
from drives.links import CanLink, open_can, parse_link
from drives.waits import ReportWaits
from hil.stations.platform.gate.bank_spec import BankSpec, place_of


def make(spec: BankSpec, now_s: Callable[[], float], report: ReportWaits) -> DriveBank:
    """Open the buses of a bank, and make it.

    Raises:
        DriveError: If settings, scales or URL make no bank, or a bus cannot be opened.
    """
    settings = from_json(spec.settings["drives"])
    links = [parse_link(url) for url in spec.url.split()]
    cans = [link for link in links if isinstance(link, CanLink)]
    if len(cans) != len(links) or len(cans) != settings.buses:
        text = f"{spec.url}: {settings.buses} CAN buses are needed, one URL each"
        raise DriveModelError(text)
    buses: list[FrameBus] = []
    try:
        for link in cans:
            buses.append(open_can(link, bitrate=settings.bitrate, now_s=now_s))
        return CanopenBank(
            buses,
            settings,
            spec.scales,
            spec.period_s,
            now_s=now_s,
            name=spec.name,
            url=spec.url,
            homing_legs=spec.settings["homing_legs"],
            cut_m_s=spec.settings.get("cut_m_s"),
            place=place_of(spec),
            report=report,
        )
    except DriveError:
        for bus in buses:
            bus.shutdown()
        raise
