"""The signals that a scope can show: every column of a frame, with its unit, as a tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hil.recording.signals import Signal, Signals

_CYCLE: Final = frozenset(
    {"index", "t_s", "dt_s", "late_s", "busy_s", "mode", "state", "action", "flags",
     "answer_latency_s", "requests", "repeats"}
)  # fmt: skip
_GROUPS: Final = {
    "rate_command": "asked",
    "target_pose": "asked",
    "margins": "margins",
    "watched": "measured",
}
_BETWEEN: Final = frozenset({"space_way"})
"""Values of several moments: no signals."""
_LINEAR: Final = 3
"""Number of linear signals in a group with two units; the others are angular."""


@dataclass(frozen=True, slots=True)
class Channel:
    """One signal."""

    name: str
    """Name as in a CSV, unit included, such as ``measured_length_leg3_m``."""
    column: int
    """Index of its column in the rows of a batch."""
    unit: str
    """Unit of its values; ``"code"`` and ``"bits"`` are whole numbers."""
    group: str
    """First branch of the tree: asked, allowed, sent, measured, cycle..."""
    field: str
    """Second branch, such as ``measured_length_m``."""
    short: str = ""
    """Name among the others of its field, such as ``leg3``; empty if it is alone."""

    @property
    def plot(self) -> str:
        """Signals of one plot have this in common: the unit; of codes, what they are codes of."""
        return self.field if self.unit in ("code", "bits") else self.unit


@dataclass(frozen=True, slots=True)
class Branch:
    """Signals of one field, in a group."""

    group: str
    """Name of the group."""
    field: str
    """Name of the field."""
    channels: tuple[Channel, ...]
    """One for each of its values."""


@lru_cache
def channels_of(signals: Signals) -> tuple[Channel, ...]:
    """All signals of a station's rows, in their order."""
    found: list[Channel] = []
    for signal in signals.shown:
        names = signal.columns()
        for name, unit, short in zip(names, _units(signal), _shorts(names), strict=True):
            group = _group(signal.name)
            found.append(Channel(name, len(found), unit, group, signal.name, short))
    return tuple(channel for channel in found if channel.field not in _BETWEEN)


def _shorts(names: Sequence[str]) -> list[str]:
    """Names without the words that all of them begin and end with."""
    if len(names) == 1:
        return [""]
    words = [name.split("_") for name in names]
    start = _common(words)
    end = _common([word[start:][::-1] for word in words])
    return ["_".join(word[start : len(word) - end]) for word in words]


def _common(words: list[list[str]]) -> int:
    """Number of first words that all have in common, at least one of each being left."""
    most = min(len(word) for word in words) - 1
    return next((at for at in range(most) if len({word[at] for word in words}) > 1), most)


def branches_of(channels: Sequence[Channel]) -> tuple[Branch, ...]:
    """The tree: groups in the order of their first signal, the cycle's own facts last."""
    fields: dict[tuple[str, str], list[Channel]] = {}
    for channel in channels:
        fields.setdefault((channel.group, channel.field), []).append(channel)
    order = list(dict.fromkeys(channel.group for channel in channels))
    order.sort(key=lambda group: group == "cycle")  # stable: the others keep their order
    return tuple(
        Branch(group, field, tuple(members))
        for wanted in order
        for (group, field), members in fields.items()
        if group == wanted
    )


def channel_named(channels: Sequence[Channel], name: str) -> Channel:
    """The signal of a name.

    Raises:
        KeyError: if there is none; the message names some that are alike.
    """
    for channel in channels:
        if channel.name == name:
            return channel
    start = name.split("_", 1)[0]
    alike = [channel.name for channel in channels if channel.name.startswith(start)]
    hint = ", ".join(alike[:6]) or ", ".join(channel.name for channel in channels[:6])
    raise KeyError(f"no signal {name!r}; there are {hint}...")


def _group(field: str) -> str:
    if field in _CYCLE:
        return "cycle"
    return _GROUPS.get(field) or field.split("_", 1)[0]


def _units(signal: Signal) -> list[str]:
    """Units of a signal's columns; ``"m,rad"`` of six are three linear and three angular ones."""
    parts, count = signal.unit.split(","), signal.count
    if len(parts) == count:
        return parts
    if len(parts) == 1:
        return parts * count
    return [parts[0]] * _LINEAR + [parts[1]] * (count - _LINEAR)
