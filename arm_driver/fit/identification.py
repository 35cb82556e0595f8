"""Identify a controller's delay, blend and following error from short strokes and its reports.

Its requests come at one phase of its path, outside the blends: the positions in them give the sum
of the path's delay d and the arm's lag, to a tenth of a millisecond, and nothing else. The first
report at rest comes when the set-point has come to rest, d + h after the request for the last
waypoint (h: half the blend): its time gives that sum. The position in that report is short of the
end by the remaining following error. With a deceleration a = v / 2h this is a half of
a times the second moment of the arm's response, which for critically damped servos is 3/2 of the
lag squared; this separates the lag from the delay.

Friction holds the arm back by a length that does not depend on speed, so two speeds separate it
from the lag. The arm's offset from its waypoints at rest is the same in both directions. All values
come from one least-squares problem; each servo has its lag, d and h are those of the controller.

Not observable, and therefore not identified: the shortest blend and the tolerance that shortens it
at sharp corners (no request falls into a blend), the step of the interpolation, and any dynamics of
the servos beyond the lag: these are declared, or measured externally.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from arm_driver.fit.stroke_fit import StrokeFit, fit_strokes
from arm_driver.fit.strokes import AXES, Stroke

LEAST_STROKES: Final = 4
"""Least number of strokes of each axis: two speeds in two directions."""
LEAST_RATIO: Final = 1.25
"""Least ratio of the larger of two speeds to the smaller."""
UNCERTAIN_SHARE: Final = 0.05
"""Largest ratio of a standard error to its value; a less certain value is refused."""
ARRIVED_S: Final = 0.2e-3
"""Least growth with speed of the remaining distance at rest that counts [s]; usual servos have half
a millisecond and more."""
LATER_S: Final = 2e-3
"""Largest delay of a fast arm within a window behind a slow one [s]."""
BADLY_FIT: Final = {"x": 0.5e-3, "y": 0.5e-3, "z": 0.5e-3, "turn": 5e-3}
"""Root mean square distance from the fitted path above which the model does not fit [m, rad]."""


class NotIdentifiedError(Exception):
    """The strokes do not determine the controller; the text says why."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its standard error, in the same unit."""

    value: float
    error: float

    def __str__(self) -> str:
        """Text for people, in the units of times."""
        return f"{1e3 * self.value:.1f} ± {1e3 * self.error:.1f} ms"


@dataclass(frozen=True, slots=True)
class AxisFollowing:
    """Following of the arm behind its set-point along one axis."""

    lag_s: Estimate
    """Lag behind the set-point at constant speed [s]."""
    friction: Estimate
    """Additional distance behind the set-point at any speed [m or rad]."""
    fastest: float
    """Speed of the fastest stroke [m/s or rad/s]."""
    rms: float
    """Root mean square of the distances of places from the fitted path [m or rad]."""

    @property
    def following_error(self) -> float:
        """Distance of the arm behind its set-point at the fastest stroke's speed [m or rad]."""
        return self.lag_s.value * self.fastest + self.friction.value


@dataclass(frozen=True, slots=True)
class Identified:
    """Values of a controller that strokes identify."""

    path_delay_s: Estimate
    """Time from a waypoint's request until it is the set-point, at the middle of its blend."""
    blend_s: Estimate
    """Duration of the longest blend."""
    axes: dict[str, AxisFollowing]
    """Following of each axis by its name, in the order of `AXES`."""

    @property
    def delay_s(self) -> tuple[float, float]:
        """Time from a waypoint's request until the arm is there: least and largest axis [s]."""
        lags = [axis.lag_s.value for axis in self.axes.values()]
        return self.path_delay_s.value + min(lags), self.path_delay_s.value + max(lags)

    @property
    def lag_s(self) -> float:
        """Lag of the servos, the mean of the axes [s]."""
        return float(np.mean([axis.lag_s.value for axis in self.axes.values()]))


def identify(strokes: Sequence[Stroke], *, period_s: float, step_s: float) -> Identified:
    """Find the values that fit the strokes best.

    Args:
        strokes: For each axis at least `LEAST_STROKES`, in both directions and at two speeds.
        step_s: Time between two poses of the controller's interpolation [s].

    Raises:
        NotIdentifiedError: The strokes do not determine the values, or no values fit them.
    """
    by_axis = {name: [one for one in strokes if one.axis == name] for name in AXES}
    by_axis = {name: some for name, some in by_axis.items() if some}
    if not by_axis:
        raise NotIdentifiedError("there is no stroke")
    for name, some in by_axis.items():
        _check_strokes(name, some, period_s)
    if _waits_for_servos(list(by_axis.values()), period_s):
        raise NotIdentifiedError(
            "the controller waits for its servos at BREAK: at its first word at rest the robot has "
            "arrived, however fast it came, so that neither blend nor lag can be told; switch that "
            "off there (VAL II: NONULL), or declare both"
        )
    fit = fit_strokes(list(by_axis.values()), period_s, step_s)
    if fit is None:
        raise NotIdentifiedError("no delay, blend and lag that a controller could have fit")
    found = _read(fit, tuple(by_axis))
    _check(found)
    return found


