"""Sensors of a robot's TOML: how their keys are read, and what is written of them."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from types import MappingProxyType
from typing import Any, Final

from sim.world.robots.body import BodyShape, Triple
from sim.world.robots.sensors import (
    DEFECTS,
    UNITS,
    RobotSensor,
    SensorKind,
    ValueDefects,
    defect_keys,
    sensor_keys,
)
from sim.world.robots.toml_keys import (
    UnreadableError,
    integer,
    integers,
    number,
    numbers,
    one_of,
    place,
    some,
    text,
)


def sensor_of(found: Mapping[str, Any]) -> RobotSensor:
    """A sensor from the values of its fields, those of its defects by their keys."""
    kind: SensorKind = found["kind"]
    defects = tuple(
        ValueDefects(unit, **defect_values)
        for unit in UNITS[kind]
        if (
            defect_values := {
                word: found[key] for word in DEFECTS if (key := f"{word}_{unit}") in found
            }
        )
    )
    defect_values = defect_keys(kind)
    rest = {field: value for field, value in found.items() if field not in defect_values}
    defects = tuple(one for one in defects if one != ValueDefects(one.unit))
    return RobotSensor(**rest, defects=defects)


def sensor_entries(sensor: RobotSensor) -> dict[str, Any]:
    """Key and value of all that is not as it would be if it were left out."""
    usual = {one.name: one.default for one in fields(sensor)}
    entries = {
        f"{word}_{one.unit}": getattr(one, word) for one in sensor.defects for word in DEFECTS
    }
    found: dict[str, Any] = {}
    for field, key in sensor_keys(sensor.kind).items():
        value = entries.get(field) or None if field not in usual else getattr(sensor, field)
        if value is not None and value != usual.get(field, MISSING):
            found[key] = str(value) if isinstance(value, SensorKind | BodyShape) else value
    return found


def _joints(value: object) -> tuple[int, ...]:
    if value == "all":
        return ()
    found = (integer(value),) if not isinstance(value, list) else integers(value)
    if not found:
        raise UnreadableError("no joint", 'a number, a list of them, or "all"')
    return found


def _directions(value: object) -> tuple[Triple, ...]:
    if not isinstance(value, list) or not all(isinstance(one, list) for one in value):
        raise UnreadableError("not a list of directions", "such as [[1, 0, 0], [0, 1, 0]]")
    return tuple(map(some(3), value))  # type: ignore[arg-type]


def _bias(value: object) -> tuple[float, ...]:
    return numbers(value) if isinstance(value, list) else (number(value),)


_DEFECTS: Final[dict[str, Callable[[object], Any]]] = {
    f"{word}_{unit}": _bias if word == "bias" else number
    for unit in {unit for units in UNITS.values() for unit in units}
    for word in DEFECTS
}

SENSOR_READERS: Final[Mapping[str, Callable[[object], Any]]] = MappingProxyType(
    {
        **_DEFECTS, "kind": one_of(SensorKind), "name": text, "joints": _joints, "link": integer,
        "end": integer, "place": place, "tool_mass_kg": number, "tool_centre_m": some(3),
        "shape": one_of(BodyShape), "size_m": numbers, "directions": _directions,
        "range_m": number, "other": text, "width_px": integer, "height_px": integer,
        "fov_rad": number, "delay_s": number, "rate_hz": number, "cutoff_hz": number,
        "dropout": number,
    }
)  # fmt: skip
"""How the value of each field is read."""
