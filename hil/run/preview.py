"""What a run will look like, before it runs: rows as its recording would have them."""

from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
import orjson
from numpy.typing import NDArray

from hil.recording.header import RunHeader

LONGEST_S: Final = 60.0
"""So much of a motion is shown before it runs [s]."""
STEP_S: Final = 1.0 / 30.0
"""Between two rows [s]."""


@dataclass(frozen=True, slots=True, eq=False)
class Preview:
    """A machine's motion as it is wanted; nothing has run."""

    header: RunHeader
    """Of the run, as far as a picture needs it."""
    rows: NDArray[np.float64]
    """Rows of the header's table, `STEP_S` apart, shape (N, values); NaN for what is not known."""
    words: str
    """What is shown."""

    def to_json(self) -> bytes:
        """Return it as a line of JSON, in which null stands for what is not known."""
        document = {"header": orjson.Fragment(self.header.to_json()), "rows": self.rows.tolist()}
        return orjson.dumps(document | {"words": self.words})

    @classmethod
    def from_mapping(cls, raw: dict[str, Any]) -> Self:
        """Read back what `to_json` wrote; a `KeyError` or `ValueError` if it is not that."""
        header = RunHeader.from_mapping(raw["header"])
        rows = np.array(raw["rows"], np.float64).reshape(-1, header.signals.values)
        return cls(header, rows, str(raw["words"]))
