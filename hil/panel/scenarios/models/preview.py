"""A picture's rows in a process of its own: `python -m hil.panel.scenarios.models.preview FILE`.

With ``--machine`` it is of a machine, whose table is read from standard input, as JSON: its file
need not be there yet. One JSON object on standard output: a `Preview`, or why there is none.
"""

import sys
from pathlib import Path
from typing import Any

import orjson

from hil.config.errors import RefusedError
from hil.config.settings import ConfigError
from hil.run.file_kinds import TOGETHER, find_kind, kind_of, scenario_kinds
from hil.run.preview import Preview
from hil.run.registry import machine_preview, station_of_kind


def main() -> int:
    """Look at the file named on the command line; it moves nothing.

    Returns:
        Exit status: 0 if there is a picture, else 1.
    """
    file, *machine = sys.argv[1:]
    try:
        found = _of_machine(Path(file), _table()) if machine else _of_scenario(file)
        answer, status = found.to_json(), 0
    except (ConfigError, RefusedError, ValueError) as error:
        answer, status = orjson.dumps({"error": str(error)}), 1
    sys.stdout.buffer.write(answer)
    return status


def _table() -> dict[str, Any]:
    table = orjson.loads(sys.stdin.buffer.read())
    if not isinstance(table, dict):
        raise ValueError("no table")
    return table


def _of_scenario(name: str) -> Preview:
    path, kind = find_kind(name, *scenario_kinds(), key="SCENARIO")
    station = None if kind is TOGETHER else station_of_kind(kind)
    if station is None or station.preview is None:
        raise RefusedError(f"a {kind.name} has no picture before it runs")
    return station.preview(path)


def _of_machine(file: Path, table: dict[str, Any]) -> Preview:
    kind = kind_of(table, str(file))
    make = None if kind is None else machine_preview(kind)
    if make is None:
        raise RefusedError("it has no picture")
    return make(table, file)


if __name__ == "__main__":
    sys.exit(main())
