"""The JSON schemas of all kinds of files: of machines, of several stations, of each station."""

from typing import Any

from hil.config.file_kind import FileKind
from hil.config.schema import schema_of
from hil.run.file_kinds import all_kinds
from hil.run.registry import stations


def named_kinds() -> dict[str, FileKind]:
    """What the command line calls them → kinds of files, the default station's scenario first.

    A station's name stands for its scenario, unless a kind of file is called so.
    """
    kinds = {one.schema: one for one in all_kinds()}
    return kinds | {one.name: one.scenarios for one in stations() if one.name not in kinds}


def schema_of_kind(kind: FileKind) -> dict[str, Any]:
    """The JSON schema of a kind of file."""
    return schema_of(kind.model(), kind.name)
