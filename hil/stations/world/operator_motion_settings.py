"""Motions that somebody leads while they last: jogged, or copied from frames or a recording."""

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
    """CSV file with a column ``t_s`` and one for each value, or a recording of this program,
    in the folder of the scenario, or shipped."""
    listen: str = "127.0.0.1:5577"
    """Address and port where frames are received; not a loopback one needs `allow`."""
    allow: Annotated[tuple[str, ...], Field(max_length=16)] = ()
    """Addresses that may send; left out: programs of this user on this machine."""
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


class JogStep(Settings):
    """One thing that a script does: leads a joint, or the tool along or about an axis, or waits."""

    for_s: Seconds
    """How long."""
    joint: int | ValueName | None = None
    """Number or name of the joint."""
    axis: Literal["x", "y", "z", "about_x", "about_y", "about_z"] | None = None
    """Of the tool, in the axes of the motion, those of the world if it is jogged by joints."""
    share: Annotated[float, Field(ge=-1.0, le=1.0)] = 1.0
    """Of the full speed; negative the other way."""

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if self.joint is not None and self.axis is not None:
            raise ValueError("one of joint and axis is needed, or none, to wait")
        return self


class ScriptSettings(Settings):
    """Steps one after the other; nobody has to hold it."""

    kind: Literal["script"]
    """Always ``script``."""
    steps: tuple[JogStep, ...]
    """In their order."""


class KeysSettings(Settings):
    """Keys of the terminal in which the run was started; it moves while one is held."""

    kind: Literal["keyboard"] = "keyboard"
    """Always ``keyboard``."""


class HandlesSettings(Settings):
    """Handles of a panel, or another process of this machine that knows a token."""

    kind: Literal["remote"]
    """Always ``remote``."""
    listen: str
    """Path of a UNIX socket to make, or ``127.0.0.1:port``."""
    token_file: str
    """File with the token, which only its owner may read."""
    age_max_s: Annotated[float, Field(gt=0.0, le=1.0)] = 0.2
    """Age from which what is wanted is worth nothing."""


class JogMotion(LedBounds):
    """An operator leads the robot: its joints, or its tool; let go, it comes to rest."""

    kind: Literal["jog"]
    """Always ``jog``."""
    axes: Literal["joints", "tool", "world"] = "joints"
    """What is led: up to six joints, or the tool along and about its own axes or the world's."""
    joints: tuple[int | ValueName, ...] = ()
    """Numbers or names of the joints that keys and handles lead; left out, the first six driven."""
    end: int | None = None
    """Number of the end joint whose place is the tool; the robot's first one if left out."""
    by: Annotated[ScriptSettings | KeysSettings | HandlesSettings, Field(discriminator="kind")] = (
        KeysSettings()
    )
    """Who leads it."""
    jog_deg_s: RateDeg = 20.0
    """Full speed of a joint that is led, a hinge."""
    jog_m_s: Annotated[float, Field(gt=0.0, le=10.0)] = 0.05
    """Likewise of a slide."""
    tool_m_s: Annotated[float, Field(gt=0.0, le=10.0)] = 0.1
    """Full speed of the tool."""
    tool_m_s2: Positive = 0.5
    """Its acceleration."""
    turn_deg_s: RateDeg = 20.0
    """Full turn rate of the tool."""
    turn_deg_s2: AccelerationDeg = 100.0
    """Likewise, how fast that changes."""
    duration_s: Seconds | None = None
    """When it ends; left out, when its operator or its script does."""

    @model_validator(mode="after")
    def _is_six_at_most(self) -> Self:
        if len(self.joints) > 6 or len(set(self.joints)) != len(self.joints):
            raise ValueError("joints: at most six, each once: there are six keys and handles")
        return self
