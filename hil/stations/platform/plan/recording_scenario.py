"""Scenario from the command line: a rig and a CSV file, with axes mapped by short texts."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from hil.config.cells import number_in
from hil.config.errors import MotionError
from hil.config.settings import ConfigError
from hil.config.unit_names import unit_in_name, unit_key
from hil.stations.platform.motion.acceleration import FELT, felt_columns, is_rate
from hil.stations.platform.motion.at2 import (
    DOWNWARD,
    KINDS,
    VERTICAL,
    direction_of,
    is_at2,
)
from hil.stations.platform.motion.columns import (
    ACCELERATION_UNITS,
    ROTATION_UNITS,
    SECONDS,
    TIME_UNITS,
    TRANSLATION_UNITS,
    VELOCITY_UNITS,
    units_of,
)
from hil.stations.platform.motion.formats import header_of
from hil.stations.platform.motion.source import AXES

_NAMED_UNITS = (*TRANSLATION_UNITS, *ROTATION_UNITS, *ACCELERATION_UNITS)
"""Units of columns that are named like axes; a velocity needs a map."""
_UNITS = (*_NAMED_UNITS, *VELOCITY_UNITS)
COMPONENTS: Final = ("x", "y", "z")
"""Axes of the components of a record, in the order in which their files are given."""
RIGHT_ANGLE_DEG: Final = 15
"""Most by which azimuths of two horizontal components may differ from a right angle [deg]."""
_LOG: Final = logging.getLogger(__name__)
_AXIS_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "x": ("north", "surge", "forward", "longitudinal"),
    "y": ("east", "sway", "lateral"),
    "z": ("up", "heave", "vertical"),
    "alpha": ("yaw", "heading"),
    "beta": ("pitch",),
    "gamma": ("roll",),
}
"""Words in the names of columns, by the axis that they mean."""


def recorded_table(rig: str, motion: Path, maps: list[str], *more: Path) -> dict[str, Any]:
    """Table of a scenario that replays recorded files on a rig.

    Args:
        maps: texts ``AXIS=COLUMN[:UNIT[:BIAS[:SCALE]]]``, each perhaps several, comma-separated.
            Without any, the columns must be named like the scenario's own (``x_m``, ``alpha_deg``).
        more: other files of the record's components. Each file has its own text in `maps`; or
            there is none, and files of the PEER database are x, y, z in this order.

    Raises:
        ConfigError: if a text is not of that form.
    """
    columns: dict[str, Any] = {}
    settings: dict[str, Any] = {"kind": "recorded", "file": str(motion), "map": columns}
    if more:
        for file, text in zip((motion, *more), _map_of_each((motion, *more), maps), strict=True):
            _take(text, settings, "" if file == motion else str(file))
    else:
        for item in maps:
            _take(item, settings, "")
    if not columns:
        columns.update(_columns_named_like_axes(motion))
    return {"name": "replay", "description": f"{motion.name} on {rig}", "rig": rig} | {
        "motion": settings
    }


def _map_of_each(files: tuple[Path, ...], maps: list[str]) -> list[str]:
    """Text of `--map` for each of several files."""
    if len(set(files)) < len(files):
        raise ConfigError("--motion", [f"{files[0]}: a file is given twice"])
    if maps:
        if len(maps) != len(files):
            text = f"{len(maps)} for {len(files)} files of --motion: each file needs one of its own"
            raise ConfigError("--map", [text])
        return maps
    if len(files) > len(COMPONENTS) or not all(map(is_at2, files)):
        text = "several files need a --map for each, in their order; without, up to three AT2, VT2 "
        raise ConfigError("--motion", [f"{text}or DT2 files are x, y, z"])
    for axis, file in zip(COMPONENTS, files, strict=False):
        _check_direction(axis, file)
    _check_azimuths(*files[:2])
    phrase = ", ".join(f"{axis} = {file}" for axis, file in zip(COMPONENTS, files, strict=False))
    _LOG.warning("--motion: taken in the order given: %s; --map for each says it otherwise", phrase)
    return [f"{axis}={header_of(file)[1]}" for axis, file in zip(COMPONENTS, files, strict=False)]


def _check_direction(axis: str, file: Path) -> None:
    """Refuse a vertical component that is to be x or y, and a horizontal one that is to be z."""
    said = direction_of(file)
    is_vertical, is_azimuth = said in VERTICAL, said.isdecimal()
    if (is_vertical and axis != "z") or (is_azimuth and axis == "z") or said in DOWNWARD:
        text = f"{file}, line 2: the direction is {said!r}, and the file is to be {axis}, in the "
        text += "order x, y, z (z is up); give the files in this order, or a --map for each"
        raise ConfigError("--motion", [text])


def _check_azimuths(first: Path, second: Path) -> None:
    """Refuse horizontal components that are not at right angles; report mirrored ones."""
    said = direction_of(first), direction_of(second)
    if not all(one.isdecimal() for one in said):
        return
    apart_deg = (int(said[1]) - int(said[0])) % 360
    if abs(apart_deg % 180 - 90) > RIGHT_ANGLE_DEG:
        text = f"{first}, {second}: their directions are {said[0]} and {said[1]}: x and y stand at "
        raise ConfigError("--motion", [f"{text}right angles; give a --map for each, if that is so"])
    if apart_deg < 180:
        text = "--motion: x, y and up are left-handed with %s to the right of %s: a mirrored motion"
        _LOG.warning(text + "; a --map for each turns one: y=COLUMN::0:-1", second, first)


def _take(item: str, settings: dict[str, Any], file: str) -> None:
    """Add what a text of `--map` says of a file to a motion's settings."""
    columns = settings["map"]
    for text in (part.strip() for part in item.split(",")):
        axis, separator, rest = text.partition("=")
        if not separator or axis not in (*AXES, "t") or not rest:
            expected = f"AXIS=COLUMN[:UNIT[:BIAS[:SCALE]]] with AXIS one of {', '.join(AXES)}, t"
            raise ConfigError("--map", [f"{text!r}: expected {expected}"])
        if axis in columns or (axis == "t" and "time" in settings):
            raise ConfigError("--map", [f"{text!r}: {axis} is mapped twice"])
        if axis == "t":
            settings["time"] = _entry(text, rest, tuple(TIME_UNITS), numbers=0)
        else:
            columns[axis] = _entry(text, rest, _UNITS, numbers=2) | ({"file": file} if file else {})


