"""An FMU as the vehicle, cycle by cycle: its outputs are what it does, inputs go back in.

Whatever becomes of it, the ride continues without it: the last motion fades out.
"""

from __future__ import annotations

import math
from typing import Final

from hil.fmu.model_steps import Reading, Stepping
from hil.fmu.variable_map import MappedVariable
from hil.fmu.wire import StepAnswer, StepStatus
from hil.hosts.watch.states import Cause, HostReading, HostState
from hil.hosts.watch.watchdogs import LOST_S, OUT_S, window
from hil.stations.simulator.plan.fmu_settings import (
    ACCELERATIONS,
    ANGLES,
    FLAGS,
    FORCES,
    OPERATOR,
    PLACES,
    POSE,
    RATES,
    RATES_OF_RATES,
    VELOCITIES,
)
from hil.stations.simulator.plan.source import Feedback, Surroundings
from platform6dof.cueing.attitude import from_euler, to_body
from platform6dof.cueing.completion import Completion
from platform6dof.cueing.parameters import CueingError
from platform6dof.cueing.vehicle import (
    GRAVITY_M_S2,
    UNKNOWN,
    Quaternion,
    Vector3,
    VehicleFlags,
    VehicleState,
)

FORCE_MOST_M_S2: Final = 2000.0
"""Largest force of any vehicle [m/s²]."""
RATE_MOST_RAD_S: Final = 200.0
"""Largest rate of any vehicle [rad/s]."""


def state_of(values: dict[str, float], t_s: float) -> VehicleState:
    """Make the state of a vehicle of quantities [SI]; NaN for what is not there.

    A given force counts; without one, an acceleration and gravity make it.
    """
    attitude: Quaternion = (math.nan, math.nan, math.nan, math.nan)
    if all(name in values for name in ("roll", "pitch")):
        attitude = from_euler(values["roll"], values["pitch"], values.get("yaw", 0.0))
    force = _vector(values, FORCES)
    if any(name in values for name in ACCELERATIONS):
        level = attitude if attitude[0] == attitude[0] else (1.0, 0.0, 0.0, 0.0)
        weight = to_body(level, (0.0, 0.0, -GRAVITY_M_S2))
        moved = (values.get(name, 0.0) + w for name, w in zip(ACCELERATIONS, weight, strict=True))
        x, y, z = (f if f == f else other for f, other in zip(force, moved, strict=True))
        force = x, y, z
    flags = VehicleFlags(0)
    for name, flag in FLAGS.items():
        flags |= flag if values.get(name, 0.0) > 0.5 else VehicleFlags(0)
    return VehicleState(
        t_s, force, _vector(values, RATES), _vector(values, RATES_OF_RATES), attitude,
        _vector(values, VELOCITIES), _vector(values, PLACES), flags,
    )  # fmt: skip


def beyond(state: VehicleState) -> str:
    """Name the quantities of a whole state that no vehicle reaches; empty if there are none."""
    for name, value in zip(FORCES, state.f_m_s2, strict=True):
        if not abs(value) <= FORCE_MOST_M_S2:
            return f"{name} = {value:g} m/s2: no vehicle has more than {FORCE_MOST_M_S2:g} m/s2"
    for name, value in zip(RATES, state.omega_rad_s, strict=True):
        if not abs(value) <= RATE_MOST_RAD_S:
            return f"{name} = {value:g} rad/s: no vehicle has more than {RATE_MOST_RAD_S:g} rad/s"
    if not all(map(math.isfinite, state.domega_rad_s2)):
        return f"angular acceleration {state.domega_rad_s2} rad/s2 is not finite"
    return ""


def _vector(values: dict[str, float], names: tuple[str, ...]) -> Vector3:
    if not any(name in values for name in names):
        return UNKNOWN
    x, y, z = (values.get(name, math.nan) for name in names)
    return x, y, z


