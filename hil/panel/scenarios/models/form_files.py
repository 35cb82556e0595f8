"""Names of files that a setting may be given: what is shipped, and what lies beside the file."""

from pathlib import Path
from typing import Final

from hil.config.file_kind import TABLES, FileKind
from hil.config.file_search import configs_dir
from hil.panel.scenarios.models.catalogue import entry_of
from hil.panel.scenarios.models.form_nodes import Place
from hil.run.file_kinds import kinds_named

OFFERED_MAX: Final = 100
"""Files of one folder that are looked at."""


def offered(kind: FileKind, place: Place, file: Path) -> tuple[str, ...]:
    """Names for a setting, those beside the file first; empty if the setting names no file.

    Args:
        file: that file; relative names are meant from its folder.
    """
    keys = tuple(key for key in place if isinstance(key, str))
    named = next((one for one in kind.names if one.place == keys), None)
    if named is None:
        return ()
    kinds, folder = kinds_named(named), named.folder
    shelf = configs_dir() / folder
    own = [path.name for path in _fitting(file.parent, named.pattern, kinds) if path != file]
    there = _fitting(shelf, named.pattern, kinds) if folder else []
    # A shipped table is found from anywhere by its bare name, other files by their whole name.
    shipped = [path.stem if named.pattern == TABLES else path.name for path in there]
    beside_is_shipped = bool(folder) and shelf.resolve() == file.parent.resolve()
    return tuple(shipped if beside_is_shipped else dict.fromkeys((*own, *shipped)))


def _fitting(folder: Path, pattern: str, kinds: frozenset[FileKind]) -> list[Path]:
    try:
        paths = sorted(folder.glob(pattern))[:OFFERED_MAX] if pattern else []
    except OSError:
        return []
    if pattern != TABLES:
        return paths
    # A diagram is of no kind: it is drawn, no form shows it.
    return [path for path in paths if entry_of(path).kind in (kinds or {None})]
