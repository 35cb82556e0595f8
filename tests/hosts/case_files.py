"""Files of users' inputs, kept beside the repository: ``shared/cases``, one folder a case."""

from pathlib import Path

import pytest

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"


def case_file(case: str, name: str) -> Path:
    """A file of a case, or a skipped test."""
    path = CASES / case / name
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    return path


def datagrams_of(case: str, name: str = "datagrams.txt") -> list[tuple[float, bytes]]:
    """Time of sending [s] and bytes of each datagram of a case."""
    rows = (line.split() for line in case_file(case, name).read_text().splitlines())
    return [(float(stamp), bytes.fromhex(data)) for stamp, data in rows]
