"""JSON objects of ``hil diagram exercise …`` with ``--json``: their keys and their meaning."""

from __future__ import annotations

from typing import TypedDict


class ExerciseSummary(TypedDict):
    """A law to be repaired."""

    name: str
    """Name of the exercise, as `new` takes it."""
    family: str
    """Family of the exercise, which `new` takes too: the seed draws one of its exercises."""
    about: str
    """Behaviour of a working law."""
    faults: int
    """Number of faults that it can have."""
    seconds: float
    """Duration of a scene [s]."""


class ExercisesSummary(TypedDict):
    """All exercises."""

    ok: bool
    """True."""
    exercises: list[ExerciseSummary]
    """Exercises, sorted by name."""


class ExerciseNewSummary(TypedDict):
    """A file that was handed out."""

    ok: bool
    """True: the file was written."""
    exercise: str
    """Name of the exercise."""
    seed: int
    """Drew law and fault."""
    about: str
    """Behaviour of a working law."""
    written: str
    """The file."""


class MeasureSummary(TypedDict):
    """A quantity that was measured in a scene, and its limit."""

    name: str
    """Name of the measure."""
    value: float
    """Value that was found, in `unit`."""
    most: float
    """Largest value that is allowed, in `unit`."""
    unit: str
    """Unit of value and limit."""
    ok: bool
    """Whether the value is within the limit."""


class ExerciseSceneSummary(TypedDict):
    """Result of a law in a scene."""

    ok: bool
    """True if it came to the end, and no measure is above its limit."""
    measures: list[MeasureSummary]
    """Empty if it stopped."""
    stopped: str
    """Block, tick and time at which a number became not finite; empty if none did."""


class ExerciseCheckSummary(TypedDict):
    """A law that was judged."""

    ok: bool
    """True if it passed all scenes."""
    path: str
    """The file."""
    exercise: str
    """Name of the exercise."""
    seed: int
    """Seed of the file."""
    scenes: list[ExerciseSceneSummary]
    """Scenes, in order."""
    hint: str
    """Hint that was asked for, as long as the exercise is not passed; else empty."""


class ExerciseRowSummary(TypedDict):
    """A file of a folder."""

    file: str
    """Path of the file beneath the folder."""
    ok: bool
    """True if it passed all scenes."""
    exercise: str
    """Name of the exercise; empty if it could not be read."""
    seed: int
    """Seed of the file; 0 if it could not be read."""
    scenes_passed: int
    """Number of scenes passed, of five."""
    worst: str
    """Measure that is furthest above its limit, or where the law stopped; empty if none is."""
    error: str
    """Reason why it could not be judged; empty if it was."""


class ExerciseFolderSummary(TypedDict):
    """A class's table."""

    ok: bool
    """All have passed."""
    path: str
    """The folder."""
    passed: int
    """Number of files that have passed."""
    files: list[ExerciseRowSummary]
    """Files, sorted by name."""


class ExercisePracticeSummary(TypedDict):
    """A scene that is not judged."""

    ok: bool
    """True if it passed the scene."""
    path: str
    """The file."""
    exercise: str
    """Name of the exercise."""
    scene: ExerciseSceneSummary
    """Result of the scene."""
    written: str
    """Inputs and outputs of every tick; empty if they were not asked for."""
