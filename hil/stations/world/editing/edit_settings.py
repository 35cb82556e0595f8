"""Keys of a scenario for documents that are taken at definite times."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hil.config.settings import Settings


class EditAt(Settings):
    """A document of the robot that a run takes while it goes."""

    at_s: Annotated[float, Field(ge=0.0, le=86_400.0)]
    """When: at the step that begins there, or the nearest one."""
    document: str
    """Name or file of the document; one that cannot be taken is refused then, and the run goes
    on."""
