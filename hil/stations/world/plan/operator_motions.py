"""Motions that an operator leads while they last: jogged, or copied from frames or a recording."""

from __future__ import annotations

import math
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from hil.config.fields import AccelerationDeg, Positive, RateDeg, Seconds
from hil.config.settings import Settings

ValueName = Annotated[str, Field(min_length=1, max_length=60)]
FRAME_VALUES_MAX: Final = 128
"""Most values of a frame."""
UNITS: Final = {"rad": 1.0, "deg": math.pi / 180.0, "m": 1.0, "mm": 1e-3}
"""Factor of a copied value's unit to rad or m."""
SLIDING: Final = ("m", "mm")
"""Units of a slide."""


class LedBounds(Settings):
    """Bounds of led joints; a machine's own bounds and its gate hold where they are tighter."""

    speed_deg_s: RateDeg = 90.0
    """Highest speed of each hinge [deg/s]."""
    acceleration_deg_s2: AccelerationDeg = 500.0
    """Highest acceleration of each hinge [deg/s²]."""
    speed_m_s: Annotated[float, Field(gt=0.0, le=10.0)] = 0.25
    """Highest speed of each slide [m/s]."""
    acceleration_m_s2: Positive = 1.0
    """Highest acceleration of each slide [m/s²]."""


class CopyPair(Settings):
    """Value that leads a joint: joint = ratio · value + offset."""

    joint: int | ValueName
    """Number of the joint in the document, or its name."""
    value: ValueName
    """Name of the value."""
    unit: Literal["rad", "deg", "m", "mm"] | None = None
    """Unit of the value; left out, rad for a hinge and m for a slide."""
    ratio: Annotated[float, Field(ge=-100.0, le=100.0)] = 1.0
    """Travel of the joint per travel of the value; negative reverses it."""
    offset_deg: Annotated[float, Field(ge=-720.0, le=720.0)] = 0.0
    """Offset of a hinge [deg]."""
    offset_m: Annotated[float, Field(ge=-20.0, le=20.0)] = 0.0
    """Offset of a slide [m]."""


class CopyMotion(LedBounds):
    """Joints that follow received or recorded values, joint by joint, within their bounds."""

    kind: Literal["copy"]
    """Always ``copy``."""
    source: Literal["recording", "frames"] = "recording"
    """Source of the values: a file, or frames over UDP."""
    file: str = ""
    """CSV file with a column ``t_s`` and one for each value, or a recording of this program,
    in the folder of the scenario, or shipped."""
    listen: str = "127.0.0.1:5577"
    """Address and port where frames are received; one that is not loopback needs `allow`."""
    allow: Annotated[tuple[str, ...], Field(max_length=16)] = ()
    """Addresses that may send; left out: programs of this user on this machine."""
    values: tuple[ValueName, ...] = ()
    """Names of the values of a frame, in their order; left out, ``joint1`` and so on, those of the
    driven joints."""
    map: tuple[CopyPair, ...] = ()
    """Value that leads each joint; left out, each value leads the joint of its name."""
    smoothing_s: Annotated[float, Field(ge=0.01, le=2.0)] = 0.08
    """Time that a joint takes for the last of its travel [s]; it lags by half of it."""
    stale_s: Annotated[float, Field(ge=0.01, le=10.0)] = 0.1
    """Longest time without values [s]; then the joints stop and hold until new ones come."""
    duration_s: Seconds | None = None
    """Longest duration [s]; left out, it ends with the recording, or when somebody stops it."""

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
    """Step of a script: leads a joint, or the tool along or about an axis, or waits."""

    for_s: Seconds
    """Duration of the step [s]."""
    joint: int | ValueName | None = None
    """Number or name of the joint."""
    axis: Literal["x", "y", "z", "about_x", "about_y", "about_z"] | None = None
    """Axis of the tool, in the axes of the motion; those of the world if it is jogged by joints."""
    share: Annotated[float, Field(ge=-1.0, le=1.0)] = 1.0
    """Share of the full speed; negative the other way."""

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
    """Steps in their order."""


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
    """Age from which a command is ignored [s]."""


class JogMotion(LedBounds):
    """Operator who leads the robot's joints or tool; released, it comes to rest."""

    kind: Literal["jog"]
    """Always ``jog``."""
    axes: Literal["joints", "tool", "world"] = "joints"
    """Led axes: up to six joints, or the tool along and about its own axes or the world's."""
    joints: tuple[int | ValueName, ...] = ()
    """Numbers or names of the joints that keys and handles lead; left out, the first six driven."""
    end: int | None = None
    """Number of the end joint whose place is the tool; the robot's first one if left out."""
    by: Annotated[ScriptSettings | KeysSettings | HandlesSettings, Field(discriminator="kind")] = (
        KeysSettings()
    )
    """Input device or script that leads it."""
    jog_deg_s: RateDeg = 20.0
    """Full speed of a led hinge [deg/s]."""
    jog_m_s: Annotated[float, Field(gt=0.0, le=10.0)] = 0.05
    """Full speed of a led slide [m/s]."""
    tool_m_s: Annotated[float, Field(gt=0.0, le=10.0)] = 0.1
    """Full speed of the tool [m/s]."""
    tool_m_s2: Positive = 0.5
    """Acceleration of the tool [m/s²]."""
    turn_deg_s: RateDeg = 20.0
    """Full turn rate of the tool [deg/s]."""
    turn_deg_s2: AccelerationDeg = 100.0
    """Angular acceleration of the tool [deg/s²]."""
    duration_s: Seconds | None = None
    """Longest duration [s]; left out, it ends with its operator or its script."""

    @model_validator(mode="after")
    def _is_six_at_most(self) -> Self:
        if len(self.joints) > 6 or len(set(self.joints)) != len(self.joints):
            raise ValueError("joints: at most six, each once: there are six keys and handles")
        return self
