"""The diagram that is edited, as it runs in the editor: what it gets is typed, what it makes seen.

An edit goes into what runs, between two ticks, as a change of a running robot's law does; one that
cannot run is told, and what ran before goes on.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from numpy.typing import NDArray

from hil.config.errors import ConfigError, RefusedError
from hil.diagram.check.flat import Endpoint
from hil.diagram.check.types import FoundType
from hil.diagram.file.model import DiagramFile
from hil.diagram.run.change import tuples
from hil.diagram.run.condition import Condition
from hil.diagram.run.live import Version
from hil.diagram.run.models import WATCHED_WAIT_S, DiagramModels
from hil.diagram.run.panel_blocks import PanelBlock, panel_blocks
from hil.diagram.run.stepper import SteppedRun
from hil.diagram.run.trace import Trace
from sim.toml_reader import read_value

AHEAD_MOST_S: Final = 0.1
"""Most that is computed at once [s]: a window that was held up does not catch up."""


class LiveRun:
    """A `RunningDiagram` that computes.

    Args:
        file: The diagram.
        trusted: Whether the person who opened the editor trusts the code of its FMUs.

    Raises:
        ConfigError: If it cannot run.
        RefusedError: If the code of an FMU is not trusted, or one does not begin.
    """

    def __init__(self, file: DiagramFile, *, trusted: bool = False) -> None:
        version = Version.of(file, {}, models=True)
        self._models = None
        if version.sound.flat.models:
            flat = version.sound.flat
            self._models = DiagramModels(flat, trusted=trusted, wait_s=WATCHED_WAIT_S)
            self._models.begin()
        self._run = SteppedRun(version, self._models)
        self._law = _law_of(file)
        self._left_s = 0.0
        self._going = False
        self._met = ""
        self.notice = ""
        """Why the last edit is not in what runs; empty if it is."""

    @property
    def words(self) -> str:
        """How it stands."""
        run = self._run
        time = f"t = {run.tick * run.base_s:.3f} s, tick {run.tick}"
        if run.fault is not None:
            return f"{time}: {run.fault}"
        if self.notice:
            return f"{time}: the edit does not run: {self.notice}"
        return f"{time}: {self._met}" if self._met else time

    @property
    def base_s(self) -> float:
        """Time of a tick [s]."""
        return self._run.base_s

    @property
    def tick(self) -> int:
        """Ticks computed so far."""
        return self._run.tick

    @property
    def going(self) -> bool:
        """Whether it goes on by itself."""
        return self._going

    @property
    def stopped_at(self) -> str:
        """Path of the block whose number is not finite; empty for none."""
        return "" if self._run.fault is None else self._run.fault.path

    def advance(self, elapsed_s: float) -> None:
        """Compute the ticks of a time that has passed, if it goes on."""
        if not self._going:
            return
        self._left_s = min(self._left_s + elapsed_s, AHEAD_MOST_S)
        ticks = int(self._left_s / self.base_s)
        self._left_s -= ticks * self.base_s
        for _ in range(ticks):
            if not self._one():
                return

    def _one(self) -> bool:
        """Compute a tick; whether it goes on."""
        self._met = ""
        if self._run.step():
            return True
        self._going = False
        if self._run.fault is None:
            self._met = "the condition holds"
        return False

    def go(self, *, on: bool) -> None:
        """Go on, or pause."""
        self._going, self._left_s = on and self._run.fault is None, 0.0

    def step(self) -> None:
        """One tick, then pause."""
        self.go(on=False)
        self._one()

    def back(self, time_s: float) -> None:
        """Back by a time, at least a tick, or as far as it can, and pause."""
        self.go(on=False)
        self._met = ""
        self._run.back(max(1, round(time_s / self.base_s)))

    def stop_when(self, text: str) -> None:
        """Pause when a condition begins to hold; empty: never.

        Raises:
            RefusedError: If it is none.
        """
        self._run.stop_when(Condition.parse(text) if text.strip() else None)

    def inputs(self) -> Mapping[str, tuple[FoundType, NDArray]]:
        """Inputs of the diagram: what they are, and their numbers."""
        engine = self._run.version.engine
        return {name: (self._run.version.sound.types[name, "y"], engine.values[where].copy())
                for name, where in engine.inputs.items()}  # fmt: skip

    def set(self, name: str, text: str) -> None:
        """Give an input what was typed: ``0.5``, ``[1, 2, 3]``; one number serves all of them.

        Args:
            name: Of the input, or path of a panel block.

        Raises:
            RefusedError: If it is not understood, or not as many numbers as are needed.
            ConfigError: If a panel block cannot have it.
        """
        try:
            values = tuples(read_value(text))
        except ValueError:
            raise RefusedError(f"{name} = {text[:60]!r}: such as 0.5, [1, 2] or true") from None
        panel = {one.path: one for one in self.panel_blocks()}
        if name in panel:
            self._run.change(panel[name].set_to(values).changes)
        else:
            self._run.set_input(name, _flat(values))

    @property
    def goes_back(self) -> bool:
        """Whether it can go back."""
        return self._run.goes_back

    def release(self) -> None:
        """End its FMUs."""
        if self._models is not None:
            self._models.close()

    def panel_blocks(self) -> list[PanelBlock]:
        """What a person works with, as it is set now."""
        return panel_blocks(self._run.version)

    def edited(self, file: DiagramFile) -> None:
        """Go on with another version of the diagram, if it can run."""
        law = _law_of(file)
        if law == self._law:
            return
        self._law = law
        try:
            self._run.change({}, file)
        except ConfigError as error:
            self.notice = error.problems[0]
        else:
            self.notice = ""

    def show(self, ends: Iterable[Endpoint]) -> None:
        """Everything is known here."""

    def values(self, path: str, port: str) -> NDArray | None:
        """Numbers of an output; None if there is none in what runs."""
        try:
            return self._run.values(path, port)
        except RefusedError:
            return None

    def type_of(self, path: str, port: str) -> FoundType | None:
        """Type of an output."""
        return self._run.type_of(path, port)

    def watch(self, ends: Iterable[Endpoint]) -> None:
        """Outputs whose past is wanted."""
        self._run.watch(ends)

    def trace(self, path: str, port: str) -> Trace | None:
        """The past of one of those."""
        return self._run.trace(path, port)


def _law_of(file: DiagramFile) -> DiagramFile:
    """The diagram without where its blocks stand."""
    subs = {name: replace(one, places={}) for name, one in file.subs.items()}
    return replace(file, top=replace(file.top, places={}), subs=subs)


def numbers_text(values: NDArray, type_: FoundType) -> str:
    """Numbers as they are typed."""
    words = [("true" if one else "false") if type_.type == "boolean" else f"{one:.9g}"
             for one in values]  # fmt: skip
    return words[0] if type_.shape == () else f"[{', '.join(words)}]"


def _flat(value: object) -> list[float]:
    if isinstance(value, tuple):
        return [number for one in value for number in _flat(one)]
    if isinstance(value, bool | int | float) and abs(value) <= sys.float_info.max:
        return [float(value)]
    raise RefusedError("finite numbers are needed")
