"""The diagram that is edited, as it moves a machine in another process: seen, and not touched.

What came over the last seconds is kept here, so to pause, to go back and to stop when a condition
holds are of what is seen; the machine goes on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from numpy.typing import NDArray

from hil.config.errors import ConfigError, RefusedError
from hil.diagram.check.diagram import SoundDiagram, check
from hil.diagram.check.drivers import source_of_port
from hil.diagram.check.flat import Endpoint
from hil.diagram.check.types import FoundType
from hil.diagram.file.model import DiagramFile
from hil.diagram.file.read import read_text
from hil.diagram.file.write import text_of
from hil.diagram.run.condition import Condition
from hil.diagram.run.stepper import BACK_S
from hil.diagram.run.tap_reader import TapFrame, TappedLaw, TapReader
from hil.diagram.run.taps import TAPS_MOST
from hil.diagram.run.trace import Trace

SILENT_S: Final = 1.0
"""Without a tick for so long it is told [s]."""


class LiveStation:
    """A `RunningDiagram` that watches.

    Args:
        law: That runs.
        reader: Of its taps.

    Raises:
        ConfigError: If the law cannot be read.
    """

    def __init__(self, law: TappedLaw, reader: TapReader) -> None:
        self._law, self._reader = law, reader
        self._sound: SoundDiagram = check(read_text(law.text, law.source), law.changes)
        self._most = max(2, round(BACK_S / self.base_s))
        self._kept: deque[TapFrame] = deque(maxlen=self._most)
        self._seen: TapFrame | None = None
        self._going, self._held, self._met = True, False, ""
        self._condition: Condition | None = None
        self._traces: dict[Endpoint, Trace] = {}
        self._shown: list[Endpoint] = []
        self._chosen: list[Endpoint] = []
        self._silent_s = 0.0
        self._flat_of: dict[Endpoint, Endpoint | None] = {}

    @property
    def words(self) -> str:
        """How it stands."""
        seen = self._seen
        words = [f"run {self._law.run}"]
        words.append("no tick yet" if seen is None else f"t = {seen.tick * self.base_s:.3f} s")
        if not self._going:
            words.append(self._met or "paused here; the machine goes on")
        if seen is not None and seen.version > 1:
            words.append(f"the law was changed {seen.version - 1} times while it ran")
        if self._silent_s > SILENT_S:
            there = Path(f"/proc/{self._law.pid}").exists()
            words.append(f"no tick for {self._silent_s:.0f} s" if there else "the run is over")
        if self._reader.missed:
            words.append(f"{self._reader.missed} ticks were not read in time")
        if self._reader.foreign:
            words.append("somebody else watches this run too")
        more = len(self._wanted()) - TAPS_MOST
        if more > 0:
            words.append(f"{more} outputs are not shown: at most {TAPS_MOST} at a time")
        return ", ".join(words)

    @property
    def base_s(self) -> float:
        """Time of a tick [s]."""
        return self._sound.flat.base_s

    @property
    def tick(self) -> int:
        """The tick that is seen."""
        return 0 if self._seen is None else self._seen.tick

    @property
    def going(self) -> bool:
        """Whether what is seen goes on."""
        return self._going

    @property
    def stopped_at(self) -> str:
        """What stops the law of a machine stands in its events."""
        return ""

    def advance(self, elapsed_s: float) -> None:
        """Read what came; what is seen goes with it unless it is paused."""
        self._silent_s += elapsed_s
        for frame in self._reader.read():
            self._silent_s = 0.0
            if self._kept and frame.tick <= self._kept[-1].tick:
                self._begin_anew()
            self._kept.append(frame)
            for end, trace in self._traces.items():
                self._append(trace, end, frame)
            if self._going:
                self._seen = frame
                self._judge(frame)

    def _begin_anew(self) -> None:
        """The law began again at its first tick, as an arm's does when it is let go."""
        self._kept.clear()
        self._traces = {end: Trace(one.size, self._most) for end, one in self._traces.items()}

    def _append(self, trace: Trace, end: Endpoint, frame: TapFrame) -> None:
        values = self._of(frame, end)
        if values is not None and len(values) == trace.size:
            trace.append(frame.tick, values)

    def _judge(self, frame: TapFrame) -> None:
        one = self._condition
        values = None if one is None else self._of(frame, (one.path, one.port))
        if one is None or values is None:
            return
        held, self._held = self._held, one.holds(values)
        if self._held and not held:
            self._going, self._met = False, "the condition holds"

    def go(self, *, on: bool) -> None:
        """Go on with the newest tick, or pause."""
        self._going, self._met = on, ""
        if on and self._kept:
            self._seen = self._kept[-1]

    def step(self) -> None:
        """See the next tick, and pause."""
        self.go(on=False)
        later = (one for one in self._kept if one.tick > self.tick)
        self._seen = next(later, self._seen)

    def back(self, time_s: float) -> None:
        """See an earlier tick, as far as what came is kept, and pause."""
        self.go(on=False)
        target = self.tick - max(1, round(time_s / self.base_s))
        earlier = [one for one in self._kept if one.tick <= target]
        self._seen = earlier[-1] if earlier else (self._kept[0] if self._kept else None)

    def stop_when(self, text: str) -> None:
        """Pause when a condition begins to hold; empty: never.

        Raises:
            RefusedError: If it is none.
        """
        condition = Condition.parse(text) if text.strip() else None
        if condition is not None:
            type_ = self.type_of(condition.path, condition.port)
            if type_ is None:
                raise RefusedError(f"{condition.path[:60]}.{condition.port[:60]}: no such output")
            condition.check(type_.size)
        self._condition, self._held = condition, True  # it must be seen not to hold first
        self._choose()

    def show(self, ends: Iterable[Endpoint]) -> None:
        """Outputs that are looked at."""
        wanted = list(ends)
        if wanted != self._shown:
            self._shown = wanted
            self._choose()

    def watch(self, ends: Iterable[Endpoint]) -> None:
        """Outputs whose past is wanted; they come first."""
        wanted = list(dict.fromkeys(ends))
        if wanted == list(self._traces):
            return
        traces: dict[Endpoint, Trace] = {}
        for end in wanted:
            type_ = self.type_of(*end)
            if type_ is not None:
                traces[end] = self._traces.get(end) or self._begun(end, type_.size)
        self._traces = traces
        self._choose()

    def _begun(self, end: Endpoint, size: int) -> Trace:
        trace = Trace(size, self._most)
        for frame in self._kept:
            self._append(trace, end, frame)
        return trace

    def _wanted(self) -> list[Endpoint]:
        """Outputs of the flat diagram, the most wanted first."""
        condition = self._condition
        ends = [] if condition is None else [(condition.path, condition.port)]
        found = (self._flat(end) for end in (*ends, *self._traces, *self._shown))
        return list(dict.fromkeys(end for end in found if end is not None))

    def _choose(self) -> None:
        wanted = self._wanted()
        if wanted != self._chosen:
            self._chosen = wanted
            self._reader.choose(wanted)

    def _flat(self, end: Endpoint) -> Endpoint | None:
        """The output of a block, or input of the diagram, that an output shows."""
        if end not in self._flat_of:
            self._flat_of[end] = source_of_port(self._sound.flat, *end)
        return self._flat_of[end]

    def _of(self, frame: TapFrame, end: Endpoint) -> NDArray | None:
        flat = self._flat(end)
        return None if flat is None else frame.values.get(flat)

    def values(self, path: str, port: str) -> NDArray | None:
        """Numbers of an output; None if they did not come."""
        return None if self._seen is None else self._of(self._seen, (path, port))

    def type_of(self, path: str, port: str) -> FoundType | None:
        """Type of an output."""
        flat = self._flat((path, port))
        return None if flat is None else self._sound.types.get(flat)

    def trace(self, path: str, port: str) -> Trace | None:
        """The past of an output that is watched."""
        return self._traces.get((path, port))

    @property
    def goes_back(self) -> bool:
        """What is seen can be an earlier tick."""
        return True

    def release(self) -> None:
        """Watch no more."""
        self._reader.release()


def law_of(file: DiagramFile, path: str, laws: Iterable[TappedLaw]) -> TappedLaw:
    """The law that runs and is what is edited: of the same file, or the same text.

    Raises:
        RefusedError: If there is none; the words say what runs.
    """
    found = list(laws)
    text = text_of(file)
    alike: Iterator[TappedLaw] = (
        one for one in found if str(one.source) == path or _text(one) == text
    )
    law = next(alike, None)
    if law is None:
        runs = ", ".join(f"{one.run} ({one.source})" for one in found) or "none"
        raise RefusedError(f"this diagram moves no machine here in real time; running: {runs}")
    return law


def _text(law: TappedLaw) -> str:
    """As the editor writes it; empty if it cannot be read here, such as without its library."""
    try:
        return text_of(read_text(law.text, law.source))
    except ConfigError:
        return ""
