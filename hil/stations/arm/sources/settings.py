"""Sources of gripper velocity in TOML, distinguished by `kind`, and their construction."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from hil.config.fields import Length, Seconds
from hil.config.file_search import find_file
from hil.config.settings import Settings
from hil.desk.velocity.gamepad import GamepadSource, HandleShape, open_handles
from hil.desk.velocity.keyboard import KeyboardSource, Terminal
from hil.desk.velocity.listener import own_places
from hil.desk.velocity.remote import RemoteSource
from hil.desk.velocity.source import Frame, VelocitySource
from hil.diagram.run.diagram_use import GivenParameter, change_of
from hil.stations.arm.sources.actions import ActionSettings, presses_of_diagram
from hil.stations.arm.sources.profile import ProfileSource, Segment
from hil.stations.arm.sources.recorded_velocity import RecordedSource
from hil.stations.arm.sources.slew import SlewedSource
from hil.stations.arm.sources.source import ANGULAR_CEILING_RAD_S, LINEAR_CEILING_M_S, SourceLimits
from hil.stations.arm.sources.spiral import Plane, SpiralSource
from sim.world.space_arm.simulator import TICK_S

if TYPE_CHECKING:
    from hil.stations.arm.sources.diagram import VelocityDiagram

Speed = Annotated[float, Field(gt=0.0, le=LINEAR_CEILING_M_S)]
TurnRate = Annotated[float, Field(gt=0.0, le=ANGULAR_CEILING_RAD_S)]
Component = Annotated[float, Field(ge=-LINEAR_CEILING_M_S, le=LINEAR_CEILING_M_S)]
TurnComponent = Annotated[float, Field(ge=-ANGULAR_CEILING_RAD_S, le=ANGULAR_CEILING_RAD_S)]
Text = Annotated[str, Field(min_length=1, max_length=200)]
Hold = Annotated[float, Field(gt=0.0, le=1.0)]
Sign = Literal[-1, 1]
Six = tuple[str, str, str, str, str, str]


class SourceLimitSettings(Settings):
    """The most that a source may ask for: see `hil.stations.arm.sources.source.SourceLimits`."""

    linear_m_s: Speed = 0.05
    """Largest speed [m/s]."""
    angular_rad_s: TurnRate = 0.2
    """Largest turn rate [rad/s]."""
    linear_acceleration_m_s2: Annotated[float, Field(gt=0.0, le=1.0)] = 0.05
    """Largest change of the speed [m/s²]."""
    angular_acceleration_rad_s2: Annotated[float, Field(gt=0.0, le=10.0)] = 0.2
    """Largest change of the turn rate [rad/s²]."""

    def limits(self) -> SourceLimits:
        """Return the limits for a source, in SI."""
        return SourceLimits(**self.model_dump())


PLANNED: Final = ("profile", "recorded", "spiral")
"""Kinds of sources that repeat the same motion; the others are live, but for some diagrams."""


class _SourceSettings(Settings):
    limits: SourceLimitSettings = SourceLimitSettings()
    """The most that it may ask for: a plan above is refused, an operator slowed down."""
    frame: Frame = "gripper"
    """Axes of the velocity: the gripper's own, those of the arm's base, or of the world."""
    actions: tuple[ActionSettings, ...] = Field((), max_length=1000)
    """Clutches, brakes, power and payload of the space arm while it moves."""
    press: tuple[Text, ...] = ()
    """Buttons of actions that are pressed, ``NAME@SECONDS``, as ``--press`` says it; of a diagram
    its own, too."""

    @property
    def planned(self) -> bool:
        """Whether it repeats the same motion, and no operator moves it."""
        return False


class _PlannedSettings(_SourceSettings):
    @property
    def planned(self) -> bool:
        """True: it is planned."""
        return True


class SegmentSettings(Settings):
    """One piece of a programme, from rest to rest."""

    duration_s: Seconds
    """Duration from rest to rest [s]."""
    velocity_m_s: tuple[Component, Component, Component] = (0.0, 0.0, 0.0)
    """Velocity of the gripper between the two edges, along x, y, z [m/s]."""
    rate_rad_s: tuple[TurnComponent, TurnComponent, TurnComponent] = (0.0, 0.0, 0.0)
    """Turn rate between the two edges, about x, y, z [rad/s]."""
    frame: Frame | None = None
    """Axes of this segment; left out: the programme's own."""


class ProfileSourceSettings(_PlannedSettings):
    """A programme of velocities."""

    kind: Literal["profile"]
    edge: Literal["trapezoid", "smoothstep"] = "smoothstep"
    """Edge by which a segment reaches its velocity: evenly, or with a smooth acceleration."""
    segment: tuple[SegmentSettings, ...] = Field(min_length=1, max_length=10_000)
    """The pieces, one after the other."""


