"""What a recording keeps of the values that its run has drawn."""

from pathlib import Path

import orjson

from hil.config.drawn import DrawnValues
from hil.config.files import write_new
from hil.recording.header import RecordingError


def drawn_facts(drawn: DrawnValues) -> dict[str, str]:
    """Facts of a run's header: the seed, and the drawn values as JSON."""
    values = orjson.dumps(dict(drawn.values), option=orjson.OPT_SORT_KEYS).decode()
    return {"drawn_seed": str(drawn.seed), "drawn": values}


def write_documents(drawn: DrawnValues, folder: Path) -> None:
    """Write the documents of a run as they were drawn beside its recording.

    Raises:
        RecordingError: if one cannot be written.
    """
    for number, (real, text) in enumerate(sorted(drawn.documents.items())):
        name = f"drawn-{number}-{Path(real).name}" if number else f"drawn-{Path(real).name}"
        try:
            write_new(folder / name, text)
        except OSError as error:
            raise RecordingError(f"{folder / name}: cannot be written: {error.strerror}") from None
