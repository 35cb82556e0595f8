"""Files and folders to which nobody can write, root neither, as on a disk that is read-only."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def protect(path: Path, *, on: bool = True) -> None:
    """Let nobody write to a file, or make something in a folder; skips where that cannot be."""
    command = ["chattr", "+i" if on else "-i", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("chattr is not there")
    if done.returncode:
        pytest.skip(f"nothing can be made read-only for root here: {done.stderr.strip()}")


@contextmanager
def protector() -> Iterator[Callable[[Path], None]]:
    """Protects paths until it is left."""
    paths: list[Path] = []

    def act(path: Path) -> None:
        protect(path)
        paths.append(path)

    try:
        yield act
    finally:
        for path in paths:
            protect(path, on=False)
