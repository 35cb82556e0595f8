"""What a shell offers for a word that is begun: names of shipped files, and files that lie here."""

import os
from collections.abc import Callable
from pathlib import Path

from hil.config.file_search import shipped_paths


def offered(*folders: str, endings: tuple[str, ...] = (".toml",)) -> Callable[[str], list[str]]:
    """Names for an argument: those of shipped files in folders of the configurations, and paths."""

    def names(begun: str) -> list[str]:
        shipped = [path.stem for one in folders for path in shipped_paths(one, *endings)]
        return sorted(name for name in shipped if name.startswith(begun)) + _here(begun, endings)

    return names


def _here(begun: str, endings: tuple[str, ...]) -> list[str]:
    place = Path(os.path.dirname(begun) or ".")
    try:
        entries = sorted(os.scandir(place), key=lambda entry: entry.name)
    except OSError:
        return []
    found = [
        os.path.join(os.path.dirname(begun), entry.name) + ("/" if entry.is_dir() else "")
        for entry in entries
        if entry.is_dir() or entry.name.endswith(endings)
    ]
    return [path for path in found if path.startswith(begun) and not path.startswith(".")]
