"""Table ``[motion]`` of a scenario: the platform's motion."""

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
from hil.stations.platform.motion.motion_plugins import PluginSettings

Axis = Literal["x", "y", "z", "alpha", "beta", "gamma"]
Share = Annotated[float, Field(gt=0.0, le=1000.0)]
"""Factor that keeps the shape of a motion."""


class TranslationTerm(Settings):
    """Sine of one translation: amplitude sin(2π frequency t + phase)."""

    axis: Literal["x", "y", "z"]
    """Coordinate that moves."""
    amplitude_m: Distance
    """Half the stroke of the sine [m]."""
    frequency_hz: Frequency
    """Frequency of the sine [Hz]."""
    phase_deg: float = 0.0
    """Phase at the beginning of the motion [deg]."""


class RotationTerm(Settings):
    """Sine of one rotation: amplitude sin(2π frequency t + phase)."""

    axis: Literal["alpha", "beta", "gamma"]
    """Angle that moves."""
    amplitude_deg: Annotated[float, Field(ge=0.0, le=180.0)]
    """Half the swing of the sine [deg]."""
    frequency_hz: Frequency
    """Frequency of the sine [Hz]."""
    phase_deg: float = 0.0
    """Phase at the beginning of the motion [deg]."""


Term = Annotated[TranslationTerm | RotationTerm, Field(discriminator="axis")]


class MultiSineSettings(Settings):
    """Sums of sines about the neutral pose (Bukharov et al. 2022, eqs. 4-5)."""

    kind: Literal["multi_sine"]
    duration_s: Seconds
    """Duration of the motion at full amplitude [s]."""
    fade_s: FadeSeconds = 2.0
    """Lead-in and lead-out that bring the motion from rest and back, outside ``duration_s``."""
    neutral: PoseSettings | None = None
    """Pose that the sines are about; the rig's neutral pose if absent."""
    terms: Annotated[tuple[Term, ...], Field(min_length=1, max_length=600)]
    """Sines; those of one coordinate are added."""
    scale: Share = 1.0
    """Factor on all amplitudes [1]."""

    def amplitude_si(self, term: Term) -> float:
        """Amplitude with which one of the sines is played [m or rad]."""
        turns = isinstance(term, RotationTerm)
        return self.scale * (math.radians(term.amplitude_deg) if turns else term.amplitude_m)


class MoveTo(Settings):
    """Pose of a move list, with the dwell there."""

    pose: PoseSettings
    """Pose to go to."""
    dwell_s: NotNegative = 0.5
    """Duration of the dwell there [s]."""


class MovesSettings(Settings):
    """Rest-to-rest moves with bounded jerk, within the rig's slow-move limits times ``speed``."""

    kind: Literal["moves"]
    speed: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
    """Share of the rig's slow-move limits, above 0 to 1."""
    start: PoseSettings | None = None
    """Pose that the first move begins at; the rig's neutral pose if absent."""
    to: Annotated[tuple[MoveTo, ...], Field(min_length=1, max_length=10_000)]
    """Poses in order."""
    scale: Share = 1.0
    """Factor on the distance of ``start`` and each pose from the rig's neutral pose [1]."""


class ColumnSettings(Settings):
    """Column of a coordinate in a recorded file: value = unit × scale × (raw - bias)."""

    column: str
    """Heading of the column."""
    unit: Literal["m", "cm", "mm", "um", "in", "ft", "rad", "mrad", "deg", "m_s", "cm_s", "mm_s",
                  "m_s2", "g", "gal"]  # fmt: skip
    """Unit of the numbers in the column; ``m_s``, ``cm_s``, ``mm_s`` are integrated once, ``m_s2``,
    ``g`` and ``gal`` twice."""
    scale: float = 1.0
    """Factor on the recorded value, negative to reverse it [1]."""
    bias: float = 0.0
    """Raw value that means zero, in the column's own unit."""
    file: str = ""
    """File of the column, where each component of a record has its own; left out: the motion's."""


