"""What ``hil panel`` opens: a scenario, a recording, a bench that runs, or a choice."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from hil.config.settings import ConfigError
from hil.desk.endpoints import Endpoint, PlaceError, benches
from hil.recording.header import RECORDING_NAME
from hil.run.file_kinds import scenario_file

DEMO: Final = "demo"
"""Scenario that is offered to who names none."""
What = Literal["scenario", "run", "bench", "choice", "scenarios"]


@dataclass(frozen=True, slots=True)
class StartView:
    """What the window begins with."""

    what: What
    """A scenario ready to run, a recording, the one bench that runs, a choice of several benches,
    or the list of scenarios."""
    path: Path | None = None
    """File or folder to be opened, or a scenario to begin with; None for nothing."""
    station: str = ""
    """Of a scenario, as its file says; empty otherwise."""
    benches: tuple[Endpoint, ...] = ()
    """Those that run."""


def start_view_of(name: str | None) -> StartView:
    """Find out what is meant.

    Args:
        name: what the command line says; None if nothing.

    Raises:
        ConfigError: if there is nothing of that name, or it is of no use here.
    """
    if name is None:
        return _running(_benches())
    path = Path(name)
    if path.is_dir():
        return StartView("run", _recording_in(path))
    if path.suffix == ".mcap":
        if not path.is_file():
            raise ConfigError(str(path), ["no such file; give a folder of a run, or its file"])
        return StartView("run", path.resolve())
    found, kind = scenario_file(name)
    return StartView("scenario", found, kind.name)


def _benches() -> tuple[Endpoint, ...]:
    try:
        return tuple(benches())
    except PlaceError as error:
        raise ConfigError("benches", [str(error)]) from error


def _running(found: Sequence[Endpoint]) -> StartView:
    if not found:
        return StartView("scenarios", scenario_file(DEMO)[0])
    if len(found) == 1:
        return StartView("bench", found[0].path, benches=tuple(found))
    return StartView("choice", benches=tuple(found))


def _recording_in(folder: Path) -> Path:
    """The recording of a run's folder.

    Raises:
        ConfigError: if there is none, or several.
    """
    if (folder / RECORDING_NAME).is_file():
        return (folder / RECORDING_NAME).resolve()
    inside = sorted(folder.rglob(RECORDING_NAME))
    if len(inside) == 1:
        return inside[0].resolve()
    if not inside:
        raise ConfigError(str(folder), [f"no {RECORDING_NAME} in it; need the folder of a run"])
    some = ", ".join(str(path.parent) for path in inside[:5])
    raise ConfigError(str(folder), [f"{len(inside)} runs are in it; name one: {some}"])
