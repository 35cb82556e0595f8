"""What differs between two runs' rigs, scenarios and limits as their headers tell: perhaps why."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hil.panel.live.models.feed import RunFacts

_SHORT: Final = 64
"""Characters of a setting that are shown."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One fact that differs between the runs; empty where a run has none."""

    name: str
    """Path of keys, such as ``scenario.motion.amplitude``."""
    first: str
    """Of the first run."""
    second: str
    """Of the second one."""


def settings_that_differ(first: RunFacts, second: RunFacts) -> tuple[Setting, ...]:
    """Rig, scenario, limits and whatever else the headers tell, where the runs are not the same."""
    a, b = (_flat(facts.header.scenario) | _metadata(facts) for facts in (first, second))
    names = sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))
    return tuple(Setting(name, a.get(name, ""), b.get(name, "")) for name in names)


def _metadata(facts: RunFacts) -> dict[str, str]:
    return {f"run.{name}": value for name, value in facts.header.metadata.items()}


def _flat(raw: Any, path: str = "") -> dict[str, str]:
    """Leaves of nested tables and lists by their paths."""
    if isinstance(raw, Mapping):
        items = [(str(key), value) for key, value in raw.items()]
    elif isinstance(raw, list | tuple) and any(isinstance(v, Mapping | list) for v in raw):
        items = [(str(number), value) for number, value in enumerate(raw, start=1)]
    else:
        return {path: str(raw)[:_SHORT]}
    found: dict[str, str] = {}
    for key, value in items:
        found |= _flat(value, f"{path}.{key}" if path else key)
    return found
