"""Changes that let more of a motion fit: bias, fade, low-pass, axes turned, in this order.

Each is taken only while the motion does not fit in full, and only if it lets it be larger.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from hil.config.errors import MotionError
from hil.stations.platform.fit.bounds import MotionBounds, ScaleLimit
from hil.stations.platform.motion.columns import units_of
from hil.stations.platform.motion.fade import FadedMotion
from hil.stations.platform.motion.lowpass import lowpass
from hil.stations.platform.motion.recorded_motion import RecordedMotion
from hil.stations.platform.motion.source import AXES, Floats
from hil.stations.platform.plan.motion_settings import Axis, MultiSineSettings, RecordedSettings

GAIN: Final = 1.05
"""Least factor by which a change of place or of fades must enlarge the motion."""
GREAT_GAIN: Final = 1.10
"""Least factor by which a change that is felt must: another direction, a low-pass."""
FADE_FACTORS: Final = (2.0, 4.0, 8.0, 0.5, 0.25)
FADE_MAX_S: Final = 60.0
"""Longest fade of a scenario [s]."""
CUTOFFS_HZ: Final = (
    100.0, 80.0, 63.0, 50.0, 40.0, 31.5, 25.0, 20.0, 16.0, 12.5, 10.0, 8.0, 6.3, 5.0, 4.0, 3.15,
    2.5, 2.0, 1.6, 1.25, 1.0,
)  # fmt: skip
"""Cut-off frequencies [Hz]: preferred frequencies of ISO 266."""
ENOUGH: Final = 0.98
"""Share of the lowest cut-off's effect that a higher one must have."""
REMOVED_MAX: Final = 0.05
"""Share of a coordinate's motion (rms) that a low-pass may remove."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Settings, their motion, and its largest scale."""

    settings: RecordedSettings | MultiSineSettings
    motion: FadedMotion
    limit: ScaleLimit


class Steps:
    """Changes for one rig.

    Args:
        made: makes a motion from settings that are not of a recording.
    """

    def __init__(
        self, bounds: MotionBounds, made: Callable[[MultiSineSettings], FadedMotion]
    ) -> None:
        self._bounds = bounds
        self._made = made

    def candidate(
        self, settings: RecordedSettings | MultiSineSettings, motion: FadedMotion
    ) -> Candidate:
        """Candidate of settings and their motion."""
        return Candidate(settings, motion, self._bounds.largest(motion))

    def best(self, now: Candidate) -> Candidate:
        """Apply one change after the other, as long as the motion does not fit in full."""
        for step, gain in (
            (self._biased, GAIN),
            (self._faded, GAIN),
            (self._filtered, GREAT_GAIN),
            (self._turned, GREAT_GAIN),
        ):
            if 0.0 < now.limit.scale < 1.0:
                now = _better(now, step(now), gain)
        return now

    def _recorded(
        self, settings: RecordedSettings, samples: Floats, like: RecordedMotion
    ) -> Iterator[Candidate]:
        """Yield one candidate, or none if such a motion cannot be made."""
        try:
            motion = RecordedMotion(samples, like.step_s, like.neutral, settings.fade_s)
        except MotionError:
            return
        yield self.candidate(settings, motion)

    def _biased(self, now: Candidate) -> Iterator[Candidate]:
        """Shift it to its first sample, or to the middle of its range."""
        settings, motion = now.settings, now.motion
        if not (isinstance(settings, RecordedSettings) and isinstance(motion, RecordedMotion)):
            return
        samples = motion.samples()
        for centre in (samples[0], 0.5 * (samples.min(axis=0) + samples.max(axis=0))):
            columns, moved = dict(settings.map), samples.copy()
            for axis, column in settings.map.items():
                number = AXES.index(axis)
                unit = settings.scale * column.scale * units_of(axis).get(column.unit, 0.0)
                span = float(np.ptp(samples[:, number]))
                if unit == 0.0 or abs(centre[number]) <= REMOVED_MAX * span:
                    continue
                bias = _rounded(column.bias + float(centre[number]) / unit, span / abs(unit))
                moved[:, number] -= unit * (bias - column.bias)
                columns[axis] = column.model_copy(update={"bias": bias})
            if columns != settings.map:
                new = settings.model_copy(update={"map": columns})
                yield from self._recorded(new, moved, motion)

    def _faded(self, now: Candidate) -> Iterator[Candidate]:
        """Lead it in and out more slowly, or more quickly, if the leads do not fit."""
        motion, settings, t_s = now.motion, now.settings, now.limit.t_s
        if motion.lead_in_s <= t_s <= motion.duration_s - motion.lead_out_s:
            return
        for factor in FADE_FACTORS:
            fade_s = round(settings.fade_s * factor, 3)
            if not 0.0 < fade_s <= FADE_MAX_S:
                continue
            changed = {"fade_s": fade_s}
            if isinstance(settings, MultiSineSettings):
                new = settings.model_copy(update=changed)
                yield self.candidate(new, self._made(new))
            elif isinstance(motion, RecordedMotion):
                new = settings.model_copy(update=changed)
                yield from self._recorded(new, motion.samples(), motion)

    def _filtered(self, now: Candidate) -> Iterator[Candidate]:
        """Pass it through the highest low-pass with enough effect that removes little."""
        settings, motion = now.settings, now.motion
        if not (isinstance(settings, RecordedSettings) and isinstance(motion, RecordedMotion)):
            return
        if not now.limit.by_rate:
            return
        samples = motion.samples()

        def through(cutoff_hz: float) -> list[Candidate]:
            new = settings.model_copy(update={"lowpass_hz": cutoff_hz})
            return [*self._recorded(new, lowpass(samples, motion.step_s, cutoff_hz), motion)]

        cutoffs = _harmless_cutoffs(samples, motion.step_s, settings.lowpass_hz)
        best = through(cutoffs[-1]) if cutoffs else []
        if not best:
            return
        enough = min(1.0, ENOUGH * best[0].limit.scale)
        first, last = 0, len(cutoffs) - 1  # the higher the cut-off, the smaller the motion
        while first < last:
            middle = (first + last) // 2
            found = through(cutoffs[middle])
            if found and found[0].limit.scale >= enough:
                best, last = found, middle
            else:
                first = middle + 1
        yield from best

    def _turned(self, now: Candidate) -> Iterator[Candidate]:
        """Turn it about the base's z by quarters; left out where the map cannot say it exactly."""
        settings, motion = now.settings, now.motion
        if not (isinstance(settings, RecordedSettings) and isinstance(motion, RecordedMotion)):
            return
        if {"beta", "gamma"} <= settings.map.keys() or np.any(motion.neutral[4:] != 0.0):
            return
        samples = motion.samples()
        for _ in range(3):
            settings, samples = quarter_turned(settings, samples)
            yield from self._recorded(settings, samples, motion)


