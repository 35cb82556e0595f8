"""Types of drives on the command line: made of a data sheet, and checked against the needs."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
from rich.table import Table

from drives.bank import DriveError
from drives.canopen.needs import Need, needs_of
from drives.modbus.register_map import register_map_from
from drives.types.eds_file import DATA_SHEETS, read_eds
from hil.config.file_search import find_file
from hil.config.files import write_new
from hil.config.settings import ConfigError, read_toml
from hil.machines.rig.drive_file import DriveHeader, canopen_type, find_drive_file, header_of
from hil.machines.rig.drive_fit import scales_of
from hil.machines.rig.machine import load_rig
from hil.stations.platform.buses.canopen import canopen_settings
from hil.stations.platform.commissioning.drive_summaries import CheckTypeSummary
from hil.terminal.console import out, print_json

CHECK_PERIOD_S = 0.004
"""Cycle for which a type is checked [s]."""


def import_and_show(sheet: Path, to: Path | None) -> None:
    """Make a drive file of a data sheet; print it if there is no file to write.

    Raises:
        ConfigError: if the sheet cannot be read, or the file is there already.
    """
    text = drive_file_text(_read_sheet(sheet))
    if to is None:
        out.print(text, highlight=False, soft_wrap=True, end="")
        return
    try:
        write_new(to, text.encode())
    except FileExistsError:
        raise ConfigError(str(to), ["is there already; another name, or remove it"]) from None
    except OSError as error:
        raise ConfigError(str(to), [f"cannot be written: {error.strerror}"]) from None
    out.print(f"{to} written; look at it with: hil drives check-type {to}")


def drive_file_text(tables: Mapping[str, Any]) -> str:
    """Text of a drive file for its tables."""
    lines = [
        "# Made of a data sheet by `hil drives import`. It says what exists, not how the firmware",
        "# behaves: [habits], [units] where it tells none, [[timers]] and [[readings]] are to be",
        "# added from the manual. Every key: `hil schema drive`.",
    ]
    for name, table in tables.items():
        lines += ["", f"[{name}]"]
        plain = {key: value for key, value in table.items() if not isinstance(value, dict)}
        lines += [f"{key} = {_toml(value)}" for key, value in plain.items()]
        for key, inner in table.items():
            if isinstance(inner, dict):
                lines += ["", f"[{name}.{key}]"]
                lines += [f'"{place}" = {_toml(value)}' for place, value in inner.items()]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """Text, number, truth value or list as TOML, which is the same as JSON for these."""
    if isinstance(value, list) and len(value) > 6:
        rows = [value[at : at + 8] for at in range(0, len(value), 8)]
        inner = "".join(f"    {', '.join(map(_toml, row))},\n" for row in rows)
        return f"[\n{inner}]"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return orjson.dumps(value).decode()


def check_and_show(name: str, rig_name: str, *, as_json: bool) -> bool:
    """Check a type against what the bench needs; False if it cannot work with it.

    Args:
        name: shipped type, drive file, or data sheet.
        rig_name: name of the rig with the speeds, limits and scale to check for.

    Raises:
        ConfigError: if there is no such type or rig, or one of them is wrong.
    """
    table, source = _tables(name)
    header = header_of(table, source)
    needs = (
        _modbus_needs(table, source)
        if header.protocol == "modbus"
        else _needs(table, source, rig_name)
    )
    accepted = all(need.met for need in needs)
    if as_json:
        print_json(CheckTypeSummary(ok=accepted, drive=header, needs=list(needs)))
    else:
        _show(header, source, needs, accepted=accepted)
    return accepted


def _tables(name: str) -> tuple[Mapping[str, Any], str]:
    if name.lower().endswith(DATA_SHEETS):
        return _read_sheet(Path(name)), name
    path = find_drive_file(name)
    return read_toml(path), str(path)


def _read_sheet(sheet: Path) -> dict[str, Any]:
    try:
        return read_eds(sheet)
    except DriveError as error:
        raise ConfigError("data sheet", [str(error)]) from None


def _needs(table: Mapping[str, Any], source: str, rig_name: str) -> tuple[Need, ...]:
    type_ = canopen_type(table, source)
    rig = load_rig(find_file(rig_name, folder="rigs", key="--rig"))
    settings = replace(canopen_settings(rig, buses=1), type=type_)
    if type_.modes and settings.mode not in type_.modes:
        other = next((mode for mode in (8, 7) if mode in type_.modes), settings.mode)
        settings = replace(settings, mode=other)
    return needs_of(settings, scales_of(rig)[0], CHECK_PERIOD_S)


def _modbus_needs(table: Mapping[str, Any], source: str) -> tuple[Need, ...]:
    """Needs that a map meets: one that can be read has all that a cycle needs."""
    try:
        found = register_map_from(table, source)
    except DriveError as error:
        raise ConfigError(source, [str(error)]) from None
    words = ", ".join(field.name for field in (*found.write.fields, *found.read.fields))
    echo = found.proves_answers
    by = "echo of the request's number" if echo else ""
    lag = "" if echo else "the lag of the measured path, identified"
    return (
        Need("registers", "words of a cycle", words, "", True),
        Need("register", "a watchdog", str(found.watchdog_address), "", True),
        Need("register", "age of feedback", by, lag, True),
    )


def _show(header: DriveHeader, source: str, needs: tuple[Need, ...], *, accepted: bool) -> None:
    tried = "yes" if header.tried_on_metal else "no"
    out.print(f"{header.name} ({header.maker})", soft_wrap=True)
    out.print(f"from {source}: {header.source}", soft_wrap=True)
    out.print(f"tried on metal: {tried}")
    table = Table("object", "the bench needs", "the drive has", "what stands in")
    for need in needs:
        has = need.has or "-"
        stand_in = need.stand_in if need.met else f"REFUSED: {need.stand_in or 'nothing does'}"
        table.add_row(need.place, need.meaning, has, stand_in)
    out.print(table)
    lacking = sum(1 for need in needs if need.met and not need.has)
    refused = [need.place for need in needs if not need.met]
    if accepted:
        out.print(f"accepted; something stands in for {lacking} of {len(needs)}")
    else:
        out.print(f"refused: {', '.join(refused)}")
