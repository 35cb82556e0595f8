"""A scene of an exercise in words, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from hil.terminal.console import styled

if TYPE_CHECKING:
    from hil.diagram.exercises.exercise import Measure
    from hil.diagram.exercises.exercise_judge import SceneResult
    from hil.diagram.exercises.exercise_summaries import ExerciseSceneSummary


def summarize_scene(scene: SceneResult) -> ExerciseSceneSummary:
    """Return a scene for JSON."""
    from hil.diagram.exercises.exercise_summaries import ExerciseSceneSummary, MeasureSummary

    measures = [
        MeasureSummary(name=one.name, value=one.value, most=one.most, unit=one.unit, ok=one.ok)
        for one in scene.measures
    ]
    return ExerciseSceneSummary(ok=scene.ok, measures=measures, stopped=scene.stopped)


def measure_words(one: Measure) -> str:
    """Return a measure in a line."""
    unit = one.unit and f" {one.unit}"
    return f"{one.name}: {one.value:.4g}{unit}, at most {one.most:.4g}{unit}"


def scene_lines(title: str, scene: SceneResult) -> Iterator[tuple[str | Text, ...]]:
    """Yield the lines that show a scene, each in parts."""
    yield title, ": ", styled("green", "well") if scene.ok else styled("red", "not well")
    if scene.stopped:
        yield "  ", scene.stopped
    for one in scene.measures:
        words = measure_words(one)
        yield "  ", words if one.ok else styled("red", words)
