"""Names of files that a setting may be given: what is shipped, and what lies beside the file."""

from pathlib import Path
from typing import Final

from hil.config.file_kinds import SCENARIOS, FileKind
from hil.config.shipped import configs_dir
from hil.panel.scenarios.models.catalogue import entry_of
from hil.panel.scenarios.models.form_nodes import Place

OFFERED_MAX: Final = 100
"""Files of one folder that are looked at."""
_TABLES: Final = "*.toml"
_WANTED: Final[dict[tuple[str, ...], tuple[str, str, frozenset[FileKind]]]] = {
    ("rig",): ("rigs", _TABLES, frozenset({FileKind.RIG})),
    ("robot",): ("robots", _TABLES, frozenset({FileKind.ROBOT})),
    ("space_arm", "arm"): ("arms", _TABLES, frozenset({FileKind.SPACE_ARM})),
    ("part", "scenario"): (
        "scenarios", _TABLES, frozenset(SCENARIOS) - {FileKind.TOGETHER_SCENARIO},
    ),
    ("motion", "file"): ("motions", "*.csv", frozenset()),
    ("source", "file"): ("", "*.csv", frozenset()),
}  # fmt: skip
"""Keys that name a file → folder with shipped ones, its pattern, and what the file must be."""


def offered(place: Place, file: Path) -> tuple[str, ...]:
    """Names for a setting, those beside the file first; empty if the setting names no file.

    Args:
        file: in which it stands; relative names are meant from its folder.
    """
    wanted = _WANTED.get(tuple(key for key in place if isinstance(key, str)))
    if wanted is None:
        return ()
    folder, pattern, kinds = wanted
    shelf = configs_dir() / folder
    own = [path.name for path in _fitting(file.parent, pattern, kinds) if path != file]
    there = _fitting(shelf, pattern, kinds) if folder else []
    # A shipped table is found from anywhere by its bare name, other files by their whole name.
    shipped = [path.stem if pattern == _TABLES else path.name for path in there]
    beside_is_shipped = bool(folder) and shelf.resolve() == file.parent.resolve()
    return tuple(shipped if beside_is_shipped else dict.fromkeys((*own, *shipped)))


def _fitting(folder: Path, pattern: str, kinds: frozenset[FileKind]) -> list[Path]:
    try:
        paths = sorted(folder.glob(pattern))[:OFFERED_MAX]
    except OSError:
        return []
    return [path for path in paths if not kinds or entry_of(path).kind in kinds]
