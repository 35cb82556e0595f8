"""A drive file: what one type of drive has, lacks, calls otherwise and counts in.

``configs/drives/NAME.toml``, named by ``drives.type`` in the rig. One kind of file for all: the
table ``[drive]`` says who the drive is and what it speaks; the rest of a CANopen file is read here,
that of a Modbus file is its register map (:mod:`drives.modbus.register_map`).
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from drives.bank import DriveError, DriveModelError
from drives.types.drive_type import (
    DriveType,
    InputBits,
    Reading,
    Stamp,
    Timer,
    Write,
    drive_type_from,
    place_of,
    place_text,
)
from hil.config.fields import Positive
from hil.config.file_search import find_file
from hil.config.settings import ConfigError, Settings, read_toml


def _place(text: str) -> str:
    try:
        return text if ":" not in text else place_text(*place_of(text))
    except DriveModelError as error:
        raise ValueError(str(error)) from None


def _full_place(text: str) -> str:
    try:
        return place_text(*place_of(text))
    except DriveModelError as error:
        raise ValueError(str(error)) from None


PlaceText = Annotated[str, AfterValidator(_full_place)]
"""Place of an object: ``607Fh``, or ``6099h:1`` with a sub-index."""
ObjectText = Annotated[str, AfterValidator(_place), Field(pattern=r"^[0-9A-F]{4}h(:[0-9]{1,3})?$")]
"""The same; without a sub-index the whole object is meant."""
Kind = Literal["u8", "i8", "u16", "i16", "u32", "i32"]
Bit = Annotated[int, Field(ge=0, le=31)]


class DriveHeader(Settings):
    """Who the drive is, and where what the file says comes from."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    """What texts call it."""
    maker: Annotated[str, Field(min_length=1, max_length=80)]
    """Who makes it."""
    protocol: Literal["canopen", "modbus"]
    """What it speaks."""
    source: Annotated[str, Field(min_length=1)]
    """Manual and page, or dictionary and its revision."""
    tried_on_metal: bool
    """Whether this file was ever tried on a real drive."""


class Objects(Settings):
    """The dictionary: what is not there, is elsewhere, or takes a range of values only."""

    lacks: tuple[ObjectText, ...] = ()
    """Objects that the drive does not have; an index by itself means all of its sub-indices."""
    instead: dict[PlaceText, PlaceText] = Field(default_factory=dict)
    """Place of the standard = place where this drive has the same thing."""
    target_also: PlaceText | None = None
    """Place that gets the target in each cycle beside 607Ah (csp) or 60C1h:1 (ip): of a drive that
    takes it there, or follows only what stands in both. For one that takes it elsewhere alone
    `instead` says so."""
    ranges: dict[PlaceText, tuple[int, int]] = Field(default_factory=dict)
    """Place = smallest and largest value that it takes, in the drive's units; twice the same where
    the value is fixed."""
    modes: tuple[Annotated[int, Field(ge=-128, le=127)], ...] = ()
    """Modes of operation (6060h) of a drive without 6502h."""


class UnitTexts(Settings):
    """In what the drive counts where it has no 60A8h, 60A9h, 60AAh: "0.001 rpm", "deg/s"."""

    position: str = "counts"
    """Of 6064h, 607Ah, 607Dh."""
    speed: str = "counts/s"
    """Of 606Ch, 607Fh, 6099h, 60B1h."""
    acceleration: str = "counts/s2"
    """Of 6084h, 6085h, 609Ah, 60C5h."""
    feed: str = "um"
    """Of the feed in 6092h; "counts" where it is in units of position."""


class HomingFacts(Settings):
    """What the drive knows of homing."""

    methods: tuple[Annotated[int, Field(ge=-128, le=37)], ...] = ()
    """Methods of 6098h that it knows; empty where nobody says. A rig with another one is refused; a
    drive that has a list of its own (60E3h) is asked for it besides."""


class InputFacts(Settings):
    """Where the drive tells its digital inputs; a bit left out is not told."""

    object: PlaceText
    """The object."""
    kind: Literal["u8", "u16", "u32"] = "u32"
    """Its type."""
    negative_limit: Bit | None = None
    """Bit of the negative limit switch."""
    positive_limit: Bit | None = None
    """Bit of the positive limit switch."""
    home: Bit | None = None
    """Bit of the home switch."""
    interlock: Bit | None = None
    """Bit of the interlock, to which a channel of the emergency stop is wired."""


class TimerFacts(Settings):
    """A time-out of SYNC or of the maker's by which the drive stops without the bench."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    """What it is."""
    object: PlaceText
    """Where it is written."""
    kind: Kind
    """Type of the object."""
    unit_s: Positive
    """One unit of it [s]."""
    times: Annotated[int, Field(ge=1, le=100)] = 1
    """How many of the written times pass before the drive stops."""


