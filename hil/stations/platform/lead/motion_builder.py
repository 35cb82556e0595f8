"""Builder of a new motion while the old one is played.

One stage per cycle, so that no cycle has much to do. The desk has proved the motion; remaining
faults of it are reported, never raised.
"""

import math
from collections import defaultdict
from dataclasses import dataclass
from enum import Enum

import numpy as np
import orjson
from pydantic import ValidationError

from hil.config.settings import ConfigError
from hil.machines.rig.settings import Rig
from hil.stations.platform.lead.path_check import spacing_of
from hil.stations.platform.lead.paths import Played
from hil.stations.platform.motion.moves import MoveLimits
from hil.stations.platform.motion.source import AXES, Floats
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import MultiSineSettings, Plan

PEAK_RATE = 1.875
"""Greatest slope of the quintic from 0 to 1, by its length."""
PEAK_SECOND = 10.0 / 3.0**0.5
"""Greatest second derivative of the quintic from 0 to 1, by its length squared."""


class BuildStage(Enum):
    """Next step of the work."""

    IDLE = "idle"
    READ = "read"
    MAKE = "make"
    FADE = "fade"


@dataclass(frozen=True, slots=True, eq=False)
class BuiltMotion:
    """Motion that can be taken."""

    serial: int
    """Number of the motion."""
    motion: Played | None
    """Motion in rows; None if it is refused."""
    settings: MultiSineSettings | None
    """Settings that it was made from."""
    fade_s: float
    """Length of the passage to it [s]."""
    apart_s: float
    """Time between two checked places of the passage [s]."""
    refused: str = ""
    """Reason why there is none; then the rest means nothing."""


