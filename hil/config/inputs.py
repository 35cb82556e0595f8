"""Files whose content a run takes in, noted where they are opened: its recording lists them.

`collected` encloses one run, from the reading of its plan on. Meanwhile whoever finds a file that
a document names says so (`hil.config.named_files`, `hil.config.file_search`), and the one place
that opens files (`hil.config.files`) notes the digest of the bytes that it hands out.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from io import BufferedReader, RawIOBase, UnsupportedOperation
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

SCENARIO: Final = "scenario"
OTHER: Final = "other"
"""Kind of a file that no document named."""
KEY: Final = "key"
"""Kind of which nothing is kept: neither its size nor its digest."""
_KINDS: Final = {
    ".csv": "table", ".at2": "table", ".vt2": "table", ".dt2": "table", ".mcap": "recording",
    ".fmu": "fmu",
    ".stl": "mesh", ".obj": "mesh", ".dae": "mesh", ".ply": "mesh", ".glb": "mesh",
    ".mtl": "materials", ".png": "texture",
}  # fmt: skip
_SHA256: Final = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file as a run read it."""

    name: str
    """Name as the document has it that names it, or as a person gave it."""
    kind: str
    """Part of the file in the run: ``rig``, ``table``, ``mesh``, …"""
    bytes: int | None
    """Size of what was read; None for a key."""
    sha256: str
    """Digest of what was read, hexadecimal; empty for a key."""
    held: bool = False
    """Whether the recording itself has what the run took of it."""

    def __post_init__(self) -> None:
        """Judge one that a recording brings: `ValueError` if it is none."""
        texts = isinstance(self.name, str) and isinstance(self.kind, str)
        size = self.bytes is None or (type(self.bytes) is int and self.bytes >= 0)
        digest = isinstance(self.sha256, str) and len(self.sha256) in (0, 64)
        if not (texts and size and digest and isinstance(self.held, bool)):
            raise ValueError(f"{self!r:.200} is no file of a run")
        if set(self.sha256) - _SHA256:
            raise ValueError(f"{self.sha256!r} is no digest")

    def row(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return asdict(self)

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Read back a row; `ValueError` or `TypeError` if it is none."""
        return cls(**row)


class InputFiles:
    """Those of one run."""

    def __init__(self) -> None:
        self._named: dict[str, tuple[str, str]] = {}
        """Real path → name and kind, of the document that named it first."""
        self._read: dict[tuple[str, str], tuple[Path, int]] = {}
        """Real path and digest → path and size: a file that changes meanwhile is there twice."""
        self._states: set[tuple[str, int, int, int]] = set()
        """Path, number, size and time of what is noted already."""
        self._before: tuple[InputFile, ...] = ()
        self.closed = False
        """Whether the run has begun, and notes nothing any more."""

    def name(self, path: Path, name: str, kind: str = "") -> None:
        """Say how a document names a file, and what it is; nothing is opened.

        Args:
            kind: where its ending does not show it.
        """
        self._named.setdefault(os.path.realpath(path), (name, _kind(path.name, kind)))

    def wants(self, path: Path, state: os.stat_result) -> bool:
        """Whether a file is still to be noted as it is now: not once the run has begun."""
        return not self.closed and _state(path, state) not in self._states

    def note(self, path: Path, state: os.stat_result, size: int, sha256: str) -> None:
        """Note what was read of a file.

        Args:
            state: of the open file.
            size: of what was read [bytes].
            sha256: its digest.
        """
        if self.closed:
            return
        self._read.setdefault((os.path.realpath(path), sha256), (path, size))
        self._states.add(_state(path, state))

    def _listed(self, real: str, path: Path, size: int, sha256: str) -> InputFile:
        """A file under the name that it was given, or as one of a folder that was."""
        folder, last = os.path.split(real)
        if real in self._named:
            name, kind = self._named[real]
        elif folder in self._named:
            name, kind = self._named[folder]
            name, kind = f"{name}/{last}", _kind(last, kind)
        else:
            name, kind = str(path), _kind(last, "") or OTHER
        if kind == KEY:
            return InputFile(name, kind, None, "")
        return InputFile(name, kind, size, sha256)

    def inherit(self, files: Iterable[InputFile]) -> None:
        """Take over those of a recording that is run again: it holds them itself."""
        self._before = tuple(one for one in files if one.held)

    def rows(self, holds: Collection[str]) -> tuple[InputFile, ...]:
        """Each file that was read so far, by kind and name.

        Args:
            holds: kinds of which the recording has all that the run takes.
        """
        read = [self._listed(real, *one, sha256) for (real, sha256), one in self._read.items()]
        found = {replace(one, held=one.kind in holds) for one in read}
        return tuple(
            sorted(found.union(self._before), key=lambda one: (one.kind, one.name, one.sha256))
        )


_CURRENT: ContextVar[InputFiles | None] = ContextVar("inputs", default=None)


@contextmanager
def collected() -> Iterator[InputFiles]:
    """Note the files of a run while this is open; as a decorator, while a function runs."""
    inputs = InputFiles()
    before = _CURRENT.set(inputs)
    try:
        yield inputs
    finally:
        _CURRENT.reset(before)


@contextmanager
def unnoted() -> Iterator[None]:
    """Note nothing while this is open: what is read is not what the run takes in."""
    before = _CURRENT.set(None)
    try:
        yield
    finally:
        _CURRENT.reset(before)


def current_inputs() -> InputFiles | None:
    """Notes of the present run's files; None if no run is enclosed."""
    return _CURRENT.get()


def name_input(path: Path, name: str, kind: str = "") -> None:
    """Name a file as `InputFiles.name` does, for the enclosed run; nothing outside of one."""
    if (inputs := _CURRENT.get()) is not None:
        inputs.name(path, name, kind)


def noting(file: IO[bytes], path: Path, state: os.stat_result) -> IO[bytes]:
    """An open file that notes, once it is closed, the digest of what was read of it.

    Args:
        path: where it is.
        state: of the open file.
    """
    inputs = _CURRENT.get()
    if inputs is None or not inputs.wants(path, state):
        return file
    return BufferedReader(_Noted(file, path, state, inputs))


class _Noted(RawIOBase):
    """A file whose bytes are digested in their order, each once, as they are read."""

    def __init__(
        self, file: IO[bytes], path: Path, state: os.stat_result, inputs: InputFiles
    ) -> None:
        self._file, self._path, self._state, self._inputs = file, path, state, inputs
        self._digest, self._size = hashlib.sha256(), 0

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def tell(self) -> int:
        """Offset of the next read."""
        return self._file.tell()

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Read elsewhere next."""
        return self._file.seek(offset, whence)

    def fileno(self) -> int:
        """None: what is read past this object would not be noted."""
        raise UnsupportedOperation("fileno")

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read some bytes."""
        at = self._file.tell()
        data = self._file.read(len(memoryview(buffer).cast("B")))
        memoryview(buffer).cast("B")[: len(data)] = data
        self._take(at, data)
        return len(data)

    def close(self) -> None:
        """Digest what was left out, and note the file."""
        if self.closed:
            return
        with self._file as file:
            file.seek(self._size)
            while self._size < self._state.st_size and (data := file.read(1 << 20)):
                self._take(self._size, data)
        self._inputs.note(self._path, self._state, self._size, self._digest.hexdigest())
        super().close()

    def _take(self, at: int, data: bytes) -> None:
        if at <= self._size < at + len(data):
            self._digest.update(memoryview(data)[self._size - at :])
            self._size = at + len(data)


def _kind(file: str, kind: str) -> str:
    """Kind of a file: by its ending, where its place alone does not say."""
    is_known = kind not in ("", "motion", "materials")
    return kind if is_known else _KINDS.get(os.path.splitext(file)[1].lower(), kind)


def _state(path: Path, state: os.stat_result) -> tuple[str, int, int, int]:
    return os.path.realpath(path), state.st_ino, state.st_size, state.st_mtime_ns
