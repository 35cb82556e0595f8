"""An error that nobody foresaw: one sentence for a person, and its details in a file."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Final

from hil.config.files import make_folder, write_new
from hil.timing.clock import utc_stamp

CACHING: Final = "numba.core.caching"
"""Module that keeps compiled kernels."""
KEPT: Final = 20
"""Files of details at most; the oldest go."""


class UnforeseenError(Exception):
    """A fault of the program itself; the text says what, and where its details are."""


def system_refusal(error: Exception) -> str:
    """What the system refuses, in a sentence; empty if it is not the system that does."""
    if kernels := _kernels_refused(error):
        return kernels
    if not isinstance(error, OSError):
        return ""
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}the system refuses: {error.strerror or error}"


def _kernels_refused(error: Exception) -> str:
    """That compiled kernels have no place; empty if that is not what went wrong."""
    steps = traceback.walk_tb(error.__traceback__)
    if not any(frame.f_globals.get("__name__") == CACHING for frame, _ in steps):
        return ""
    why = error.strerror if isinstance(error, OSError) else "no folder for them can be written"
    right = "set NUMBA_CACHE_DIR to a folder that can be written, with 100 MB to spare"
    return f"compiled kernels cannot be kept: {why}; {right}"


def faults_dir() -> Path:
    """Where details are kept (the XDG state directory)."""
    base = os.environ.get("XDG_STATE_HOME")
    return Path(base or Path.home() / ".local" / "state") / "hil" / "faults"


def unforeseen(error: BaseException) -> UnforeseenError:
    """The sentence for an error, whose details have been kept, if they could be."""
    lines = str(error).splitlines()
    words = f"{type(error).__name__}{f': {lines[0]:.200}' if lines else ''}"
    try:
        where = f"its details are in {_keep(error)}"
    except (OSError, RuntimeError) as why:  # RuntimeError: there is no home
        where = f"its details could not be kept ({why})"
    text = f"this is a fault of the program, and none of yours: {words}; {where}"
    return UnforeseenError(f"{text}; please report it (SECURITY.md, CONTRIBUTING.md)")


def _keep(error: BaseException) -> Path:
    folder = faults_dir()
    make_folder(folder.parent, Path(folder.name))
    folder.chmod(0o700)
    path = folder / f"{utc_stamp()}-{os.getpid()}.txt"
    text = "".join([repr(sys.argv), "\n", *traceback.format_exception(error)])
    write_new(path, text.encode("utf-8", "backslashreplace"))
    for old in sorted(folder.glob("*.txt"))[:-KEPT]:
        with suppress(OSError):
            old.unlink()
    return path
