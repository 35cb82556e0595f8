"""A live source of somebody else's: a sine of force and rate, with a host that can fall silent."""

import math
from contextlib import contextmanager
from typing import Literal

from hil.config.settings import Settings
from hil.hosts.watch.states import Cause, HostReading, HostState
from hil.stations.simulator.plan.source import SourceKind
from platform6dof.cueing.vehicle import GRAVITY_M_S2, VehicleFlags, VehicleState

NEVER_S = 1e9


class ScriptedSettings(Settings):
    """Of the source."""

    kind: Literal["scripted"]
    surge_m_s2: float = 1.0
    roll_rad_s: float = 0.1
    frequency_hz: float = 0.4
    lasts_s: float | None = None
    live_from_s: float = 0.0
    silent_from_s: float = NEVER_S
    lost_from_s: float = NEVER_S
    lost_until_s: float = NEVER_S
    ground_from_s: float = NEVER_S
    known: bool = False
    rest_m_s2: tuple[float, float, float] = (0.0, 0.0, -GRAVITY_M_S2)
    speed_share: float = 0.0  # of the speed that the surge makes
    posed: bool = False


class Scripted:
    """The source, opened."""

    def __init__(self, settings, around):
        self.settings, self.around, self.begun_s, self.polls = settings, around, None, 0

    @property
    def ended_s(self):
        lasts_s = self.settings.lasts_s
        if self.begun_s is None or lasts_s is None:
            return math.inf
        return self.begun_s + lasts_s

    def begin(self, now_s):
        self.begun_s = now_s

    def poll(self, now_s):
        self.polls += 1
        one = self.settings
        if not one.live_from_s <= now_s < one.silent_from_s:
            return HostReading(None, HostState.WAITING, Cause.NO_PACKET, 0.0)
        s = math.sin(2.0 * math.pi * one.frequency_hz * now_s)
        flags = VehicleFlags.GROUND if now_s >= one.ground_from_s else VehicleFlags(0)
        flags |= VehicleFlags.POSE if one.posed else VehicleFlags(0)
        w = 2.0 * math.pi * one.frequency_hz
        v_m_s = one.speed_share * one.surge_m_s2 / w * (1.0 - math.cos(w * now_s)) if w else 0.0
        x, y, z = one.rest_m_s2
        state = VehicleState(
            now_s, (x + one.surge_m_s2 * s, y, z), (one.roll_rad_s * s, 0.0, 0.0),
            (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (v_m_s, 0.0, 0.0), (0.0, 0.0, 0.0), flags,
        )  # fmt: skip
        away_s = now_s - one.lost_from_s
        if away_s < 0.0 or now_s >= one.lost_until_s:
            return HostReading(
                state, HostState.LIVE, Cause.NONE, 1.0, host_s=now_s - 0.05,
                kernel_s=now_s - 0.001, taken_s=now_s, packets=self.polls,
            )  # fmt: skip
        host = HostState.LOST if away_s > 2.3 else HostState.AWAY
        if away_s < 0.3:
            host = HostState.FADING_OUT
        u = min(away_s / 0.3, 1.0)
        weight = 1.0 - u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
        return HostReading(state, host, Cause.NO_PACKET, weight, packets=self.polls)

    def preview(self, now_s, span_s, step_s):
        if not self.settings.known:
            return ()
        steps = round(span_s / step_s)
        polls, states = self.polls, [self.poll(now_s + k * step_s).state for k in range(steps + 1)]
        self.polls = polls
        return tuple(states)


@contextmanager
def opened(settings, around):
    yield Scripted(settings, around)


def lasts_s(settings, file):
    return math.inf if settings.lasts_s is None else settings.lasts_s


KIND = SourceKind(ScriptedSettings, opened, lasts_s)
