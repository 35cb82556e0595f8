"""A jointed robot's gate: passes setpoints, or brings all axes to rest and keeps them there.

Nothing is clipped. The gate computes speeds and accelerations itself, as differences of passed
setpoints; where an axis has bounds, the requested speeds and accelerations must satisfy them too,
because a law follows them. An axis passes only if it can still stop before its limit. The first
violation begins a controlled stop: all axes slow down together, each at most at its
`RobotAxis.stop`, then hold; only `reset`, a person's act, opens the gate again. If a measured value
violated a rule, the stop begins from the measured positions and speeds; a measured speed that
violates its bound later restarts the stop from there, once. If the axes do not follow their stop,
or are not measured, the drives are switched off. A stop is made by the gate's own law.

Free axes are judged by what is measured of them (`safety.free_axes`), and stop each by itself.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from safety.free_axes import (
    acceleration_violations,
    free_lags,
    place_violations,
    reference_speed,
    stop_alone,
)
from safety.robot_limits import (
    RobotAction,
    RobotAxis,
    RobotCheck,
    RobotFound,
    RobotLimits,
    RobotSetpoint,
    RobotVerdict,
    RobotViolation,
    Values,
    axis_violation,
)

ROUNDING = 1e-9
"""Rounding error of positions [rad] or [m], far below any encoder."""
REST_SPEED = 1e-3
"""Speed below which an axis counts as at rest when the gate opens [rad/s] or [m/s]."""
OVERSHOOT = 1.1
"""Ratio to a limit of speed or effort that measured values may reach, swings included."""
REST_S = 1e-200
"""Duration below which a stop is none: its inverse is no number to count with [s]."""
BESIDE = "asked for beside its positions"
BY_LAW = "asked for by its law"


class RobotWatched(NamedTuple):
    """Watches that are active after an action of the gate."""

    feedback: bool
    """The measured values are present and finite."""
    following: bool
    """Each axis is near its setpoint."""
    measured: bool
    """Measured speed and effort, the tool's box, and the robot's own bodies are within bounds."""
    asked: bool
    """The setpoint and the efforts of the drives; where they are not judged, nothing passes."""


WATCHED: Final[Mapping[RobotAction, RobotWatched]] = MappingProxyType({
    RobotAction.PASSED: RobotWatched(feedback=True, following=True, measured=True, asked=True),
    RobotAction.STOPPING: RobotWatched(feedback=True, following=True, measured=True, asked=False),
    RobotAction.HOLDING: RobotWatched(feedback=True, following=True, measured=True, asked=False),
    RobotAction.OFF: RobotWatched(feedback=False, following=False, measured=False, asked=False),
})  # fmt: skip
"""Watches after the last action of the gate, which looks them up here."""


@dataclass(frozen=True, slots=True)
class RobotGateState:
    """The complete state of a gate, with one value for each axis in order."""

    action: RobotAction
    """Last action."""
    positions: Values
    """Last allowed setpoint [rad] or [m]; of a free axis its last measured position."""
    speeds: Values
    """Speeds of that setpoint [rad/s] or [m/s]; of a free axis its measured speed, which it follows
    with the bound of its acceleration."""
    braking: Values
    """Decelerations of the stop in progress; empty before the first stop."""
    left_s: float
    """Remaining duration of that stop [s]."""
    lags: Values = ()
    """Lag of each axis that its stop allows besides its following error [rad] or [m]; empty for
    none."""


class RobotGate:
    """Judges one setpoint a period; closed until `reset` has accepted a start."""

    def __init__(self, limits: RobotLimits) -> None:
        self._limits = limits
        self._free_axes: Final = [(at, axis) for at, axis in enumerate(limits.axes) if axis.free]
        self._some_free: Final = bool(self._free_axes)
        self._some_fast: Final = any(axis.speed is not None for axis in limits.axes)
        """Whether some axis has a bound of speed."""
        self._some_strong: Final = any(axis.effort is not None for axis in limits.axes)
        """Whether some axis has a bound of effort."""
        self._led: Final = [at for at, axis in enumerate(limits.axes) if not axis.free]
        """Places of the axes that are not free: their setpoints are judged."""
        self._action = RobotAction.OFF
        self._positions: Values = ()
        self._speeds: Values = ()
        self._braking: Values = ()
        self._left_s = 0.0
        self._lags: Values = (0.0,) * len(limits.axes)
        self._known: frozenset[tuple[RobotCheck, str, str]] = frozenset()
        """Rules that the last measured values violated."""
        self._restarted = False
        """Whether the stop was restarted because measured axes were too fast. This is done once:
        each restart would hold the axes where they have sagged to, and they would creep."""

    @property
    def limits(self) -> RobotLimits:
        """Limits that it judges by."""
        return self._limits

    @property
    def action(self) -> RobotAction:
        """Last action of the gate."""
        return self._action

    def state(self) -> RobotGateState:
        """The complete state of the gate."""
        return RobotGateState(
            self._action, self._positions, self._speeds, self._braking, self._left_s, self._lags
        )

    def resume(self, state: RobotGateState) -> None:
        """Continue from the state of a gate with the same number of axes, with this gate's limits.

        The gate is not opened further than the other gate was.

        Raises:
            ValueError: if it is of another number of axes, or not finite.
        """
        count = len(self._limits.axes)
        lags, left_s = state.lags, (state.left_s,) * count
        for values in (state.positions, state.speeds, state.braking, lags, left_s):
            if len(values) not in {count, 0} or not all(map(math.isfinite, values)):
                raise ValueError(f"state of a gate {values}: {count} finite values are needed")
        if state.action is not RobotAction.OFF and len(state.positions) != count:
            raise ValueError(f"state of an open gate without {count} positions")
        self._action, self._left_s = state.action, state.left_s
        self._positions, self._speeds = tuple(state.positions), tuple(state.speeds)
        self._braking, self._lags = tuple(state.braking), tuple(lags) or (0.0,) * count

    def reset(self, found: RobotFound) -> tuple[RobotViolation, ...]:
        """Accept a start at rest, and open; an operator's act, never a program's own.

        Returns:
            Reason why it stays closed; empty if it is open now.
        """
        self._action = RobotAction.OFF
        broken = self._malformed(RobotCheck.FEEDBACK, found.positions, found.speeds)
        if not broken:
            broken += self._outside(found.positions, "at the start")
            for axis, speed in zip(self._limits.axes, found.speeds, strict=True):
                if abs(speed) > REST_SPEED:
                    unit = f"{axis.unit}/s"
                    note = "at the start, which is at rest"
                    broken.append(
                        RobotViolation(RobotCheck.SPEED, axis.name, speed, REST_SPEED, unit, note)
                    )
        if not broken:
            self._action = RobotAction.PASSED
            self._positions = tuple(found.positions)
            self._speeds = (0.0,) * len(self._positions)
            self._lags = (0.0,) * len(self._positions)
            self._known = frozenset()
            self._restarted = False
        return tuple(broken)

    def step(
        self, asked: RobotSetpoint | None, found: RobotFound, *, stop: str = ""
    ) -> RobotVerdict:
        """Judge a setpoint, or continue with a stop.

        Args:
            asked: the setpoint; None if there is none, which is a reason to stop.
            found: the last measured values.
            stop: reason of a requested stop; empty if none is requested.
        """
        if self._action is RobotAction.OFF:
            return RobotVerdict(RobotAction.OFF, (), None)
        watched, stopping = WATCHED[self._action], self._action is not RobotAction.PASSED
        if watched.feedback:
            lost = self._malformed(RobotCheck.FEEDBACK, found.positions, found.speeds)
            if lost:
                return self._off(lost)
        freely = [] if stopping or not self._some_free else self._freely(found)
        strayed = self._strayed(found) if watched.following else []
        if strayed and stopping:
            return self._off(strayed)
        measured = strayed + (self._measured(found) if watched.measured else []) + freely
        known = self._known
        self._known = frozenset([(one.check, one.axis, one.note) for one in measured])
        if stopping:
            new = [one for one in measured if (one.check, one.axis, one.note) not in known]
            if self._restarted or not any(one.check is RobotCheck.SPEED for one in new):
                return self._stopped(new)
            self._restarted = True
            return self._begin_stop(new, found)
        if measured:
            return self._begin_stop(measured, found)
        if not watched.asked:
            return self._begin_stop([], None)
        if asked is None or stop:
            note = stop or "no setpoint"
            why = RobotViolation(RobotCheck.ASKED, "", math.nan, math.nan, "", note)
            return self._begin_stop([why], None)
        broken = self._asked(asked)
        return self._begin_stop(broken, None) if broken else self._passed(asked, found)

    def judge_efforts(self, efforts: Sequence[float], found: RobotFound) -> RobotVerdict | None:
        """Judge the efforts that a law is about to request for the setpoint that has passed.

        Args:
            efforts: of each axis [N m] or [N].
            found: the last measured values.

        Returns:
            None if the drives may apply them, else the verdict that begins a stop.
        """
        if not WATCHED[self._action].asked:
            return None
        broken = self._too_strong(efforts, BY_LAW)
        return self._begin_stop(broken, found) if broken else None

    def _off(self, why: list[RobotViolation]) -> RobotVerdict:
        self._action = RobotAction.OFF
        return RobotVerdict(RobotAction.OFF, tuple(why), None)

    def _begin_stop(self, broken: list[RobotViolation], found: RobotFound | None) -> RobotVerdict:
        """Begin a stop from the measured positions, or, with None, from the last setpoint."""
        if found is not None:
            self._positions, self._speeds = tuple(found.positions), tuple(found.speeds)
        axes = self._limits.axes
        together_s = self._left_s = _stop_s(axes, self._speeds)
        share = 1.0 / together_s if together_s > REST_S else 0.0
        self._braking = tuple(-share * v for v in self._speeds)
        if self._some_free:
            self._braking, alone_s = stop_alone(axes, self._speeds, self._braking)
            self._left_s = max(together_s, alone_s)
            self._lags = free_lags(axes, self._speeds)
        self._action = RobotAction.STOPPING
        return self._stopped(broken)

    def _passed(self, asked: RobotSetpoint, found: RobotFound) -> RobotVerdict:
        period_s, speeds = self._limits.period_s, list(self._speeds)
        for place in self._led:
            speeds[place] = (asked.positions[place] - self._positions[place]) / period_s
        if self._some_free:
            asked = self._with_measured(asked, found)
        self._speeds, self._positions = tuple(speeds), tuple(asked.positions)
        return RobotVerdict(RobotAction.PASSED, (), asked)

    def _with_measured(self, asked: RobotSetpoint, found: RobotFound) -> RobotSetpoint:
        """Setpoint with what is measured of the free axes, and what is asked of the others."""
        positions, speeds = list(self._positions), list(found.speeds)
        accelerations = [0.0] * len(positions)
        for place in self._led:
            positions[place] = asked.positions[place]
            speeds[place] = asked.speeds[place]
            accelerations[place] = asked.accelerations[place]
        return RobotSetpoint(tuple(positions), tuple(speeds), tuple(accelerations))

    def _stopped(self, broken: list[RobotViolation]) -> RobotVerdict:
        allowed = self._slowed()
        return RobotVerdict(self._action, tuple(broken), allowed)

    def _slowed(self) -> RobotSetpoint:
        """Advance the stop by one period."""
        step_s = min(self._left_s, self._limits.period_s)
        steps_s = [step_s] * len(self._speeds)
        if self._some_free:
            braked = zip(self._speeds, self._braking, strict=True)
            steps_s = [min(step_s, -v / a) if a else 0.0 for v, a in braked]
        self._positions = tuple([
            q + one_s * (v + 0.5 * one_s * a)
            for one_s, q, v, a in zip(
                steps_s, self._positions, self._speeds, self._braking, strict=True
            )
        ])  # fmt: skip
        self._left_s -= step_s
        speeds = zip(steps_s, self._speeds, self._braking, strict=True)
        self._speeds = tuple([v + one_s * a for one_s, v, a in speeds])
        if self._some_free:
            braked = zip(self._speeds, self._braking, strict=True)
            self._braking = tuple([a if a * v < 0.0 else 0.0 for v, a in braked])
        if self._left_s <= 0.0:
            self._speeds = self._braking = (0.0,) * len(self._speeds)
            self._action = RobotAction.HOLDING
        return RobotSetpoint(self._positions, self._speeds, self._braking)

    # -- rules --------------------

    def _malformed(self, check: RobotCheck, *quantities: Values) -> list[RobotViolation]:
        broken: list[RobotViolation] = []
        axes = self._limits.axes
        for what, values in zip(("position", "speed", "acceleration"), quantities, strict=False):
            if len(values) != len(axes):
                counts = float(len(values)), float(len(axes))
                broken.append(RobotViolation(RobotCheck.COUNT, "", *counts, "", what))
            elif not all(map(math.isfinite, values)):
                broken += [
                    RobotViolation(check, axis.name, value, math.inf, axis.unit, what)
                    for axis, value in zip(axes, values, strict=True)
                    if not math.isfinite(value)
                ]
        return broken

    def _outside(
        self, positions: Values, note: str, *, asked: bool = False
    ) -> list[RobotViolation]:
        broken: list[RobotViolation] = []
        for axis, q in zip(self._limits.axes, positions, strict=True):
            if asked and axis.free:
                continue
            if not axis.least - ROUNDING <= q <= axis.greatest + ROUNDING:
                limit = axis.least if q < axis.least else axis.greatest
                broken.append(axis_violation(RobotCheck.POSITION, axis, q, limit, "", note))
        return broken

    def _strayed(self, found: RobotFound) -> list[RobotViolation]:
        broken: list[RobotViolation] = []
        axes = self._limits.axes
        for axis, q, asked, lag in zip(
            axes, found.positions, self._positions, self._lags, strict=True
        ):
            if not abs(q - asked) <= axis.following + lag:
                limit = axis.following + lag
                broken.append(axis_violation(RobotCheck.FOLLOWING, axis, q - asked, limit))
        return broken

    def _freely(self, found: RobotFound) -> list[RobotViolation]:
        """Judge the free axes by what is measured, and take that for their setpoint."""
        broken: list[RobotViolation] = []
        positions, speeds = list(self._positions), list(self._speeds)
        step_s = OVERSHOOT * self._limits.period_s
        for place, axis in self._free_axes:
            q, v, reference = found.positions[place], found.speeds[place], speeds[place]
            positions[place], most = q, axis.acceleration
            broken += place_violations(axis, q, v)
            if most is None:
                speeds[place] = v
            else:
                broken += acceleration_violations(axis, most, v, reference)
                speeds[place] = reference_speed(v, reference, most * step_s)
        self._positions, self._speeds = tuple(positions), tuple(speeds)
        return broken

    def _measured(self, found: RobotFound) -> list[RobotViolation]:
        broken = self._too_fast(found.speeds) + self._too_strong(found.efforts, "measured")
        if self._limits.box_m is not None:
            broken += self._outside_box(self._limits.box_m, found.tool_m)
        for pair in found.touching:
            broken.append(RobotViolation(RobotCheck.OWN_BODIES, "", math.nan, math.nan, "", pair))
        return broken

    def _too_fast(self, speeds: Values) -> list[RobotViolation]:
        broken: list[RobotViolation] = []
        if not self._some_fast:
            return broken
        for axis, speed in zip(self._limits.axes, speeds, strict=True):
            if axis.speed is not None and not abs(speed) <= OVERSHOOT * axis.speed:
                most = axis.speed
                broken.append(axis_violation(RobotCheck.SPEED, axis, speed, most, "/s", "measured"))
        return broken

    def _too_strong(self, efforts: Sequence[float], note: str) -> list[RobotViolation]:
        broken: list[RobotViolation] = []
        if not self._some_strong:
            return broken
        for axis, effort in zip(self._limits.axes, efforts, strict=False):
            if axis.effort is not None and not abs(effort) <= OVERSHOOT * axis.effort:
                unit = "N m" if axis.unit == "rad" else "N"
                broken.append(
                    RobotViolation(RobotCheck.EFFORT, axis.name, effort, axis.effort, unit, note)
                )
        return broken

    @staticmethod
    def _outside_box(box_m: tuple[Values, Values], tool_m: Values) -> list[RobotViolation]:
        if len(tool_m) != 3:
            lost = RobotViolation(RobotCheck.BOX, "", math.nan, math.nan, "m", "is not measured")
            return [lost]
        broken: list[RobotViolation] = []
        for name, value, least, greatest in zip("xyz", tool_m, *box_m, strict=True):
            if not least <= value <= greatest:
                limit = greatest if value > greatest else least
                broken.append(RobotViolation(RobotCheck.BOX, "", value, limit, "m", name))
        return broken

    def _asked(self, asked: RobotSetpoint) -> list[RobotViolation]:
        malformed = self._malformed(RobotCheck.FINITE, *asked)
        if malformed or not self._led:  # nothing is asked of free axes
            return malformed
        return self._moves(asked.positions) + self._feeds_forward(asked)

    def _feeds_forward(self, asked: RobotSetpoint) -> list[RobotViolation]:
        """Judge the requested speeds and accelerations of axes that have bounds."""
        broken: list[RobotViolation] = []
        period_s = self._limits.period_s
        for axis, q, before, v, a in zip(
            self._limits.axes, asked.positions, self._positions, asked.speeds, asked.accelerations,
            strict=True,
        ):  # fmt: skip
            if axis.free:
                continue
            most = math.inf if axis.speed is None else axis.speed + ROUNDING / period_s
            if not abs(v) <= most:
                broken.append(axis_violation(RobotCheck.SPEED, axis, v, most, "/s", BESIDE))
            greatest = axis.acceleration
            if greatest is None:
                continue
            if not abs(a) <= greatest + 4.0 * ROUNDING / period_s**2:
                beside = axis_violation(RobotCheck.ACCELERATION, axis, a, greatest, "/s2", BESIDE)
                broken.append(beside)
            own = (q - before) / period_s
            if not abs(v - own) <= greatest * period_s + ROUNDING / period_s:
                limit = own + math.copysign(greatest * period_s, v - own)
                broken.append(axis_violation(RobotCheck.SPEED, axis, v, limit, "/s", BESIDE))
        return broken

    def _moves(self, positions: Values) -> list[RobotViolation]:
        """Judge the move from the last setpoint to this one."""
        broken = self._outside(positions, "", asked=True)
        period_s, axes = self._limits.period_s, self._limits.axes
        speeds = [(q - p) / period_s for q, p in zip(positions, self._positions, strict=True)]
        stop_s = _stop_s(axes, speeds)
        for axis, q, now, speed in zip(axes, positions, speeds, self._speeds, strict=True):
            if axis.free:
                continue
            if axis.speed is not None and not abs(now) <= axis.speed + ROUNDING / period_s:
                broken.append(axis_violation(RobotCheck.SPEED, axis, now, axis.speed, "/s"))
            change, most = (now - speed) / period_s, axis.acceleration
            if most is not None and not abs(change) <= most + 4.0 * ROUNDING / period_s**2:
                broken.append(axis_violation(RobotCheck.ACCELERATION, axis, change, most, "/s2"))
            end = q + 0.5 * stop_s * now
            if not axis.least - ROUNDING <= end <= axis.greatest + ROUNDING:
                limit = axis.least if end < axis.least else axis.greatest
                broken.append(axis_violation(RobotCheck.BRAKING, axis, end, limit))
        return broken


def _stop_s(axes: Sequence[RobotAxis], speeds: Sequence[float]) -> float:
    """Duration of a stop in which axes come to rest together within their decelerations.

    Free axes stop alone.
    """
    each = zip(axes, speeds, strict=True)
    return max([0.0 if axis.free else abs(speed) / axis.stop for axis, speed in each])
