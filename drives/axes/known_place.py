"""Places where drives with absolute encoders must be at the start: where they were left.

An absolute encoder counts on while its drive has no power, and may lose count all the same: a
battery, a coupling, a drive or an encoder that was exchanged, a rod that was turned by hand. So
what it gives is compared with what was recorded, before anything moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from drives.axes.scaling import LegScale
from drives.bank import DriveEncoderError, DriveModelError, DrivePlaceError
from hil_common.legs import LEG_COUNT, SixFloats

SENSOR_FAULT: Final = 0x7300
"""Error codes 73xxh are those of sensors (IEC 61800-7-201, table of error codes)."""
REMEDY: Final = "if it is right so, measure anew: hil drives reference --anew"


@dataclass(frozen=True, slots=True)
class KnownPlace:
    """Recorded places and identities of six legs.

    Raises:
        DriveModelError: If it does not describe six legs.
    """

    length_m: SixFloats
    """Their lengths [m], 6."""
    tolerance_m: float
    """Distance from there within which a leg may be [m]."""
    where: str
    """Meaning of these lengths, in words."""
    identities: tuple[str, ...]
    """Identity of each leg's drive when its reference was measured, 6."""

    def __post_init__(self) -> None:
        """Refuse what is no record of six legs."""
        if len(self.length_m) != LEG_COUNT or len(self.identities) != LEG_COUNT:
            raise DriveModelError(
                f"a known place has {LEG_COUNT} lengths and {LEG_COUNT} drives: {self}"
            )
        if not 0.0 < self.tolerance_m < 1.0:
            raise DriveModelError(f"tolerance_m is {self.tolerance_m} m, 0 to 1 m is possible")

    def to_json(self) -> dict[str, Any]:
        """Return the same as a mapping that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> KnownPlace:
        """Return what `to_json` was made of.

        Raises:
            DriveModelError: If it does not describe six legs.
            KeyError: If a part is missing.
        """
        a, b, c, d, e, f = (float(x) for x in data["length_m"])
        return cls(
            (a, b, c, d, e, f), data["tolerance_m"], data["where"], tuple(data["identities"])
        )

    def check(
        self,
        counts: Sequence[int],
        error_codes: Sequence[int],
        identities: Sequence[str],
        scales: Sequence[LegScale],
    ) -> None:
        """Refuse drives that are other ones, or legs that are elsewhere.

        Args:
            counts: Position of each drive [counts], 6.
            error_codes: 603Fh of each drive, 0 for none or where there is none, 6.
            identities: Who each drive says it is, 6.
            scales: Scale of each leg, 6.

        Raises:
            DriveEncoderError: If an encoder reports a fault, besides whatever else there is.
            DrivePlaceError: With every leg that is not as recorded, its value and the limit.
        """
        faults = _sensor_faults(error_codes)
        problems = [*self._other_drives(identities), *faults, *self._elsewhere(counts, scales)]
        if problems:
            kind = DriveEncoderError if faults else DrivePlaceError
            raise kind(f"{'; '.join(problems)}: {REMEDY}")

    def _other_drives(self, identities: Sequence[str]) -> list[str]:
        found: list[str] = []
        for leg, (was, now) in enumerate(zip(self.identities, identities, strict=True), start=1):
            if was == now:
                continue
            text = f"leg {leg} has another drive ({now}) than when it was measured ({was})"
            home = [str(other) for other, who in enumerate(self.identities, 1) if who == now]
            found.append(f"{text}: that of leg {home[0]}" if home and now else text)
        return found

    def _elsewhere(self, counts: Sequence[int], scales: Sequence[LegScale]) -> list[str]:
        found: list[str] = []
        rows = zip(counts, scales, self.length_m, strict=True)
        for leg, (count, scale, known_m) in enumerate(rows, start=1):
            off_m = scale.length_m(count) - known_m
            if not abs(off_m) <= self.tolerance_m:
                found.append(
                    f"leg {leg} stands {off_m * 1e3:+.1f} mm from {self.where} "
                    f"(at most {self.tolerance_m * 1e3:g} mm)"
                )
        return found


def _sensor_faults(error_codes: Sequence[int]) -> list[str]:
    return [
        f"leg {leg}: its encoder tells a fault (603Fh is {code:04X}h), so its count proves nothing"
        for leg, code in enumerate(error_codes, start=1)
        if code & 0xFF00 == SENSOR_FAULT
    ]