class MotionBuilder:
    """Builder of the newest of the motions that are offered.

    Args:
        plan: scenario and rig; its motion is in force at first.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._stage = BuildStage.IDLE
        self._serial = 0
        self._json = b""
        self._settings: MultiSineSettings | None = None
        self._motion: Played | None = None

    @property
    def serial(self) -> int:
        """Number of the newest motion that was offered."""
        return self._serial

    @property
    def busy(self) -> bool:
        """Whether a motion is in work."""
        return self._stage is not BuildStage.IDLE

    def offer(self, serial: int, table: bytes) -> None:
        """Begin with a new motion; one in work is dropped.

        Args:
            table: ``[motion]`` table as JSON.
        """
        self._serial, self._json = serial, table
        self._stage = BuildStage.READ

    def step(self, in_force: object) -> BuiltMotion | None:
        """Do one stage; return the motion, or a refusal, when it is done.

        Args:
            in_force: settings of the motion that is played, from which the passage begins.
        """
        if self._stage is BuildStage.IDLE:
            return None
        try:
            if self._stage is BuildStage.READ:
                self._settings = self._read(in_force)
                self._stage = BuildStage.MAKE
                return None
            if self._stage is BuildStage.MAKE:
                self._motion = self._make()
                self._stage = BuildStage.FADE
                return None
            made = self._faded(in_force)
        except (ConfigError, ValidationError, ValueError) as error:
            why = " ".join(str(error).split())
            made = BuiltMotion(self._serial, None, None, 0.0, 0.0, why)
        self._stage = BuildStage.IDLE
        return made

    def _read(self, in_force: object) -> MultiSineSettings:
        if not isinstance(in_force, MultiSineSettings):
            kind = getattr(in_force, "kind", "?")
            raise ValueError(f"kind = {kind!r} is in force: only multi_sine can be changed live")
        table = orjson.loads(self._json)
        kind = table.get("kind") if isinstance(table, dict) else None
        if kind != "multi_sine":
            raise ValueError(f"kind = {kind!r}: only multi_sine can be taken live")
        return MultiSineSettings.model_validate_json(self._json)

    def _make(self) -> Played:
        scenario = self._plan.scenario.model_copy(update={"motion": self._settings})
        return Played(motion_of(self._plan.model_copy(update={"scenario": scenario})))

    def _faded(self, in_force: object) -> BuiltMotion:
        settings, rig = self._settings, self._plan.rig
        if settings is None or not isinstance(in_force, MultiSineSettings):
            raise ValueError("it was not read")
        change = greatest_change(in_force, settings, rig)
        fade_s = max(settings.fade_s, shortest_fade_s(change, rig.slow_moves.limits()))
        apart_s = spacing_of(greatest_second(in_force, settings, change, fade_s))
        return BuiltMotion(self._serial, self._motion, settings, fade_s, apart_s)


def greatest_change(old: MultiSineSettings, new: MultiSineSettings, rig: Rig) -> Floats:
    """Greatest distance between two motions in each coordinate [m, rad], shape (6,).

    Sines of the same axis, frequency and phase stay in step, so only their amplitudes differ.
    """
    sums: dict[tuple[str, float, float], float] = defaultdict(float)
    for settings, sign in ((old, -1.0), (new, 1.0)):
        for term in settings.terms:
            amplitude = settings.amplitude_si(term)
            sums[term.axis, term.frequency_hz, term.phase_deg] += sign * amplitude
    neutral = [(one.neutral or rig.neutral).coordinates() for one in (old, new)]
    change = np.abs(neutral[1] - neutral[0])
    for (axis, _, _), amplitude in sums.items():
        change[AXES.index(axis)] += abs(amplitude)
    return change


def greatest_second(
    old: MultiSineSettings, new: MultiSineSettings, change: Floats, fade_s: float
) -> float:
    """Bound of the second derivative of any coordinate in a passage [m/s2, rad/s2].

    With the window u of the passage, x = (1 - u) old + u new, so
    x'' = (1 - u) old'' + u new'' + 2 u' (new' - old') + u'' (new - old).

    Args:
        old: settings of the motion that is left.
        new: settings of the motion that is taken.
        change: greatest distance where both are played [m, rad], shape (6,).
    """
    sums = [_bounds(one) for one in (old, new)]
    # Amid a lead-in they may be further apart than where equal sines are in step.
    apart = change + sums[0][0] + sums[1][0]
    second = np.maximum(sums[0][2], sums[1][2])
    second += 2.0 * PEAK_RATE / fade_s * (sums[0][1] + sums[1][1])
    second += PEAK_SECOND / (fade_s * fade_s) * apart
    return float(second.max())


def _bounds(settings: MultiSineSettings) -> Floats:
    """Bounds of deviation, its rate and second derivative, lead-in included, shape (3, 6)."""
    bounds = np.zeros((3, 6))
    for term in settings.terms:
        amplitude = settings.amplitude_si(term)
        omega = 2.0 * math.pi * term.frequency_hz
        bounds[:, AXES.index(term.axis)] += abs(amplitude) * np.array([1.0, omega, omega * omega])
    slope, bend = PEAK_RATE / settings.fade_s, PEAK_SECOND / settings.fade_s**2
    bounds[2] += 2.0 * slope * bounds[1] + bend * bounds[0]
    bounds[1] += slope * bounds[0]
    return bounds


def shortest_fade_s(change: Floats, limits: MoveLimits) -> float:
    """Shortest passage [s] whose added motion keeps the slow moves' bounds.

    Args:
        change: greatest distance of the motions [m, rad], shape (6,).
    """
    shortest_s = 0.0
    for apart, speed, second in (
        (change[:3], limits.speed_m_s, limits.acceleration_m_s2),
        (change[3:], limits.angular_speed_rad_s, limits.angular_acceleration_rad_s2),
    ):
        distance = float(np.linalg.norm(apart))
        by_rate, by_second = PEAK_RATE * distance / speed, (PEAK_SECOND * distance / second) ** 0.5
        shortest_s = max(shortest_s, by_rate, by_second)
    return shortest_s
