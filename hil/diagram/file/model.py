"""A diagram as it is drawn: blocks, wires, places, and the diagrams within it, as values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
"""Of blocks, ports, parameters and sub-diagrams."""
NAME_WORDS: Final = "a letter, then at most 63 letters, digits and _"
IN: Final = "In"
OUT: Final = "Out"
BUS_IN: Final = "BusIn"
BUS_OUT: Final = "BusOut"
FILE: Final = "File"
"""Kind of a block that reads a table."""
FMU: Final = "FMU"
"""Kind of a block that is a model of others."""
SUB: Final = "sub"
"""What a block's kind is called that stands for a sub-diagram."""
Run = Literal["always", "enabled", "triggered"]
Kept = Literal["held", "reset"]


@dataclass(frozen=True, slots=True)
class DrawnBlock:
    """A block: one of a kind, or of a sub-diagram."""

    kind: str
    """``sub`` for a sub-diagram."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """As written; ``$name`` takes a parameter of the diagram around."""
    of: str = ""
    """Name of the sub-diagram."""
    rate: int = 1
    """Ticks of the diagram around from one tick of the block to the next."""
    offset: int = 0
    """Its first tick, below the rate."""
    run: Run = "always"
    """When a sub-diagram runs: always, while `enable` is true, or as `trigger` becomes so."""
    states: Kept = "held"
    """Of a sub-diagram that is enabled anew: as they were, or as at the start."""
    outputs: Kept = "held"
    """Of a sub-diagram that does not run: as they were, or 0."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class DiagramParameter:
    """A parameter of a diagram, with the value that it has unless told otherwise."""

    value: Any
    low: float | None = None
    high: float | None = None
    unit: str = "1"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Diagram:
    """Blocks and what is wired to each input."""

    blocks: Mapping[str, DrawnBlock] = field(default_factory=dict)
    wires: Mapping[str, str] = field(default_factory=dict)
    """Destination ``block.port`` → source ``block.port``."""
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Of blocks on the drawing, apart from the law."""
    parameters: Mapping[str, DiagramParameter] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class DiagramFile:
    """A file: a diagram with the sub-diagrams that it defines, and the libraries that it names."""

    top: Diagram
    base_s: float = 0.002
    """Base period: one tick [s]."""
    seed: int = 0
    """Of its noises."""
    subs: Mapping[str, Diagram] = field(default_factory=dict)
    libraries: tuple[str, ...] = ()
    """Files or folders of files whose sub-diagrams it may use."""
    foreign: Mapping[str, Diagram] = field(default_factory=dict)
    """Sub-diagrams of its libraries, which are not written with it."""
    path: Path = Path("diagram.toml")

    def sub(self, name: str) -> Diagram | None:
        """A sub-diagram by its name."""
        return self.subs.get(name) or self.foreign.get(name)

    def subs_in_use(self) -> dict[str, Diagram]:
        """Its own sub-diagrams, and those of libraries that it uses."""
        found = dict(self.subs)
        waiting = [self.top, *found.values()]
        while waiting:
            for block in waiting.pop().blocks.values():
                drawn = self.foreign.get(block.of)
                if drawn is not None and block.of not in found:
                    found[block.of] = drawn
                    waiting.append(drawn)
        return found

    def own(self) -> Iterator[tuple[str, Diagram]]:
        """The diagrams of this file, each with its name; the top's is empty."""
        yield "", self.top
        yield from sorted(self.subs.items())