class FmuVehicle:
    """The vehicle, asked once a cycle.

    Args:
        stepping: the model.
        outputs: in the order of its outputs.
        inputs: in the order of its inputs.
        completion: makes whole states of what it says.
        feedback: gives what goes back in.
        cycles: in which it does one step.
        line: whether it goes straight from one step to the next, a step later; else it holds.
    """

    def __init__(
        self,
        stepping: Stepping,
        outputs: tuple[MappedVariable, ...],
        inputs: tuple[MappedVariable, ...],
        completion: Completion,
        feedback: Surroundings,
        cycles: int = 1,
        *,
        line: bool = False,
    ) -> None:
        self._cycles, self._line = cycles, line
        self._last: tuple[dict[str, float], dict[str, float]] | None = None
        self._stepping, self._completion = stepping, completion
        self._outputs, self._inputs, self._around = outputs, inputs, feedback
        self._given = {one.quantity: 0.0 for one in inputs}
        self._begun = False
        self._newest: VehicleState | None = None
        self._reported: VehicleState | None = None
        self._failed_s = math.inf
        self._used = 0
        self.why: str = ""
        """End of the model, in words; empty while it runs."""
        self._cause = Cause.NONE
        self._ended_s = math.inf

    @property
    def ended_s(self) -> float:
        """Time at which the model ends by itself [s]; infinite before, and where it just failed."""
        return self._ended_s

    def begin(self, now_s: float) -> None:
        """Let the model's time pass from now on."""
        self._begun = True

    def preview(self, now_s: float, span_s: float, step_s: float) -> tuple[VehicleState, ...]:
        """Return nothing: a model does not know its future."""
        return ()

    def poll(self, now_s: float) -> HostReading:
        """Return the state of this cycle; after its end the last one, faded out."""
        reading = self._stepping.poll(now_s, self._back_in(), go_on=self._begun)
        host_s = math.nan
        if not self.why:
            if reading.failure is not None:
                self._end(now_s, reading.failure)
            elif reading.fresh or (self._line and self._begun and reading.share < 1.0):
                host_s = reading.index * self._cycles * self._around.period_s
                values = self._si(reading.values)
                if self._line:
                    values = self._interpolated(values, reading)
                    host_s -= (1.0 - reading.share) * self._cycles * self._around.period_s
                self._take(now_s, values, host_s)
        state, weight = self._fade(now_s)
        taken_s = now_s if host_s == host_s and not self.why else math.nan
        return HostReading(
            self._newest, state, self._cause, weight,
            host_s=host_s, kernel_s=taken_s, taken_s=taken_s,
            packets=self._used, dropped=0, missing=reading.late, reported=self._reported,
        )  # fmt: skip

    def _si(self, values: tuple[float, ...]) -> dict[str, float]:
        pairs = zip(self._outputs, values, strict=True)
        return {one.quantity: one.si(value) for one, value in pairs}

    def _interpolated(self, values: dict[str, float], reading: Reading) -> dict[str, float]:
        """Interpolate from the values before to the newest; angles take the shorter direction."""
        if self._last is None or reading.fresh:
            self._last = (values if self._last is None else self._last[1]), values
        before, newest = self._last
        return {name: _between(name, before[name], newest[name], reading.share) for name in newest}

    def _take(self, now_s: float, values: dict[str, float], t_s: float) -> None:
        try:
            state = state_of(values, t_s)
            whole = self._completion.complete(state)
        except (CueingError, OverflowError) as error:
            self._end(now_s, StepAnswer(StepStatus.NOT_FINITE, 0, (), str(error)))
            return
        if wrong := beyond(whole):
            self._end(now_s, StepAnswer(StepStatus.NOT_FINITE, 0, (), wrong))
            return
        self._newest, self._reported = whole, state
        self._used += 1

    def _end(self, now_s: float, answer: StepAnswer) -> None:
        self._failed_s = now_s
        self.why = answer.text or answer.status.name.lower()
        self._cause = Cause.MODEL_FAILED
        if answer.status is StepStatus.END:
            self._cause, self._ended_s = Cause.END, now_s

    def _fade(self, now_s: float) -> tuple[HostState, float]:
        if self._newest is None:
            return HostState.WAITING, 0.0
        passed_s = now_s - self._failed_s
        if passed_s < 0.0:
            return HostState.LIVE, 1.0
        if passed_s < OUT_S:
            return HostState.FADING_OUT, 1.0 - window(passed_s / OUT_S)
        return (HostState.AWAY if passed_s < LOST_S else HostState.LOST), 0.0

    def _back_in(self) -> tuple[float, ...]:
        """Return the values of the inputs: what is known, else what was known last."""
        if self._inputs and (feedback := self._around.feedback()) is not None:
            self._given.update(_known(feedback, self._given))
        return tuple(one.own(self._given[one.quantity]) for one in self._inputs)


def _between(name: str, before: float, newest: float, share: float) -> float:
    change = newest - before
    if name in ANGLES:
        change = math.remainder(change, 2.0 * math.pi)
    return newest if share >= 1.0 else before + share * change


def _known(feedback: Feedback, wanted: dict[str, float]) -> dict[str, float]:
    known = dict(zip(POSE, feedback.pose, strict=False))
    known |= {OPERATOR + name: value for name, value in feedback.operator.items()}
    return {k: v for k, v in known.items() if k in wanted and math.isfinite(v)}
