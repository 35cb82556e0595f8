"""Other spellings of the units that columns of recordings may have."""

import re
from typing import Final

_SPELLINGS: Final = {
    "s": ("sec", "secs", "second", "seconds"),
    "ms": ("msec", "millisecond", "milliseconds"),
    "us": ("µs", "μs", "usec", "microsecond", "microseconds"),
    "ns": ("nsec", "nanosecond", "nanoseconds"),
    "iso": ("iso8601", "iso 8601", "utc"),
    "m": ("metre", "meter", "metres", "meters"),
    "cm": (), "mm": (), "um": ("µm", "μm"),
    "in": ("inch", "inches"),
    "ft": ("foot", "feet"),
    "rad": ("radian", "radians"),
    "mrad": (),
    "deg": ("°", "degree", "degrees"),
    "m_s2": ("m/s2", "m/s^2", "m/s²", "m/s/s", "m/s**2", "m.s-2", "m s-2"),
    "ft_s2": ("ft/s2", "ft/s^2", "ft/s²"),
    "gal": ("cm/s2", "cm/s^2", "cm/s²", "cm/s/s", "cm/sec2", "cm/sec/sec"),
    "g": (),
    "rad_s": ("rad/s", "rad/sec"),
    "deg_s": ("deg/s", "deg/sec", "°/s", "dps"),
    "m_s": ("m/s", "m/sec", "mps"),
    "cm_s": ("cm/s", "cm/sec"),
    "km_h": ("km/h", "kmh", "kph", "km/hr", "kmph"),
    "mph": ("mi/h", "miles/h"),
    "kn": ("kt", "kts", "knot", "knots"),
    "ft_s": ("ft/s", "ft/sec", "fps"),
    "1": ("-",),
}  # fmt: skip
_KEYS: Final = {name: key for key, names in _SPELLINGS.items() for name in (key, *names)}


def unit_key(text: str) -> str | None:
    """The key of a unit in maps (``m_s2``), of how a file or a person spells it (``[m/s²]``).

    None if it is not known.
    """
    bare = text.strip().strip("[]()<>").strip()
    return _KEYS.get(bare) or _KEYS.get(bare.lower())


_BRACKETED: Final = re.compile(r".*[\[(<]([^\[\]()<>]{1,20})[\])>]\s*", re.DOTALL)


def unit_in_name(name: str) -> str:
    """The unit in brackets at the end of a column's name, ``surge [mm]``; empty if there is none.

    What is no unit that is known, such as in ``force (left)``, is a part of the name.
    """
    found = _BRACKETED.fullmatch(name[-200:])
    return found[1] if found and unit_key(found[1]) else ""
