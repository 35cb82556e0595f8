"""A thin copy of what a case gave, kept in a file: machines differ in the last bits, so it is near.

Of a recording a few rows are kept, of events and answers all numbers and names. Words are not.
"""

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from frozen.compare import OF_THE_MACHINE, PLACES, WORDS
from frozen.scenarios import SHIPPED
from frozen.trees import Answer

FOLDER = Path(__file__).parent / "goldens"
KEPT_ROWS = 6
NEAR = 1e-12
"""Of the greatest of the numbers that stand together, a column or a list, but at least of 1 [m, s,
rad, …]: what is zero but for rounding has no digits of its own."""
TIES = {"waypoint"}
"""Keys of where something is greatest: of two places that are alike, rounding chooses."""


def thin(answer: Answer) -> dict[str, Any]:
    """What is kept of an answer, as JSON has it."""
    kept: dict[str, Any] = {"status": answer.status, "told": _plain(answer.told)}
    if answer.rows is not None and answer.events is not None:
        kept |= {"rows": _rows(answer.rows), "events": _events(answer.events)}
    return json.loads(json.dumps(kept))  # NaN and tuples as a file gives them back


def _plain(value: Any, *, words: bool = False) -> Any:
    """An answer without what is the machine's; of what is for people the numbers stay."""
    if isinstance(value, dict):
        return {
            key: _plain(one, words=words or key in WORDS)
            for key, one in value.items()
            if key not in PLACES | OF_THE_MACHINE.keys()
        }
    if isinstance(value, list):
        return [_plain(one, words=words) for one in value]
    no_number = isinstance(value, float) and math.isnan(value)
    return None if no_number or (words and isinstance(value, str)) else value


def _rows(file: Path) -> dict[str, Any]:
    with file.open(newline="") as text:
        names, *rows = csv.reader(text)
    last = len(rows) - 1
    places = sorted({round(last * part / (KEPT_ROWS - 1)) for part in range(KEPT_ROWS)})
    columns = zip(*(rows[place] for place in places), strict=True)
    return {"count": len(rows), "columns": dict(zip(names, map(_cells, columns), strict=True))}


def _cells(cells: tuple[str, ...]) -> list[Any]:
    return [_cell(cell) for cell in cells]


def _cell(text: str) -> Any:
    """A number, or a name; None where nothing stands."""
    try:
        number = float(text)
    except ValueError:
        return text or None
    return None if math.isnan(number) else number


def _events(file: Path) -> list[Any]:
    with file.open(newline="") as text:
        return [
            [float(one["t_s"]), int(one["index"]), one["kind"], one["level"],
             _plain(json.loads(one["data_json"]))]
            for one in csv.DictReader(text)
        ]  # fmt: skip


def nearness(name: str) -> float:
    """How near a case has to be; contacts and filters make more of the last bits than kinematics.

    Args:
        name: of the case.
    """
    station = SHIPPED.get(name.partition("_")[2].removesuffix("_0"), "")
    return {"world": 1e-6, "simulator": 1e-9}.get(station, NEAR)


def far(
    kept: Any, found: Any, place: str = "", scale: float = 0.0, near: float = NEAR
) -> Iterator[str]:
    """Places where what was found is not near what was kept; what is new beside it is none."""
    if isinstance(kept, dict) and isinstance(found, dict):
        for key, value in kept.items():
            if key in TIES and key in found:
                continue
            if key in found:
                yield from far(value, found[key], f"{place}.{key}", near=near)
            else:
                yield f"{place}.{key} is gone"
    elif isinstance(kept, list) and isinstance(found, list):
        if len(kept) != len(found):
            yield f"{place} has {len(found)} members, not {len(kept)}"
        together = max((abs(one) for one in kept if _is_number(one)), default=0.0)
        for index, (one, other) in enumerate(zip(kept, found, strict=False)):
            yield from far(one, other, f"{place}[{index}]", together, near)
    elif _is_number(kept) and _is_number(found):
        if not abs(kept - found) <= near * max(scale, abs(kept), 1.0):
            yield f"{place} = {kept!r} is {found!r}"
    elif kept != found:
        yield f"{place} = {kept!r} is {found!r}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def golden_of(name: str) -> Path:
    """The file of a case."""
    return FOLDER / f"{name}.json"


def write(name: str, answer: Answer) -> None:
    """Keep an answer."""
    FOLDER.mkdir(exist_ok=True)
    golden_of(name).write_text(json.dumps(thin(answer), separators=(",", ":")) + "\n")
