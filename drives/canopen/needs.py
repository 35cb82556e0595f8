"""The bench's requirements for a type of drive, the parts that meet them, and replacements.

The rows are made from the same parameters and PDOs that are written into a drive, so that this
table cannot promise anything that the setup would refuse.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from drives.axes.cia402 import PLACING_METHODS, OperationMode
from drives.axes.scaling import LegScale
from drives.bank import DriveError, DriveModelError
from drives.canopen.objects import MotionParameters, Parameter
from drives.canopen.pdo import INPUTS_PARAMETER, layouts, usable_stamp
from drives.canopen.settings import CanopenSettings
from drives.canopen.units import LegUnits
from drives.types.drive_type import DriveType, place_text
from drives.types.drive_units import Base, ShaftScale, unit_of_text


@dataclass(frozen=True, slots=True)
class Need:
    """One requirement of the bench."""

    place: str
    """Object, or objects, as the standards write them."""
    meaning: str
    """Meaning in words."""
    has: str
    """Part of the type that meets it, in words; empty if there is none."""
    stand_in: str
    """Part that replaces it; empty if the type has it, or if nothing replaces it."""
    met: bool
    """Whether the requirement is met, by the type or by a replacement."""


def needs_of(settings: CanopenSettings, scale: LegScale, period_s: float) -> tuple[Need, ...]:
    """Return the bench's requirements for the type in the settings, for leg 1.

    Args:
        settings: The drives and their bus; their `type` is examined.
        scale: Scale of leg 1.
    """
    type_ = settings.type
    return (
        *_identity(type_),
        *_modes(settings),
        *_homing_method(settings),
        *_process_data(settings, period_s),
        *_age(settings, period_s),
        *_units(settings, scale),
        *_parameters(settings, scale, period_s),
        *_watchdogs(settings, period_s),
    )


def _plain(type_: DriveType, index: int, sub: int, meaning: str, stand_in: str = "") -> Need:
    has = _has(type_, index, sub)
    return Need(
        place_text(index, sub), meaning, has, "" if has else stand_in, bool(has or stand_in)
    )


def _has(type_: DriveType, index: int, sub: int) -> str:
    if type_.place(index, sub) != (index, sub):
        return place_text(*type_.place(index, sub))
    return "yes" if type_.has(index, sub) else ""


def _identity(type_: DriveType) -> Iterator[Need]:
    yield _plain(type_, 0x1000, 0, "device type")
    yield _plain(type_, 0x1018, 1, "vendor id")
    yield _plain(type_, 0x1018, 4, "serial number", "none: drives that change places are not seen")


def _modes(settings: CanopenSettings) -> Iterator[Need]:
    type_, mode = settings.type, settings.mode
    name = {6: "homing", 7: "ip", 8: "csp"}
    for wanted in (OperationMode.HOMING.value, mode):
        known = not type_.modes or wanted in type_.modes
        has = f"modes {', '.join(map(str, type_.modes))}" if type_.modes else "its 6502h tells"
        other = {7: 8, 8: 7}.get(wanted, 0)
        hint = f'mode = "{name[other]}" in the rig' if other in type_.modes else ""
        yield Need(
            "6060h:0",
            f"mode {wanted}, {name[wanted]}",
            has if known else "",
            hint,
            known or bool(hint),
        )


def _homing_method(settings: CanopenSettings) -> Iterator[Need]:
    type_, wanted = settings.type, settings.homing_method
    if settings.absolute:
        return
    if not type_.can_home:
        stand_in = 'homing = "absolute" in the rig'
        yield Need("6098h:0, 6099h, 609Ah", "homing", "", stand_in, True)
        return
    known = type_.homing_methods
    has = ", ".join(map(str, known)) or ("its 60E3h tells" if type_.has(0x60E3, 1) else "")
    if not has:
        stand_in = "nobody says which it knows: it refuses another one when it is set up"
    elif known and wanted not in known:
        placing = " or ".join(str(each) for each in PLACING_METHODS if each in known)
        stand_in = f"homing_method = {placing} in the rig" if placing else ""
    else:
        stand_in = ""
    met = not known or wanted in known or bool(stand_in)
    yield Need("6098h:0, 60E3h", f"homing method {wanted}", has if met else "", stand_in, met)


def _process_data(settings: CanopenSettings, period_s: float) -> Iterator[Need]:
    type_ = settings.type
    used = layouts(settings, period_s)
    for pdo in used:
        if not type_.has(pdo.parameter, 1) or not type_.has(pdo.mapping, 0):
            yield Need(place_text(pdo.parameter, 1), pdo.name, "", "", False)
        for entry in pdo.entries:
            yield _plain(type_, entry.index, entry.sub, f"in {pdo.name}")
    if not any(pdo.parameter == INPUTS_PARAMETER for pdo in used):
        stand_in = "not read: no switch is shown, estop_fitted is refused"
        yield Need(type_.inputs.object, "digital inputs", "", stand_in, True)
    else:
        every = "with every so many SYNCs (1802h:2)"
        yield _plain(type_, INPUTS_PARAMETER, 5, "event timer of the inputs", every)


def _age(settings: CanopenSettings, period_s: float) -> Iterator[Need]:
    stamp, by_lag = settings.type.stamp, "the lag of the measured path, identified"
    if stamp is None:
        yield Need("1013h:0", "age of feedback", "", by_lag, True)
    elif usable_stamp(settings, period_s) is None:
        stand_in = f"{by_lag}: the bus cannot carry {stamp.object} at {1.0 / period_s:g} Hz"
        yield Need(stamp.object, "age of feedback", "", stand_in, True)
    else:
        yield Need(stamp.object, "age of feedback", "time stamp, in TPDO4", "", True)


def _units(settings: CanopenSettings, scale: LegScale) -> Iterator[Need]:
    type_ = settings.type
    rows = (
        (0x60A8, "unit of positions", type_.position_unit),
        (0x60A9, "unit of speeds", type_.speed_unit),
        (0x60AA, "unit of accelerations", type_.acceleration_unit),
    )
    for order, (index, meaning, text) in enumerate(rows):
        unit = unit_of_text(text, order)
        stand_in = "" if type_.has(index, 0) else f"the drive file: {text}"
        if unit.base is Base.TURN and order and _turn_unknown(settings):
            stand_in += f"{'; ' if stand_in else ''}a turn: way_per_turn_m of the rig"
        yield Need(place_text(index, 0), meaning, _has(type_, index, 0), stand_in, True)
    has_scale = _reports_scale(settings)
    yield Need(
        "608Fh, 6092h",
        "a scale of its own",
        "yes" if has_scale else "",
        "" if has_scale else "way_per_turn_m of the rig, or a person who measures: slow moves only",
        True,
    )


def _reports_scale(settings: CanopenSettings) -> bool:
    """Return whether counts and feed per revolution are both given, by the drive or by the rig."""
    type_ = settings.type
    feed_in_m = unit_of_text(type_.feed_unit, 0).base is Base.METRE
    has_feed = type_.has(0x6092, 1)
    turn = unit_of_text(type_.position_unit, 0).base is Base.TURN or type_.has(0x608F, 1)
    has_travel = settings.way_per_turn_m is not None or (has_feed and feed_in_m)
    return has_travel and (turn or (has_feed and not feed_in_m))


def _turn_unknown(settings: CanopenSettings) -> bool:
    position = unit_of_text(settings.type.position_unit, 0)
    known = settings.way_per_turn_m is not None or position.base is Base.TURN
    return not known and not settings.type.has(0x608F, 1)


def _parameters(settings: CanopenSettings, scale: LegScale, period_s: float) -> Iterator[Need]:
    units = _assumed_units(settings, scale)
    try:
        for parameter in MotionParameters(settings, scale, units, 0, period_s):
            yield _parameter(parameter, settings.type)
    except DriveError as error:
        yield Need("", "parameters", "", str(error), False)


def _parameter(parameter: Parameter, type_: DriveType) -> Need:
    has = _has(type_, parameter.index, parameter.sub)
    if not has:
        met = bool(parameter.stand_in)
        return Need(parameter.place, parameter.meaning, "", parameter.stand_in, met)
    bounds = type_.range_of(parameter.index, parameter.sub)
    if bounds is None:
        return Need(parameter.place, parameter.meaning, has, "", True)
    value = parameter.for_type(type_).value
    inside = bounds[0] <= value <= bounds[1]
    limit = f"{bounds[0]} to {bounds[1]}" if bounds[0] < bounds[1] else f"fixed at {bounds[0]}"
    text = f"{value} for {parameter.value}" if inside and value != parameter.value else ""
    refused = "" if inside else f"{parameter.value} is asked for"
    return Need(parameter.place, parameter.meaning, f"{has}, {limit}", text or refused, inside)


def _assumed_units(settings: CanopenSettings, scale: LegScale) -> LegUnits:
    """Return the units as far as a file gives them; an unknown turn counts as a metre."""
    type_ = settings.type
    position = unit_of_text(type_.position_unit, 0)
    travels_m = settings.way_per_turn_m
    per_turn = 1.0 / position.factor if position.base is Base.TURN else None
    if per_turn is None and travels_m is not None:
        per_turn = scale.counts_per_m * travels_m[0]
    shaft = ShaftScale(scale.counts_per_m, per_turn or scale.counts_per_m * TYPICAL_WAY_M)
    speed = shaft.counts(unit_of_text(type_.speed_unit, 1))
    acceleration = shaft.counts(unit_of_text(type_.acceleration_unit, 2))
    if speed is None or acceleration is None:
        raise DriveModelError(f"{type_.name}: its units are of a turn that nobody tells")
    return LegUnits(speed, acceleration)


TYPICAL_WAY_M = 0.005
"""Travel per turn that is assumed to examine a type without a rig [m]."""


def _watchdogs(settings: CanopenSettings, period_s: float) -> Iterator[Need]:
    type_ = settings.type
    found = [
        name
        for name, places in (
            ("event timer of the RPDO 1400h:5", ((0x1400, 5),)),
            ("consumer heartbeat 1016h", ((0x1016, 1),)),
            ("life guarding 100Ch, 100Dh", ((0x100C, 0), (0x100D, 0))),
        )
        if all(type_.has(*place) for place in places)
    ]
    if type_.has(0x1016, 1):  # heartbeat or guarding, never both
        found = [name for name in found if not name.startswith("life")]
    found += [f"{timer.name} {timer.object}" for timer in type_.timers]
    if 0 < type_.interpolation_cycles * period_s <= settings.consumer_heartbeat_s:
        found.append("setpoints 60C2h")
    stand_in = "" if found else "nothing: 1400h:5, 1016h, 100Ch, or [[timers]] in the drive file"
    yield Need("1400h:5, 1016h, 100Ch", "a watchdog", ", ".join(found), stand_in, bool(found))
    life = _has(type_, 0x1017, 0) if type_.has(0x1016, 1) else "answers of node guarding"
    yield Need("1017h:0", "its sign of life", life, "", bool(life))
