"""The engine itself, or why it is not there.

Its warnings would be written to standard error and into a file of the working folder; they are
dropped, as :class:`~sim.world.engine.world.World` looks at what they warn of at every step.
"""

from functools import cache
from typing import Any


class EngineMissingError(RuntimeError):
    """The physics engine is not installed; the text says how it is had."""


@cache
def engine() -> Any:
    """The module of the engine.

    Raises:
        EngineMissingError: if it cannot be imported.
    """
    try:
        import mujoco
    except ImportError as error:
        told = "the virtual environment needs the physics engine: pip install hil-bench[world]"
        raise EngineMissingError(f"{told} ({error})") from error
    module: Any = mujoco
    module.set_mju_user_warning(_dropped)
    return module


def _dropped(_message: str) -> None:
    """What the engine warns of is counted in its state."""
