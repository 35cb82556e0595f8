"""Map and proof of a machine, as `python -m hil.panel.scenarios.models.workspace_helper FILE`.

Arguments after the file: the quantity of the map (empty: the first), the cells along each
coordinate (0: no map), and the longest time of the proof [s] (0: no proof). The machine's table is
read from standard input, as JSON: its file need not be there yet. One JSON object a line on
standard output: the names of the quantities, how far the map is, the map, the proof, or why there
is none of them.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from hil.config.errors import RefusedError
from hil.config.settings import ConfigError
from hil.panel.scenarios.models.helper_output import share_reporter, write_line
from hil.run.file_kinds import kind_of
from hil.run.registry import workspace_maker

REPORTED_STEP: Final = 0.02
"""Share of the map between two reports of how far it is."""
REFUSALS: Final = (ConfigError, RefusedError, ValueError)


def main() -> int:
    """Compute what the command line names; it moves nothing.

    Returns:
        Exit status: 0 if all of it was computed, else 1.
    """
    file, quantity, points, most_s = sys.argv[1:]
    return compute(Path(file), _table(), quantity, int(points), float(most_s))


def compute(file: Path, table: Mapping[str, Any], quantity: str, points: int, most_s: float) -> int:
    """Compute a map and a proof, and print each as soon as it is there; see `main`."""
    kind = kind_of(table, str(file))
    maker = None if kind is None else workspace_maker(kind)
    if maker is None:
        write_line({"map_error": "no station has maps of it"})
        return 1
    names = maker.quantities()
    write_line({"quantities": names})
    done: list[bool] = []
    if points:
        wanted, report = quantity or names[0], share_reporter(REPORTED_STEP)
        done.append(_part("map", lambda: maker.map(table, file, wanted, points, report).to_json()))
    if most_s:
        write_line({"begun": "proof"})
        done.append(_part("proof", lambda: maker.prove(table, file, most_s).to_json()))
    return 0 if all(done) else 1


def _part(name: str, make: Callable[[], bytes]) -> bool:
    try:
        made = make()
    except REFUSALS as error:
        write_line({f"{name}_error": str(error)})
        return False
    write_line({name: orjson.Fragment(made)})
    return True


def _table() -> dict[str, Any]:
    table = orjson.loads(sys.stdin.buffer.read())
    if not isinstance(table, dict):
        raise ValueError("no table")
    return table


if __name__ == "__main__":
    sys.exit(main())
