"""The file of a Modbus gateway as settings: its schema for editors.

The file is read by `drives.modbus.register_map`, whose words and types are also used here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field, create_model

from drives.modbus.register_map import (
    LAST_ADDRESS,
    OPTIONAL_FIELDS,
    PARAMETERS,
    READ_FIELDS,
    READ_REGISTERS_MAX,
    REGISTERS_PER_REQUEST_MIN,
    UNIT_MAX,
    WRITE_FIELDS,
)
from drives.modbus.register_table import RegisterType
from hil.config.settings import Settings
from hil.machines.rig.drive_file import DriveHeader

Address = Annotated[int, Field(ge=0, le=LAST_ADDRESS)]
Place = Annotated[int, Field(ge=0)]
"""Registers after the first of the block, or of the axis."""
PlaceIfAny = Annotated[int | None, Field(ge=0)]
Stride = Annotated[int, Field(ge=1)]


def _places(name: str, words: Mapping[str, RegisterType], optional: frozenset[str]) -> Any:
    """Build a table of named places."""
    fields: dict[str, Any] = {
        word: (
            PlaceIfAny if word in optional else Place,
            Field(default=None if word in optional else ..., description=f"{kind.value}"),
        )
        for word, kind in words.items()
    }
    return create_model(name, __base__=Settings, **fields)


WriteAxis: Final = _places("WriteAxis", WRITE_FIELDS, OPTIONAL_FIELDS)
ReadAxis: Final = _places("ReadAxis", READ_FIELDS, OPTIONAL_FIELDS)
Offsets: Final = _places("Offsets", PARAMETERS, frozenset(PARAMETERS))


class WriteBlock(Settings):
    """Registers that each cycle writes, of one unit."""

    address: Address
    """First register."""
    sequence: Place | None = None
    """Place of the counter of requests; left out where the gateway has none."""
    zeros: tuple[Place, ...] = ()
    """Places that are written as 0."""
    first_axis: Place
    """Place of the unit's first axis."""
    stride: Stride
    """Registers from one axis to the next."""
    axis: WriteAxis  # pyright: ignore[reportInvalidTypeForm]
    """Places of an axis' words."""


class ReadBlock(Settings):
    """Registers that each cycle reads, of one unit."""

    address: Address
    """First register."""
    echo: Place | None = None
    """Place of the counter of the request that is answered."""
    boot_count: Place | None = None
    """Place of the counter of power-ups."""
    first_axis: Place
    """Place of the unit's first axis."""
    stride: Stride
    """Registers from one axis to the next."""
    axis: ReadAxis  # pyright: ignore[reportInvalidTypeForm]
    """Places of an axis' words."""


class ParameterBlock(Settings):
    """Parameters of the unit's first axis, and the stride to the next one's."""

    address: Address
    """First register."""
    stride: Stride
    """Registers from one axis to the next."""
    offsets: Offsets  # pyright: ignore[reportInvalidTypeForm]
    """Places of the parameters that an axis has."""


class Identification(Settings):
    """Required device identification (function 43/14)."""

    vendor_name: str = ""
    """Object 0; empty for any."""
    product_code: str = ""
    """Object 1; empty for any."""


class ModbusDriveFile(Settings):
    """A gateway with six drives, or drives, on Modbus."""

    drive: DriveHeader
    """Name, maker and source of the drive."""
    word_order: Literal["big", "little"]
    """Half of a 32-bit value at the lower address: the high one is "big"."""
    units: Annotated[
        tuple[Annotated[int, Field(ge=1, le=UNIT_MAX)], ...], Field(min_length=1, max_length=6)
    ]
    """Unit addresses, 1, 2, 3 or 6; the axes are shared out among them in this order."""
    watchdog_address: Address
    """Register of the time without a valid request after which the drives stop [ms]."""
    watchdog_wide: bool = False
    """Whether that time takes two registers."""
    read_write: bool = True
    """The device has function 23; else each cycle writes (16), then reads (3)."""
    registers_per_request: (
        Annotated[int, Field(ge=REGISTERS_PER_REQUEST_MIN, le=READ_REGISTERS_MAX)] | None
    ) = None
    """Most registers in one request; left out for as many as the protocol has."""
    identification: Identification | None = None
    """Required device identification; left out for any device."""
    write: WriteBlock
    """Registers that each cycle writes."""
    read: ReadBlock
    """Registers that each cycle reads."""
    parameters: ParameterBlock
    """Place of the parameters."""
