"""A live source held against physics, as hosts are packet by packet: models, and sources of others.

It is not followed before its force is known to be a vehicle's; what contradicts physics later fades
out, and the source is lost until it begins anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from hil.hosts.watch.physics import Physics
from hil.hosts.watch.states import SOUND, Cause, HostReading, HostState
from hil.hosts.watch.watchdogs import LOST_S, OUT_S, window
from hil.stations.simulator.plan.source import LiveSource
from platform6dof.cueing.plausible import ForceFinding
from platform6dof.cueing.vehicle import NO_FLAGS, REST, VehicleFlags, VehicleState

_STILL: Final = REST.omega_rad_s
_POSED: Final = REST.f_m_s2, REST.omega_rad_s
"""Force and rates of a pose that has none behind it."""


class JudgedSource:
    """A `LiveSource` that passes on another one while that contradicts nothing.

    Args:
        source: what is judged.
        remedy: what to write where so that a mean force is a vehicle's.
    """

    def __init__(self, source: LiveSource, remedy: Callable[[ForceFinding], str]) -> None:
        self._source, self._remedy = source, remedy
        self._begun = False
        self._forget()

    def _forget(self) -> None:
        self._physics = Physics()
        self._state, self._cause = HostState.WAITING, Cause.NONE
        self._failed_s, self._found = math.inf, ""
        self._before: VehicleState | None = None

    def __getattr__(self, name: str) -> Any:
        """Pass on further attributes of the source, such as `leader` or `missed`."""
        return getattr(self._source, name)

    @property
    def ended_s(self) -> float:
        """Time at which the source ends [s]."""
        return self._source.ended_s

    @property
    def why(self) -> str:
        """Contradiction that was found, with the key to write; else the source's own details."""
        return self._found or str(getattr(self._source, "why", ""))

    def begin(self, now_s: float) -> None:
        """Follow from now on; one that was lost is judged anew."""
        if self._failed_s < math.inf:
            self._forget()
        self._begun = True
        self._physics.anchor()
        self._source.begin(now_s)

    def preview(self, now_s: float, span_s: float, step_s: float) -> tuple[VehicleState, ...]:
        """Return the coming motion of the vehicle."""
        return self._source.preview(now_s, span_s, step_s)

    def poll(self, now_s: float) -> HostReading:
        """Return the source's reading, unless no vehicle can move so."""
        reading = self._source.poll(now_s)
        state = reading.state if reading.reported is None else reading.reported
        if state is not None and reading.host in SOUND:
            if reading.anchor:
                self._physics.anchor()
            if now_s >= self._physics.next_s:
                self._physics.take(self._as_given(state), now_s)
            self._judge(now_s)
        return self._passed_on(now_s, reading)

    def _as_given(self, state: VehicleState) -> VehicleState:
        """Make the state for the physics check; a waiting source is at rest without rotation.

        A flag of a pose takes no force from judgement that is not one of rest.
        """
        still = not self._begun and state == self._before
        self._before = state
        if VehicleFlags.POSE in state.flags and (state.f_m_s2, state.omega_rad_s) != _POSED:
            state = replace(state, flags=NO_FLAGS)
        return replace(state, omega_rad_s=_STILL) if still else state

    def _judge(self, now_s: float) -> None:
        physics = self._physics
        cause = physics.cause(self._state) if physics.suspects else Cause.NONE
        if self._state is HostState.WAITING:
            self._cause, self._found = cause, self._text(cause)
            if cause is Cause.NONE and physics.settled:
                self._state = HostState.LIVE
        elif cause is not Cause.NONE and self._failed_s == math.inf:
            self._failed_s, self._cause, self._found = now_s, cause, self._text(cause)

    def _text(self, cause: Cause) -> str:
        text = self._physics.text(cause)
        force = self._physics.force
        if cause is Cause.FORCE and force is not None and (said := self._remedy(force)):
            text += f"; {said}"
        return text

    def _passed_on(self, now_s: float, reading: HostReading) -> HostReading:
        if reading.host not in SOUND:  # that counts more, and it has its own reason
            self._found = "" if self._failed_s == math.inf else self._found
            return reading
        if self._state is HostState.WAITING:
            return replace(reading, host=HostState.WAITING, cause=self._cause, weight=0.0)
        passed_s = now_s - self._failed_s
        if passed_s < 0.0:
            return reading
        if passed_s < OUT_S:
            weight = reading.weight * (1.0 - window(passed_s / OUT_S))
            return replace(reading, host=HostState.FADING_OUT, cause=self._cause, weight=weight)
        host = HostState.AWAY if passed_s < LOST_S else HostState.LOST
        return replace(reading, host=host, cause=self._cause, weight=0.0)
