"""Plain goal of a scenario: what must be true of its recorded rows for it to have succeeded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Self

from pydantic import Field, model_validator

from hil.config.errors import Wrong, about
from hil.config.settings import Settings
from hil.config.similar_names import nearest

Time = Annotated[float, Field(ge=0.0, le=1e6)]
Tolerance = Annotated[float, Field(gt=0.0, le=1e6)]
Coordinate = Annotated[float, Field(ge=-1e3, le=1e3)]
Word = Annotated[str, Field(pattern=r"^[a-z][a-z_]{0,30}$")]


class SignalGoal(Settings):
    """A signal of the rows that stays within a band."""

    signal: str
    """Name of the signal, such as ``wrist_force_n``."""
    part: str = ""
    """Part of a signal of several values, such as ``z``; left out, the length of all of them."""
    least: float | None = None
    """Least value, in the signal's unit; left out, none."""
    most: float | None = None
    """Greatest value, in the signal's unit; left out, none."""
    from_s: Time = 0.0
    """Time from which on it is judged [s]."""
    to_s: Time | None = None
    """Time until which it is judged [s]; left out, the end."""
    miss: Word = "force"
    """Word for a value outside."""

    @model_validator(mode="after")
    def _is_band(self) -> Self:
        if self.least is None and self.most is None:
            raise ValueError("least or most is needed")
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(f"least, {self.least:g}, is above most, {self.most:g}")
        return self


class PlaceGoal(Settings):
    """Place of the tool, or of a free body, in the last row."""

    of: str = "tool"
    """``tool``, or a free body of the scene."""
    x_m: Coordinate | None = None
    """Wanted coordinate x in the world [m]; left out, any."""
    y_m: Coordinate | None = None
    """Wanted coordinate y in the world [m]; left out, any."""
    z_m: Coordinate | None = None
    """Wanted coordinate z in the world [m]; left out, any."""
    within_mm: Tolerance
    """Greatest distance from the wanted coordinates [mm]."""
    miss: Word = "missed"
    """Word for a place that was not reached, such as ``jammed``."""

    @model_validator(mode="after")
    def _is_some(self) -> Self:
        if self.x_m is None and self.y_m is None and self.z_m is None:
            raise ValueError("one of x_m, y_m, z_m is needed")
        return self


class JointsGoal(Settings):
    """Error of all joints against where they should be, in the last row."""

    within_deg: Tolerance | None = None
    """Greatest error of a hinge [deg]; left out, any."""
    within_mm: Tolerance | None = None
    """Greatest error of a slide [mm]; left out, any."""
    miss: Word = "missed"
    """Word for a greater error."""


class PathGoal(Settings):
    """Deviation of the tool from the straight line between its first place and its last one."""

    within_mm: Tolerance
    """Greatest distance from the line [mm]."""
    miss: Word = "path"
    """Word for a greater distance."""


class Goal(Settings):
    """Goal of a scenario: all that is given must be true."""

    no_contact: bool = False
    """Whether no contact may begin, but those with bodies of `may_touch`."""
    signal: tuple[SignalGoal, ...] = ()
    """Bands of signals."""
    place: tuple[PlaceGoal, ...] = ()
    """Places at the end."""
    joints: JointsGoal | None = None
    """Errors of joints at the end."""
    path: PathGoal | None = None
    """Deviation from a straight line."""


def missing_names(goal: Goal, names: Sequence[str], bodies: Sequence[str]) -> Iterator[Wrong]:
    """Faults of a goal that names what a run's rows do not have.

    Args:
        names: signals of the rows.
        bodies: bodies whose places the rows have.
    """
    for index, one in enumerate(goal.signal):
        if one.signal not in names:
            key = f"goal.signal.{index}.signal"
            hint = nearest(one.signal, names)
            yield about(key, f"{key} = {one.signal!r}: no signal of the rows{hint}")
    for index, one in enumerate(goal.place):
        if one.of not in bodies:
            key, hint = f"goal.place.{index}.of", nearest(one.of, bodies)
            yield about(key, f"{key} = {one.of!r}: neither tool nor a free body{hint}")