_QUARTER: Final[dict[Axis, tuple[Axis, float]]] = {
    "x": ("y", -1.0), "y": ("x", 1.0), "gamma": ("beta", -1.0), "beta": ("gamma", 1.0)
}  # fmt: skip
"""Quarter turn about the base's z: source and sign of each coordinate."""


def quarter_turned(settings: RecordedSettings, samples: Floats) -> tuple[RecordedSettings, Floats]:
    """Recorded motion turned by a quarter about the base's z, and its samples.

    M = Rz(alpha) Ry(beta) Rx(gamma): alpha stays, and beta and gamma change places, exactly so
    where only one of them moves about 0.
    """
    columns = {axis: one for axis, one in settings.map.items() if axis not in _QUARTER}
    turned = samples.copy()
    for axis, (source, sign) in _QUARTER.items():
        turned[:, AXES.index(axis)] = sign * samples[:, AXES.index(source)]
        if (one := settings.map.get(source)) is not None:
            columns[axis] = one.model_copy(update={"scale": sign * one.scale})
    columns = dict(sorted(columns.items(), key=lambda item: AXES.index(item[0])))
    return settings.model_copy(update={"map": columns}), turned


def _better(now: Candidate, others: Iterator[Candidate], gain: float) -> Candidate:
    """First candidate that fits in full, else the one that is clearly larger."""
    best = now
    for one in others:
        if one.limit.scale >= 1.0:
            return one
        if one.limit.scale > max(best.limit.scale, gain * now.limit.scale):
            best = one
    return best


def _harmless_cutoffs(samples: Floats, step_s: float, in_force_hz: float | None) -> list[float]:
    """Cut-offs that remove little of the motion, highest first [Hz]."""
    highest = min(0.4 / step_s, in_force_hz or math.inf)
    found: list[float] = []
    for cutoff_hz in CUTOFFS_HZ:
        if cutoff_hz >= highest:
            continue
        removed = samples - lowpass(samples, step_s, cutoff_hz)
        for kind in (slice(0, 3), slice(3, 6)):
            whole = float(np.linalg.norm(samples[:, kind] - samples[:, kind].mean(axis=0)))
            if float(np.linalg.norm(removed[:, kind])) > REMOVED_MAX * whole:
                return found
        found.append(cutoff_hz)
    return found


def _rounded(value: float, span: float) -> float:
    """Round to a thousandth of a span, or to a millionth."""
    digits = min(3 - math.floor(math.log10(span)), 6) if span > 0.0 else 6
    return round(value, digits) + 0.0
