"""Snapshots of runs as files: NumPy's ``.npz``, a zip of arrays, with a head of JSON in it.

``head`` is UTF-8 as bytes: ``{"kind": "hil world snapshot", "version": 1, "run": {…}}``; numbers
are written so that they read back the same. ``world`` and ``model_N`` are what the engine itself
writes of its state and of the fields of its model that change; ``motion_…``, ``line_…`` and
``sensors_…`` are arrays and memories of those parts. Nothing in a file is ever run.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Final

import numpy as np

from hil.config.errors import ConfigError
from hil.config.files import read_regular, write_whole
from hil.stations.world.editing.snapshots import RunSnapshot

KIND: Final = "hil world snapshot"
"""Mark of such a file."""
VERSION: Final = 1
"""Version of the format."""
BYTES_MAX: Final = 1 << 30
"""Largest file that is read [bytes]."""
ENCRYPTED: Final = 1
"""Bit of a zip member's flags (APPNOTE.TXT of PKWARE, 4.4.4)."""
_NO_SNAPSHOT: Final = (
    ValueError, LookupError, TypeError, AttributeError, EOFError, zipfile.BadZipFile,
    NotImplementedError, MemoryError, RecursionError,
)  # fmt: skip
"""Errors of reading another file; memory is short if its head names a size of its own."""


def write_snapshot(path: Path, snapshot: RunSnapshot) -> None:
    """Write a snapshot; the file is whole or absent."""
    header = {"kind": KIND, "version": VERSION, "run": dict(snapshot.head)}
    head = np.frombuffer(json.dumps(header).encode(), np.uint8)
    data = io.BytesIO()
    np.savez(data, **{**snapshot.arrays, "head": head})  # pyright: ignore[reportArgumentType]
    write_whole(path, data.getvalue())


def read_snapshot(path: Path) -> RunSnapshot:
    """Read a snapshot.

    Raises:
        ConfigError: if it is not a snapshot, or of another version.
    """
    try:
        data = io.BytesIO(read_regular(path, BYTES_MAX))
        with zipfile.ZipFile(data) as archive:
            if any(one.compress_type != zipfile.ZIP_STORED for one in archive.infolist()):
                raise ValueError("its arrays are compressed, which may make any size of few bytes")
            if any(one.flag_bits & ENCRYPTED for one in archive.infolist()):
                raise ValueError("its arrays are encrypted")
        with np.load(data, allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
        header = json.loads(arrays.pop("head").tobytes())
        if header["kind"] != KIND:
            raise ValueError(f"is {header['kind']!r}")
        version, run = header["version"], dict(header["run"])
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read: {error}"]) from None
    except _NO_SNAPSHOT as error:
        raise ConfigError(str(path), [f"is no snapshot of a run: {error!s:.300}"]) from None
    if version != VERSION:
        raise ConfigError(str(path), [f"version {version!r} of its form; this one reads {VERSION}"])
    return RunSnapshot(run, arrays)
