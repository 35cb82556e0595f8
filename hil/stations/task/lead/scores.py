"""Scores of persons who drove: a file beside the folders of runs, the newest at its end."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from hil.config.errors import ConfigError, RefusedError
from hil.config.files import read_regular, write_whole
from hil.stations.task.report.summaries import ScoreSummary

FILE_NAME: Final = "scores.jsonl"
"""File of scores in the folder that holds the folders of runs."""
SCORES_MOST: Final = 2000
"""Scores that the file holds; the oldest go first."""
BYTES_MOST: Final = 4 << 20
"""Largest file that is read [bytes]."""
NAME: Final = re.compile(r"[\w](?:[\w .'-]{0,38}[\w])?")
"""Names of persons: letters, digits and signs between them, at most 40."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrivingScore:
    """Result of a person in one run."""

    name: str
    """Name of the person."""
    run: str
    """Folder of the run."""
    scenario: str
    """Name of the scenario."""
    seed: int
    """Seed of the run; scores of one seed are of the same world."""
    succeeded: bool
    """Whether the task was done as it must be."""
    reason: str
    """Reason why it was not; empty if it was."""
    time_s: float
    """Time of the run [s]."""
    path_m: float
    """Length of the robot's path [m]."""
    contacts: int
    """Contacts that are not allowed."""
    jerk_m_s3: float
    """Root mean square of the chassis's jerk [m/s³]."""


def checked_name(name: str) -> str:
    """Name of a person, as it is kept.

    Raises:
        ConfigError: if it is none.
    """
    if NAME.fullmatch(name) is None or not name.isprintable():
        problem = (
            f"--trainee {name[:60]!r}: letters, digits, and spaces, dots, hyphens or apostrophes "
            "between them are needed, 1 to 40 in all"
        )
        raise ConfigError("command line", [problem])
    return name


def add_score(folder: Path, score: DrivingScore) -> list[DrivingScore]:
    """Add a score to the file of a folder.

    Returns:
        All scores of the same person in the same world, this one last.

    Raises:
        RefusedError: if the file cannot be read or written; it stays as it is.
    """
    path = folder / FILE_NAME
    try:
        scores = [*read_scores(path), score][-SCORES_MOST:]
        lines = (json.dumps(asdict(one), ensure_ascii=False, sort_keys=True) for one in scores)
        write_whole(path, "".join(f"{line}\n" for line in lines).encode())
    except OSError as error:
        raise RefusedError(f"{path}: {error}") from None
    return [one for one in scores if _world(one) == _world(score)]


def read_scores(path: Path) -> list[DrivingScore]:
    """Read all scores of a file; none without one.

    Raises:
        RefusedError: if a line is no score.
        OSError: if it cannot be read.
    """
    if not path.exists():
        return []
    lines = read_regular(path, BYTES_MOST).decode("utf-8", "replace").splitlines()
    return [_score_of(line, f"{path}, line {number}") for number, line in enumerate(lines, 1)]


def _score_of(line: str, place: str) -> DrivingScore:
    try:
        return DrivingScore(**json.loads(line))
    except (ValueError, TypeError, RecursionError) as error:
        raise RefusedError(f"{place}: no score: {error}; mend or remove the line") from None


def _world(score: DrivingScore) -> tuple[str, str, int]:
    return score.name, score.scenario, score.seed


def summarize_scores(scores: Sequence[DrivingScore]) -> ScoreSummary:
    """Sum up the scores of a person in one world."""
    times_s = [one.time_s for one in scores if one.succeeded]
    return ScoreSummary(
        name=scores[-1].name, runs=len(scores), succeeded=len(times_s),
        best_time_s=min(times_s, default=None),
    )  # fmt: skip
