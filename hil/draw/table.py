"""The table `draw` of a scenario: for each key a law by which its number is drawn.

[draw]
"payload.mass_kg" = { uniform = [0, 40] }
"motion.terms.0.amplitude_m" = { normal = [0.05, 0.01], bounds = [0.02, 0.08] }
"robot.link.3.dh.d_m" = { latin = [0.4, 0.6], count = 50 }
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter, model_validator

from hil.config.drawn import DRAW
from hil.config.errors import ConfigError, Wrong
from hil.config.settings import Settings
from hil.config.similar_names import nearest

Range = tuple[float, float]
COUNT_MAX: Final = 1_000_000
Count = Annotated[int, Field(ge=1, le=COUNT_MAX)]


def _check_range(name: str, ends: Range) -> None:
    if not ends[0] < ends[1]:
        raise ValueError(f"{name} = [{ends[0]:g}, {ends[1]:g}]: the first must be the smaller one")


class UniformLaw(Settings):
    """All numbers of a range alike."""

    uniform: Range
    """Least and greatest value, in the unit of the key."""
    whole: bool = False
    """Whether only whole numbers are drawn, both ends among them."""

    @model_validator(mode="after")
    def _check(self) -> UniformLaw:
        _check_range("uniform", self.uniform)
        if self.whole and not all(end.is_integer() for end in self.uniform):
            raise ValueError("whole = true: both ends of uniform must be whole numbers")
        return self


class NormalLaw(Settings):
    """Normal distribution, cut off at its bounds."""

    normal: tuple[float, Annotated[float, Field(gt=0.0)]]
    """Mean and standard deviation before the cut, in the unit of the key."""
    bounds: Range
    """Least and greatest value, in the unit of the key."""

    @model_validator(mode="after")
    def _check(self) -> NormalLaw:
        _check_range("bounds", self.bounds)
        mean, deviation = self.normal
        closest = min(max(mean, self.bounds[0]), self.bounds[1])
        if abs(closest - mean) > FAR * deviation:
            text = f"bounds are more than {FAR:g} standard deviations from the mean {mean:g}"
            raise ValueError(f"{text}: nothing can be drawn between them")
        return self


FAR: Final = 6.0
"""Standard deviations from the mean beyond which no bounds may lie altogether."""


class ChoiceLaw(Settings):
    """Numbers of a list, each as likely as it is often there."""

    choice: Annotated[tuple[int | float, ...], Field(min_length=1, max_length=10_000)]
    """Values, in the unit of the key."""


class GridLaw(Settings):
    """Equal steps through a range, one after the other by the number of the seed."""

    grid: Range
    """First and last value, in the unit of the key."""
    count: Count
    """Number of values; of several grids every combination is taken in turn."""

    @model_validator(mode="after")
    def _check(self) -> GridLaw:
        _check_range("grid", self.grid)
        return self


class LatinLaw(Settings):
    """One point of a Latin hypercube over all such keys of the scenario."""

    latin: Range
    """Least and greatest value, in the unit of the key."""
    count: Count
    """Number of points, the same for all such keys of a scenario."""

    @model_validator(mode="after")
    def _check(self) -> LatinLaw:
        _check_range("latin", self.latin)
        return self


Law = UniformLaw | NormalLaw | ChoiceLaw | GridLaw | LatinLaw
LAWS: Final[Mapping[str, type[Law]]] = {
    "uniform": UniformLaw, "normal": NormalLaw, "choice": ChoiceLaw, "grid": GridLaw,
    "latin": LatinLaw,
}  # fmt: skip


def draw_schema() -> tuple[dict[str, Any], dict[str, Any]]:
    """JSON schema of the table `draw`, and the definitions that it needs.

    Keys that are no quoted paths are tables of tables, down to a law.
    """
    adapter: TypeAdapter[Law] = TypeAdapter(Law)
    law = adapter.json_schema()
    forms = law["anyOf"]
    cases = [
        {"if": {"required": [name]}, "then": form} for name, form in zip(LAWS, forms, strict=True)
    ]
    either = [{"required": [name]} for name in LAWS]
    table = {"type": "object", "additionalProperties": {"$ref": "#/$defs/DrawnKeys"}}
    keys = {"type": "object", "if": {"anyOf": either}, "then": {"allOf": cases}, "else": table}
    about = "Keys of the scenario, or of a document that it names, and the law of each number."
    return table | {"description": about}, law["$defs"] | {"DrawnKeys": keys}


def laws_of(table: Any, source: str) -> dict[str, Law]:
    """Laws of a table `draw` by key, in the order of the keys.

    Args:
        source: file of the scenario, for error texts.

    Raises:
        ConfigError: with a line for each key whose law cannot be read.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(source, [f"{DRAW} = {table!r:.80}: a table of keys is needed"])
    found, wrong = dict[str, Law](), list[str]()
    for key, value in sorted(_flattened(table, "")):
        try:
            found[key] = _law(key, value, source)
        except ConfigError as error:
            wrong += [_placed(key, line) for line in error.problems]
    wrong += _faults_of_latin(found)
    if wrong:
        raise ConfigError(source, wrong)
    return found


def _placed(key: str, line: str) -> str:
    place = f'{DRAW}."{key}"'
    return line if line.startswith(place) else Wrong((DRAW, key), line, f"{place}: {line}")


def _flattened(table: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    """Keys with dots and their laws, whether quoted or as tables in tables."""
    for key, value in table.items():
        is_law = not isinstance(value, Mapping) or LAWS.keys() & value.keys()
        if is_law or not any(isinstance(one, Mapping) for one in value.values()):
            yield f"{before}{key}", value
        else:
            yield from _flattened(value, f"{before}{key}.")


def _law(key: str, value: Any, source: str) -> Law:
    names = list(LAWS)
    given = [name for name in names if isinstance(value, Mapping) and name in value]
    if len(given) == 1:
        return LAWS[given[0]].build(value, source)
    wanted = f"one of {', '.join(names)} is needed, such as {{ uniform = [0, 1] }}"
    if not given and isinstance(value, Mapping):
        wanted += next((words for one in value if (words := nearest(str(one), names))), "")
    raise ConfigError(source, [f'{DRAW}."{key}" = {value!r:.80}: {wanted}'])


def _faults_of_latin(laws: Mapping[str, Law]) -> list[str]:
    counts = {key: law.count for key, law in laws.items() if isinstance(law, LatinLaw)}
    if len(set(counts.values())) < 2:
        return []
    given = ", ".join(f'"{key}" {count}' for key, count in counts.items())
    return [f"{DRAW}: count of all latin keys must be the same; there are {given}"]
