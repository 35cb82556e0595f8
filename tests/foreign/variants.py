"""Racks of six slaves that differ from each other, and what a bench is expected to make of each.

A variant is data: what differs from a complete drive, what its builder writes into the rig, and the
outcome. "completed": homing, test move and a short heave end well. "refused": one of the verbs ends
with words that name leg, cause and remedy, and no rod has moved further than the bound.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import maker_rows
from habits import Habits
from maker_rows import fix, hold, limit, no_event_timers, without
from object_dictionary import Row
from slave_rows import Rows
from units import ACCELERATION_RPM_S, POSITION_INCREMENTS, SPEED_RPM, Mechanics

Change = Callable[[Rows], None]
PLAIN, DIRECT = Habits(), Mechanics()
LEGS = (1, 2, 3, 4, 5, 6)
ANYWHERE_M = 1.0
"""Bound of a rod's travel where the variant has none of its own: its whole stroke."""
STILL_M = 0.0005
"""Bound where nothing may move."""


@dataclass(frozen=True)
class Variant:
    """One rack.

    Args:
        name: of the variant.
        expect: "completed" or "refused".
        words: what a refusal has to say: patterns, all of which must be found.
        changes: of the complete dictionary.
        habits: how its drives behave.
        legs: those that changes and habits apply to; the others are complete.
        mechanics: encoder, gear, screw.
        pdos: how many RPDOs and TPDOs there are.
        entries: objects in one mapping.
        drives: what the builder writes into the rig's table of drives.
        canopen: and into its table of CANopen.
        supervision: and over its supervision.
        file: what the builder writes into a drive file of his own, beside its header.
        modbus: exception and how long it is given [s], of the gateway that stands in for the bus.
        nodes: of legs 1 to 6.
        strangers: nodes on the bus beside the legs' drives.
        exchanged: two legs whose drives stand in each other's place.
        foreign_sync_hz: somebody else sends SYNC at this rate.
        pushed: legs and the ways by which their rods are moved while the bench is away [m].
        steps: verbs in their order.
        bound_m: furthest that a rod may get from where it stood when the last verb began.
        boot_s: what boot adds to the time that the variant may last.
        start_count: what the encoder of leg 2 tells at the place where its rod stands at first;
            any if None.
        left_off: no drive may be under power once the last verb has ended, refused or not.
    """

    name: str
    expect: str = "completed"
    words: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    habits: Habits = PLAIN
    legs: tuple[int, ...] = LEGS
    mechanics: Mechanics = DIRECT
    pdos: tuple[int, int] = (4, 4)
    entries: int = 8
    drives: dict[str, Any] = field(default_factory=dict)
    canopen: dict[str, Any] = field(default_factory=dict)
    supervision: dict[str, Any] = field(default_factory=dict)
    file: dict[str, Any] = field(default_factory=dict)
    modbus: tuple[int, float] | None = None
    nodes: tuple[int, ...] = LEGS
    strangers: tuple[int, ...] = ()
    exchanged: tuple[int, int] | None = None
    foreign_sync_hz: float = 0.0
    pushed: tuple[tuple[int, float], ...] = ()
    steps: tuple[str, ...] = ("home", "test", "heave")
    bound_m: float = ANYWHERE_M
    boot_s: float = 5.0
    start_count: int | None = None
    left_off: bool = False


def lacks(*gone: int | tuple[int, int]) -> Change:
    return lambda rows: without(rows, *gone)


def holds(**values: int) -> Change:
    return lambda rows: hold(rows, **values)


def rounds(rows: Rows) -> None:
    """Values of motion go through a factor with 16 bits behind the point: 20000 becomes 19999."""
    for key in ((0x6065, 0), (0x6099, 1), (0x6099, 2), (0x609A, 0), (0x6084, 0), (0x6085, 0)):
        rows[key].stored = lambda value: value * 65536 // 65537


def slow_units(rows: Rows) -> None:
    """Speeds in rpm, told by 60A9h, and so are accelerations."""
    rows[0x60A8, 0] = Row("I", POSITION_INCREMENTS, "ro")
    rows[0x60A9, 0] = Row("I", SPEED_RPM, "ro")
    rows[0x60AA, 0] = Row("I", ACCELERATION_RPM_S, "ro")


def speed_unit_can_be_set(rows: Rows) -> None:
    """Speeds in rpm until a master writes another unit."""
    slow_units(rows)
    rows[0x60A9, 0].access = "rw"


def no_watchdogs(rows: Rows) -> None:
    no_event_timers(rows)
    without(rows, 0x1016, 0x100C, 0x100D, 0x1006)


