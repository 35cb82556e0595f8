"""Judge of a scenario's goal by the rows of its run, as they are recorded.

The same rows give the same judgement while the run lasts, in a proof, and from the recording.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hil.recording.rows import dtype_of
from hil.recording.signals import Signal, Signals

if TYPE_CHECKING:
    from hil.stations.world.plan.goal import Goal, JointsGoal, PlaceGoal, SignalGoal

Array = NDArray[np.float64]
AXES: Final = ("x", "y", "z")
TOOL: Final = "tool_pose"
MOVING: Final = "world_coordinates"


@dataclass(frozen=True, slots=True)
class GoalFinding:
    """Judgement of one part of a goal."""

    name: str
    """Description of the part, such as ``wrist_force_n z from 3 s on``."""
    met: bool
    """Whether it is true."""
    value: float
    """Value that is furthest from what it should be; nan if there is none."""
    wanted: str
    """Limit in words, with its unit."""
    unit: str
    """Unit of the value."""
    at_s: float
    """Time of that value [s]; nan if it has none."""
    miss: str
    """Word for a part that is not met."""

    def __str__(self) -> str:
        """Sentence such as ``jammed: z of the tool 44.8 mm off at t = 7 s, wanted within 2 mm``."""
        word = "met" if self.met else self.miss
        at = "" if math.isnan(self.at_s) else f" at t = {self.at_s:.3f} s"
        return f"{word}: {self.name} {self.value:.4g} {self.unit}{at}, wanted {self.wanted}"


class GoalJudge:
    """Judge of one run.

    Args:
        signals: table of its rows.
    """

    def __init__(self, goal: Goal, signals: Signals) -> None:
        self._goal, self._signals = goal, signals
        self._dtype = dtype_of(signals)
        self._bands = [_Band(one, signals[one.signal]) for one in goal.signal]
        self._tool: list[Array] = []
        self._last: Mapping[str, NDArray[Any]] | None = None
        self.columns: tuple[str, ...] = _columns(goal, signals)
        """Names of the signals that are looked at."""
        self._wants_path = goal.path is not None
        self.contacts: int = 0
        """Number of contacts that began, which rows do not have: whoever judges sets it."""

    def take_bytes(self, rows: bytes) -> None:
        """Take packed rows that follow those before."""
        if rows:
            self.take(np.frombuffer(rows, self._dtype))

    def take(self, rows: Mapping[str, NDArray[Any]] | NDArray[Any]) -> None:
        """Take rows that follow those before: of the table's type, or `columns` by their names."""
        times_s = np.asarray(rows["t_s"], np.float64)
        if not len(times_s):
            return
        for band in self._bands:
            band.take(times_s, rows[band.goal.signal])
        if self._wants_path:
            self._tool.append(np.array(rows[TOOL][:, :3], np.float64))
        self._last = {name: np.array(rows[name][-1:]) for name in self.columns}

    def findings(self) -> tuple[GoalFinding, ...]:
        """Judgements of all parts, after the last row."""
        return tuple(self._findings())

    def _findings(self) -> Iterator[GoalFinding]:
        goal = self._goal
        if self._last is not None:
            yield from self._at_end(float(self._last["t_s"][0]))
        if goal.path is not None and self._tool:
            off_mm, within = 1e3 * _off_line_m(np.concatenate(self._tool)), goal.path.within_mm
            yield GoalFinding("tool off its line by", off_mm <= within, off_mm,
                              f"within {within:g} mm", "mm", math.nan, goal.path.miss)  # fmt: skip
        yield from (band.finding() for band in self._bands)
        if goal.no_contact:
            count = self.contacts
            yield GoalFinding("contacts", not count, float(count), "none", "", math.nan, "contact")

    def _at_end(self, last_s: float) -> Iterator[GoalFinding]:
        """Judgements of the last row."""
        for one in self._goal.place:
            off_mm = 1e3 * self._distance_m(one)
            axes = " ".join(axis for axis in AXES if getattr(one, f"{axis}_m") is not None)
            yield GoalFinding(f"{axes} of {one.of}, off by", off_mm <= one.within_mm, off_mm,
                              f"within {one.within_mm:g} mm", "mm", last_s, one.miss)  # fmt: skip
        if self._goal.joints is not None:
            yield from self._joints(self._goal.joints, last_s)

    def _distance_m(self, goal: PlaceGoal) -> float:
        place = self._place_m(goal.of)
        wanted = [getattr(goal, f"{axis}_m") for axis in AXES]
        return math.hypot(
            *(at - to for at, to in zip(place, wanted, strict=True) if to is not None)
        )

    def _place_m(self, of: str) -> list[float]:
        assert self._last is not None  # noqa: S101  # only called with rows
        if of == "tool":
            return [float(one) for one in self._last[TOOL][0][:3]]
        parts = self._signals[MOVING].parts
        first = parts.index(body_part(of))
        return [float(one) for one in self._last[MOVING][0][first : first + 3]]

    def _joints(self, goal: JointsGoal, last_s: float) -> Iterator[GoalFinding]:
        """Errors of hinges and slides in the last row."""
        assert self._last is not None  # noqa: S101  # only called with rows
        found: dict[str, float] = {}
        for signal in self._signals.fields:
            if not signal.name.startswith("wanted_"):
                continue
            other = signal.name.replace("wanted_", "position_", 1)
            errors = np.abs(
                np.ravel(self._last[signal.name][0]) - np.ravel(self._last[other][0])
            ).tolist()
            units = signal.unit.split(",") * (1 if "," in signal.unit else len(errors))
            for unit, error in zip(units, errors, strict=True):
                found[unit] = max(found.get(unit, 0.0), error)
        for unit, factor, shown, within in (
            ("rad", 180.0 / math.pi, "deg", goal.within_deg), ("m", 1e3, "mm", goal.within_mm),
        ):  # fmt: skip
            if within is not None:
                error, wanted = factor * found.get(unit, 0.0), f"within {within:g} {shown}"
                yield GoalFinding(
                    "joints off by", error <= within, error, wanted, shown, last_s, goal.miss
                )


