"""Checks, runs and dry runs of any station: what is the same for all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from hil.config.inputs import collected
from hil.run.station import SIMULATED, Checked, Request, Station

if TYPE_CHECKING:
    from hil.run.end import Conclusion, Ran


def check(station: Station, request: Request) -> Checked:
    """Prove the whole motion of a scenario; nothing moves.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
        RefusedError: if the motion cannot be judged at all.
    """
    return station.prove(station.load(request), request)


def run(station: Station, request: Request) -> Ran:
    """Run a scenario; its recording lists the files that were read for it.

    Raises:
        ConfigError: as `check`.
        RefusedError: if the motion is refused, or a device is not there; nothing has moved.
        RecordingError: if it cannot be recorded; nothing has moved.
    """
    with collected():
        return station.run(station.load(request), request)


def dry_run(
    station: Station, scenario: Path, folder: Path, progress: Callable[[float, float], None]
) -> Conclusion:
    """Run a scenario on the virtual clock with simulated devices, whatever it says; how it ended.

    Args:
        folder: in which the run gets a folder of its own.
        progress: given the time of the run and that of its end [s].

    Raises:
        ConfigError: as `run`.
    """
    devices = {one.flag: SIMULATED for one in station.options if one.device}
    ran = run(
        station,
        Request(
            scenario=scenario, options=devices, clock="virtual", folder=folder, progress=progress
        ),
    )
    ran.until_told.close()
    return ran.end
