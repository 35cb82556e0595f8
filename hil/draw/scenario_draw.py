"""The draw of a scenario by a seed: what lies over its table and its documents in one run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from hil.config.drawn import DRAW, DrawnValues, applied
from hil.config.errors import ConfigError
from hil.config.inputs import unnoted
from hil.config.settings import apply_overrides, read_toml

if TYPE_CHECKING:
    from hil.draw.places import DrawPlaces, KeyLocation
    from hil.draw.table import Law
    from hil.run.station import Request, Station

SEED: Final = "seed"
"""Key of a scenario for its seed."""


class ScenarioDraw:
    """Laws of a scenario's table `draw`, with the places of their keys.

    Args:
        station: of the scenario.
        request: of the run; changes of the command line go before draws.

    Raises:
        ConfigError: with a line for each key that cannot be drawn.
    """

    def __init__(self, station: Station, request: Request) -> None:
        self._file = request.file
        table = read_toml(self._file)
        self._laws: dict[str, Law] = {}
        self._places: dict[str, KeyLocation] = {}
        self._documents: DrawPlaces | None = None
        self.digest = ""
        """Digest of the scenario that the draw depends on; empty if nothing is drawn."""
        self._fixed = {change.partition("=")[0].strip() for change in request.overrides}
        changed = apply_overrides(table, request.changes(station.options))
        self.has_seed = SEED in station.scenarios.model().model_fields
        own = changed.get(SEED, 0)
        self.seed: Any = own if request.seed is None else request.seed
        """Seed of the draw."""
        if DRAW in table:
            self._prepare(table, changed, station)

    def _prepare(
        self, table: Mapping[str, Any], changed: Mapping[str, Any], station: Station
    ) -> None:
        from hil.draw.numbers import scenario_digest
        from hil.draw.places import DrawPlaces
        from hil.draw.table import laws_of

        self.digest = scenario_digest(table)
        self._laws = laws_of(table[DRAW], str(self._file))
        self._documents = DrawPlaces(changed, self._file, station.scenarios)
        self._places = self._documents.find(list(self._laws))

    def by(self, seed: int) -> DrawnValues:
        """Values that a seed draws."""
        if self._documents is None:
            return DrawnValues(seed)
        from hil.draw.numbers import drawn_values

        values = drawn_values(self._laws, self.digest, seed)
        values = {key: value for key, value in values.items() if key not in self._fixed}
        texts = self._documents.texts({self._places[key]: one for key, one in values.items()})
        return DrawnValues(seed, values, texts)

    def changes(self, drawn: DrawnValues) -> list[tuple[str, Any]]:
        """Changes of the scenario's own table."""
        places = ((self._places[key], value) for key, value in drawn.values.items())
        return [(place.key, value) for place, value in places if place.document is None]


@contextmanager
def drawn_request(
    station: Station, request: Request
) -> Iterator[tuple[Request, DrawnValues | None]]:
    """Let the draw of a request hold: the request with it, and what is drawn; None if nothing is.

    Raises:
        ConfigError: with a line for each key that cannot be drawn, or if the seed means nothing.
    """
    file = request.scenario
    if file is None or file.suffix.lower() != ".toml":
        if request.seed is not None:
            line = f"--seed {request.seed}: there is no scenario file that has a seed"
            raise ConfigError("command line", [line])
        yield request, None
        return
    if request.seed is None and DRAW not in read_toml(file):
        yield request, None
        return
    with unnoted():  # the run takes in documents as they are drawn, not as they are here
        draw = ScenarioDraw(station, request)
    check_seed(draw.seed, str(file))
    if request.seed is not None and not (draw.digest or draw.has_seed):
        line = f"--seed {request.seed}: {station.scenarios.named} has no seed, and draws nothing"
        raise ConfigError(str(file), [f"{line}; add a table [{DRAW}], or leave the option out"])
    drawn = draw.by(draw.seed)
    changes = draw.changes(drawn)
    if request.seed is not None and draw.has_seed:
        changes.append((SEED, request.seed))
    request = replace(request, drawn=tuple(changes))
    if not draw.digest:
        yield request, None
        return
    with applied(drawn):
        yield request, drawn


def check_seed(seed: Any, source: str) -> None:
    """Check that a number can be the seed of a draw.

    Raises:
        ConfigError: with the value and its limits.
    """
    from hil.draw.numbers import SEED_MAX

    if type(seed) is not int or not 0 <= seed <= SEED_MAX:
        raise ConfigError(source, [f"seed = {seed!r:.60}: need a whole number, 0 to {SEED_MAX}"])


def check_read(drawn: DrawnValues, source: str) -> None:
    """Check that every document with drawn values was read for the plan.

    Raises:
        ConfigError: naming each that was not.
    """
    if unread := sorted(drawn.documents.keys() - drawn.read):
        words = "has drawn values and is not read by this run; draw in a document that it reads"
        raise ConfigError(source, [f"{DRAW}: {path} {words}" for path in unread])


def summarize_drawn(drawn: DrawnValues, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Seed and drawn values for a program; those that a station has drawn itself come first."""
    before = (values or {}).get("drawn")
    own = before if isinstance(before, Mapping) else {}
    return {"drawn_seed": drawn.seed, "drawn": {**own, **drawn.values}}
