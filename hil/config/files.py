"""Files in places of others: nothing is read that has no end, nothing written through links."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path, PurePath
from typing import IO, Final

from hil.config.drawn import current_drawn
from hil.config.inputs import current_inputs, noting

_KINDS: Final = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
NEEDED: Final = "a regular file is needed"


class JudgedPath(type(Path())):
    """Place of a file when it was judged, without links: one that has come since is not followed.

    Paths that are made of it are of this type, too.
    """


def kind_of(state: os.stat_result) -> str:
    """Name of what is there instead of a regular file."""
    return _KINDS.get(stat.S_IFMT(state.st_mode), "no file")


def open_regular(path: Path) -> IO[bytes]:
    """A regular file, open for reading; one of the kernel's, which has no size, counts as empty.

    What a run reads of it is noted when it is closed (`hil.config.inputs`). Of a document with
    drawn values it is their text (`hil.config.drawn`).

    Raises:
        OSError: if it cannot be read, or is no regular file; `strerror` says what it is.
    """
    file, state = _opened(path)
    return noting(file, path, state)


def _opened(path: Path) -> tuple[IO[bytes], os.stat_result]:
    # A pipe that nobody writes, or a device, would hold up a plain open(2) or the first read.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    linkless = isinstance(path, JudgedPath) and os.open in os.supports_dir_fd
    descriptor = _open_linkless(path, flags) if linkless else os.open(path, flags)
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, f"is {kind_of(state)}; {NEEDED}")
    if (drawn := current_drawn()) is not None and (text := drawn.text_of(path)) is not None:
        os.close(descriptor)
        return BytesIO(text), state
    if not state.st_size:
        os.close(descriptor)
        return BytesIO(), state
    return os.fdopen(descriptor, "rb"), state


def _open_linkless(path: Path, flags: int) -> int:
    """Open a file folder by folder from the root on; a link among them is an error."""
    *folders, name = path.parts if len(path.parts) > 1 else (*path.parts, ".")
    descriptor = os.open(folders[0], os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    folder_flags = (
        getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    )
    try:
        for folder in folders[1:]:
            before, descriptor = descriptor, os.open(folder, folder_flags, dir_fd=descriptor)
            os.close(before)
        return os.open(name, flags | os.O_NOFOLLOW, dir_fd=descriptor)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise OSError(error.errno, "a link was put in its way; nothing is read") from None
        raise
    finally:
        os.close(descriptor)


def read_regular(path: Path, most_bytes: int) -> bytes:
    """All of a regular file.

    Raises:
        OSError: as `open_regular`, or if it has more bytes.
    """
    opened, state = _opened(path)
    with opened as file:
        size = file.seek(0, os.SEEK_END)
        if size > most_bytes:
            raise OSError(errno.EFBIG, f"{size} bytes, at most {most_bytes} bytes are read")
        file.seek(0)
        data = file.read(size)  # a file that grows meanwhile is read as it was
    inputs = current_inputs()
    if inputs is not None and inputs.wants(path, state):
        inputs.note(path, state, len(data), hashlib.sha256(data).hexdigest())
    return data


def read_trusted(path: Path, most_bytes: int) -> bytes:
    """All of a regular file that nobody but this user, or root, can have written.

    Raises:
        OSError: as `read_regular`, or if it is a link, belongs to somebody else, or others may
            write it or make another one in its folder; `strerror` says what to do.
    """
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _check_trusted(path.parent, os.fstat(folder))
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with os.fdopen(os.open(path.name, flags, dir_fd=folder), "rb") as file:
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode):
                raise OSError(errno.EINVAL, f"is {kind_of(state)}; {NEEDED}")
            _check_trusted(path, state)
            data = file.read(most_bytes + 1)
    finally:
        os.close(folder)
    if len(data) > most_bytes:
        raise OSError(errno.EFBIG, f"more than {most_bytes} bytes, the most that are read")
    return data


def _check_trusted(path: Path, state: os.stat_result) -> None:
    own = os.geteuid()
    if state.st_uid not in (own, 0):
        raise PermissionError(
            errno.EPERM, f"{path} belongs to user {state.st_uid}; need your own ({own}) or root's"
        )
    if (mode := stat.S_IMODE(state.st_mode)) & 0o022:
        raise PermissionError(
            errno.EPERM, f"{path} has mode {mode:04o}: others may write it; chmod go-w {path}"
        )


@contextmanager
def replacing(path: Path, *, sync: bool = True, private: bool = False) -> Iterator[IO[bytes]]:
    """A new file that takes a path's place once it is whole; a link there is not followed.

    What was there stays as it was if writing fails, and so do its permissions if it does not.

    Args:
        sync: wait until it is on the disk, and so learn of a full one.
        private: nobody else may read or write it, whatever was so before.

    Raises:
        OSError: if it cannot be written, or something else than a regular file is there.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, f"is {kind_of(path.stat())}; {NEEDED}", str(path))
    part = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(part, flags, 0o600 if private else 0o666), "wb") as file:
        try:
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
            if not private and path.is_file() and not path.is_symlink():
                part.chmod(stat.S_IMODE(path.stat().st_mode))
            part.replace(path)
        except BaseException:
            part.unlink()
            raise


@contextmanager
def replacing_text(path: Path) -> Iterator[IO[str]]:
    """Replace a file as `replacing` does, by text of UTF-8 whose line ends stay as written."""
    with replacing(path) as file:
        text = TextIOWrapper(file, "utf-8", newline="")
        yield text
        text.detach()


def write_whole(path: Path, data: bytes, *, sync: bool = True, private: bool = False) -> None:
    """All of a file's bytes, or none of them; see `replacing`.

    Raises:
        OSError: if it cannot be written.
    """
    with replacing(path, sync=sync, private=private) as file:
        file.write(data)


def write_new(path: Path, data: bytes) -> None:
    """All of a file that is not there yet, or none of it.

    Raises:
        FileExistsError: if it is there.
        OSError: if it cannot be written.
    """
    with path.open("xb") as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):
                path.unlink()
            raise


def make_folder(top: Path, inner: PurePath) -> Path:
    """A folder below another one, made where it is not there; nothing leads to it through links.

    Args:
        top: made as well; it may be a link, as a person has chosen it.

    Raises:
        OSError: if it cannot be made, or a link is in its way.
    """
    top.mkdir(parents=True, exist_ok=True)
    place = top
    for part in inner.parts:
        place /= part
        if place.is_symlink():
            raise OSError(
                errno.ELOOP, "is a link, and nothing is written through links", str(place)
            )
        place.mkdir(exist_ok=True)
    return place
