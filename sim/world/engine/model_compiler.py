"""The text of a model, and what the engine makes of it.

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
    """A model for the engine, and where it starts."""

    text: str
    """MJCF, all digits kept."""
    robots: tuple[PlacedRobot, ...]
    """That it holds."""
    starts: tuple[Mapping[int, Numbers], ...]
    """Coordinates of each robot's joints where it starts, its loops closed."""
    bodies: tuple[SceneBody, ...] = ()
    """That it holds besides, those of fields placed."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Pictures that the text names, by their paths there."""


class ModelRefusedError(ValueError):
    """The engine does not take a model; the text says why."""


def model_of(text: ModelText) -> Any:
    """The engine's model.

    Raises:
        EngineMissingError: if the engine is not installed.
        ModelRefusedError: if it does not take the text.
    """
    try:
        return engine().MjModel.from_xml_string(text.text, dict(text.files))
    except ValueError as error:
        raise ModelRefusedError(f"the engine refuses the model: {error}") from error


def compiled(text: ModelText) -> bytes:
    """The engine's model as bytes, which the same release of it takes back.

    Raises:
        EngineMissingError: if the engine is not installed.
        ModelRefusedError: if it does not take the text.
    """
    library, model = engine(), model_of(text)
    buffer = np.zeros(library.mj_sizeModel(model), np.uint8)
    library.mj_saveModel(model, None, buffer)
    return buffer.tobytes()


def model_from(blob: bytes) -> Any:
    """The engine's model out of bytes.

    Raises:
        EngineMissingError: if the engine is not installed.
        ModelRefusedError: if they are no model of this release of it.
    """
    name = "model.mjb"
    try:
        return engine().MjModel.from_binary_path(name, {name: blob})
    except ValueError as error:
        raise ModelRefusedError(f"the engine refuses the compiled model: {error}") from error
