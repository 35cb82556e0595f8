"""Judges a law by how it behaves in scenes that its author has not seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from hil.config.errors import ConfigError
from hil.config.settings import parse_toml, settings_text
from hil.diagram.check.diagram import SoundDiagram, check
from hil.diagram.check.flatten import flatten
from hil.diagram.check.seam import Wiring, joined
from hil.diagram.exercises.catalogue import exercise_of
from hil.diagram.exercises.exercise import Exercise, Measure, Values, draw_of
from hil.diagram.file.read import read_text
from hil.diagram.run.engine import Engine
from hil.diagram.run.fault import NonFiniteError

SCENES: Final = 5
BLOCKS_MOST: Final = 2000
"""Largest number of blocks of a law that is judged."""
Watch = Callable[[float, Values, Values], None]
"""Observer of time [s], inputs and outputs of each tick."""


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """A student's law, read and checked."""

    exercise: Exercise
    seed: int
    """Seed of the file: it draws fault and scenes."""
    sound: SoundDiagram


@dataclass(frozen=True, slots=True)
class SceneResult:
    """Result of a law in a scene."""

    measures: tuple[Measure, ...]
    stopped: str
    """Block, tick and time at which a number became not finite; empty if none did."""

    @property
    def ok(self) -> bool:
        """Whether it came to the end and nothing is above what it may be."""
        return not self.stopped and all(one.ok for one in self.measures)


def read_attempt(path: Path) -> Attempt:
    """Read what a student hands in.

    Raises:
        ConfigError: with a line for each fault: it cannot run, is no exercise, has another face or
            base period, names libraries, or is too large.
    """
    text = settings_text(path)
    if "library" in parse_toml(text, path):
        problem = "library: an exercise stands alone; put what it needs into the file"
        raise ConfigError(str(path), [problem])
    file = read_text(text, path)
    exercise = exercise_of(file, path)
    if file.base_s != exercise.base_s:
        problem = f"base_s = {file.base_s!r} s: {exercise.base_s!r} s, as it was handed out"
        raise ConfigError(str(path), [problem])
    count = len(flatten(file, None).blocks)
    if count > BLOCKS_MOST:
        raise ConfigError(str(path), [f"{count} blocks: at most {BLOCKS_MOST} are judged"])
    sound = check(file)
    joined(sound, exercise.inputs, exercise.outputs, Wiring(), str(path))
    return Attempt(exercise, file.seed, sound)


def scene_draw(attempt: Attempt, scene: int | str) -> Random:
    """Return the random draws of a scene.

    Args:
        scene: its number, or ``practice``, which is not judged.
    """
    return draw_of(attempt.exercise.name, attempt.seed, "scene", scene)


def judge(attempt: Attempt) -> list[SceneResult]:
    """Run all scenes."""
    return [play_scene(attempt, number) for number in range(1, SCENES + 1)]


def play_scene(attempt: Attempt, scene: int | str, watch: Watch | None = None) -> SceneResult:
    """Run a scene.

    Args:
        watch: called with each tick.
    """
    exercise, base_s = attempt.exercise, attempt.exercise.base_s
    plant, engine = exercise.plant(scene_draw(attempt, scene)), Engine(attempt.sound)
    values, outputs = engine.values, engine.outputs
    for tick in range(round(exercise.seconds / base_s)):
        time_s = tick * base_s
        inputs = plant.inputs(time_s)
        for name, where in engine.inputs.items():
            values[where] = inputs[name]
        try:
            engine.step()
        except NonFiniteError as error:
            return SceneResult((), str(error))
        answer = {name: values[where].tolist() for name, where in outputs.items()}
        if watch is not None:
            watch(time_s, inputs, answer)
        plant.step(time_s, answer)
    return SceneResult(tuple(plant.measures()), "")


def worst(scenes: Sequence[SceneResult]) -> Measure | None:
    """Return the measure that is furthest above what it may be, or nearest below it."""
    found = [one for scene in scenes for one in scene.measures]
    return max(found, key=_share, default=None)


def _share(one: Measure) -> float:
    """Value as a share of the limit; of a limit of 0 all that is above it is endless."""
    if not one.most:
        return math.inf if one.value > 0.0 else 0.0
    share = one.value / one.most
    return math.inf if math.isnan(share) else share
