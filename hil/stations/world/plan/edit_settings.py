"""Keys of a scenario for documents that replace the robot at definite times."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hil.config.settings import Settings


class EditAt(Settings):
    """Document of the robot that replaces it during a run."""

    at_s: Annotated[float, Field(ge=0.0, le=86_400.0)]
    """Time of the edit [s]: at the step that begins there, or the nearest one."""
    document: str
    """Name or file of the document; one that cannot be taken is refused then, and the run
    continues."""