class TimeSettings(Settings):
    """Column of the time in a recorded file."""

    column: str = "t_s"
    """Heading of the column."""
    unit: Literal["s", "ms", "us", "ns", "iso"] = "s"
    """Unit of the numbers in the column; ``iso``: stamps of ISO 8601."""


class RecordedSettings(Settings):
    """A recorded motion (CSV, or PEER's AT2, VT2, DT2), replayed 1:1 about the neutral pose."""

    kind: Literal["recorded"]
    file: str
    """CSV, AT2, VT2 or DT2 file; in the folder of the scenario, or shipped."""
    map: Annotated[dict[Axis, ColumnSettings], Field(min_length=1)]
    """Column of each coordinate; a coordinate left out stays at 0."""
    time: TimeSettings = TimeSettings()
    """Column of the time."""
    neutral: PoseSettings | None = None
    """Pose that the record is added to; the rig's neutral pose if absent."""
    fade_s: FadeSeconds = 2.0
    """Lead-in and lead-out that bring the motion from rest and back [s]."""
    gap_max_s: Positive = 0.25
    """Longest gap between two samples that is bridged [s]; a longer one is refused."""
    rate_hz: Frequency | None = None
    """Rate of the grid to which uneven stamps are resampled [Hz]; the file's median if absent."""
    lowpass_hz: Frequency | None = None
    """Cut-off of a zero-phase low-pass filter [Hz]; unfiltered if absent."""
    highpass_hz: Frequency = HIGHPASS_HZ
    """Cut-off of the zero-phase high-pass of integrated columns [Hz]."""
    scale: Share = 1.0
    """Factor on all coordinates' deviation from the neutral pose, besides those in ``map`` [1]."""


class DiagramSettings(Settings):
    """Motion that a functional diagram draws, computed ahead about the neutral pose.

    Its outputs are deviations from the neutral pose: x, y, z [m], alpha, beta, gamma [rad], as many
    as there are; with ``_rate`` and ``_acceleration`` after the name their derivatives.
    """

    kind: Literal["diagram"]
    diagram: str
    """Diagram file; in the folder of the scenario, or shipped."""
    duration_s: Seconds
    """Duration of the diagram's run, in whole ticks of its own [s]."""
    set: tuple[GivenParameter, ...] = ()
    """Parameters in place of the file's."""
    press: tuple[str, ...] = ()
    """Buttons of the diagram that are pressed, ``NAME@SECONDS`` of its own time, as for
    ``--press``."""
    slide: tuple[str, ...] = ()
    """Sliders and switches that are set, ``NAME=VALUE@SECONDS``, as for ``--slide``."""
    fade_s: FadeSeconds = 2.0
    """Lead-in and lead-out that bring the motion from rest and back, outside ``duration_s``."""
    neutral: PoseSettings | None = None
    """Pose that the outputs are added to; the rig's neutral pose if absent."""


class HoldSettings(Settings):
    """Hold of a pose."""

    kind: Literal["hold"]
    duration_s: Seconds
    """Duration of the hold [s]."""
    neutral: PoseSettings | None = None
    """Pose that is held; the rig's neutral pose if absent."""


class LegMove(Settings):
    """Offsets of the legs from their reference lengths, with the dwell there."""

    offsets_m: LegNumbers
    """Offset of each leg from its length in the parked pose [m]."""
    dwell_s: NotNegative = 0.5
    """Duration of the dwell there [s]."""


class LegMovesSettings(Settings):
    """Legs led one by one or together from the parked platform, for commissioning and jogging.

    Bounded by ``slow_moves`` of the rig times ``speed``, for the fastest leg of each move.
    """

    kind: Literal["legs"]
    speed: Annotated[float, Field(gt=0.0, le=1.0)] = 0.2
    """Share of the rig's slow-move limits, above 0 to 1."""
    to: Annotated[tuple[LegMove, ...], Field(min_length=1, max_length=1000)]
    """Moves in order."""
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
    PluginSettings(),
]
"""Kinds of the bench; those of other distributions have their own models (`motion.offered`)."""
