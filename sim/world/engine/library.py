"""The engine itself, or why it is not there.

It is loaded without OpenGL: only the process that draws needs it, and the library of windows, which
the engine would load by itself, starts programs to find its own parts.

Its warnings would be written to standard error and into a file of the working folder; they are
dropped, as :class:`~sim.world.engine.world.World` looks at what they warn of at every step.
"""

import os
from functools import cache
from typing import Any


class EngineMissingError(RuntimeError):
    """The physics engine is not installed; the text says how it is had."""


_CHOICE = "MUJOCO_GL"
"""Variable of the environment that the engine reads when it is loaded: by what it draws."""


@cache
def engine(opengl: str = "disable") -> Any:
    """The module of the engine.

    Args:
        opengl: by what it draws; only counts for who loads it first.

    Raises:
        EngineMissingError: if it cannot be imported.
    """
    before = os.environ.get(_CHOICE)
    os.environ[_CHOICE] = opengl
    try:
        import mujoco
    except ImportError as error:
        problem = "the virtual environment needs the physics engine: pip install hil-bench[world]"
        raise EngineMissingError(f"{problem} ({error})") from error
    finally:
        if before is None:
            del os.environ[_CHOICE]
        else:
            os.environ[_CHOICE] = before
    module: Any = mujoco
    module.set_mju_user_warning(_ignore_warning)
    return module


def _ignore_warning(_message: str) -> None:
    """What the engine warns of is counted in its state."""
