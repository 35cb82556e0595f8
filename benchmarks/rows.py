"""A figure of the published page: where it is in a benchmark's results, and its cells in the table.

A path leads through the results, its steps with `>` between; `*` is every one there. The keys that
it stood for are the `{}` of the row's name, and the values beside the figure are its `{name}`. A
row's key on the page is made of its name, so a name that others cite stays.
"""

import math
from collections.abc import Iterator, Mapping
from string import Formatter
from typing import Any, Final, NamedTuple

UNITS_S: Final = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
NOT_MEASURED: Final = "not measured"


class Known(dict[str, Any]):
    """Values beside a figure; those that a case without a figure lacks are empty."""

    def __missing__(self, key: str) -> str:
        return ""


class Peer(NamedTuple):
    """What was measured beside a figure, in the same run."""

    name: str
    value: str
    p99: str = ""
    is_rival: bool = True
    """Whether a ratio to it says anything."""


class Row(NamedTuple):
    """One figure of the page, or as many as its path finds."""

    name: str
    unit: str
    value: str
    p99: str = ""
    peers: tuple[Peer, ...] = ()
    target: str = ""
    ratio: str = ""
    """Path of a ratio that the benchmark gives itself; else it is computed."""


def lines_of(row: Row, figures: Mapping[str, Any]) -> Iterator[list[str]]:
    """Cells of a row: name, median, 99 %, peers, ratio, target."""
    for keys in matches(row.value or row.p99, figures):
        beside = surroundings(row.value or row.p99, keys, figures)
        ours = [number_at(path, keys, figures) for path in (row.value, row.p99)]
        unit, peers, ratios = row.unit.format_map(beside), list[str](), list[str]()
        for peer in row.peers:
            theirs = [number_at(path, keys, figures) for path in (peer.value, peer.p99)]
            words = ", 99 % ".join(in_words(one, unit) for one in theirs if one is not None)
            late = "99 % " if theirs[0] is None and words else ""
            words = words or why_not(peer, keys, figures)
            peers.append(f"{peer.name}: {late}{words}")
            pair = next(((a, b) for a, b in zip(ours, theirs, strict=True) if a and b), None)
            if pair is not None and peer.is_rival:
                over = pair[1] / pair[0] if unit in UNITS_S else pair[0] / pair[1]
                ratios.append(three_digits(over))
        given = number_at(row.ratio, keys, figures)
        texts = ["" if one is None else in_words(one, unit) for one in ours]
        if not any(texts):
            texts[0] = f"{NOT_MEASURED}: {beside.get('reason') or 'no figure'}"
        yield [
            Formatter().vformat(row.name, keys, beside), *texts, "; ".join(peers),
            three_digits(given) if given is not None else "; ".join(ratios),
            row.target.format_map(beside),
        ]  # fmt: skip


def matches(path: str, figures: Any) -> Iterator[tuple[str, ...]]:
    """Keys that the stars of a path can be."""
    head, star, rest = path.partition("*")
    if not star:
        yield ()
        return
    there = value_at(head.rstrip(">"), figures) if head else figures
    pairs = enumerate(there) if isinstance(there, list) else there.items() if there else ()
    for key, value in pairs:
        for keys in matches(rest.removeprefix(">"), value):
            yield (str(key), *keys)


def surroundings(path: str, keys: tuple[str, ...], figures: Any) -> Known:
    """Values of the thing that the last star found, or of the one in which the figure is."""
    head = path[: path.rindex("*") + 1] if "*" in path else path.rpartition(">")[0]
    found = value_at(filled(head, keys), figures) if head else figures
    return Known(found if isinstance(found, dict) else {})


def number_at(path: str, keys: tuple[str, ...], figures: Any) -> float | None:
    """Number at a path; None if there is none, as of a peer that is not installed."""
    found = value_at(filled(path, keys), figures) if path else None
    return float(found) if isinstance(found, int | float) and math.isfinite(found) else None


def why_not(peer: Peer, keys: tuple[str, ...], figures: Any) -> str:
    """Why a peer has no figure: what the benchmark gives in its place, if that is in words."""
    path = filled(peer.value or peer.p99, keys)
    while path:
        if isinstance(found := value_at(path, figures), str):
            return found.partition(":")[0]
        path = path.rpartition(">")[0]
    return f"{NOT_MEASURED} (not installed)"


def filled(path: str, keys: tuple[str, ...]) -> str:
    """A path with its stars in words."""
    for key in keys:
        path = path.replace("*", key, 1)
    return path


def value_at(path: str, figures: Any) -> Any:
    """What stands at a path; None if nothing does."""
    for step in path.split(">"):
        if isinstance(figures, list):
            figures = figures[int(step)] if int(step) < len(figures) else None
        else:
            figures = figures.get(step) if isinstance(figures, dict) else None
    return figures


def in_words(value: float, unit: str) -> str:
    """A value with its unit, times in the unit that suits them."""
    if unit in UNITS_S:
        seconds = value * UNITS_S[unit]
        for scale, name in ((1.0, "s"), (1e-3, "ms")):
            if abs(seconds) >= scale:
                return f"{three_digits(seconds / scale)} {name}"
        return f"{three_digits(seconds * 1e6)} µs"
    if unit.startswith("%"):
        return f"{three_digits(100.0 * value)} {unit}"
    return f"{three_digits(value)} {unit}"


def three_digits(value: float) -> str:
    """A number with three digits, or with all before its point."""
    return f"{value:.0f}" if abs(value) >= 100.0 else f"{value:.3g}"
