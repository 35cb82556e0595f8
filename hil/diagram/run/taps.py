"""Values of a diagram that moves a machine, told while it runs: the machine's end.

Who watches names up to 64 outputs in a slot; after each tick their numbers go into a ring that the
newest overwrites, so the loop waits for nobody, and nobody who watches can hold it up. What a slow
watcher has not read is counted on its side. Both are anonymous memory; a file in the user's folder
of benches says where they are, and what runs.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import numpy as np

from hil.desk.endpoints import NAME_MAX, PlaceError, folder, opened
from hil.diagram.check.flat import Endpoint
from hil.diagram.run.engine import Engine
from hil.ipc.broadcast import HEAD_BYTES, Broadcast
from hil.ipc.latest import Latest

TAPS_MOST: Final = 64
"""Outputs that are told at a time."""
NUMBERS_MOST: Final = 512
"""Numbers of all of them; those that would be beyond are left out."""
SLOTS: Final = 1024
"""Ticks that the ring holds."""
CHOICE_MOST_BYTES: Final = 16384
HEAD_WORDS: Final = 4
"""Of a frame: tick, version of the diagram since the start, number of the choice, how many."""
SIZES_AT: Final = HEAD_WORDS
NUMBERS_AT: Final = HEAD_WORDS + TAPS_MOST
FRAME_BYTES: Final = 8 * (NUMBERS_AT + NUMBERS_MOST)
FRAME_KIND: Final = 1
SUFFIX: Final = ".taps"
_FILE: Final = re.compile(r"[A-Za-z0-9_.+-]{1,60}-(?P<pid>[0-9]{1,10})\.taps", re.ASCII)


class TapChoice(Latest, fields="Q", attachment_max_bytes=CHOICE_MOST_BYTES):
    """What is to be told: the number of the choice, and paths and ports as JSON."""

    __slots__ = ()


class DiagramTaps:
    """The machine's end.

    Args:
        choice: where outputs are named.
        frames: where their numbers go.
    """

    def __init__(self, choice: TapChoice, frames: Broadcast) -> None:
        self.choice, self.frames = choice, frames
        self._engine: Engine | None = None
        self._versions = 0
        self._wanted: list[Endpoint] = []
        self._places = np.empty(0, np.intp)
        memory = bytearray(FRAME_BYTES)
        self._words, self._numbers = np.frombuffer(memory, np.int64), np.frombuffer(memory)
        self._view = memoryview(memory)
        self._frame, self._taken = self._view[:0], self._numbers[:0]

    @classmethod
    def local(cls) -> Self:
        """Both ends in one process."""
        return cls(TapChoice.local(), Broadcast.local(SLOTS, FRAME_BYTES + HEAD_BYTES))

    @classmethod
    def shared(cls) -> Self:
        """For a watcher in another process (Linux)."""
        return cls(TapChoice.shared(), Broadcast.shared(SLOTS, FRAME_BYTES + HEAD_BYTES))

    def push(self, engine: Engine) -> None:
        """Tell what was chosen, after a tick; it never waits."""
        fields = self.choice.get() if self.choice.pending else None
        if fields is not None:
            self._wanted, self._words[2] = _ends(self.choice.attachment), fields[0]
        if fields is not None or engine is not self._engine:
            self._find(engine)
        if self._wanted:
            self._words[0] = engine.tick
            engine.values.take(self._places, out=self._taken)
            self.frames.push(FRAME_KIND, self._frame)

    def _find(self, engine: Engine) -> None:
        """Find what is wanted in the version that runs."""
        if engine is not self._engine:
            self._engine, self._versions = engine, self._versions + 1
        ports, places, sizes = engine.table.ports, list[int](), list[int]()
        for end in self._wanted:
            where = ports.get(end)
            size = 0 if where is None else where.stop - where.start
            if where is None or len(places) + size > NUMBERS_MOST:
                size = 0
            else:
                places += range(where.start, where.stop)
            sizes.append(size)
        self._words[1], self._words[3] = self._versions, len(sizes)
        self._words[SIZES_AT : SIZES_AT + len(sizes)] = sizes
        self._places = np.array(places, np.intp)
        self._taken = self._numbers[NUMBERS_AT : NUMBERS_AT + len(places)]
        self._frame = self._view[: 8 * (NUMBERS_AT + len(places))]

    def release(self) -> None:
        """Let go of the memory."""
        self.choice.release()
        self.frames.release()


def _ends(text: bytes) -> list[Endpoint]:
    """Paths and ports of a choice; none of one that is damaged."""
    try:
        return [(str(path), str(port)) for path, port in json.loads(text)][:TAPS_MOST]
    except (ValueError, TypeError, RecursionError):
        return []


class OpenTaps:
    """Taps that a watcher of this user can find, as a context.

    Args:
        name: of the run.
        source: file of the diagram.
        text: what the file says.
        changes: parameters in place of the file's.
        place: folder where they are told; the user's own if left out.

    Raises (on entering):
        PlaceError: if the folder cannot be trusted, or the file not be written.
    """

    def __init__(self, name: str, source: Path, text: str, changes: Mapping[Endpoint, Any],
                 place: Path | None = None) -> None:  # fmt: skip
        self._place = folder() if place is None else place
        stem = re.sub(r"[^A-Za-z0-9_.+-]", "_", name)[:NAME_MAX] or "bench"
        self._file = f"{stem}-{os.getpid()}{SUFFIX}"
        self._header = {
            "run": name, "pid": os.getpid(), "source": str(source), "text": text,
            "changes": [[path, key, value] for (path, key), value in changes.items()],
        }  # fmt: skip
        self.taps = DiagramTaps.shared()

    def __enter__(self) -> Self:
        """Say where they are."""
        header = self._header | {
            "choice_fd": self.taps.choice.fileno(), "frames_fd": self.taps.frames.fileno(),
        }  # fmt: skip
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with opened(self._place, make=True) as fd:
                _sweep(fd)
                file = os.open(self._file, flags, 0o600, dir_fd=fd)
                with os.fdopen(file, "w") as stream:
                    json.dump(header, stream)
        except OSError as error:
            raise PlaceError(f"{self._place / self._file}: {error.strerror}") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        """They are gone."""
        with suppress(OSError):
            (self._place / self._file).unlink()
        self.taps.release()


def _sweep(fd: int) -> None:
    """Remove what runs that were killed have left in the folder."""
    for name in os.listdir(fd):
        found = _FILE.fullmatch(name)
        if found is not None and not Path(f"/proc/{found['pid']}").exists():
            with suppress(OSError):
                os.unlink(name, dir_fd=fd)
