"""The bank of drives behind a Modbus gateway, made in the gate's process."""

from __future__ import annotations

from collections.abc import Callable

from drives.bank import DriveBank, DriveModelError
from drives.links import ModbusRtuLink, ModbusTcpLink, parse_link
from drives.modbus.bank import ModbusBank
from drives.modbus.register_map import register_map_from
from drives.modbus.settings import ModbusSettings
from drives.waits import ReportWaits
from hil.stations.platform.gate.bank_spec import BankSpec, place_of


def make(spec: BankSpec, now_s: Callable[[], float], report: ReportWaits) -> DriveBank:
    """Make a bank; nothing is opened or sent before its `configure`.

    Raises:
        DriveError: If settings, scales or URL make no bank.
    """
    link = parse_link(spec.url)
    if not isinstance(link, ModbusTcpLink | ModbusRtuLink):
        raise DriveModelError(f"{spec.url}: a Modbus URL is needed")
    return ModbusBank(
        link,
        register_map_from(spec.settings["map"], spec.settings["map_file"]),
        spec.scales,
        spec.period_s,
        settings=ModbusSettings.from_json(spec.settings["drives"]),
        now_s=now_s,
        name=spec.name,
        homing_legs=spec.settings["homing_legs"],
        cut_m_s=spec.settings.get("cut_m_s"),
        place=place_of(spec),
        report=report,
    )
