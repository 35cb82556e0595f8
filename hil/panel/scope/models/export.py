"""Export of what a scope shows, as files; a file that exists is never touched."""

import csv
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Final

from hil.config import files
from hil.panel.scope.models.channels import Channel
from hil.panel.scope.models.ring import Window

_TRIES: Final = 10_000


class ExportError(Exception):
    """A file cannot be written where asked; the message says where and why."""


def write_csv(wanted: Path, window: Window, channels: Sequence[Channel]) -> Path:
    """Write one row a sample: motion time and the traces, each column with its unit in its name.

    Numbers are written so that reading them gives the same bits; what is not there is empty.

    Args:
        wanted: the file; if it exists, a number is added to its name.

    Returns:
        The file written.

    Raises:
        ExportError: if the place cannot be written.
    """
    table = StringIO(newline="")
    writer = csv.writer(table)
    others = [channel for channel in channels if channel.name != "t_s"]
    writer.writerow(["t_s", *(channel.name for channel in others)])
    columns = [window.t_s.tolist()]
    columns += [window.values[channel.column].tolist() for channel in others]
    for cells in zip(*columns, strict=True):
        writer.writerow(["" if cell != cell else repr(cell) for cell in cells])
    return write_new(wanted, table.getvalue().encode())


def write_new(wanted: Path, content: bytes) -> Path:
    """Write a file that was not there before.

    Args:
        wanted: the file; if it exists, ``-2``, ``-3``... is added to its name.

    Returns:
        The file written.

    Raises:
        ExportError: if the place cannot be written.
    """
    for path in _names(wanted):
        try:
            files.write_new(path, content)
        except FileExistsError:
            continue
        except OSError as error:
            raise ExportError(f"{path}: cannot be written: {error.strerror or error}") from error
        return path
    raise ExportError(f"{wanted}: there are {_TRIES} files of this name already")


def _names(wanted: Path) -> Iterator[Path]:
    yield wanted
    for number in range(2, _TRIES + 1):
        yield wanted.with_name(f"{wanted.stem}-{number}{wanted.suffix}")
