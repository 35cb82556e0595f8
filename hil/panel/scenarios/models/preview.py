"""A picture's rows in a process of its own: `python -m hil.panel.scenarios.models.preview FILE`.

One JSON object on standard output: a `Preview`, or why there is none.
"""

import sys

import orjson

from hil.config.errors import RefusedError
from hil.config.settings import ConfigError
from hil.run.file_kinds import TOGETHER, find_kind, scenario_kinds
from hil.run.registry import station_of_kind


def main() -> int:
    """Look at the file named on the command line; it moves nothing.

    Returns:
        Exit status: 0 if there is a picture, else 1.
    """
    try:
        path, kind = find_kind(sys.argv[1], *scenario_kinds(), key="SCENARIO")
        station = None if kind is TOGETHER else station_of_kind(kind)
        if station is None or station.preview is None:
            raise RefusedError(f"a {kind.name} has no picture before it runs")
        told, status = station.preview(path).to_json(), 0
    except (ConfigError, RefusedError, ValueError) as error:
        told, status = orjson.dumps({"error": str(error)}), 1
    sys.stdout.buffer.write(told)
    return status


if __name__ == "__main__":
    sys.exit(main())
