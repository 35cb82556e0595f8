"""One run of a campaign in this process, through the same service as `hil run SCENARIO --json`.

It runs on the virtual clock with simulated devices, whatever the scenario says.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from hil.campaign.job import Job, Keep, Result, RunOutcome, measures_of, outcome_of, reason_of
from hil.config.errors import ConfigError, RefusedError
from hil.recording.header import RecordingError
from hil.run.end import summarize_conclusion
from hil.run.station import SIMULATED, Request, Station

if TYPE_CHECKING:
    from hil.run.end import Ran


def station_of(scenario: Path) -> Station:
    """Station of a scenario.

    Raises:
        ConfigError: if the file is no scenario of one station.
    """
    from hil.run.file_kinds import TOGETHER, find_kind, scenario_kinds
    from hil.run.registry import station_of_kind

    kinds = [kind for kind in scenario_kinds() if kind is not TOGETHER]
    return station_of_kind(find_kind(str(scenario), *kinds, key="SCENARIO")[1])


def request_of(job: Job, station: Station) -> Request:
    """Request of a run: on the virtual clock, with simulated devices."""
    return Request(
        scenario=Path(job.scenario),
        options={one.flag: SIMULATED for one in station.options if one.device},
        overrides=job.overrides,
        clock="virtual",
        seed=job.seed,
        folder=Path(job.folder),
        as_json=True,
    )


def execute(job: Job) -> Result:
    """Make a run; whatever happens in it is in its result."""
    from hil import service
    from hil.terminal.fault import unforeseen

    try:
        station = station_of(Path(job.scenario))
        ran = service.run(station, request_of(job, station))
        with ran.until_shown:
            return _result(job, ran)
    except (ConfigError, RefusedError) as error:
        return Result(job, RunOutcome.REFUSED, _line(error))
    except RecordingError as error:
        return Result(job, RunOutcome.FAULT, unrecorded=_line(error))
    except OSError as error:
        return Result(job, RunOutcome.FAULT, unrecorded=f"{job.folder}: {_line(error)}")
    except Exception as error:  # the other runs of the campaign go on
        return Result(job, RunOutcome.FAULT, _line(unforeseen(error)))


def _line(error: Exception) -> str:
    return str(error).replace("\n", "; ")


def _result(job: Job, ran: Ran) -> Result:
    from hil.terminal.console import json_text

    values: dict[str, Any] = orjson.loads(
        json_text({**ran.values, **summarize_conclusion(ran.end)})
    )
    outcome = outcome_of(values)
    path = Path(values["recording"])
    size = sum(one.stat().st_size for one in path.parent.glob("*.mcap"))
    sha256 = values["recording_sha256"]
    unrecorded = "" if sha256 else f"{path}: {values['recording_failure'] or 'it is not whole'}"
    is_kept = bool(unrecorded) or job.keep is Keep.ALL or outcome is not RunOutcome.SUCCEEDED
    if not is_kept:
        remove_run(path)
    drawn = values.get("drawn")
    return Result(
        job,
        outcome,
        "" if outcome is RunOutcome.SUCCEEDED else reason_of(values),
        drawn=measures_of(drawn) if isinstance(drawn, dict) else {},
        measures=measures_of(values),
        sha256=sha256 or "",
        recording=str(path) if is_kept else "",
        unrecorded=unrecorded,
        recording_bytes=size,
    )


def remove_run(recording: Path) -> None:
    """Remove the folder of a run, and that of its seed if nothing else is in it."""
    shutil.rmtree(recording.parent, ignore_errors=True)
    with suppress(OSError):
        recording.parent.parent.rmdir()
