"""Colours of the pictures in space, by role, for a light and for a dark window."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

Rgba = tuple[float, float, float, float]

GHOST_ALPHA: Final = 0.6

_LIGHT: Final = {
    "background": "#F4F6F8", "text": "#1E2430", "grid": "#C3CAD3", "base": "#9AA3AE",
    "joint": "#4A525E", "plate": "#5B9AC9", "seat": "#39424F", "front": "#EDBE1F",
    "rod": "#DDE2E8", "ok": "#1A674C", "warn": "#A0610D", "fault": "#880D0E",
    "unknown": "#86898E", "ghost": "#5A34D0", "x": "#C8372D", "y": "#2C8F3C", "z": "#2A62C4",
    "arm": "#C9CFD7", "arm_dark": "#737E8C", "gripper": "#E07B1A", "payload": "#C7A45A",
    "table": "#B7A88F", "trace": "#B3126E",
}  # fmt: skip

_DARK: Final = {
    "background": "#14181E", "text": "#E6EAF0", "grid": "#3A434F", "base": "#6E7885",
    "joint": "#AAB3BF", "plate": "#1EA7F7", "seat": "#C3CAD4", "front": "#FFFDA0",
    "rod": "#CDD4DC", "ok": "#2F920F", "warn": "#EEB500", "fault": "#FE6C74",
    "unknown": "#8F95A4", "ghost": "#3361F5", "x": "#F0655B", "y": "#58C46A", "z": "#6A9BF4",
    "arm": "#C9CFD7", "arm_dark": "#8894A4", "gripper": "#F2923A", "payload": "#D3B26A",
    "table": "#77695A", "trace": "#FF6FB5",
}  # fmt: skip

ROLES: Final = tuple(_LIGHT)

_FROM_THEME: Final = {
    "background": "window", "text": "text", "ok": "ok", "warn": "warn", "fault": "fault"
}  # fmt: skip
"""Role → name of the colour in the panel's theme."""


@dataclass(frozen=True, slots=True)
class SceneColours:
    """A colour for each role; a `ValueError` for one without, or a colour that is none."""

    hex_of: Mapping[str, str]
    """Role → "#rrggbb", for every name in `ROLES`."""

    def __post_init__(self) -> None:
        missing = [role for role in ROLES if role not in self.hex_of]
        if missing:
            raise ValueError(f"no colour for {', '.join(missing)}; every role must have one")
        for role, colour in self.hex_of.items():
            _channels(role, colour)
        object.__setattr__(self, "hex_of", MappingProxyType(dict(self.hex_of)))

    def rgba(self, role: str, alpha: float = 1.0) -> Rgba:
        """Red, green, blue and opacity of a role, each 0 to 1."""
        red, green, blue = _channels(role, self.hex_of[role])
        return red, green, blue, alpha

    @classmethod
    def of(cls, theme: Any = None) -> "SceneColours":
        """Colours that go with a theme of the panel.

        Args:
            theme: has ``window``, ``text``, ``ok``, ``warn`` and ``fault`` as "#rrggbb"; what it
                does not have, or all of it if it is None, is as in a light window.
        """
        if theme is None:
            return LIGHT
        found = {role: getattr(theme, name, None) for role, name in _FROM_THEME.items()}
        given = {role: colour for role, colour in found.items() if isinstance(colour, str)}
        window = given.get("background", _LIGHT["background"])
        base = _DARK if sum(_channels("background", window)) < 1.5 else _LIGHT
        return cls({**base, **given})


def _channels(role: str, colour: str) -> tuple[float, float, float]:
    digits = colour.removeprefix("#")
    if len(digits) != 6 or not colour.startswith("#"):
        raise ValueError(f"{role}: {colour!r} is no colour; it must be #rrggbb")
    try:
        red, green, blue = bytes.fromhex(digits)
    except ValueError:
        raise ValueError(f"{role}: {colour!r} is no colour; it must be #rrggbb") from None
    return red / 255.0, green / 255.0, blue / 255.0


LIGHT: Final = SceneColours(_LIGHT)
DARK: Final = SceneColours(_DARK)
