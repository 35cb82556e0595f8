"""Units in which a drive counts: read from it, set to its type's where possible, else converted.

CiA 402-2: SI units 60A8h, 60A9h, 60AAh; factor group 608Fh (increments per turn of the motor),
6091h (turns of the motor per turn of the shaft), 6092h (feed per turn of the shaft), 6096h (units
of speed per position unit a second); polarity 607Eh. A drive that is silent counts as its type
says.
"""

from collections.abc import Callable
from dataclasses import dataclass

from drives.bank import DriveModelError, DriveSetupError
from drives.types.drive_type import DriveType
from drives.types.drive_units import (
    UNIT_OBJECTS,
    Base,
    ShaftScale,
    Unit,
    unit_of_text,
    unit_of_word,
    word_of_unit,
)

SCALE_TOLERANCE = 1e-3
"""Relative difference up to which a drive's own scale agrees with the rig's."""
POLARITY_POSITION, POLARITY_SPEED = 0x80, 0x40
"""Bits of 607Eh: positions, speeds are turned round."""
NAMES = ("position", "speed", "acceleration")

Read = Callable[[int, int], int | None]
"""Reads an object as a number without sign; None if the drive has none there."""
Set = Callable[[int, int, str, int], bool]
"""Writes a value of a type; whether the drive holds it afterwards."""


@dataclass(frozen=True, slots=True)
class LegUnits:
    """Units in which the drive of one leg counts."""

    speed: float = 1.0
    """One unit of speed [counts/s]; negative where speeds run against positions."""
    acceleration: float = 1.0
    """One unit of acceleration [counts/s²]."""
    reported_counts_per_m: float | None = None
    """Scale that the drive itself reports [1/m]; None if it reports none."""
    words: str = ""
    """Units other than plain counts, in words; empty if there are none."""


COUNTS = LegUnits()
"""Counts/s and counts/s²."""