class RecordedSourceSettings(_PlannedSettings):
    """A recorded velocity: a CSV file with t_s, vx_m_s to vz_m_s and wx_rad_s to wz_rad_s."""

    kind: Literal["recorded"]
    file: Text
    """The CSV file; a relative path is meant from the scenario's folder."""
    gap_max_s: Seconds = 0.5
    """Longest time between two of its rows [s]."""


class SpiralSourceSettings(_PlannedSettings):
    """A circle or a spiral at constant speed, once through."""

    kind: Literal["spiral"]
    radius_m: tuple[Length, Length]
    """Radius at the beginning and at the end; equal for a circle [m]."""
    turns: Annotated[float, Field(ge=-100.0, le=100.0)] = 1.0
    """Number of turns; below 0 in the other direction."""
    speed_m_s: Speed
    """Speed along the curve, between a smooth beginning and end [m/s]."""
    plane: Plane = "xy"
    """Plane of the curve; it begins on the first of the two axes, seen from its centre."""


class KeyboardSourceSettings(_SourceSettings):
    """The keys of the terminal that the run was started in."""

    kind: Literal["keyboard"]
    hold_s: Hold = 0.2
    """Time for which a key counts as held after each of its characters [s]."""


class GamepadSourceSettings(_SourceSettings):
    """Two three-axis handles on an input device: a gamepad or a SpaceMouse."""

    kind: Literal["gamepad"]
    device: Text
    """Path such as /dev/input/event5, or part of the device's name."""
    axes: Six = ("ABS_Y", "ABS_X", "ABS_HAT0Y", "ABS_HAT0X", "ABS_RY", "ABS_RX")
    """Axes for x, y, z and about x, y, z; a SpaceMouse has REL_X to REL_RZ, or ABS_X to ABS_RZ."""
    signs: tuple[Sign, Sign, Sign, Sign, Sign, Sign] = (-1, -1, -1, 1, 1, -1)
    """Sign of each axis; default: sticks that count down and right, push for +x, left for +y."""
    hold_button: Text = "BTN_TL"
    """Button that must be held for any motion; a SpaceMouse has BTN_0 and BTN_1."""
    dead_zone: Annotated[float, Field(ge=0.0, le=0.5)] = 0.08
    """Deflection up to which nothing is wanted, as a share of the full one."""
    expo: Annotated[float, Field(ge=0.0, le=1.0)] = 0.4
    """Share of the cubic in the handles' curve: 0 is straight, 1 finest at the centre."""


class RemoteSourceSettings(_SourceSettings):
    """Velocities that another process of this machine writes."""

    kind: Literal["remote"]
    listen: Text
    """Path of a UNIX socket to make, or 127.0.0.1:port."""
    token_file: Text
    """File with the token that a writer must know, of mode 0600."""
    age_max_s: Hold = 0.2
    """Age from which a set-point is worth nothing [s]."""


OperatorSettings = KeyboardSourceSettings | GamepadSourceSettings | RemoteSourceSettings


class DiagramSourceSettings(_SourceSettings):
    """Velocities that a functional diagram makes: of what an operator asks, or by itself."""

    kind: Literal["diagram"]
    file: Text
    """Diagram file with the outputs ``linear`` and ``angular``; a relative path: beside the
    scenario, then a shipped one."""
    set: tuple[GivenParameter, ...] = ()
    """Parameters in place of the file's."""
    slide: tuple[Text, ...] = ()
    """Sliders and switches that are set, ``NAME=VALUE@SECONDS``, as ``--slide`` says it."""
    by: Annotated[OperatorSettings, Field(discriminator="kind")] | None = None
    """Operator who moves it: the diagram's inputs are ``linear_asked`` and ``angular_asked``. Left
    out, the diagram has no inputs and draws the motion by itself."""
    duration_s: Seconds | None = None
    """Duration of a motion that it draws by itself [s]."""

    @property
    def planned(self) -> bool:
        """Whether it draws its motion by itself."""
        return self.by is None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.by is None) == (self.duration_s is None):
            raise ValueError(
                "by for an operator, or duration_s for a motion by itself: one of both"
            )
        return self


ArmSourceSettings = Annotated[
    ProfileSourceSettings
    | RecordedSourceSettings
    | SpiralSourceSettings
    | KeyboardSourceSettings
    | GamepadSourceSettings
    | RemoteSourceSettings
    | DiagramSourceSettings,
    Field(discriminator="kind"),
]


