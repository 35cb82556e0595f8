"""The ``[motion]`` table of a scenario: what the platform is to do."""

import math
from typing import Annotated, Literal

from pydantic import Field

from hil.config.fields import (
    Distance,
    FadeSeconds,
    Frequency,
    LegNumbers,
    NotNegative,
    Positive,
    Seconds,
)
from hil.config.settings import Settings
from hil.diagram.run.diagram_use import GivenParameter
from hil.machines.rig.settings import PoseSettings
from hil.stations.platform.motion.acceleration import HIGHPASS_HZ
from hil.stations.platform.motion.motion_plugins import OthersToo

Axis = Literal["x", "y", "z", "alpha", "beta", "gamma"]
Share = Annotated[float, Field(gt=0.0, le=1000.0)]
"""Factor that keeps the shape of a motion."""


class TranslationTerm(Settings):
    """One sine of one translation: amplitude sin(2π frequency t + phase)."""

    axis: Literal["x", "y", "z"]
    """Which coordinate moves."""
    amplitude_m: Distance
    """Half the stroke of the sine [m]."""
    frequency_hz: Frequency
    """[Hz]."""
    phase_deg: float = 0.0
    """At the beginning of the motion [deg]."""


class RotationTerm(Settings):
    """One sine of one rotation: amplitude sin(2π frequency t + phase)."""

    axis: Literal["alpha", "beta", "gamma"]
    """Which angle moves."""
    amplitude_deg: Annotated[float, Field(ge=0.0, le=180.0)]
    """Half the swing of the sine [deg]."""
    frequency_hz: Frequency
    """[Hz]."""
    phase_deg: float = 0.0
    """At the beginning of the motion [deg]."""


Term = Annotated[TranslationTerm | RotationTerm, Field(discriminator="axis")]


class MultiSineSettings(Settings):
    """Sums of sines about the neutral pose (Bukharov et al. 2022, eqs. 4-5)."""

    kind: Literal["multi_sine"]
    duration_s: Seconds
    """Of the motion at full amplitude [s]."""
    fade_s: FadeSeconds = 2.0
    """Lead-in and lead-out that bring the motion from rest and back, outside ``duration_s``."""
    neutral: PoseSettings | None = None
    """Pose that the sines swing about; the rig's neutral pose if absent."""
    terms: Annotated[tuple[Term, ...], Field(min_length=1, max_length=600)]
    """The sines; those of one coordinate are added."""
    scale: Share = 1.0
    """Factor on all amplitudes [1]."""

    def amplitude_si(self, term: Term) -> float:
        """The amplitude that one of the sines is played with [m or rad]."""
        turns = isinstance(term, RotationTerm)
        return self.scale * (math.radians(term.amplitude_deg) if turns else term.amplitude_m)


class MoveTo(Settings):
    """One pose of a move list, and how long to stay there."""

    pose: PoseSettings
    """Where to go."""
    dwell_s: NotNegative = 0.5
    """How long to stay there [s]."""


class MovesSettings(Settings):
    """Rest-to-rest moves with bounded jerk, within the rig's slow-move limits times ``speed``."""

    kind: Literal["moves"]
    speed: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
    """Share of the rig's slow-move limits, above 0 to 1."""
    start: PoseSettings | None = None
    """Pose that the first move begins at; the rig's neutral pose if absent."""
    to: Annotated[tuple[MoveTo, ...], Field(min_length=1, max_length=10_000)]
    """The poses, in order."""
    scale: Share = 1.0
    """Factor on how far ``start`` and each pose is from the rig's neutral pose [1]."""


class ColumnSettings(Settings):
    """Where a coordinate stands in a recorded file: value = unit × scale × (raw - bias)."""

    column: str
    """Heading of the column."""
    unit: Literal["m", "cm", "mm", "um", "in", "ft", "rad", "mrad", "deg", "m_s", "cm_s", "mm_s",
                  "m_s2", "g", "gal"]  # fmt: skip
    """Of the numbers in the column; ``m_s``, ``cm_s``, ``mm_s`` are integrated once, ``m_s2``,
    ``g`` and ``gal`` twice."""
    scale: float = 1.0
    """Factor on the recorded value, negative to turn it round [1]."""
    bias: float = 0.0
    """In the column's own unit."""
    file: str = ""
    """File of the column, where each component of a record has its own; left out: the motion's."""