def _waits_for_servos(strokes: Sequence[Sequence[Stroke]], period_s: float) -> bool:
    """Whether the first report at rest comes when the arm has arrived, instead of its set-point.

    When the set-point comes to rest, the remaining distance is 3/4 of the lag squared over half the
    blend, times the speed, at a time that no speed changes. A controller that waits until its arm
    is within a window leaves the same distance at any speed, and takes longer at a higher speed.
    """
    if all(_left_by_speed_s(some, period_s) < ARRIVED_S for some in strokes):
        return True
    every = sorted((abs(_speed(one, period_s)), one.rest_s) for one in strokes[0])
    slow, fast = np.array(every[: len(every) // 3]), np.array(every[-(len(every) // 3) :])
    later_s = float(np.median(fast[:, 1]) - np.median(slow[:, 1]))
    spread_s = float(np.hypot(np.std(fast[:, 1]), np.std(slow[:, 1])) / np.sqrt(len(slow)))
    return later_s > max(LATER_S, 4.0 * spread_s)


def _left_by_speed_s(strokes: Sequence[Stroke], period_s: float) -> float:
    """Part of the remaining distance at rest that grows with the speed [s]."""
    speed = np.array([_speed(one, period_s) for one in strokes])
    left = np.array([one.travel - one.rest for one in strokes])
    columns = np.column_stack([speed, np.sign(speed), np.ones_like(speed)])
    return float(np.linalg.lstsq(columns, left)[0][0])


def _speed(stroke: Stroke, period_s: float) -> float:
    """Signed speed of a stroke [m/s or rad/s]."""
    return stroke.travel / (stroke.steps * period_s)


def _read(fit: StrokeFit, names: tuple[str, ...]) -> Identified:
    def estimate(at: int, factor: float = 1.0) -> Estimate:
        return Estimate(factor * float(fit.theta[at]), factor * float(fit.error[at]))

    axes = {
        name: AxisFollowing(
            estimate(fit.lag_at(k)), estimate(fit.friction_at(k)), fit.fastest[k], fit.rms[k]
        )
        for k, name in enumerate(names)
    }
    return Identified(estimate(0), estimate(1, 2.0), axes)


def _check(found: Identified) -> None:
    for name, axis in found.axes.items():
        if axis.rms > BADLY_FIT[name]:
            far, unit = (1e3 * axis.rms, "mm") if name != "turn" else (np.degrees(axis.rms), "deg")
            raise NotIdentifiedError(
                f"along {name} the places told are {far:.2f} {unit} from any path of a delay, a "
                "blend and a lag, root mean square"
            )
    named = {"delay": found.path_delay_s, "blend": found.blend_s}
    named |= {f"lag along {name}": axis.lag_s for name, axis in found.axes.items()}
    for name, one in named.items():
        if not one.error <= UNCERTAIN_SHARE * one.value:
            raise NotIdentifiedError(
                f"{name}: {one} is not determined to {UNCERTAIN_SHARE:.0%} by these strokes; "
                "more of them, or a line whose bytes are read at once, would"
            )


def _check_strokes(name: str, strokes: Sequence[Stroke], period_s: float) -> None:
    """Check that there are enough strokes to determine each axis."""
    if len(strokes) < LEAST_STROKES:
        raise NotIdentifiedError(
            f"along {name} there are {len(strokes)} strokes; {LEAST_STROKES} are the least"
        )
    if len({stroke.travel > 0.0 for stroke in strokes}) < 2:
        raise NotIdentifiedError(f"along {name} all strokes go one way; both senses are needed")
    speeds = [abs(stroke.travel) / (stroke.steps * period_s) for stroke in strokes]
    if max(speeds) < LEAST_RATIO * min(speeds):
        raise NotIdentifiedError(
            f"along {name} all strokes have one speed; without a second, {LEAST_RATIO:g} times as "
            "fast, friction cannot be told from lag"
        )
