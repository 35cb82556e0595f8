"""What is seen of a diagram that runs: the source of values, and what is written where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from numpy.typing import NDArray

from hil.diagram.check.flat import Endpoint
from hil.diagram.check.types import ANY, FoundType
from hil.diagram.file.model import IN, SUB, DiagramFile
from hil.diagram.run.trace import Trace
from hil.panel.diagram.models.names import diagram_at
from hil.panel.diagram.models.shapes import ports_of

STATE_MACHINE: Final = "StateMachine"
SHOWN_MOST: Final = 3
"""Numbers of a vector that are all written; of a longer one the first is."""
LEAST: Final = 1e-3
NO_UNIT: Final = ("1", ANY, "")
PARTS: Final = {"pose": (("", ""), ("at ", "m")), "wrench": (("", "N"), ("", "N*m"))}
"""Word and unit of the last two vectors of three; without a unit it is not shown."""


class RunningDiagram(Protocol):
    """A diagram that runs somewhere, and is watched."""

    @property
    def words(self) -> str:
        """How it stands, in a line."""
        ...

    @property
    def base_s(self) -> float:
        """Time of a tick [s]."""
        ...

    @property
    def tick(self) -> int:
        """The tick that is seen."""
        ...

    @property
    def going(self) -> bool:
        """Whether what is seen goes on by itself."""
        ...

    @property
    def stopped_at(self) -> str:
        """Path of the block that stopped it; empty if none did."""
        ...

    def advance(self, elapsed_s: float) -> None:
        """Go on by a time that has passed, if it goes on."""
        ...

    def go(self, *, on: bool) -> None:
        """Go on, or pause."""
        ...

    def step(self) -> None:
        """One tick, then pause."""
        ...

    @property
    def goes_back(self) -> bool:
        """Whether an earlier tick can be seen."""
        ...

    def release(self) -> None:
        """It is seen no more."""
        ...

    def back(self, time_s: float) -> None:
        """Back by a time, or as far as is known, and pause."""
        ...

    def stop_when(self, text: str) -> None:
        """Pause when a condition begins to hold; empty: never."""
        ...

    def show(self, ends: Iterable[Endpoint]) -> None:
        """What is looked at from now on: outputs by path and port."""
        ...

    def values(self, path: str, port: str) -> NDArray | None:
        """Numbers of an output, row after row; None if they are not known."""
        ...

    def type_of(self, path: str, port: str) -> FoundType | None:
        """Type of an output."""
        ...

    def watch(self, ends: Iterable[Endpoint]) -> None:
        """Outputs whose past is wanted."""
        ...

    def trace(self, path: str, port: str) -> Trace | None:
        """The past of one of those."""
        ...


def visible_ports(
    file: DiagramFile, where: str, around: str
) -> Iterator[tuple[str, str, Endpoint]]:
    """Every output in a drawing, and where its numbers are found.

    Args:
        where: Name of the sub-diagram that is drawn; empty for the top.
        around: Path of the block that stands for it; empty for the top.

    Yields:
        Block, port, and path and port of what runs.
    """
    for name, block in diagram_at(file, where).blocks.items():
        for port in ports_of(file, where, block)[1]:
            if block.kind == IN and around:
                yield name, port, (around, name)
            else:
                yield name, port, (f"{around}/{name}" if around else name, port)


def port_words(source: RunningDiagram, end: Endpoint, most: int = 1000) -> str:
    """What is written at an output, in so many letters if it can be; empty if nothing is known."""
    values = source.values(*end)
    return "" if values is None else value_words(values, source.type_of(*end), most)


def active_states(
    source: RunningDiagram, file: DiagramFile, where: str, around: str
) -> Iterator[tuple[str, str]]:
    """State machines of a drawing, and the state that each is in."""
    for name, block in diagram_at(file, where).blocks.items():
        if block.kind == STATE_MACHINE:
            values = source.values(f"{around}/{name}" if around else name, "state")
            names = str(block.parameters.get("names", "")).split()
            number = 0 if values is None else int(values[0])
            if 1 <= number <= len(names):
                yield name, names[number - 1]


def path_into(file: DiagramFile, where: str) -> str:
    """Path of a block that stands for a sub-diagram, the first that there is; empty for none."""
    waiting = [("", file.top)]
    for path, diagram in waiting:  # it grows meanwhile; no sub-diagram stands within itself
        for name, block in sorted(diagram.blocks.items()):
            inner = file.sub(block.of) if block.kind == SUB else None
            if inner is None:
                continue
            whole = f"{path}/{name}" if path else name
            if block.of == where:
                return whole
            waiting.append((whole, inner))
    return ""


def value_words(values: NDArray, type_: FoundType | None, most: int = 1000) -> str:
    """As it is written at a wire: ``0.25 N``, ``[1, ~0, 3] N``, ``[1 …21] m``, ``true``.

    ``~0`` is what is not 0, and less than a thousandth of the greatest of a vector. Of a pose the
    place is told: ``at [0, 0, 1] m``.

    Args:
        most: letters that there is room for: of a longer vector the first number is written, then
            the unit is left out.
    """
    tried = [_words(values, type_, SHOWN_MOST, 5), _words(values, type_, 1, 3),
             _words(values, type_, 1, 3, units=False)]  # fmt: skip
    return next((one for one in tried if len(one) <= most), tried[-1])


def _words(
    values: NDArray, type_: FoundType | None, few: int, digits: int, *, units: bool = True
) -> str:
    kind = "real" if type_ is None else type_.type
    if type_ is not None and kind in PARTS:
        parts = zip(PARTS[kind], (values[-6:-3], values[-3:]), strict=True)
        shown = [f"{word}{_vector(part, 'real', few)} {unit}" for (word, unit), part in parts
                 if unit]  # fmt: skip
        return ", ".join(shown)
    unit = "" if type_ is None or type_.unit in NO_UNIT or not units else f" {type_.unit}"
    if len(values) == 1:
        return f"{_one(float(values[0]), kind, digits)}{unit}"
    return f"{_vector(values, kind, few)}{unit}"


def _vector(values: NDArray, kind: str, most: int) -> str:
    few = len(values) <= most
    shown = [float(one) for one in (values if few else values[:1])]
    least = LEAST * max(map(abs, shown))
    words = ", ".join("~0" if 0.0 < abs(one) < least else _one(one, kind, 3) for one in shown)
    return f"[{words}{'' if few else f' …{len(values)}'}]"


def _one(value: float, kind: str, digits: int) -> str:
    if kind == "boolean":
        return "true" if value else "false"
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e6 and digits < 4 else f"{value:.{digits}g}"
