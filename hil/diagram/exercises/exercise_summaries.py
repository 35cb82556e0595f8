"""What ``hil diagram exercise …`` prints with ``--json``: one object each."""

from __future__ import annotations

from typing import TypedDict


class ExerciseSummary(TypedDict):
    """A law to be repaired."""

    name: str
    """As `new` takes it."""
    family: str
    """As `new` takes it too: the seed draws one of them."""
    about: str
    """What a working law does."""
    faults: int
    """That it can have."""
    seconds: float
    """How long a scene lasts [s]."""


class ExercisesSummary(TypedDict):
    """All exercises."""

    ok: bool
    """Always."""
    exercises: list[ExerciseSummary]
    """By name."""


class ExerciseNewSummary(TypedDict):
    """A file that was handed out."""

    ok: bool
    """It was written."""
    exercise: str
    """Its name."""
    seed: int
    """Drew law and fault."""
    about: str
    """What a working law does."""
    written: str
    """The file."""


class MeasureSummary(TypedDict):
    """What was measured in a scene."""

    name: str
    """Of it."""
    value: float
    """Found."""
    most: float
    """It may be."""
    unit: str
    """Of both."""
    ok: bool
    """It is not above."""


class ExerciseSceneSummary(TypedDict):
    """How a law did in a scene."""

    ok: bool
    """It came to the end, and all is well."""
    measures: list[MeasureSummary]
    """Empty if it stopped."""
    stopped: str
    """Block, tick and time at which a number became not finite; empty if none did."""


class ExerciseCheckSummary(TypedDict):
    """A law that was judged."""

    ok: bool
    """It did well in all scenes."""
    path: str
    """The file."""
    exercise: str
    """Which it is."""
    seed: int
    """Of the file."""
    scenes: list[ExerciseSceneSummary]
    """In order."""
    hint: str
    """That was asked for, as long as it is not passed; else empty."""


class ExerciseRowSummary(TypedDict):
    """A file of a folder."""

    file: str
    """Beneath the folder."""
    ok: bool
    """It did well in all scenes."""
    exercise: str
    """Which it is; empty if it could not be read."""
    seed: int
    """Of the file; 0 likewise."""
    scenes_passed: int
    """Of five."""
    worst: str
    """Measure that is furthest above what it may be, or where it stopped; empty if none is."""
    error: str
    """Why it could not be judged; empty if it was."""


class ExerciseFolderSummary(TypedDict):
    """A class's table."""

    ok: bool
    """All have passed."""
    path: str
    """The folder."""
    passed: int
    """Files."""
    files: list[ExerciseRowSummary]
    """By name."""


class ExercisePracticeSummary(TypedDict):
    """A scene that is not judged."""

    ok: bool
    """It did well there."""
    path: str
    """The file."""
    exercise: str
    """Which it is."""
    scene: ExerciseSceneSummary
    """How it went."""
    written: str
    """Inputs and outputs of every tick; empty if they were not asked for."""
