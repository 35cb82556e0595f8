"""Motions that somebody leads while they last: copied from frames or a recording."""

from __future__ import annotations

import math
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from hil.config.fields import AccelerationDeg, Positive, RateDeg, Seconds
from hil.config.settings import Settings

ValueName = Annotated[str, Field(min_length=1, max_length=60)]
FRAME_VALUES_MAX: Final = 128
"""Values of a frame at most."""
UNITS: Final = {"rad": 1.0, "deg": math.pi / 180.0, "m": 1.0, "mm": 1e-3}
"""Of a copied value, in rad or m."""
SLIDING: Final = ("m", "mm")
"""Those of a slide."""


class LedBounds(Settings):
    """How fast joints may be led; what a machine's own bounds and its gate allow less counts."""

    speed_deg_s: RateDeg = 90.0
    """Of each hinge."""
    acceleration_deg_s2: AccelerationDeg = 500.0
    """Likewise."""
    speed_m_s: Annotated[float, Field(gt=0.0, le=10.0)] = 0.25
    """Of each slide."""
    acceleration_m_s2: Positive = 1.0
    """Likewise."""


class CopyPair(Settings):
    """Which value leads which joint: joint = ratio · value + offset."""

    joint: int | ValueName
    """Its number in the document, or its name."""
    value: ValueName
    """Name of the value."""
    unit: Literal["rad", "deg", "m", "mm"] | None = None
    """Of the value; left out, rad for a hinge and m for a slide."""
    ratio: Annotated[float, Field(ge=-100.0, le=100.0)] = 1.0
    """Way of the joint per way of the value; negative turns the other way round."""
    offset_deg: Annotated[float, Field(ge=-720.0, le=720.0)] = 0.0
    """Of a hinge."""
    offset_m: Annotated[float, Field(ge=-20.0, le=20.0)] = 0.0
    """Of a slide."""


class CopyMotion(LedBounds):
    """Joints go where values of somebody else tell, joint by joint, within their bounds."""

    kind: Literal["copy"]
    """Always ``copy``."""
    source: Literal["recording", "frames"] = "recording"
    """Who tells the values: a file, or frames over UDP."""
    file: str = ""
    """CSV file with a column ``t_s`` and one for each value, or a recording of this program; a
    relative path: beside the scenario, then from where one stands."""
    listen: str = "127.0.0.1:5577"
    """Address and port where frames are heard, of this machine alone unless it is another one."""
    values: tuple[ValueName, ...] = ()
    """Names of the values of a frame, in their order; left out, ``joint1`` and so on, those of the
    driven joints."""
    map: tuple[CopyPair, ...] = ()
    """Which value leads which joint; left out, each value the joint of its name."""
    smoothing_s: Annotated[float, Field(ge=0.01, le=2.0)] = 0.08
    """How long a joint takes for the last of its way; it is half of it behind."""
    stale_s: Annotated[float, Field(ge=0.01, le=10.0)] = 0.1
    """Longest time without values; then the joints stop and hold until there are some."""
    duration_s: Seconds | None = None
    """When it is cut off; left out, it ends with the recording, or when somebody stops it."""

    @model_validator(mode="after")
    def _has_a_source(self) -> Self:
        if self.source == "recording" and not self.file:
            raise ValueError("file is needed: a recording to copy")
        if len(self.values) > FRAME_VALUES_MAX:
            raise ValueError(f"values: {len(self.values)}; at most {FRAME_VALUES_MAX}")
        if len(set(self.values)) != len(self.values):
            raise ValueError("values: a name is given twice")
        return self
