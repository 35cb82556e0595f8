"""Types of drives on the market, as the makers' dictionaries describe them.

Each table is rewritten by hand from the maker's EDS or DCF as it was published in a driver's
repository: which objects there are, their defaults, limits and units. `drives` reads none of this.

Sources: maxon EPOS4 module 24/1.5 (maxon_epos4_ros1_csp), Nanotec CL4-E-1-12 (ros2_canopen of
Starnus Software), Technosoft iPOS (ros_canopen), Elmo Gold (cob_robots), Schunk PRL120.

Not modelled: what the dictionaries do not say, such as units that a firmware keeps to itself; the
drives of Elmo and Schunk are taken to count in increments.
"""

from __future__ import annotations

from typing import Final

from sim.devices.drive.drive_type import (
    REVOLUTIONS_PER_MINUTE,
    RPM_PER_S,
    TENTHS_OF_A_DEGREE,
    DriveType,
    Key,
)

_RPDO_TIMERS: Final[frozenset[int | Key]] = frozenset((0x1400 + k, 5) for k in range(4))
_INHIBIT: Final[frozenset[int | Key]] = frozenset((0x1800 + k, 3) for k in range(4))
_TPDO_TIMERS: Final[frozenset[int | Key]] = frozenset((0x1800 + k, 5) for k in range(4))
_GUARDING: Final[frozenset[int | Key]] = frozenset((0x100C, 0x100D))
_FACTORS: Final[frozenset[int | Key]] = frozenset((0x608F, 0x6091, 0x6092, 0x6096))
_UNITS: Final[frozenset[int | Key]] = frozenset((0x60A8, 0x60A9, 0x60AA))
_THIRD_RPDO: Final[frozenset[int | Key]] = frozenset((0x1402, 0x1403, 0x1602, 0x1603))

_TIME_STAMP: Final[frozenset[int | Key]] = frozenset({0x1013})
_OF_ELMO: Final[frozenset[int | Key]] = frozenset({0x2041, 0x22A2})
_OF_OTHERS: Final = _TIME_STAMP | _OF_ELMO
_STORE: Final[frozenset[int | Key]] = frozenset({0x1010, 0x1011})
_WINDOW: Final[frozenset[int | Key]] = frozenset({0x6067, 0x6068})

EMULATED: Final = DriveType(
    name="hil_emulated",
    lacking=_GUARDING | _UNITS | {0x2041, 0x22A2, 0x607E, 0x6096},
)
"""Type of the bench itself: it has what CiA 402 offers to a machine of this kind."""

EPOS4: Final = DriveType(
    name="epos4",
    lacking=_RPDO_TIMERS
    | _OF_OTHERS
    | _TPDO_TIMERS
    | _GUARDING
    | _FACTORS
    | {0x1006, 0x1009, 0x100A, 0x605D, 0x607C, 0x607E, 0x60C0, 0x60C1, 0x60C6},
    defaults={
        (0x6007, 0): 3,
        (0x605A, 0): 6,
        (0x605B, 0): 0,
        (0x605C, 0): 1,
        (0x605E, 0): 2,
        (0x6065, 0): 20_000,
        (0x607F, 0): 18_000,
        (0x6084, 0): 10_000,
        (0x6085, 0): 10_000,
        (0x6099, 1): 180,
        (0x609A, 0): 30,
        (0x60C2, 1): 10,
        (0x60C5, 0): 10_000,
    },
    fixed={(0x6066, 0): 0},
    ranges={(0x607F, 0): (1, 50_000), (0x6099, 1): (1, 50_000), (0x60C2, 1): (0, 100)},
    modes=(1, 3, 6, 8),
    modes_word=0x3A5,
    heartbeats=2,
    errors=5,
    speed_unit=REVOLUTIONS_PER_MINUTE,
    acceleration_unit=RPM_PER_S,
)
"""maxon EPOS4: positions in increments, speeds in rpm, no other units."""

