"""The object dictionary of the emulated drive for other CANopen tools: in memory and as EDS text.

The EDS follows CiA 306: one section per object, `$NODEID` where the default depends on the node.
It bears no date, so that the shipped file can be compared with what the code exports.

Not modelled: LowLimit and HighLimit of parameters, CompactSubObj, DCF files.
"""

from __future__ import annotations

from typing import Final

from canopen.objectdictionary import ObjectDictionary, ODArray, ODRecord, ODVariable

from sim.devices.can.communication_objects import (
    DEVICE_NAME,
    PDO_COUNT,
    PRODUCT_CODE,
    REVISION,
    VENDOR_ID,
)
from sim.devices.can.object_entry import DictionaryEntry, Row
from sim.devices.can.object_table import table_of
from sim.devices.drive.maker_types import EMULATED

_MANDATORY: Final = (0x1000, 0x1001, 0x1018)
_BAUD_RATES_KBIT: Final = (10, 20, 50, 125, 250, 500, 800, 1000)
_VARIABLE, _ARRAY, _RECORD = 7, 8, 9


def build_object_dictionary(node_id: int) -> ObjectDictionary:
    """Return the dictionary of one node in the form that `canopen` works with.

    Args:
        node_id: Node whose COB-IDs the defaults have, 1 to 127.
    """
    dictionary = ObjectDictionary()
    dictionary.node_id = node_id
    dictionary.bitrate = 1_000_000
    dictionary.device_information.product_name = DEVICE_NAME
    for row in table_of(EMULATED).rows:
        if isinstance(row, DictionaryEntry):
            dictionary.add_object(_variable(row, node_id))
            continue
        kind = ODArray if row.is_array else ODRecord
        group = kind(row.name, row.index)
        for entry in row.entries:
            group.add_member(_variable(entry, node_id))
        dictionary.add_object(group)
    return dictionary


def _variable(entry: DictionaryEntry, node_id: int) -> ODVariable:
    variable = ODVariable(entry.name, entry.index, entry.subindex)
    variable.data_type = entry.data_type
    variable.access_type = entry.access
    variable.pdo_mappable = entry.mappable
    variable.relative = entry.relative
    default = entry.default
    if entry.relative and isinstance(default, int):
        default += node_id
    variable.default = default  # pyright: ignore[reportAttributeAccessIssue]  (text is legal)
    return variable


def export_eds() -> str:
    """Return the text of the drive's EDS file, valid for every node id."""
    lines = [
        "[FileInfo]",
        "FileName=hil_emulated_drive.eds",
        "FileVersion=1",
        "FileRevision=0",
        "EDSVersion=4.0",
        f"Description=Drive profile CiA 402, {DEVICE_NAME}",
        "",
        *_device_info(),
        "[DummyUsage]",
        "Dummy0001=0",
        *(f"Dummy{number:04X}=1" for number in range(2, 8)),
        "",
        "[Comments]",
        "Lines=0",
        "",
    ]
    rows = table_of(EMULATED).rows
    mandatory = [row for row in rows if row.index in _MANDATORY]
    optional = [row for row in rows if row.index not in _MANDATORY]
    for title, shown in (("Mandatory", mandatory), ("Optional", optional), ("Manufacturer", [])):
        lines += [f"[{title}Objects]", f"SupportedObjects={len(shown)}"]
        lines += [f"{k}=0x{row.index:04X}" for k, row in enumerate(shown, start=1)]
        lines.append("")
        for row in shown:
            lines += _row_lines(row)
    return "\n".join(lines)


def _device_info() -> list[str]:
    return [
        "[DeviceInfo]",
        "VendorName=HIL bench",
        f"VendorNumber={VENDOR_ID}",
        f"ProductName={DEVICE_NAME}",
        f"ProductNumber={PRODUCT_CODE}",
        f"RevisionNumber={REVISION}",
        "OrderCode=none",
        *(f"BaudRate_{rate}=1" for rate in _BAUD_RATES_KBIT),
        "SimpleBootUpMaster=0",
        "SimpleBootUpSlave=1",
        "Granularity=8",
        "DynamicChannelsSupported=0",
        "GroupMessaging=0",
        f"NrOfRXPDO={PDO_COUNT}",
        f"NrOfTXPDO={PDO_COUNT}",
        "LSS_Supported=0",
        "",
    ]


def _row_lines(row: Row) -> list[str]:
    if isinstance(row, DictionaryEntry):
        return _entry_lines(row, f"{row.index:04X}")
    lines = [
        f"[{row.index:04X}]",
        f"ParameterName={row.name}",
        f"ObjectType=0x{_ARRAY if row.is_array else _RECORD:X}",
        f"SubNumber={len(row.entries)}",
        "",
    ]
    for entry in row.entries:
        lines += _entry_lines(entry, f"{row.index:04X}sub{entry.subindex:X}")
    return lines


def _entry_lines(entry: DictionaryEntry, section: str) -> list[str]:
    return [
        f"[{section}]",
        f"ParameterName={entry.name}",
        f"ObjectType=0x{_VARIABLE:X}",
        f"DataType=0x{entry.data_type:04X}",
        f"AccessType={entry.access}",
        f"DefaultValue={_default_text(entry)}",
        f"PDOMapping={int(entry.mappable)}",
        "",
    ]


def _default_text(entry: DictionaryEntry) -> str:
    value = entry.default
    if isinstance(value, str):
        return value
    if entry.relative:
        return f"$NODEID+0x{value:X}"
    return f"0x{value:X}" if value >= 0 else str(value)
