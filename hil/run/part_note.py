"""What the others had to do with the end of one station of several: a note beside its recording.

A station that was asked to stop knows only that it was; one that was killed knows nothing at all.
Who ran them together knows both, and writes it down where the report of each of them finds it.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import orjson

NOTE_NAME: Final = "together.json"


@dataclass(frozen=True, slots=True)
class PartNote:
    """One part's end, as seen from outside."""

    part: str
    killed: str = ""
    """How its process ended, if it told nothing of itself; empty if it did."""
    stopped_for: str = ""
    """Which other part came to a bad end, and how, if this one was asked to stop because of that;
    empty if not."""

    def write(self, folder: Path) -> None:
        """Write it into the folder of the part's run.

        Raises:
            OSError: it cannot be written.
        """
        (folder / NOTE_NAME).write_bytes(orjson.dumps(asdict(self), option=orjson.OPT_INDENT_2))

    @classmethod
    def beside(cls, recording: Path) -> "PartNote | None":
        """The note beside a recording; None if there is none, or it is not one."""
        try:
            raw = orjson.loads((recording.parent / NOTE_NAME).read_bytes())
            return cls(str(raw["part"]), str(raw["killed"]), str(raw["stopped_for"]))
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
            return None
