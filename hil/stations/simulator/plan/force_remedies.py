"""Remedies for a source whose force is no vehicle's: keys to write in maps of rides and hosts.

The finding itself is `platform6dof.cueing.plausible`'s; here its axes, signs and units are said in
the keys of the map that is in force.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hil.hosts.watch.remedies import quoted
from platform6dof.cueing.plausible import ForceFault, ForceFinding

if TYPE_CHECKING:
    from hil.machines.cueing.ride_map import RideMap
    from hil.stations.simulator.plan.fmu_settings import FmuSettings

_WHERE: Final = "in its map (--map, or source.map), table [columns]"


def ride_remedy(finding: ForceFinding, map_: RideMap) -> str:
    """Return the text to write into the map of a recorded ride.

    Args:
        map_: that it was read by.
    """
    fault = finding.fault
    if fault is ForceFault.GRAVITY_TWICE:
        return f"{_WHERE}: name its columns f_x, f_y, f_z, not a_x, a_y, a_z"
    if fault is ForceFault.NO_GRAVITY:
        names = [name for name in ("f_x", "f_y", "f_z") if name in map_.columns]
        plain = ", ".join(_entry(map_, name, "x", f"a{name[1:]}") for name in names)
        return f"acceleration without gravity is a_x, a_y, a_z {_WHERE}: {plain}"
    if fault is ForceFault.EMPTY:
        return "cut these rows off"
    if fault is ForceFault.ASKEW:
        return (
            "level_s = 2.0 in its map turns the sensor's axes, if it stands level and still in "
            "the first 2 s; `hil cue axes` looks for its axes"
        )
    if fault is ForceFault.ATTITUDE:
        return f"turn the sign of roll or pitch, or its unit, {_WHERE}"
    entries: list[str] = []
    for at, axis in enumerate(finding.axes):
        name = f"f_{'xyz'[at]}"
        from_ = f"f_{axis[-1]}"
        if from_ in map_.columns and (axis != "xyz"[at] or finding.unit):
            entries.append(_entry(map_, from_, axis, name, finding.unit))
    said = f"{_WHERE}: " + ", ".join(entries or ["the right unit of f_x, f_y, f_z"])
    return said if fault is ForceFault.WRONG_SCALE else f"{said}; p, q, r alike"


def _entry(map_: RideMap, from_: str, axis: str, name: str, unit: str = "") -> str:
    """Return a line of a map: one quantity from the column that another one had."""
    one = map_.columns[from_]
    sign = one.sign * (-1 if axis.startswith("-") else 1)
    tail = ", sign = -1" if sign < 0 else ""
    known = unit if unit in ("g", "gal", "ft_s2") else one.key
    return f"{name} = {{ column = {quoted(one.column)}, unit = {quoted(known)}{tail} }}"


_MODELS: Final = {
    ForceFault.NO_GRAVITY: "outputs that have no gravity in them are a_x, a_y, a_z",
    ForceFault.EMPTY: "let the model begin on its wheels (source.start); outputs without gravity "
    "are a_x, a_y, a_z",
    ForceFault.ASKEW: "its axes must be forward, right, down",
    ForceFault.ATTITUDE: "turn the sign of roll or pitch, or its unit",
}
_UNITS: Final = {"g": "g", "ft_s2": "ft/s2"}
"""Units of forces that an output of a model may have, by their names in a map."""


def fmu_remedy(settings: FmuSettings, finding: ForceFinding) -> str:
    """Return the text to write into the outputs of a model.

    Args:
        settings: that are in force.
    """
    if finding.fault in _MODELS:
        return f"[source.outputs]: {_MODELS[finding.fault]}"
    entries: list[str] = []
    for at, axis in enumerate(finding.axes):
        one = settings.outputs.get(f"f_{axis[-1]}")
        if one is None or (axis == "xyz"[at] and not finding.unit):
            continue
        variable, sign, unit = (one, 1, "") if isinstance(one, str) else (
            one.variable, one.sign, one.unit
        )  # fmt: skip
        entry = f"variable = {quoted(variable)}"
        if unit := _UNITS.get(finding.unit, unit):
            entry += f", unit = {quoted(unit)}"
        entry += ", sign = -1" if (sign < 0) != axis.startswith("-") else ""
        entries.append(f"f_{'xyz'[at]} = {{ {entry} }}")
    if not entries:
        return "[source.outputs]: the right unit of f_x, f_y, f_z"
    said = f"[source.outputs]: {', '.join(entries)}"
    return said if finding.fault is ForceFault.WRONG_SCALE else f"{said}; p, q, r alike"