def make_source(
    settings: ArmSourceSettings,
    *,
    now_s: Callable[[], float],
    scenario: Path,
    keyboard_fd: int | None = None,
    diagram: "VelocityDiagram | None" = None,
    press: Callable[[int], object] | None = None,
) -> VelocitySource:
    """Make a source; it holds its terminal, device or socket until it is closed.

    Args:
        scenario: its file, in whose folder its files are.
        now_s: monotonic time [s]; for `remote` that of this machine's CLOCK_MONOTONIC.
        diagram: of the settings, if it is at hand.
        press: told the number of the action's button that is pressed at a keyboard, from 1.

    Raises:
        SourceError: a programme or recording that asks too much.
        SourceUnavailableError: a device, package, file or port that is not there, and the remedy.
    """
    limits = settings.limits.limits()
    if isinstance(settings, ProfileSourceSettings):
        return _profile(settings, limits)
    if isinstance(settings, RecordedSourceSettings):
        path = find_file(
            settings.file, beside=scenario, folder="motions", key="source.file", ending=".csv"
        )
        return RecordedSource(path, limits, settings.frame, settings.gap_max_s)
    if isinstance(settings, SpiralSourceSettings):
        return SpiralSource(
            settings.radius_m, settings.turns, settings.speed_m_s, settings.plane, limits,
            settings.frame, TICK_S,
        )  # fmt: skip
    if isinstance(settings, DiagramSourceSettings):
        made = diagram_of(settings, scenario) if diagram is None else diagram
        return _drawn(settings, made, limits, now_s, scenario, keyboard_fd, press)
    live = _live(settings, limits, now_s, scenario, keyboard_fd, press)
    return SlewedSource(live, limits)


def diagram_of(
    settings: DiagramSourceSettings, scenario: Path, fixed: str = ""
) -> "VelocityDiagram":
    """Return the diagram of a source.

    Args:
        fixed: why its structure stays what it is while it runs; empty if it may change.

    Raises:
        ConfigError: if its file is not there.
        SourceError: with a line for each fault.
    """
    from hil.stations.arm.sources.diagram import velocity_diagram  # seldom needed

    path = find_file(settings.file, beside=scenario, folder="diagrams", key="source.file")
    return velocity_diagram(
        path, change_of(settings.set), settings.limits.limits(),
        is_operated=settings.by is not None,
        press=presses_of_diagram(settings.actions, settings.press), slide=settings.slide,
        fixed=fixed,
    )  # fmt: skip


def _drawn(
    settings: DiagramSourceSettings,
    made: "VelocityDiagram",
    limits: SourceLimits,
    now_s: Callable[[], float],
    scenario: Path,
    keyboard_fd: int | None,
    press: Callable[[int], object] | None,
) -> VelocitySource:
    from hil.stations.arm.sources.diagram import (  # seldom needed
        DrawnSource,
        OperatedSource,
        seen_from_outside,
    )

    if settings.by is None:
        return DrawnSource(made, settings.duration_s or 0.0, limits, settings.frame)
    live = _live(settings.by, limits, now_s, scenario, keyboard_fd, press)
    return SlewedSource(OperatedSource(live, made, seen_from_outside(made)), limits)


def _profile(settings: ProfileSourceSettings, limits: SourceLimits) -> ProfileSource:
    segments: list[Segment] = []
    for each in settings.segment:
        velocity_m_s, rate_rad_s = np.array(each.velocity_m_s), np.array(each.rate_rad_s)
        frame = each.frame or settings.frame
        segments.append(Segment(each.duration_s, velocity_m_s, rate_rad_s, frame))
    return ProfileSource(segments, limits, settings.edge)


def _live(
    settings: OperatorSettings,
    limits: SourceLimits,
    now_s: Callable[[], float],
    scenario: Path,
    keyboard_fd: int | None,
    press: Callable[[int], object] | None,
) -> VelocitySource:
    speed, turn = limits.linear_m_s, limits.angular_rad_s
    if isinstance(settings, KeyboardSourceSettings):
        terminal = Terminal(0 if keyboard_fd is None else keyboard_fd)
        return KeyboardSource(
            terminal,
            speed,
            turn,
            now_s=now_s,
            frame=settings.frame,
            hold_s=settings.hold_s,
            press=press,
        )
    if isinstance(settings, GamepadSourceSettings):
        signs = tuple(float(sign) for sign in settings.signs)
        shape = HandleShape(speed, turn, settings.dead_zone, settings.expo, signs)
        handles = open_handles(settings.device, settings.axes, settings.hold_button, now_s=now_s)
        return GamepadSource(handles, shape, settings.frame)
    return RemoteSource(
        *own_places(settings.listen, settings.token_file, scenario),
        now_s=now_s, frame=settings.frame, age_max_s=settings.age_max_s,
    )  # fmt: skip