class ReadingFacts(Settings):
    """Something that tells how warm or how loaded the drive is."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    """What it is, for operator and report."""
    object: PlaceText
    """Where it is read."""
    kind: Kind
    """Type of the object."""
    factor: Positive = 1.0
    """What one unit of the object is, in ``unit``."""
    unit: str
    """For people: degC, %."""
    warn_above: float
    """From where on it is a warning, in ``unit``."""


class StampFacts(Settings):
    """An object that a TPDO can carry and that tells when its values were taken."""

    object: PlaceText
    """The object, such as 1013h."""
    kind: Literal["u8", "u16", "u32"] = "u32"
    """Type of the object."""
    tick_s: Annotated[float, Field(ge=0.0)]
    """One unit of it [s]; 0 of a counter of SYNCs."""


class WriteFacts(Settings):
    """A value that is written to an object."""

    object: PlaceText
    """The object."""
    kind: Kind
    """Its type."""
    value: int
    """The value."""


class Habits(Settings):
    """How the firmware behaves where the standard leaves it open."""

    boot_timeout_s: Annotated[float, Field(gt=0.0, le=60.0)] = 15.0
    """How long it may take to boot [s]."""
    remote_bit: bool = True
    """Bit 9 of the statusword tells whether it obeys the bus; false where it is always 0."""
    follows_bit: bool = True
    """Bit 12 of the statusword tells in csp whether it follows; false where it is always 0."""
    interpolation_cycles: Annotated[int, Field(ge=0, le=255)] = 0
    """Cycles (60C2h) without a setpoint after which it stops by itself; 0 if it does not."""


class CanopenDriveFile(Settings):
    """A type of CANopen drive."""

    drive: DriveHeader
    """Who it is."""
    objects: Objects = Objects()
    """What its dictionary has."""
    units: UnitTexts = UnitTexts()
    """In what it counts."""
    homing: HomingFacts = HomingFacts()
    """What it knows of homing."""
    inputs: InputFacts | None = None
    """Its digital inputs; left out: 60FDh as the standard has it."""
    habits: Habits = Habits()
    """How its firmware behaves."""
    timers: tuple[TimerFacts, ...] = ()
    """Time-outs besides those of 1400h:5, 1016h and 100Ch."""
    readings: tuple[ReadingFacts, ...] = ()
    """Temperatures and loads."""
    fault_exit: tuple[WriteFacts, ...] = ()
    """What is written into a drive in fault where bit 7 of the controlword is not enough."""
    stamp: StampFacts | None = None
    """What tells the age of its feedback."""

    def drive_type(self) -> DriveType:
        """The same as data for the gate's process.

        Raises:
            DriveModelError: if a unit is none, or a range is upside down.
        """
        objects, units, habits = self.objects, self.units, self.habits
        stamp = None if self.stamp is None else Stamp(**self.stamp.model_dump())
        return DriveType(
            name=self.drive.name,
            lacks=objects.lacks,
            instead=tuple(objects.instead.items()),
            target_also=objects.target_also or "",
            ranges=tuple((place, low, high) for place, (low, high) in objects.ranges.items()),
            position_unit=units.position,
            speed_unit=units.speed,
            acceleration_unit=units.acceleration,
            feed_unit=units.feed,
            homing_methods=self.homing.methods,
            modes=objects.modes,
            inputs=InputBits() if self.inputs is None else InputBits(**self.inputs.model_dump()),
            timers=tuple(Timer(**each.model_dump()) for each in self.timers),
            readings=tuple(Reading(**each.model_dump()) for each in self.readings),
            fault_exit=tuple(Write(**each.model_dump()) for each in self.fault_exit),
            stamp=stamp,
            **habits.model_dump(),
        )


def find_drive_file(name: str, *, beside: Path | None = None) -> Path:
    """The drive file that ``drives.type`` or the command line means.

    Raises:
        ConfigError: naming every place that was searched.
    """
    key = "--type" if beside is None else "drives.type"
    return find_file(name, beside=beside, folder="drives", key=key)


def header_of(table: Mapping[str, Any], source: str) -> DriveHeader:
    """Who the drive of a file is.

    Raises:
        ConfigError: if the table ``[drive]`` is missing or wrong.
    """
    header = table.get("drive")
    if not isinstance(header, Mapping):
        raise ConfigError(source, ["is no drive file: it has no table [drive]"])
    return DriveHeader.build(header, f"{source}: [drive]")


def read_drive_table(
    name: str, protocol: str, *, beside: Path | None
) -> tuple[dict[str, Any], Path]:
    """The parsed drive file of a type, which has to speak a protocol.

    Args:
        name: a path, or the bare name of a shipped file.
        protocol: "canopen" or "modbus".
        beside: the rig's file.

    Raises:
        ConfigError: if there is no such file, or its drive speaks something else.
    """
    path = find_drive_file(name, beside=beside)
    table = read_toml(path)
    header = header_of(table, str(path))
    if header.protocol != protocol:
        text = f"{header.name} speaks {header.protocol}, the drives' url is {protocol}"
        raise ConfigError(str(path), [f"{text}: another drives.type, or another url"])
    return table, path


def canopen_type(table: Mapping[str, Any], source: str) -> DriveType:
    """The type of a CANopen drive that a parsed file describes.

    Raises:
        ConfigError: with the file, the key, the value and what would have been right.
    """
    file = CanopenDriveFile.build(table, source)
    try:
        # There and back, so that what the gate's process will read is known to be readable.
        return drive_type_from(asdict(file.drive_type()))
    except DriveError as error:
        raise ConfigError(source, [str(error)]) from None
