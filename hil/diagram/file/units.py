"""Units as exponents over symbols: what may be wired to what, and what `Convert` multiplies by.

Coherent SI units are written with the base symbols m, kg, s, A, K; rad is 1, as in SI. Units that
are not coherent (deg, mm, rpm, %, and Hz, which counts turns as rpm does) are symbols of their own,
so that they mix with nothing and a `Convert` block has to stand between. The unit of a port may
hold variables, such as ``?a*s``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

Exponents = Mapping[str, int]
"""Symbol, or variable such as ``?a`` → exponent; none is 0."""

BASE: Final = ("m", "kg", "s", "A", "K")
DERIVED: Final[dict[str, str]] = {
    "rad": "1", "N": "kg*m/s^2", "J": "N*m", "W": "N*m/s", "Pa": "N/m^2", "C": "A*s",
    "V": "W/A", "ohm": "V/A", "F": "C/V", "H": "V*s/A", "Wb": "V*s", "T": "Wb/m^2",
}  # fmt: skip
"""Coherent derived units, each in those before it."""
OTHERS: Final[dict[str, tuple[float, str]]] = {
    "deg": (math.pi / 180.0, "1"), "rev": (2.0 * math.pi, "1"), "%": (0.01, "1"),
    "rpm": (2.0 * math.pi / 60.0, "1/s"), "Hz": (2.0 * math.pi, "1/s"),
    "kHz": (2e3 * math.pi, "1/s"),
    "mm": (1e-3, "m"), "um": (1e-6, "m"), "cm": (1e-2, "m"), "km": (1e3, "m"),
    "ms": (1e-3, "s"), "us": (1e-6, "s"), "min": (60.0, "s"), "h": (3600.0, "s"),
    "g": (1e-3, "kg"), "t": (1e3, "kg"), "kN": (1e3, "N"), "kW": (1e3, "W"), "kPa": (1e3, "Pa"),
    "MPa": (1e6, "Pa"), "bar": (1e5, "Pa"), "mA": (1e-3, "A"), "mV": (1e-3, "V"),
    "l": (1e-3, "m^3"), "Wh": (3600.0, "J"),
}  # fmt: skip
"""Units of their own: how many of which coherent unit one of them is."""
_SHOWN: Final = (
    "1", "N", "N*m", "W", "V", "Pa", "1/s", "m/s", "m/s^2", "N/m", "N*s/m", "N*m*s", "N*m/s", "ohm",
    "N*s", "V*s", "W/s", "N/s", "1/s^2", "C", "V/s",
)  # fmt: skip
"""How exponents are written, the first that fits."""
_TOKEN: Final = re.compile(r"\s*(\?[A-Za-z]\w*|[A-Za-z%]+|\d+|[*/^()-])")
_EXPONENT_MOST: Final = 12
_TEXT_MOST: Final = 80


class UnitError(ValueError):
    """A text that is no unit; it says what would be right."""


@lru_cache(maxsize=4096)
def unit(text: str) -> Exponents:
    """Exponents of a unit as it is written, such as ``N*m/s^2``, ``1/(A*s)`` or ``?a*s``.

    Raises:
        UnitError: If the text has no such form, or a symbol is unknown.
    """
    if len(text) > _TEXT_MOST:
        raise UnitError(f"a unit of {len(text)} characters; at most {_TEXT_MOST} are read")
    tokens, at = [], 0
    stripped = text.rstrip()
    while at < len(stripped):
        match = _TOKEN.match(stripped, at)
        if match is None:
            raise UnitError(f"{text!r} is no unit: {stripped[at:]!r} is not understood")
        tokens.append(match[1])
        at = match.end()
    parser = _Parser(text, tokens)
    found = parser.product()
    parser.end()
    return found


class _Parser:
    """Products, quotients and whole powers of symbols."""

    def __init__(self, text: str, tokens: list[str]) -> None:
        self._text = text
        self._tokens = tokens[::-1]

    def product(self) -> dict[str, int]:
        found = self._power()
        while self._tokens and self._tokens[-1] in "*/":
            sign = 1 if self._tokens.pop() == "*" else -1
            found = times(found, self._power(), sign)
        return found

    def end(self) -> None:
        if self._tokens:
            raise self._wrong(self._tokens[-1])

    def _power(self) -> dict[str, int]:
        found = self._one()
        if self._tokens and self._tokens[-1] == "^":
            self._tokens.pop()
            sign = -1 if self._tokens and self._tokens[-1] == "-" else 1
            if sign < 0:
                self._tokens.pop()
            digits = self._tokens.pop() if self._tokens else "nothing"
            if not digits.isdigit() or not 0 < int(digits) <= _EXPONENT_MOST:
                raise self._wrong(digits)
            found = times({}, found, sign * int(digits))
        return found

    def _one(self) -> dict[str, int]:
        word = self._tokens.pop() if self._tokens else "nothing"
        if word == "(":
            found = self.product()
            if not self._tokens or self._tokens.pop() != ")":
                raise UnitError(f"{self._text!r} is no unit: a bracket is not closed")
            return found
        if word == "1":
            return {}
        if word[0] == "?" or word in BASE or word in OTHERS:
            return {word: 1}
        if word in DERIVED:
            return dict(unit(DERIVED[word]))
        raise self._wrong(word)

    def _wrong(self, token: str) -> UnitError:
        from difflib import get_close_matches

        close = get_close_matches(token, [*BASE, *DERIVED, *OTHERS], n=3, cutoff=0.5)
        near = f"; did you mean {' or '.join(close)}?" if close else ""
        text = f"{token!r} is not understood{near}"
        return UnitError(f"{self._text!r} is no unit: {text} (write it as N*m/s^2)")


def times(one: Exponents, other: Exponents, power: int = 1) -> dict[str, int]:
    """The first unit times a power of the second."""
    found = dict(one)
    for symbol, exponent in other.items():
        found[symbol] = found.get(symbol, 0) + power * exponent
        if not found[symbol]:
            del found[symbol]
    return found


def coherent(exponents: Exponents) -> tuple[float, Exponents]:
    """How many of which coherent SI unit a unit without variables is."""
    factor, found = 1.0, {}
    for symbol, exponent in sorted(exponents.items()):
        if symbol in OTHERS:
            one, of = OTHERS[symbol]
            factor *= one**exponent
            found = times(found, unit(of), exponent)
        else:
            found = times(found, {symbol: 1}, exponent)
    return factor, found


def conversion(source: str, target: str) -> float:
    """What a value in one unit is multiplied by to be in another.

    Raises:
        UnitError: If they measure different things.
    """
    (factor, base), (other, wanted) = coherent(unit(source)), coherent(unit(target))
    if base != wanted:
        raise UnitError(f"{source} is {words(base)}, {target} is {words(wanted)}")
    return factor / other


def words(exponents: Exponents) -> str:
    """A unit as it is written for people."""
    for text in _SHOWN:
        if unit(text) == exponents:
            return text
    above = "*".join(_factors(exponents, 1))
    below = list(_factors(exponents, -1))
    if not below:
        return above or "1"
    under = below[0] if len(below) == 1 else f"({'*'.join(below)})"
    return f"{above or '1'}/{under}"


def _factors(exponents: Exponents, sign: int) -> Iterator[str]:
    for symbol, exponent in sorted(exponents.items()):
        if exponent * sign > 0:
            yield symbol if abs(exponent) == 1 else f"{symbol}^{abs(exponent)}"