def long_name(rows: Rows) -> None:
    rows[0x1008, 0].value = "A servo drive with a name that no expedited transfer can carry"


def stopped_clock(rows: Rows) -> None:
    """A time stamp that never goes on."""
    rows[0x1013, 0] = Row("I", 77, "ro", mapped=True)


ABSOLUTE = Habits(absolute=True, homing_methods=())
NO_HOMING = lacks(0x6098, 0x6099, 0x609A, 0x607C)
ABSOLUTE_CHANGES = (NO_HOMING, holds(_6502=0x3C5))
RULED = ("rule", "home", "test", "heave")
"""First a person measures how far each leg goes: for drives that tell no scale."""
REFERENCED = ("reference", "home", "test", "heave")
NO_WATCHDOG_WORDS = (r"(?i)leg 1", r"(?i)watchdog|nothing would stop it", r"1400h|1016h|100Ch")
UNIT_WORDS = (r"(?i)legs? \d", r"(?i)speed|velocity", r"60A9h|unit|factor")

VARIANTS: tuple[Variant, ...] = (
    Variant("complete"),
    # --- the five public dictionaries -----------------------------------------------------------
    Variant(
        "epos4",
        changes=(maker_rows.epos4,),
        mechanics=Mechanics(encoder_counts=4096),
        entries=12,
        drives={"type": "epos4", "counts_per_m": 819200.0, "homing_method": 27},
        habits=Habits(homing_methods=(1, 2, 7, 11, 17, 18, 23, 27, 33, 34, 37)),
        canopen={"scale_told": False, "way_per_turn_m": 0.005},
        steps=RULED,
    ),
    Variant(
        "nanotec_cl4",
        changes=(maker_rows.nanotec_cl4,),
        mechanics=Mechanics(encoder_counts=2000),
        pdos=(8, 8),
        drives={"type": "cl4", "counts_per_m": 720000.0},
        habits=Habits(unit_words=(0xFF41_0000, SPEED_RPM, ACCELERATION_RPM_S)),
        canopen={"scale_told": False, "way_per_turn_m": 0.005},
        steps=RULED,
    ),
    Variant(
        "technosoft_ipos",
        changes=(maker_rows.technosoft_ipos,),
        habits=Habits(
            speed_factor=maker_rows.IPOS_SPEED, acceleration_factor=maker_rows.IPOS_ACCELERATION
        ),
        drives={"type": "ipos", "mode": "ip"},
        canopen={"scale_told": False},
        steps=RULED,
    ),
    Variant(
        "elmo_gold",
        changes=(maker_rows.elmo_gold,),
        habits=Habits(stamp=0x2041),
        drives={"type": "elmo_gold"},
        canopen={"scale_told": False},
        steps=RULED,
    ),
    Variant(
        "schunk_prl120",
        changes=(maker_rows.schunk_prl120,),
        pdos=(2, 4),
        habits=Habits(
            absolute=True, homing_methods=(), unit_words=maker_rows.THOUSANDTHS_OF_A_DEGREE
        ),
        drives={"type": "prl120", "homing": "absolute", "counts_per_m": 72e6},
        canopen={"scale_told": False, "way_per_turn_m": 0.005},
        pushed=tuple((leg, 0.05) for leg in LEGS),
        steps=("push", "reference", "pull", *REFERENCED),
    ),
    # --- objects that are not there -------------------------------------------------------------
    Variant("no event timer (1400h:5)", changes=(no_event_timers,)),
    Variant(
        "node guarding only (no 1016h)",
        changes=(no_event_timers, lacks(0x1016)),
    ),
    Variant(
        "heartbeat only (no 1400h:5, 100Ch)",
        changes=(no_event_timers, lacks(0x100C, 0x100D)),
    ),
    Variant(
        "SYNC time-out only",
        changes=(no_event_timers, lacks(0x1016, 0x100C, 0x100D)),
        file={
            "objects": {"lacks": ["1400h:5", "1016h", "100Ch", "100Dh"]},
            "habits": {"interpolation_cycles": 4},
        },
        habits=Habits(sync_timeout_cycles=4),
    ),
    Variant(
        "no watchdog at all",
        "refused",
        NO_WATCHDOG_WORDS,
        changes=(no_watchdogs,),
        bound_m=STILL_M,
    ),
    Variant(
        "watchdog that does nothing (6007h ignored)",
        "refused",
        (r"(?i)legs? \d", r"(?i)watchdog|did not stop|went on"),
        changes=(no_event_timers, lacks(0x100C, 0x100D), holds(_6007=0)),
        habits=Habits(watchdog_acts=False),
        bound_m=0.020,
    ),
    Variant("no 6066h", changes=(lacks(0x6066),)),
    Variant("no 605Ah", changes=(lacks(0x605A),)),
    Variant("no 607Dh", changes=(lacks(0x607D),), file={"objects": {"lacks": ["607Dh"]}}),
    Variant("no 60FDh", changes=(lacks(0x60FD),)),
    Variant(
        "no 60FDh, estop_fitted",
        "refused",
        (r"(?i)leg|drive", r"60FDh", r"estop_fitted"),
        changes=(lacks(0x60FD),),
        file={"objects": {"lacks": ["60FDh"]}},
        supervision={"estop_fitted": True},
        bound_m=STILL_M,
    ),
    Variant("no 1802h:5", changes=(lacks((0x1802, 5)),)),
    Variant(
        "no 6065h",
        changes=(lacks(0x6065, 0x6066),),
        file={"objects": {"lacks": ["6065h", "6066h"]}},
    ),
    Variant("no 6502h", changes=(lacks(0x6502),)),
    Variant("no 1003h", changes=(lacks(0x1003),)),
    # --- values ---------------------------------------------------------------------------------
    Variant("rounding (20000 becomes 19999)", changes=(rounds,)),
    Variant(
        "607Fh at most 50000",
        changes=(lambda rows: limit(rows, 1, 50000, (0x607F, 0)),),
        file={"objects": {"ranges.607Fh": [1, 50000]}},
    ),
    Variant("6066h fixed at 0", changes=(lambda rows: fix(rows, 0x6066, 0, "H"),)),
    Variant("6092h in mm", changes=(holds(_6092_1=5),), file={"units": {"feed": "mm"}}),
    Variant(
        "feed 1 (6092h never set)",
        changes=(holds(_6092_1=1),),
        canopen={"scale_told": False},
        steps=RULED,
    ),
    Variant("gear 10:1", changes=(holds(_6091_1=10, _608F_1=500),), mechanics=Mechanics(500, 10)),
    Variant("counts inwards", drives={"sign": -1, "homing_method": 19}),
    # --- units ----------------------------------------------------------------------------------
    Variant("rpm told by 60A9h, fixed", changes=(slow_units,)),
    Variant("rpm told by 60A9h, can be set", changes=(speed_unit_can_be_set,)),
    Variant(
        "rpm not told",
        "refused",
        UNIT_WORDS,
        habits=Habits(speed_factor=5000.0 / 60.0),
        bound_m=0.002,
    ),
    Variant(
        "speed unit wrong by 60",
        "refused",
        UNIT_WORDS,
        habits=Habits(speed_factor=60.0),
        bound_m=0.002,
    ),
    Variant(
        "speed unit wrong by 10",
        "refused",
        UNIT_WORDS,
        habits=Habits(speed_factor=10.0),
        bound_m=0.002,
    ),
    Variant(
        "speed unit wrong by 1000, one leg",
        "refused",
        UNIT_WORDS,
        habits=Habits(speed_factor=1000.0),
        legs=(4,),
        bound_m=0.010,
    ),
    Variant(
        "speed unit wrong by 1/60",
        "refused",
        UNIT_WORDS,
        habits=Habits(speed_factor=1.0 / 60.0),
        bound_m=0.002,
    ),
    Variant(
        "acceleration unit wrong by 1/60",
        "refused",
        (r"(?i)legs? \d", r"(?i)acceleration|unit|factor"),
        habits=Habits(acceleration_factor=1.0 / 60.0),
        bound_m=0.002,
    ),
    Variant(
        "position unit wrong by 10, told",
        "refused",
        (r"(?i)leg 1", r"608Fh|6091h|6092h", r"counts_per_m"),
        changes=(holds(_6092_1=500),),
        mechanics=Mechanics(lead_m=0.0005),
        drives={"counts_per_m": 1e6},
        bound_m=STILL_M,
    ),
    Variant(
        "position unit wrong by 2, told by nobody",
        "refused",
        (r"(?i)leg 1", r"times as much", r"counts_per_m"),
        changes=(lacks(0x608F, 0x6091, 0x6092),),
        habits=Habits(position_factor=2.0, speed_factor=2.0, acceleration_factor=2.0),
        canopen={"scale_told": False},
        steps=RULED,
        bound_m=0.080,
    ),
    Variant(
        "position unit alone wrong by 2, told by nobody",
        "refused",
        UNIT_WORDS,
        changes=(lacks(0x608F, 0x6091, 0x6092),),
        habits=Habits(position_factor=2.0),
        canopen={"scale_told": False},
        steps=RULED,
        bound_m=0.002,
    ),
    # --- encoders -------------------------------------------------------------------------------
    Variant(
        "absolute encoders (mode 6 absent)",
        changes=ABSOLUTE_CHANGES,
        habits=ABSOLUTE,
        drives={"homing": "absolute"},
        steps=REFERENCED,
    ),
    *(
        Variant(
            f"absolute, speed unit wrong by {factor:g}",
            "refused",
            (r"(?i)leg 3: first motion", *UNIT_WORDS),
            changes=ABSOLUTE_CHANGES,
            habits=replace(ABSOLUTE, speed_factor=factor),
            legs=(3,),
            drives={"homing": "absolute"},
            canopen={"speed_feed_forward": True},
            steps=("reference", "test"),
            bound_m=bound_m,
        )
        for factor, bound_m in ((10.0, 0.002), (60.0, 0.002), (1000.0, 0.010))
    ),
    Variant(
        "absolute, speeds in rpm, told by nobody",
        "refused",
        (r"(?i)leg \d: first motion", *UNIT_WORDS),
        changes=ABSOLUTE_CHANGES,
        habits=replace(ABSOLUTE, speed_factor=5000.0 / 60.0),
        drives={"homing": "absolute"},
        canopen={"speed_feed_forward": True},
        steps=("reference", "test"),
        bound_m=0.002,
    ),
    Variant(
        "absolute, speeds sent",
        changes=ABSOLUTE_CHANGES,
        habits=ABSOLUTE,
        drives={"homing": "absolute"},
        canopen={"speed_feed_forward": True},
        steps=("reference", "test"),
    ),
    Variant(
        "absolute, position unit wrong by 2, told by nobody",
        "refused",
        (r"(?i)leg 1", r"times as much", r"counts_per_m"),
        changes=(*ABSOLUTE_CHANGES, lacks(0x608F, 0x6091, 0x6092)),
        habits=replace(ABSOLUTE, position_factor=2.0),
        drives={"homing": "absolute"},
        canopen={"scale_told": False},
        steps=("reference", "rule", "test"),
        bound_m=0.080,
    ),
    Variant(
        "absolute, count of leg 2 goes round within the stroke",
        changes=ABSOLUTE_CHANGES,
        habits=ABSOLUTE,
        drives={"homing": "absolute"},
        steps=REFERENCED,
        start_count=2**31 - 100_000,
    ),
    Variant(
        "absolute, rod 0.30 m off",
        "refused",
        (r"(?i)leg 3", r"(?i)reference"),
        changes=ABSOLUTE_CHANGES,
        habits=ABSOLUTE,
        drives={"homing": "absolute"},
        steps=("reference", "push", "home"),
        pushed=((3, 0.30),),
        bound_m=STILL_M,
    ),
    Variant(
        "homing on the spot (35)",
        "refused",
        (r"homing_method", r"\b35\b", "absolute"),
        drives={"homing_method": 35},
        bound_m=STILL_M,
    ),
    # --- who is there ---------------------------------------------------------------------------
    Variant(
        "drives of legs 2 and 5 exchanged",
        "refused",
        (r"(?i)leg 2", r"(?i)serial"),
        exchanged=(2, 5),
        bound_m=STILL_M,
    ),
    Variant(
        "stranger with the id of leg 3",
        "refused",
        (r"(?i)leg 3|node 3|id 3", r"(?i)two nodes|twice|two answers"),
        strangers=(3,),
        bound_m=STILL_M,
    ),
    Variant("seventh drive", strangers=(7,)),
    Variant(
        "ids up to 126",
        nodes=(126, 2, 64, 100, 5, 33),
        canopen={"node_ids": [126, 2, 64, 100, 5, 33]},
    ),
    Variant(
        "drives found enabled",
        "refused",
        (r"(?i)leg 1", r"(?i)enabled|in motion|another|somebody"),
        habits=Habits(found_enabled=True),
        bound_m=STILL_M,
    ),
    Variant(
        "foreign SYNC",
        "refused",
        (r"(?i)SYNC", r"(?i)second|somebody|another|other"),
        foreign_sync_hz=50.0,
        bound_m=STILL_M,
    ),
    # --- time -----------------------------------------------------------------------------------
    Variant(
        "boot after 8 s",
        habits=Habits(boot_s=8.0),
        file={"habits": {"boot_timeout_s": 10.0}},
        boot_s=30.0,
    ),
    Variant(
        "boot after 59 s",
        habits=Habits(boot_s=59.0),
        file={"habits": {"boot_timeout_s": 60.0}},
        steps=("home",),
        boot_s=60.0,
    ),
    Variant("SDO of 20 ms", habits=Habits(sdo_delay_s=0.020), boot_s=20.0),
    Variant("enabling takes 0.5 s", habits=Habits(enable_s=0.5)),
    Variant("enabling takes 3 s", habits=Habits(enable_s=3.0)),
    Variant("bit 12 one second late", habits=Habits(follows_s=1.0)),
    Variant(
        "feedback late by two cycles",
        "refused",
        (r"(?i)legs? \d", r"(?i)late|age|old|lag|delay"),
        habits=Habits(feedback_delay_syncs=2),
    ),
    Variant(
        "time stamp (1013h)",
        habits=Habits(stamp=0x1013),
        file={"stamp": {"object": "1013h", "tick_s": 1e-6}},
    ),
    Variant(
        "feedback late by two cycles, with a time stamp",
        "refused",
        (r"(?i)legs? \d", r"lags by 0\.02\d*", "time stamp"),
        habits=Habits(stamp=0x1013, feedback_delay_syncs=2),
        file={"stamp": {"object": "1013h", "tick_s": 1e-6}},
        bound_m=STILL_M,
    ),
    Variant(
        "time stamp that stands still",
        "refused",
        (r"(?i)legs? \d", "feedback lags by", "time stamp"),
        changes=(stopped_clock,),
        file={"stamp": {"object": "1013h", "tick_s": 1e-6}},
        bound_m=STILL_M,
    ),
    # --- bits and states ------------------------------------------------------------------------
    Variant(
        "remote bit 9 = 0", habits=Habits(remote_bit=False), file={"habits": {"remote_bit": False}}
    ),
    Variant(
        "remote bit 9 = 0, told by nobody",
        "refused",
        (r"(?i)legs? \d", r"6041h|(?i:bit 9)|remote"),
        habits=Habits(remote_bit=False),
        bound_m=STILL_M,
    ),
    Variant(
        "6061h follows when enabled only",
        habits=Habits(mode_shown_when_enabled=True),
    ),
    Variant(
        "no bit 12 in csp",
        habits=Habits(follows_bit=False),
        file={"habits": {"follows_bit": False}},
    ),
    Variant(
        "no bit 12 in csp, told by nobody",
        "refused",
        (r"(?i)legs? \d", r"6041h|bit 12"),
        habits=Habits(follows_bit=False),
        bound_m=0.010,
    ),
    Variant("two reset edges", habits=Habits(reset_edges=2, found_faulty=True)),
    Variant("three reset edges", habits=Habits(reset_edges=3, found_faulty=True)),
    Variant("drives found in fault", habits=Habits(found_faulty=True), left_off=True),
    Variant("every object busy once", habits=Habits(busy=(0x0800_0000, 1)), boot_s=20.0),
    Variant(
        "guard times of an earlier session",
        changes=(holds(_100C=25, _100D=2),),
        habits=Habits(guards_at_once=True),
    ),
    Variant(
        "guard times of an earlier session, served",
        changes=(no_event_timers, lacks(0x1016), holds(_100C=25, _100D=2)),
        habits=Habits(guards_at_once=True),
    ),
    Variant(
        "PRE-OPERATIONAL under power",
        "refused",
        (r"(?i)legs? 4|node 4", r"(?i)missing|silent|operational|feedback"),
        habits=Habits(falls_s=1.0),
        legs=(4,),
        left_off=True,
    ),
    Variant("PDO mapping in PRE-OPERATIONAL only", habits=Habits(mapping_before_operational=True)),
    Variant("expedited SDO without size", habits=Habits(sdo_size_told=False)),
    Variant("SDO block transfer refused, long names", changes=(long_name,)),
    Variant("mode ip", drives={"mode": "ip"}),
    # --- Modbus -----------------------------------------------------------------------------------
    Variant("modbus servo", modbus=(0, 0.0)),
    Variant("modbus servo busy for three cycles (6)", modbus=(6, 0.03)),
    *(
        Variant(
            f"modbus servo, exception {code}",
            "refused",
            (rf"(?i)exception {code}\b", f"(?i){name}"),
            modbus=(code, 0.0),
        )
        for code, name in {
            1: "illegal function",
            2: "illegal data address",
            3: "illegal data value",
            4: "device failure",
            11: "gateway target",
        }.items()
    ),
)

BY_NAME = {variant.name: variant for variant in VARIANTS}
assert len(BY_NAME) == len(VARIANTS)
