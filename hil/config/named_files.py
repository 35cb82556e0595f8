"""Files that a document names: which of them may be opened, decided in one place.

A document may be a stranger's, and what it names goes on into recordings, reports and converted
documents. So it may name what lies in its own folder and what comes with the program; links and
``..`` count as where they lead. What a person names on the command line may be anywhere.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from hil.config.errors import ConfigError
from hil.config.files import JudgedPath, read_regular
from hil.config.inputs import name_input

NAME_MAX: Final = 4096
"""Characters of a path at most."""


class OutsideError(PermissionError):
    """A file that a document may not name; `strerror` says why, and where it would be allowed."""


class NotAllowedError(ConfigError):
    """The same, told of the key of the document."""


class MissingError(ConfigError):
    """There is no such file."""


class EmbeddedPath(type(Path())):
    """Where a document was that a recording carries: it stands in no folder, and may name no file.

    Paths that are made of it are of this type, too.
    """


def configs_dir() -> Path:
    """The configurations that come with this program."""
    package = Path(__file__).parents[1]
    inside = package / "configs"
    return inside if inside.is_dir() else package.parent / "configs"


def judged(
    place: Path, document: Path, also: Iterable[Path] = (), *, shipped: bool = True
) -> JudgedPath:  # fmt: skip
    """Where a file is that a document names, without links; nothing is opened.

    Args:
        document: the file in which the name stands.
        also: folders that are allowed besides the document's own and the shipped ones.
        shipped: whether the shipped ones are.

    Raises:
        OutsideError: if the document may not name it.
    """
    if isinstance(document, EmbeddedPath):
        problem = "is named by a document of a recording, which holds all that it needs itself"
        raise OutsideError(errno.EACCES, problem)
    folder = folder_of(document)
    if "\0" in str(place) or len(str(place)) > NAME_MAX:
        raise OutsideError(errno.EINVAL, f"is no file name of at most {NAME_MAX} characters")
    real = Path(os.path.realpath(place))
    known = (configs_dir(),) if shipped else ()
    for allowed in (folder, *(one.resolve() for one in (*known, *also))):
        if real.is_relative_to(allowed):
            return JudgedPath(real)
    problem = f"lies outside {folder}, the folder of the document that names it"
    raise OutsideError(errno.EACCES, f"{problem}, and is none that comes with the program")


def folder_of(document: Path) -> Path:
    """The folder of a document, without links: as it was when the document itself was judged."""
    own = document.absolute().parent
    return own if isinstance(document, JudgedPath) else own.resolve()


def read_named_file(
    place: Path, document: Path, most_bytes: int, also: Iterable[Path] = (), *,
    name: str = "", kind: str = "",
) -> bytes:  # fmt: skip
    """All of a file that a document names; it is opened once, and what is open is judged.

    Args:
        document: the file in which the name stands.
        also: folders that are allowed besides the document's own and the shipped ones.
        name: as the document has it, and
        kind: what it is to a run (`hil.config.inputs`).

    Raises:
        OutsideError: if the document may not name it.
        OSError: if it cannot be read, is no regular file, or has more bytes.
    """
    found = judged(place, document, also)
    name_input(found, name or place.name, kind)
    return read_regular(found, most_bytes)


class UserNamedFiles:
    """Names that a person gave for a key on the command line, which may be of files anywhere.

    A name counts for keys of that last part alone: what is said of a clock opens no table.
    """

    def __init__(self) -> None:
        self._names: set[tuple[str, str]] = set()
        self._closed = False

    def has(self, key: str, name: str) -> bool:
        """Whether a person gave this name for such a key."""
        return (_field(key), name) in self._names

    def take(self, value: Any, key: str = "") -> None:
        """Take every text in a value that somebody laid over a document.

        Args:
            value: a text, or tables and lists of them.
            key: where it was laid, with dots between its parts.
        """
        match value:
            case str() if not self._closed:
                self._names.add((_field(key), value))
            case dict():
                for name, one in value.items():
                    self.take(one, str(name))
            case list() | tuple():
                for one in value:
                    self.take(one, key)
            case _:
                pass

    def close(self) -> None:
        """Take no more: what comes now on the command line was written in a document."""
        self._closed = True

    @contextmanager
    def of_document(self, changes: Iterable[tuple[str, str]]) -> Iterator[None]:
        """Count these keys and names alone for a while, in which changes are a document's."""
        before = self._names, self._closed
        self._names, self._closed = {(_field(key), name) for key, name in changes}, True
        try:
            yield
        finally:
            self._names, self._closed = before


def _field(key: str) -> str:
    """The last part of a key that is no index of a list."""
    return next((one for one in reversed(key.split(".")) if not one.isdecimal()), "")


GIVEN: Final = UserNamedFiles()
"""Those of this process."""
