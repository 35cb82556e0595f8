"""File of a RECORD of the command line: a path, or the name of a shipped ride or scenario."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir, find_file

if TYPE_CHECKING:
    from hil.stations.simulator.plan.ride_file import RideFile
    from platform6dof.cueing.vehicle import Vector3

KEY: Final = "RECORD"
SCENARIOS: Final = "scenarios"


def record_file(name: str) -> Path:
    """Return the recorded ride (CSV) or the scenario of one (TOML) that a name means.

    Raises:
        ConfigError: naming every place that was searched, or of a run's recording.
    """
    if Path(name).suffix.lower() == ".mcap":
        line = f"{KEY} = {name!r}: this is the recording of a run; the table of a ride is needed"
        raise ConfigError("command line", [f"{line}, or its scenario; hil report judges a run"])
    shipped = configs_dir() / SCENARIOS / f"{name}.toml"
    if is_scenario(name) or (os.path.isfile(shipped) and not os.path.isfile(name)):
        return find_file(name, folder=SCENARIOS, key=KEY)
    return find_file(name, folder="motions", key=KEY, ending=".csv")


def is_scenario(file: str | Path) -> bool:
    """Return whether it is a scenario, by its ending."""
    return Path(file).suffix.lower() == ".toml"


def refuse_map(map_name: str | None) -> None:
    """Refuse a map beside a scenario.

    Raises:
        ConfigError: if there is one.
    """
    if map_name is not None:
        text = f"--map {map_name}: a scenario names its map itself, as source.map"
        raise ConfigError("command line", [text])


def read_recorded(file: Path, map_name: str | None) -> tuple[RideFile, Vector3]:
    """Read a recorded ride, and where the rider's head is from the recorder's sensor [m].

    Args:
        file: from `record_file`.
        map_name: of its columns, a name or a file; None where they bear the bench's own names.

    Raises:
        ConfigError: of a scenario without a recording, or a file that is not there.
        MotionError: of the recording, with its place.
    """
    from hil.stations.simulator.plan.ride_file import read_ride_file

    if not is_scenario(file):
        return read_ride_file(file, map_name), (0.0, 0.0, 0.0)
    from hil.stations.simulator.plan.scenario import load_ride
    from hil.stations.simulator.sources.recording import RideRecordSettings, ride_file_of

    refuse_map(map_name)
    scenario = load_ride(file).scenario
    source = scenario.source
    if not isinstance(source, RideRecordSettings):
        kind = source.model_dump(mode="json")["kind"]
        text = f"source.kind = {kind!r} has no recording; a scenario with 'recording', or a CSV "
        raise ConfigError(str(file), [text + "file, is needed (`hil host record` makes one)"])
    return ride_file_of(source, file), scenario.vehicle_head_m
