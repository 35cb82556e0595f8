"""Where two answers differ: decoded values, bit for bit. Words may change, numbers and keys not."""

import csv
import json
import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from frozen.trees import Answer

PLACES = {
    "recording", "recording_parts", "recordings", "report", "gate_record", "csv", "pictures",
    "file", "path", "written", "parts",
}  # fmt: skip
"""Keys of paths, of which it counts only whether there is one."""
TIMES = "times of this machine"
DIGEST = "digest of a file that is compared by its values, or has times in it"
OF_THE_MACHINE = {
    "recording_sha256": DIGEST, "sha256": DIGEST, "real_time": TIMES, "lateness_us": TIMES,
    "answer_p50_s": TIMES, "answer_p99_s": TIMES, "answer_longest_s": TIMES, "latency_us": TIMES,
    "step_us": TIMES, "cycle_us": TIMES, "real_time_factor": TIMES,
    "edit_pause_max_ms": TIMES, "cost_us": TIMES, "period_part": "a cost_us, as part of a period",
    "step_median_s": TIMES, "step_p99_s": TIMES, "step_max_s": TIMES, "date": "today",
    "version": "the program's own number", "distribution": "a package with its own number",
}  # fmt: skip
"""Keys of what is not the program's → why."""
WORDS = {
    "reason", "message", "error", "text", "detail", "remedy", "robot", "description", "title",
    "help", "note", "violations", "verdicts", "words", "about", "meaning",
}  # fmt: skip
"""Keys whose strings are for people; numbers below them count."""
SHOWN = 20
FOLDERS = re.compile(r"(?<![^\s='\"])/(?:[^\s/'\"]+/)+")


def differences(old: Answer, new: Answer) -> list[str]:
    """Where they differ, at most `SHOWN` places."""
    found: list[str] = []
    if old.status != new.status:
        found.append(f"exit status {old.status} is {new.status}: {new.words[-300:]}")
    found += trees(old.told, new.told)
    for name in ("rows", "events"):
        before, after = getattr(old, name), getattr(new, name)
        if (before is None) != (after is None):
            found.append(f"{name}: {before} is {after}")
        elif before is not None and after is not None:
            found += _first(_rows(before, after) if name == "rows" else _events(before, after))
    for name in sorted(old.parts.keys() | new.parts.keys()):
        missing = Answer(0, None, "")
        inner = differences(old.parts.get(name, missing), new.parts.get(name, missing))
        found += [f"{name}: {place}" for place in inner]
    for name in sorted(old.files.keys() | new.files.keys()):
        before, after = old.files.get(name), new.files.get(name)
        there = before is not None and after is not None
        found += _first(_lines(before, after)) if there else [f"{name} is only in one"]
    return found


def trees(old: object, new: object) -> list[str]:
    """Where two JSON values differ; what is new beside what was there is none."""
    return _first(_trees("", _resolved(old), _resolved(new)))


def _resolved(tree: object) -> object:
    """A JSON schema with its definitions where they are referred to: their names are for people."""
    if not isinstance(tree, dict) or "$defs" not in tree:
        return tree
    definitions = tree["$defs"]

    def put(value: Any) -> Any:
        if isinstance(value, list):
            return [put(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            value = {key: one for key, one in value.items() if key != "$ref"} | definitions[
                value["$ref"].rpartition("/")[2]
            ]
        return {key: put(one) for key, one in value.items() if key != "mapping"}

    return put({key: value for key, value in tree.items() if key != "$defs"})


def _first(found: Iterator[str]) -> list[str]:
    return [place for place, _ in zip(found, range(SHOWN), strict=False)]


def _trees(place: str, old: object, new: object, *, words: bool = False) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key not in new:
                yield f"{place}.{key} is gone"
            elif key in PLACES:
                yield from _trees(f"{place}.{key}", *map(_present, (value, new[key])))
            elif key not in OF_THE_MACHINE:
                yield from _trees(f"{place}.{key}", value, new[key], words=words or key in WORDS)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{place} has {len(new)} members, not {len(old)}"
        for index, (one, other) in enumerate(zip(old, new, strict=False)):
            yield from _trees(f"{place}[{index}]", one, other, words=words)
    elif isinstance(old, str) and isinstance(new, str):
        if not words and _placeless(old) != _placeless(new):
            yield f"{place} = {old!r} is {new!r}"
    elif type(old) is not type(new) or repr(old) != repr(new):  # all bits, and NaN is NaN
        yield f"{place} = {old!r} is {new!r}"


def _placeless(text: str) -> str:
    """A text with the last part of each absolute path in it alone: two trees are in two places."""
    return FOLDERS.sub("", text)


def _present(value: Any) -> Any:
    """Of a path, or paths, whether there is one: they differ from one run to another."""
    if isinstance(value, str):
        return bool(value)
    return [_present(one) for one in value] if isinstance(value, list) else value


def _lines(old: Path, new: Path) -> Iterator[str]:
    """A file of text, without the paths and times of a run that stand in it."""
    pairs = zip_longest(_text(old), _text(new))
    for number, (line, found) in enumerate(pairs, 1):
        if line != found:
            yield f"{old.name}, line {number}: {line!r} is {found!r}"


def _text(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines()


def _rows(old: Path, new: Path) -> Iterator[str]:
    """Cells as text: a float is written as its shortest text that gives the same bits."""
    with old.open(newline="") as before, new.open(newline="") as after:
        one, other = csv.reader(before), csv.reader(after)
        names, there = next(one), next(other)
        gone = [name for name in names if name not in there]
        if gone:
            yield f"rows: columns {', '.join(gone)} are gone"
            return
        columns = [there.index(name) for name in names]
        for number, (row, found) in enumerate(zip_longest(one, other)):
            if row is None or found is None:
                yield f"rows: one recording ends at row {number}"
                return
            picked = [found[column] for column in columns]
            if row != picked:
                for name, value, instead in zip(names, row, picked, strict=True):
                    if value != instead:
                        yield f"row {number}, {name}: {value} is {instead}"


def _events(old: Path, new: Path) -> Iterator[str]:
    """Time, index, kind, level; of the data keys and numbers."""
    with old.open(newline="") as before, new.open(newline="") as after:
        pairs = zip_longest(csv.DictReader(before), csv.DictReader(after))
        for number, (event, found) in enumerate(pairs):
            if event is None or found is None:
                there = (event or found or {}).get("message", "")
                yield f"event {number} is only in one: {there}"
                return
            for key in ("t_s", "index", "kind", "level"):
                if event[key] != found[key]:
                    yield f"event {number}, {key}: {event[key]} is {found[key]}"
            data, instead = json.loads(event["data_json"]), json.loads(found["data_json"])
            yield from _trees(f"event {number}, data", data, instead, words=True)