NANOTEC_CL4: Final = DriveType(
    name="cl4",
    lacking=_RPDO_TIMERS | _OF_OTHERS | {0x6076, 0x60AA, 0x60C0},
    defaults={
        (0x6007, 0): 1,
        (0x605A, 0): 2,
        (0x605B, 0): 1,
        (0x605C, 0): 1,
        (0x605D, 0): 1,
        (0x605E, 0): 2,
        (0x6065, 0): 256,
        (0x6066, 0): 100,
        (0x607F, 0): 30_000,
        (0x6084, 0): 500,
        (0x6085, 0): 5_000,
        (0x6098, 0): 35,
        (0x6099, 1): 50,
        (0x609A, 0): 500,
        (0x60C2, 1): 1,
        (0x60C5, 0): 5_000,
        (0x60C6, 0): 5_000,
    },
    modes_word=0x3EF,
    heartbeats=1,
    position_unit=TENTHS_OF_A_DEGREE,
    speed_unit=REVOLUTIONS_PER_MINUTE,
    acceleration_unit=RPM_PER_S,
    writable_units=(0x60A8, 0x60A9),
)
"""Nanotec CL4-E: positions in tenths of a degree, speeds in rpm, until a master says otherwise."""

IPOS: Final = DriveType(
    name="ipos",
    lacking=_RPDO_TIMERS
    | _OF_ELMO
    | _FACTORS
    | _UNITS
    | {0x1009, 0x1016, 0x1029, 0x603F, 0x6076, 0x607F, 0x6084, 0x60B1, 0x60C5, 0x60C6},
    defaults={(0x6007, 0): 0, (0x605A, 0): 2, (0x605B, 0): 0, (0x605E, 0): 2},
    modes=(1, 3, 6, 7),
    modes_word=0x1F_0065,
    heartbeats=0,
    errors=5,
    speed_counts_s=1e3 / 65_536,
    acceleration_counts_s2=1e6 / 65_536,
)
"""Technosoft iPOS: interpolated positions only, and life guarding in place of the heartbeat. Speeds
and accelerations are increments a sample of 1 ms, with 16 bits behind the point (its CANopen
programming manual, objects 6081h and 6083h)."""

ELMO_GOLD: Final = DriveType(
    name="elmo_gold",
    lacking=_RPDO_TIMERS | _TIME_STAMP | _GUARDING | _UNITS | {0x1005},
    defaults={
        (0x6007, 0): 1,
        (0x605A, 0): 2,
        (0x605B, 0): 0,
        (0x605C, 0): 0,
        (0x605D, 0): 2,
        (0x605E, 0): 2,
        (0x6066, 0): 20,
        (0x607D, 1): -900_000_000,
        (0x607D, 2): 900_000_000,
        (0x607F, 0): 2_000_000_000,
        (0x6084, 0): 2_000_000_000,
        (0x6085, 0): 2_000_000_000,
        (0x6098, 0): 35,
        (0x6099, 1): 10_000,
        (0x60C2, 1): 10,
        (0x60C5, 0): 2_000_000_000,
        (0x60C6, 0): 2_000_000_000,
    },
    heartbeats=2,
    errors=16,
)
"""Elmo Gold: nearly everything of the profile, a time stamp (2041h), and no event timer of the
RPDO."""

PRL120: Final = DriveType(
    name="prl120",
    lacking=_RPDO_TIMERS
    | _OF_OTHERS
    | _INHIBIT
    | _FACTORS
    | _UNITS
    | _THIRD_RPDO
    | _STORE
    | _WINDOW
    | {0x1006, 0x1029, 0x603F, 0x6007, 0x605A, 0x605B, 0x605C, 0x605D, 0x605E, 0x6066}
    | {0x6062, 0x6076, 0x607D, 0x607E, 0x607F, 0x6084, 0x6085, 0x6098, 0x6099, 0x609A}
    | {0x60B1, 0x60C0, 0x60C5, 0x60C6, 0x60F4, 0x60FD, 0x60FF},
    defaults={(0x60C2, 1): 50},
    modes=(1, 7, 8),
    heartbeats=3,
    errors=2,
)
"""Schunk PRL120: two RPDOs and a short dictionary; an absolute encoder, and no homing."""

TYPES: Final = {each.name: each for each in (EMULATED, EPOS4, NANOTEC_CL4, IPOS, ELMO_GOLD, PRL120)}
"""All types by name."""
