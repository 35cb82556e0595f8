"""A diagram that runs alone, recorded as runs of stations are: inputs, outputs, what was done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from hil.config.errors import RefusedError
from hil.config.scenario import RecordingSettings
from hil.diagram.check.types import ANY
from hil.diagram.check.whole_text import whole_text
from hil.diagram.run.engine import Engine
from hil.diagram.run.fault import StoppedError
from hil.diagram.run.live import Version
from hil.recording.events import EventKind, Level
from hil.recording.header import MACHINES, NO_MACHINE, RunHeader
from hil.recording.signals import Signal, Signals, SignalsError
from hil.run.facts import run_facts
from hil.run.journal import Journal
from hil.run.run import Opening
from hil.timing.clock import VirtualClock, moment

STATION: Final = "diagram"
HEAD: Final = (Signal("index", "u8"), Signal("t_s", "f8", unit="s"), Signal("flags", "u2"))
VERSIONED: Final = ("numpy", "numba", "mcap")
HOLDS: Final = frozenset({"diagram", "library", "diagram table"})
"""Kinds of files that are in the text of the diagram."""
WORDS: Final = re.compile(r"[^a-z0-9]+")


class DiagramRecording:
    """What is written of each tick.

    Args:
        version: that begins.
        journal: where it goes.
    """

    def __init__(self, version: Version, journal: Journal, signals: Signals) -> None:
        self._journal, self._signals = journal, signals
        self._base_s = version.sound.flat.base_s
        self._names = [*version.engine.inputs], [*version.engine.outputs]

    def tick(self, engine: Engine) -> None:
        """A tick was computed."""
        index = engine.tick - 1
        inputs, outputs = self._names
        places = [engine.inputs[name] for name in inputs]
        places += [engine.outputs[name] for name in outputs]
        values = [engine.values[place] for place in places]
        head = (index, index * self._base_s, 0)
        self._journal.row(self._signals.pack(head, *values), index * self._base_s, index)
        self._journal.service()

    def changed(self, tick: int, changed_values: tuple[tuple[str, Any, Any], ...]) -> None:
        """Parameters were set before a tick: path, what it was, what it is."""
        words = ", ".join(f"{name}: {old!r} -> {new!r}" for name, old, new in changed_values)
        self._journal.put(tick * self._base_s, tick, words, {"set": words[:300]}, who=STATION)

    def stopped(self, fault: StoppedError) -> None:
        """A block cannot go on."""
        self._journal.put(fault.time_s, fault.tick, str(fault), {"block": fault.path}, who=STATION,
                          kind=EventKind.FAULT, level=Level.ERROR)  # fmt: skip


@contextmanager
def recorded(
    version: Version, text: str, given: Mapping[str, Any], folder: Path
) -> Iterator[tuple[DiagramRecording, Path]]:
    """A recording of a diagram's run, below a folder.

    Args:
        text: of the diagram's file.
        given: what was said on the command line, as the header keeps it.

    Yields:
        What takes the ticks, and the folder of the run.

    Raises:
        RefusedError: if its signals do not go into a row.
        RecordingError: if the folder cannot be written.
    """
    clock, path, text = VirtualClock(), version.file.path, whole_text(version.file, text)
    signals = signals_of(version)
    facts = {
        "scenario": path.stem, "simulated": "all", "clock": "virtual", "station": STATION,
        MACHINES: NO_MACHINE, "period_s": repr(version.sound.flat.base_s),
        **run_facts("virtual", moment(clock.now_s), VERSIONED),
    }  # fmt: skip
    header = RunHeader(signals, facts, {"diagram": text, "diagram_file": str(path), **given})
    with Opening(path.stem, folder, virtual=True) as opening:
        sink = opening.record(RecordingSettings(), header, HOLDS)
        yield DiagramRecording(version, Journal(sink), signals), opening.folder
        opening.conclude("completed", well=True)
    if failure := opening.end().recorder.failure:
        raise RefusedError(failure)


def signals_of(version: Version) -> Signals:
    """A row's table: inputs, then outputs.

    Raises:
        RefusedError: if there is too much for a row.
    """
    taken, found = {"index", "t_s", "flags"}, list(HEAD)
    types, drivers = version.sound.types, version.sound.flat.drivers
    ends = [(name, (name, "y")) for name in version.engine.inputs]
    ends += [(name, drivers[name, "u"]) for name in version.engine.outputs]
    for name, end in ends:
        type_ = types[end]
        word = _word(name, taken)
        taken.add(word)
        unit = "1" if type_.unit == ANY else type_.unit
        count = int(np.prod(type_.shape, dtype=int))
        parts = tuple(f"n{number}" for number in range(1, count + 1)) if count > 1 else ()
        found.append(Signal(word, "f8", count, unit, type_.frame, parts=parts))
    try:
        return Signals(STATION, tuple(found))
    except SignalsError as error:
        raise RefusedError(f"{version.file.path}: it cannot be recorded: {error}") from None


def _word(name: str, taken: set[str]) -> str:
    """A name as rows have it, that is not taken."""
    word = WORDS.sub("_", name.lower()).strip("_") or "port"
    word = word if word[0].isalpha() else f"port_{word}"
    found, number = word, 2
    while found in taken:
        found, number = f"{word}_{number}", number + 1
    return found