def _columns(goal: Goal, signals: Signals) -> tuple[str, ...]:
    """Names of the signals that a goal needs, of those that there are."""
    names = ["t_s", *(one.signal for one in goal.signal)]
    there = [one.name for one in signals.fields]
    if goal.place or goal.path is not None:
        names += [TOOL, MOVING]
    if goal.joints is not None:
        names += [one for one in there if one.startswith(("wanted_", "position_"))]
    return tuple(one for one in dict.fromkeys(names) if one in there)


class _Band:
    """Value of a signal that is furthest outside its band, or nearest to its edge."""

    def __init__(self, goal: SignalGoal, signal: Signal) -> None:
        self.goal = goal
        self._signal, self._worst = signal, -math.inf
        self._value, self._at_s = math.nan, math.nan
        self._pick = _picker(signal, goal.part)

    def take(self, times_s: Array, column: NDArray[Any]) -> None:
        goal = self.goal
        to_s = math.inf if goal.to_s is None else goal.to_s
        chosen = (times_s >= goal.from_s) & (times_s <= to_s)
        if not chosen.any():
            return
        values = self._pick(np.asarray(column[chosen], np.float64))
        low = -math.inf if goal.least is None else goal.least
        high = math.inf if goal.most is None else goal.most
        outside = np.maximum(low - values, values - high)
        outside = np.where(np.isnan(values), math.inf, outside)
        worst = int(np.argmax(outside))
        if outside[worst] > self._worst:
            self._worst = float(outside[worst])
            self._value = float(values[worst])
            self._at_s = float(times_s[chosen][worst])

    def finding(self) -> GoalFinding:
        """Judgement after the last row; a band of which no row was judged is not met."""
        goal, unit = self.goal, self._signal.unit.split(",")[0]
        bounds = [f"at least {goal.least:g}" if goal.least is not None else "",
                  f"at most {goal.most:g}" if goal.most is not None else ""]  # fmt: skip
        name = f"{goal.signal} {goal.part}".strip()
        if goal.from_s:
            name += f" from {goal.from_s:g} s on"
        met = -math.inf < self._worst <= 0.0
        wanted = f"{', '.join(one for one in bounds if one)} {unit}"
        return GoalFinding(name, met, self._value, wanted, unit, self._at_s, goal.miss)


def _picker(signal: Signal, part: str) -> Callable[[Array], Array]:
    """Function from rows of a signal to one number a row: a part of it, or its length."""
    if signal.count == 1:
        return lambda values: values
    if not part:
        return lambda values: np.sqrt(np.square(values).sum(axis=1))
    at = part_place(signal, part)
    return lambda values: values[:, at]


def part_place(signal: Signal, part: str) -> int:
    """Place of a part of a signal, by its name, with or without its unit.

    Raises:
        KeyError: if it has no such part.
    """
    for at, name in enumerate(signal.parts):
        if name == part or name.startswith(f"{part}_"):
            return at
    raise KeyError(part)


def body_part(body: str) -> str:
    """Name of the first coordinate of a free body among what moves."""
    return f"{body}_joint_x_m"


def _off_line_m(places: Array) -> float:
    """Greatest distance of places from the straight line between the first and the last [m]."""
    way = places[-1] - places[0]
    length = float(np.linalg.norm(way))
    off = places - places[0]
    if length < 1e-9:
        return float(np.linalg.norm(off, axis=1).max())
    along = np.clip(off @ way / length, 0.0, length)
    return float(np.linalg.norm(off - along[:, None] * (way / length), axis=1).max())