def _entry(text: str, rest: str, units: tuple[str, ...], numbers: int) -> dict[str, Any]:
    column, *more = rest.split(":")
    if is_rate(column):
        raise ConfigError("--map", [f"{text!r}: is a body rate, {FELT}"])
    if len(more) > 1 + numbers:
        raise ConfigError("--map", [f"{text!r}: too many parts"])
    unit = more[0] if more and more[0] else _unit_of(column, units)
    unit = unit if unit in units else unit_key(unit) or unit
    if unit not in units:
        raise ConfigError("--map", [f"{text!r}: unit {unit!r} is not one of {', '.join(units)}"])
    entry: dict[str, Any] = {"column": column, "unit": unit}
    for name, value in zip(("bias", "scale"), more[1:], strict=False):
        number = number_in(value)
        if number is None:
            raise ConfigError("--map", [f"{text!r}: {name} {value!r} is no number, such as -1.5"])
        entry[name] = number
    return entry


def _unit_of(column: str, units: tuple[str, ...]) -> str:
    """Unit at the end of a column's name; the map must have it if there is none."""
    ending = _ending(column, units) or unit_key(unit_in_name(column))
    if not ending:
        raise ConfigError(
            "--map",
            [f"{column!r} does not end in a unit; write COLUMN:UNIT, one of {', '.join(units)}"],
        )
    return ending


def _ending(column: str, units: Iterable[str]) -> str:
    """Unit that a column's name ends in; empty if none."""
    return next((unit for unit in units if column.endswith(f"_{unit}")), "")


def _columns_named_like_axes(motion: Path) -> dict[str, Any]:
    """Map of columns such as ``x_m`` or ``beta_deg``, which need none of `--map`."""
    names = _names(motion)
    found = {
        axis: {"column": name, "unit": unit}
        for axis in AXES
        for unit in reversed(_NAMED_UNITS)  # a coordinate goes before its acceleration
        if (name := f"{axis}_{unit}") in names
    }
    if not found:
        likely, felt = ",".join(_likely_map(names)), felt_columns(names)
        perhaps = f"; perhaps --map {likely} (see that axes and signs are right)" if likely else ""
        if felt:
            perhaps = f"; {', '.join(felt)}: this is specific force, {FELT}"
        raise ConfigError(
            "--map",
            [
                f"no column of {motion} is named like an axis (x_m, alpha_deg, ...); map them with "
                f"--map AXIS=COLUMN; there are: {', '.join(names)}{perhaps}"
            ],
        )
    return found


def _names(motion: Path) -> list[str]:
    """Names of a file's columns."""
    try:
        return list(header_of(motion))
    except MotionError as error:
        raise ConfigError(str(motion), [str(error)]) from None


def _likely_map(names: list[str]) -> Iterator[str]:
    """Likely texts of `--map` for columns with well-known names and a unit at the end."""
    if SECONDS.column not in names:
        yield from (f"t={name}" for name in _named(names, ("time", "t"), TIME_UNITS)[:1])
    for axis, words in _AXIS_WORDS.items():
        accelerations = ACCELERATION_UNITS if axis in AXES[:3] else ()
        likely = _named(names, words, units_of(axis)) or _named(names, words, accelerations)
        yield from (f"{axis}={name}" for name in likely[:1])
    yield from (f"x={each.column}" for each in KINDS.values() if names[1:] == [each.column])


def _named(names: list[str], words: Iterable[str], units: Iterable[str]) -> list[str]:
    return [
        name
        for name in names
        if _ending(name, units) and not set(name.lower().split("_")).isdisjoint(words)
    ]
