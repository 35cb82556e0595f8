"""Rides on emulated hosts in virtual time: source, filter, legs; with and without watchdogs."""

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from hil.config.shipped import configs_dir
from hil.hosts.kind import Received
from hil.hosts.maps import load_map
from hil.hosts.states import Cause, HostState
from hil.hosts.watch import Judgement, window
from hil.machines.cueing_preset import filter_of, read_preset
from hil.machines.machine import geometry_of, load_rig
from hil.stations.simulator.source import Surroundings
from hil.stations.simulator.sources.emulated import EmulatedSettings, emulated
from hil.stations.simulator.sources.heard_host import HostSource
from platform6dof.cueing.vehicle import REST, VehicleState
from platform6dof.inverse import leg_setpoints_batch
from sim.hosts.flight import scripted_drive
from sim.hosts.looping import Looping

PERIOD_S = 0.004
BEGINS_S = 2.2
LASTS_S = 10.0
AHEAD_S = 14.0
"""The drive begins so far on: at speed, in a bend."""
MAPS = (
    "hcu1", "flightgear", "flightgear_binary", "jsbsim", "xplane_rref", "xplane12_data", "beamng",
    "simtools",
)  # fmt: skip


class Later:
    """A drive from a time on."""

    def __init__(self):
        self._drive = scripted_drive()
        self.lasts_s = self._drive.lasts_s - AHEAD_S

    def at(self, t_s):
        return self._drive.at(t_s + AHEAD_S)


@dataclass(frozen=True)
class Ridden:
    t_s: np.ndarray
    hosts: list
    causes: list
    weights: np.ndarray
    dropped: np.ndarray
    peak_m_s2: float

    def first(self, state, after_s=0.0):
        found = (t for t, one in zip(self.t_s, self.hosts, strict=True) if one is state)
        return next((t for t in found if t >= after_s), math.inf)


@lru_cache(maxsize=400)
def ridden(map_name, seed, faults=(), watched=True, lasts_s=LASTS_S):
    """A ride; times of faults are from its beginning at `BEGINS_S`."""
    kind, map_ = load_map(configs_dir() / "hosts" / f"{map_name}.toml")
    now = [0.0]
    around = Surroundings(Path("ride.toml"), PERIOD_S, True, seed, lambda: now[0])
    network = {"jitter_s": 0.006, "loss": 0.005, "faults": faults}
    settings = LaterSettings.build(network, "ride.toml")
    wire = emulated(settings, kind, map_, b"", around)
    source = HostSource(kind, map_, wire, around)
    if not watched:
        source._watch = Trusting()  # pyright: ignore[reportAttributeAccessIssue]
    cue = filter_of(read_preset("tight"), PERIOD_S)
    rig = load_rig(configs_dir() / "rigs" / "paper.toml")
    neutral = rig.neutral.coordinates()
    rows, t_s, hosts, causes, weights, dropped = [], [], [], [], [], []
    for cycle in range(int(lasts_s / PERIOD_S)):
        now[0] = cycle * PERIOD_S
        if cycle == int(BEGINS_S / PERIOD_S):
            source.begin(now[0])
        heard = source.poll(now[0])
        if now[0] >= BEGINS_S and heard.state is not None:
            done = cue.step(heard.state, heard.weight)
        else:
            done = cue.step(REST, 0.0)
        rows.append(neutral + done[0])
        t_s.append(now[0] - BEGINS_S)
        hosts.append(heard.host)
        causes.append(heard.cause)
        weights.append(heard.weight)
        dropped.append(heard.dropped)
    return Ridden(
        np.array(t_s), hosts, causes, np.array(weights), np.array(dropped), legs_peak(rows, rig)
    )


class LaterSettings(EmulatedSettings):
    """Settings whose vehicle is already on its way."""

    def made_feed(self, file):
        return Later()


class Trusting:
    """A watch that takes everything, faded in once: the positive control."""

    def __init__(self):
        self._begun, self._since_s = False, math.inf

    def step(self, now_s, heard):
        taken = tuple(one for one in heard if isinstance(one, Received))
        anchor, self._begun = not self._begun and bool(taken), self._begun or bool(taken)
        weight = window(now_s - self._since_s)
        return Judgement(HostState.LIVE, Cause.NONE, weight, taken, anchor, 0, 0)

    def reengage(self, now_s):
        self._since_s = now_s


def legs_peak(rows, rig):
    """Largest acceleration of a leg on coordinates of every cycle [m/s²]."""
    lengths, _ = leg_setpoints_batch(geometry_of(rig), np.array(rows), np.zeros((len(rows), 6)))
    return float(np.abs(np.diff(lengths, 2, axis=0)).max()) / PERIOD_S**2


def ideal_loop(begin_s, takes_s, lasts_s=LASTS_S):
    """The ride of a loop known in every cycle, with no wire between."""
    cue = filter_of(read_preset("tight"), PERIOD_S)
    rig, feed, rows = load_rig(configs_dir() / "rigs" / "paper.toml"), Later(), []
    loop = Looping(begin_s, takes_s)
    for cycle in range(int(lasts_s / PERIOD_S)):
        t_s = cycle * PERIOD_S - BEGINS_S
        motion = feed.at(max(t_s, 0.0))
        if t_s >= begin_s:
            motion = loop.of(motion, t_s)
        told = VehicleState(
            t_s, motion.f_m_s2, motion.omega_rad_s, motion.domega_rad_s2, motion.attitude,
            motion.v_m_s, motion.position_m,
        )  # fmt: skip
        rows.append(rig.neutral.coordinates() + cue.step(told, window(t_s))[0])
    return legs_peak(rows, rig)
