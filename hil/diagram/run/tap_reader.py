"""Values of a diagram that moves a machine, told while it runs: the watcher's end."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.desk.endpoints import listed
from hil.diagram.check.flat import Endpoint
from hil.diagram.run.change import tuples
from hil.diagram.run.taps import (
    CHOICE_MOST_BYTES,
    FRAME_KIND,
    HEAD_WORDS,
    NUMBERS_AT,
    SIZES_AT,
    SUFFIX,
    TAPS_MOST,
    TapChoice,
)
from hil.ipc.broadcast import BroadcastReader

FILE_MOST_BYTES: Final = 64 << 20


@dataclass(frozen=True, slots=True, eq=False)
class TappedLaw:
    """A diagram that runs in another process of this user."""

    run: str
    """Name of the run."""
    pid: int
    """Of the process."""
    source: Path
    """File of the diagram."""
    text: str
    """What the file said when the run began."""
    changes: Mapping[Endpoint, Any]
    """Parameters in place of the file's."""
    choice_fd: int
    frames_fd: int


@dataclass(frozen=True, slots=True, eq=False)
class TapFrame:
    """Numbers after one tick."""

    tick: int
    version: int
    """Of the diagram since the run began, from 1."""
    values: Mapping[Endpoint, NDArray[np.float64]]
    """Of the outputs that were chosen and are there."""


def find_tapped_laws(place: Path | None = None) -> list[TappedLaw]:
    """The diagrams that run now and can be watched, by the name of the run.

    Raises:
        PlaceError: if the folder is there and cannot be trusted.
    """
    with listed(place) as (fd, names):
        found = [_read(fd, name) for name in names if name.endswith(SUFFIX)]
    return [one for one in found if one is not None and Path(f"/proc/{one.pid}").exists()]


def _read(folder_fd: int, name: str) -> TappedLaw | None:
    """What a file in the folder says; None if it is none, or cannot be read now."""
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, dir_fd=folder_fd), "rb") as stream:
            document = json.loads(stream.read(FILE_MOST_BYTES))
        changes = {(path, key): tuples(value) for path, key, value in document["changes"]}
        return TappedLaw(
            str(document["run"]), int(document["pid"]), Path(document["source"]),
            str(document["text"]), changes,
            int(document["choice_fd"]), int(document["frames_fd"]),
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


class TapReader:
    """Chooses outputs, and reads what they have.

    Args:
        choice: where outputs are named.
        frames: where their numbers come.
    """

    def __init__(self, choice: TapChoice, frames: BroadcastReader) -> None:
        self._choice, self._frames = choice, frames
        self._serial = secrets.randbits(40)
        """Begins anywhere, so that two who watch do not take the other's for their own."""
        self._chosen: dict[int, Sequence[Endpoint]] = {}
        self.foreign = 0
        """Ticks that told what somebody else had chosen."""

    @classmethod
    def attach(cls, law: TappedLaw) -> TapReader:
        """Open the memory of a run.

        Raises:
            RefusedError: if it is over, or its memory cannot be had.
        """

        def open_fd(number: int, flags: int) -> int:
            return os.open(f"/proc/{law.pid}/fd/{number}", flags | os.O_CLOEXEC)

        try:
            frames_fd = open_fd(law.frames_fd, os.O_RDONLY)
            try:
                frames = BroadcastReader(frames_fd)
            finally:
                os.close(frames_fd)
            choice_fd = open_fd(law.choice_fd, os.O_RDWR)
            try:
                choice = TapChoice.attach(choice_fd)
            except ValueError:
                os.close(choice_fd)
                raise
        except (OSError, ValueError) as error:
            raise RefusedError(f"run {law.run} (process {law.pid}): {error}") from None
        return cls(choice, frames)

    @property
    def missed(self) -> int:
        """Ticks that were overwritten before they were read."""
        return self._frames.missed

    def choose(self, ends: Sequence[Endpoint]) -> None:
        """Ask for the numbers of these outputs from now on; what is beyond 64 is left out.

        Args:
            ends: of blocks and inputs of the flat diagram.
        """
        chosen = list(ends)[:TAPS_MOST]
        while len(text := json.dumps(chosen).encode()) > CHOICE_MOST_BYTES:
            chosen.pop()
        self._serial += 1
        self._chosen = {**dict(list(self._chosen.items())[-7:]), self._serial: chosen}
        self._choice.put(self._serial, attachment=text, serial=self._serial)

    def read(self) -> Iterator[TapFrame]:
        """What came since the last call, oldest first; it never waits."""
        for kind, payload in self._frames.read():
            frame = _frame(payload, self._chosen) if kind == FRAME_KIND else None
            if frame is not None:
                yield frame
            else:
                self.foreign += 1

    def release(self) -> None:
        """Let go of the memory."""
        self._choice.release()
        self._frames.release()


def _frame(payload: bytes, chosen: Mapping[int, Sequence[Endpoint]]) -> TapFrame | None:
    """What a frame tells; None if it is of nobody's choice here."""
    if len(payload) < 8 * NUMBERS_AT:
        return None
    words = np.frombuffer(payload, np.int64)
    tick, version, serial, count = words[:HEAD_WORDS].tolist()
    ends = chosen.get(serial)
    if ends is None or count != len(ends):
        return None
    sizes = words[SIZES_AT : SIZES_AT + count].tolist()
    numbers, at, values = np.frombuffer(payload), NUMBERS_AT, {}
    if sum(sizes) + at != len(numbers):
        return None
    for end, size in zip(ends, sizes, strict=True):
        if size:
            values[end] = numbers[at : at + size]
            at += size
    return TapFrame(tick, version, values)
