"""The text of a model, and the model that the engine compiles from it.

As bytes, a model is made in one process and stepped in another.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sim.world.engine.library import engine
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.robots.body import Numbers
from sim.world.scenes.model import SceneBody


@dataclass(frozen=True, slots=True)
class ModelText:
    """Text of a model for the engine, with its start."""

    text: str
    """MJCF, all digits kept."""
    robots: tuple[PlacedRobot, ...]
    """Robots in the text."""
    starts: tuple[Mapping[int, Numbers], ...]
    """Coordinates of each robot's joints where it starts, its loops closed."""
    bodies: tuple[SceneBody, ...] = ()
    """Other bodies in the text, those of fields placed."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Pictures that the text names, by their paths there."""


class ModelRefusedError(ValueError):
    """Refusal of a model by the engine; the text says why."""


def model_of(text: ModelText) -> Any:
    """Compile the engine's model.

    Raises:
        EngineMissingError: if the engine is not installed.
        ModelRefusedError: if it does not take the text.
    """
    try:
        return engine().MjModel.from_xml_string(text.text, dict(text.files))
    except ValueError as error:
        raise ModelRefusedError(f"the engine refuses the model: {error}") from error


def compiled(text: ModelText) -> bytes:
    """Compile the engine's model to bytes, which the same release of it takes back.

    Raises:
        EngineMissingError: if the engine is not installed.
        ModelRefusedError: if it does not take the text.
    """
    library, model = engine(), model_of(text)
    buffer = np.zeros(library.mj_sizeModel(model), np.uint8)
    library.mj_saveModel(model, None, buffer)
    return buffer.tobytes()


def model_from(blob: bytes) -> Any:
    """Restore the engine's model from bytes.

    Raises:
        EngineMissingError: if the engine is not installed.
        ModelRefusedError: if they are no model of this release of it.
    """
    name = "model.mjb"
    try:
        return engine().MjModel.from_binary_path(name, {name: blob})
    except ValueError as error:
        raise ModelRefusedError(f"the engine refuses the compiled model: {error}") from error