class TimeSettings(Settings):
    """Where the time stands in a recorded file."""

    column: str = "t_s"
    """Heading of the column."""
    unit: Literal["s", "ms", "us", "ns", "iso"] = "s"
    """Of the numbers in the column; ``iso``: stamps of ISO 8601."""


class RecordedSettings(Settings):
    """A recorded motion (CSV, or PEER's AT2, VT2, DT2), replayed 1:1 about the neutral pose."""

    kind: Literal["recorded"]
    file: str
    """CSV, AT2, VT2 or DT2 file; in the folder of the scenario, or shipped."""
    map: Annotated[dict[Axis, ColumnSettings], Field(min_length=1)]
    """Which columns hold which coordinates; a coordinate left out stays at 0."""
    time: TimeSettings = TimeSettings()
    """Where the time stands."""
    neutral: PoseSettings | None = None
    """Pose that the record is added to; the rig's neutral pose if absent."""
    fade_s: FadeSeconds = 2.0
    """Lead-in and lead-out that bring the motion from rest and back [s]."""
    gap_max_s: Positive = 0.25
    """A longer hole between two samples is refused, not bridged."""
    rate_hz: Frequency | None = None
    """Of the uniform grid that uneven time stamps are resampled to; the file's median if absent."""
    lowpass_hz: Frequency | None = None
    """Cut-off of a zero-phase low-pass filter [Hz]; unfiltered if absent."""
    highpass_hz: Frequency = HIGHPASS_HZ
    """Cut-off of the zero-phase high-pass of what is integrated [Hz]."""
    scale: Share = 1.0
    """Factor on all coordinates' deviation from the neutral pose, beside those in ``map`` [1]."""


class DiagramSettings(Settings):
    """A motion that a functional diagram draws, computed ahead about the neutral pose.

    Its outputs are deviations from the neutral pose: x, y, z [m], alpha, beta, gamma [rad], as many
    as there are; with ``_rate`` and ``_acceleration`` behind the name their derivatives.
    """

    kind: Literal["diagram"]
    diagram: str
    """Diagram file; in the folder of the scenario, or shipped."""
    duration_s: Seconds
    """How long the diagram runs, in whole ticks of its own [s]."""
    set: tuple[GivenParameter, ...] = ()
    """Parameters in place of the file's."""
    press: tuple[str, ...] = ()
    """Buttons of the diagram that are pressed, ``NAME@SECONDS`` of its own time, as ``--press``
    says it."""
    slide: tuple[str, ...] = ()
    """Sliders and switches that are set, ``NAME=VALUE@SECONDS``, as ``--slide`` says it."""
    fade_s: FadeSeconds = 2.0
    """Lead-in and lead-out that bring the motion from rest and back, outside ``duration_s``."""
    neutral: PoseSettings | None = None
    """Pose that the outputs are added to; the rig's neutral pose if absent."""


class HoldSettings(Settings):
    """Stand still at a pose."""

    kind: Literal["hold"]
    duration_s: Seconds
    """How long to stand [s]."""
    neutral: PoseSettings | None = None
    """Where to stand; the rig's neutral pose if absent."""


class LegMove(Settings):
    """Offsets of the legs from their reference lengths, and how long to stay there."""

    offsets_m: LegNumbers
    """Of each leg from its length in the parked pose [m]."""
    dwell_s: NotNegative = 0.5
    """How long to stay there [s]."""


class LegMovesSettings(Settings):
    """Legs led one by one or together from the parked platform, for commissioning and jogging.

    Bounded by ``slow_moves`` of the rig times ``speed``, for the fastest leg of each move.
    """

    kind: Literal["legs"]
    speed: Annotated[float, Field(gt=0.0, le=1.0)] = 0.2
    """Share of the rig's slow-move limits, above 0 to 1."""
    to: Annotated[tuple[LegMove, ...], Field(min_length=1, max_length=1000)]
    """The moves, in order."""
    scale: Share = 1.0
    """Factor on all offsets [1]."""


MotionSettings = Annotated[
    MultiSineSettings
    | MovesSettings
    | RecordedSettings
    | DiagramSettings
    | HoldSettings
    | LegMovesSettings,
    Field(discriminator="kind"),
    OthersToo(),
]
"""Ours; what other distributions offer has models of its own (`motion.offered`)."""
