"""Cells of foreign tables: numbers, with one decimal sign in all of a file, and time stamps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import numpy as np

VALUE_MAX: Final = 1e15
"""Larger numbers are not measurements, and would overflow on the way."""

EXACT_MAX: Final = 4e6
"""Up to here a float has a time to a nanosecond, whatever its unit."""

# Stricter than float(), which also reads "1_0", "nan", "infinity" and digits of other scripts.
_NUMBER: Final = re.compile(
    r"\s*+[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eEdD][+-]?[0-9]++)?\s*+", re.ASCII
)
"""What is taken is not given back, so that a long cell takes no long time."""
_LONG: Final = re.compile(r"\s*[+-]?[0-9]{1,20}(?:\.[0-9]{0,12})?\s*", re.ASCII)
_THREES: Final = re.compile(r"\s*+[+-]?[1-9][0-9]{0,2}(?:[.,][0-9]{3})++\s*+", re.ASCII)
"""Digits that may be thousands apart by a mark, or a number with three decimals."""
_MARKED: Final = re.compile(
    r"[+-]?[0-9]{1,3}(?:[.,' \u00a0\u2009\u202f\u2019][0-9]{3})++(?:[.,][0-9]*+)?"
)
STAMP: Final = re.compile(
    r"(?:([0-9]{4})-?([0-9]{2})-?([0-9]{2})[T ]|T?)([0-9]{2}|[0-9](?=:))(:?)([0-9]{2})\5([0-9]{2})"
    r"(?:[.,]([0-9]{1,9}))?( ?(?:Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?))?",
    re.ASCII,
)
"""ISO 8601: year, month, day, hour, colon, minute, second, fraction, zone.

As many programs write it, an hour may have one digit, and a space stand before the zone.
"""


def number_in(text: str) -> float | None:
    """The number that a text is, in plain decimal ASCII and within `VALUE_MAX`; None if none.

    The exponent may have Fortran's D.
    """
    if _NUMBER.fullmatch(text):
        value = float(_with_e(text))
        if abs(value) <= VALUE_MAX:
            return value
    return None


def _with_e(text: str) -> str:
    return text.replace("d", "e").replace("D", "e")


def stamp_ns_in(text: str) -> tuple[int, bool] | None:
    """Time of an ISO 8601 stamp and whether it has a zone; None if the text is none.

    Returns:
        Nanoseconds since 1970 (UTC if it has a zone) or, of a time without date, since midnight.
    """
    found = STAMP.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, hour, colon, minute, second, fraction, zone = found.groups()
    if int(hour) > 23 or int(minute) > 59 or int(second) > 59 or not (year or colon):
        return None
    days = 0
    if year is not None:
        try:
            days = int(np.datetime64(f"{year}-{month}-{day}", "D").astype(np.int64))
        except ValueError:
            return None
    seconds = 86_400 * days + 3600 * int(hour) + 60 * int(minute) + int(second)
    zone = (zone or "").strip()
    if zone not in ("", "Z", "UTC"):
        away = 3600 * int(zone[1:3]) + 60 * int(zone[3:].lstrip(":") or 0)
        seconds += away if zone[0] == "-" else -away
    return seconds * 10**9 + int((fraction or "0").ljust(9, "0")), bool(zone)


@dataclass(slots=True)
class TimeCells:
    """The column of times: numbers, or ISO 8601 stamps, which become seconds since the first.

    A number that a float would round by more than a nanosecond, such as seconds since 1970, is
    counted from the first one as well.
    """

    first: Decimal = Decimal(0)
    """First time, if the others are counted from it; of a stamp in nanoseconds."""
    zoned: bool = False
    """The stamps have a zone."""
    kind: str = ""
    """"numbers", "long numbers" or "stamps"; empty before the first row."""

    def time(self, text: str) -> float | None:
        """The time of a cell with a decimal point; None if it is none of the first one's kind."""
        if not self.kind:
            self.begin(text)
        if self.kind == "numbers":
            return number_in(text)
        if self.kind == "stamps":
            stamp = stamp_ns_in(text)
            fits = stamp is not None and stamp[1] == self.zoned
            return float(stamp[0] - self.first) / 1e9 if stamp and fits else None
        return float(Decimal(text) - self.first) if _LONG.fullmatch(text) else None

    def begin(self, text: str) -> None:
        """Decide the kind by the first time."""
        stamp = stamp_ns_in(text)
        if stamp is not None:
            self.kind, self.first, self.zoned = "stamps", Decimal(stamp[0]), stamp[1]
        elif _LONG.fullmatch(text) and abs(float(text)) > EXACT_MAX:
            self.kind, self.first = "long numbers", Decimal(text)
        else:
            self.kind = "numbers"


def thousands_in(text: str) -> bool:
    """Whether a text looks like a number whose thousands are apart by marks."""
    return len(text) <= 40 and _MARKED.fullmatch(text.strip()) is not None


class SignError(ValueError):
    """A file has more than one decimal sign; the text says what else its numbers may be."""


@dataclass(slots=True)
class DecimalSign:
    """The decimal sign of a file, as its numbers show it."""

    separator: str
    """Between columns; if it is a comma, a point is certainly decimal."""
    sign: str = ""
    """Point or comma; empty before a number had one."""
    proved: bool = False
    """A number had it that cannot be one of thousands: or the file says so."""
    first: tuple[int, str, str] | None = None
    """Line, column and text of the first number that had it."""

    def number(self, text: str, line: int, column: str) -> float | None:
        """The number that a cell is; None if it is none.

        Raises:
            SignError: if a number before had the other sign.
        """
        comma = "," in text
        if not comma and "." not in text:
            return number_in(text)
        sign = "," if comma else "."
        value = number_in(text.replace(",", ".") if comma else text)
        if value is None:
            return None
        if not self.sign or (self.first is None and self.sign == sign):
            self.first, self.sign = (line, column, text.strip()), sign
        if sign != self.sign:
            raise SignError(self._other(text.strip(), sign))
        if not self.proved:
            self.proved = self.separator == "," == _OTHER[sign] or not _THREES.fullmatch(text)
        return value

    def _other(self, text: str, sign: str) -> str:
        phrase = f"line 'decimal={self.sign}'" if self.first is None else (
            f"line {self.first[0]}, column {self.first[1]!r} holds {self.first[2]!r}"
        )  # fmt: skip
        text = (
            f"holds {text!r}: a decimal {_NAME[sign]} or a mark of thousands, while {phrase}, with"
        )
        return (
            f"{text} a decimal {_NAME[self.sign]}: a file has one decimal sign; write all numbers "
            "with it, and thousands without marks"
        )

    def ambiguity(self) -> str | None:
        """What the numbers of the whole file leave open; None if they do not."""
        if self.proved or self.first is None:
            return None
        text = self.first[2]
        digits = text.replace(",", "").replace(".", "")
        return (
            f"holds {text!r}, and each number with a {_NAME[self.sign]} has three digits after it: "
            f"{text.replace(',', '.')} if the {_NAME[self.sign]} is decimal, {digits} if it marks "
            f"thousands; write the line 'decimal={self.sign}' above the header, or the numbers "
            "without marks of thousands"
        )


_NAME: Final = {".": "point", ",": "comma"}
_OTHER: Final = {".": ",", ",": "."}