class UnitSetup:
    """Finds out in what a drive counts.

    Args:
        counts_per_m: Position counts per metre of rod, of the rig [1/m].
        way_per_turn_m: Way of the rod per turn of the motor, of the rig [m]; None if it does not
            say.
    """

    def __init__(
        self,
        read: Read,
        set_: Set,
        type_: DriveType,
        counts_per_m: float,
        way_per_turn_m: float | None,
    ) -> None:
        self._read, self._set, self._type = read, set_, type_
        self._counts_per_m = counts_per_m
        self._feed_per_turn_m = way_per_turn_m
        self._words: list[str] = []

    def run(self) -> LegUnits:
        """Read and set the units of the drive.

        Raises:
            DriveSetupError: If it counts in something unknown, or contradicts itself.
        """
        units = [self._unit(order) for order in range(3)]
        speed_sign = self._polarity()
        increments = self._ratio(0x608F)
        increments = None if increments == 1.0 else increments  # nobody has set it up
        gear = self._ratio(0x6091) or 1.0
        feed = self._ratio(0x6092)
        per_turn = self._counts_per_turn(units[0], increments, gear)
        turn_m = self._reported_scale(units[0], increments, gear, feed)
        shaft = ShaftScale(
            self._counts_per_m,
            self._known_turn(per_turn, gear),
            self._counts_per_increment(units[0], per_turn, increments, gear),
        )
        speed = self._velocity_factor(self._counts(units[1], shaft), shaft)
        acceleration = self._counts(units[2], shaft)
        return LegUnits(speed_sign * speed, acceleration, turn_m, ", ".join(self._words))

    def _unit(self, order: int) -> Unit:
        """Return the unit of a drive for positions, speeds or accelerations.

        The type's unit is set where the drive reports another one and lets us; else the drive's own
        is what counts. Only of positions another one is refused: the rig's scale is in the type's.

        Raises:
            DriveSetupError: If its word says nothing known, or its positions are in another unit.
        """
        index, type_ = UNIT_OBJECTS[order], self._type
        texts = (type_.position_unit, type_.speed_unit, type_.acceleration_unit)
        wanted = unit = unit_of_text(texts[order], order)
        word = self._read(index, 0)
        if word is not None:
            try:
                unit = unit_of_word(word, order)
            except DriveModelError as error:
                raise DriveSetupError(f"{index:04X}h: {error}") from error
        if unit != wanted and (order or wanted.base is not Base.COUNT) and word is not None:
            if (right := word_of_unit(wanted)) is not None and self._set(index, 0, "u32", right):
                unit = wanted
            elif not order:
                raise DriveSetupError(
                    f"it counts positions in {unit} (60A8h = {word:08X}h) and cannot be set to "
                    f"{wanted}, in which its drive file and the rig's counts_per_m are"
                )
        if unit.base not in (Base.COUNT, Base.INCREMENT) or unit.factor != 1.0:
            self._words.append(f"{NAMES[order]} in {unit}")
        return unit

    def _polarity(self) -> float:
        """Return 1, or -1 if speeds run against positions; the rig's sign is that of the wire."""
        held = self._read(0x607E, 0)
        if not held or self._set(0x607E, 0, "u8", 0):
            return 1.0
        self._words.append(f"polarity 607Eh fixed at {held:02X}h")
        one_of_them = bool(held & POLARITY_POSITION) != bool(held & POLARITY_SPEED)
        return -1.0 if one_of_them else 1.0

    def _counts_per_turn(self, unit: Unit, increments: float | None, gear: float) -> float | None:
        """Return the position counts per turn of the shaft behind the gear, by the drive."""
        if unit.base is Base.TURN:
            return 1.0 / unit.factor
        if unit.base is Base.METRE or increments is None:
            return None
        return increments * gear / unit.factor

    def _known_turn(self, turn_m: float | None, gear: float) -> float | None:
        """Return the counts per turn, of the drive or else of the rig."""
        travel_m = self._feed_per_turn_m
        return (
            turn_m
            if turn_m is not None or travel_m is None
            else self._counts_per_m * travel_m * gear
        )

    def _counts_per_increment(
        self, unit: Unit, per_turn: float | None, increments: float | None, gear: float
    ) -> float:
        if unit.base in (Base.COUNT, Base.INCREMENT):
            return 1.0 / unit.factor
        return 1.0 if per_turn is None or not increments else per_turn / (increments * gear)

    def _reported_scale(
        self, unit: Unit, increments: float | None, gear: float, feed: float | None
    ) -> float | None:
        """Return the counts per metre that the drive reports, as far as it does [1/m].

        Where the feed is in units of position it is the counts of a turn, and only the rig knows
        the way of one. A feed of 1 is what a drive has that nobody has set up.
        """
        if unit.base is Base.METRE:
            return 1.0 / unit.factor
        travel_m = None if self._feed_per_turn_m is None else self._feed_per_turn_m * gear
        per_turn = self._counts_per_turn(unit, increments, gear)
        length = unit_of_text(self._type.feed_unit, 0)
        if feed is not None and feed != 1.0:
            if length.base is Base.METRE:
                travel_m = feed * length.factor
            elif unit.base is not Base.TURN:
                per_turn = feed * length.factor
        return None if per_turn is None or travel_m is None else per_turn / travel_m

    def _velocity_factor(self, speed: float, shaft: ShaftScale) -> float:
        """Return one unit of speed [counts/s], the factor 6096h taken into account.

        Raises:
            DriveSetupError: If 60A9h and 6096h contradict each other.
        """
        factor = self._ratio(0x6096)
        if factor is None or factor == 1.0:
            return speed
        if self._set(0x6096, 1, "u32", 1) and self._set(0x6096, 2, "u32", 1):
            return speed
        by_factor = 1.0 / factor
        if self._read(UNIT_OBJECTS[1], 0) is None:
            self._words.append(f"one unit of speed is {by_factor:g} counts/s (6096h)")
            return by_factor
        if abs(by_factor - speed) > SCALE_TOLERANCE * speed:
            raise DriveSetupError(
                f"one unit of speed is {speed:g} counts/s by 60A9h and {by_factor:g} counts/s by "
                "6096h: one of them has to be set right"
            )
        return speed

    def _counts(self, unit: Unit, shaft: ShaftScale) -> float:
        counts = shaft.counts(unit)
        if counts is None:
            raise DriveSetupError(
                f"it counts in {unit}, and nobody says how many counts a turn is: neither it "
                "(608Fh) nor the rig; drives.canopen.way_per_turn_m would"
            )
        return counts

    def _ratio(self, index: int) -> float | None:
        above, below = self._read(index, 1), self._read(index, 2)
        if not above or not below:
            return None
        return above / below
