"""Rides on emulated hosts in virtual time: source, filter, legs; faults begin from one moment.

Neither governor nor gate is there: what they would hide is judged.
"""

import copy
import copyreg
import math
import random
import struct
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import campaign
import numpy as np

from hil.config.file_search import configs_dir
from hil.hosts.kind import Received
from hil.hosts.maps import load_map
from hil.hosts.watch.states import Cause, HostState
from hil.hosts.watch.watchdogs import Judgement, window
from hil.machines.cueing.preset import filter_of, read_preset
from hil.machines.rig.governor import governor_of
from hil.machines.rig.machine import geometry_of, load_rig
from hil.stations.simulator.chain.chain import Chain
from hil.stations.simulator.chain.motion import RideMotion
from hil.stations.simulator.plan.source import Surroundings
from hil.stations.simulator.sources.emulated_host_source import (
    EmulatedSettings,
    EmulatedWire,
    WaitingFeed,
    host_of,
)
from hil.stations.simulator.sources.host_source import HostSource
from platform6dof.cueing.vehicle import VehicleState
from platform6dof.inverse import leg_setpoints_batch
from sim.hosts.flight import scripted_drive, scripted_flight
from sim.hosts.jet import Ramp, pulse
from sim.hosts.pitch_loop import PitchLoop
from sim.hosts.ramp_script import Script, Scripted

copyreg.pickle(struct.Struct, lambda one: (struct.Struct, (one.format,)))  # to copy codecs
PERIOD_S = 1.0 / campaign.rate_hz(250.0)
CLEAN_S = 9.0
"""So long a ride without a fault lasts."""
HEAD_M = np.array((0.0, 0.0, 0.9))
MAPS = (
    "hcu1", "flightgear", "flightgear_binary", "jsbsim", "xplane_rref", "xplane12_data", "beamng",
    "simtools",
)  # fmt: skip


def aerobatics():
    """Pulls and pushes of more than one g, and turns of 40 degrees of bank between, at 50 m/s."""
    pitch, turn = [], []
    for k in range(6):
        begin_s, sign = 4.6 * k, (-1.0) ** k
        pitch += pulse(begin_s, 1.3, 0.1, sign * math.radians(10.0))
        turn += pulse(begin_s + 2.4, 1.2, 0.2, sign * math.radians(9.0))
    speed = (Ramp(-1.0, 0.5, 50.0),)
    return Scripted(
        Script(lasts_s=30.0, speed_m_s=speed, pitch_rad=tuple(pitch), turn_rad_s=tuple(turn))
    )


class Later:
    """A vehicle from a time on; it is never copied, and computed once."""

    def __init__(self, vehicle, ahead_s):
        self._vehicle, self._ahead_s, self._told = vehicle, ahead_s, {}
        self.lasts_s = vehicle.lasts_s - ahead_s

    def at(self, t_s):
        if (motion := self._told.get(t_s)) is None:
            motion = self._told[t_s] = self._vehicle.at(t_s + self._ahead_s)
        return motion

    def __deepcopy__(self, memo):
        return self


VEHICLES = {
    "bends": (Later(scripted_drive(), 19.0), "tight"),
    "aerobatics": (Later(aerobatics(), 0.0), "tight"),
    "flight": (Later(scripted_flight(), 31.0), "air"),
}
"""What is ridden, and by which preset: hard bends of a car, aerobatics, a gentle turn in flight."""


def vehicle_of(map_name, seed):
    """The car where poses come in: of the others the emulated tool's axes reach their ends."""
    return "bends" if map_name == "simtools" else list(VEHICLES)[seed % len(VEHICLES)]


def begins_s(seed):
    """When the fault begins, from the beginning of the ride on [s]."""
    return round(2.3 + 2.2 * random.Random(seed).random(), 3)


@lru_cache(maxsize=1)
def rig():
    return load_rig(configs_dir() / "rigs" / "training_simulator.toml")


def legs_peak(coordinates):
    """Largest acceleration of a leg on coordinates of every cycle [m/s²]."""
    speeds = np.zeros_like(coordinates)
    lengths, _ = leg_setpoints_batch(geometry_of(rig()), coordinates, speeds)
    return float(np.abs(np.diff(lengths, 2, axis=0)).max()) / PERIOD_S**2


@dataclass(frozen=True)
class Ridden:
    t_s: np.ndarray
    rows: np.ndarray
    """What was asked of the platform, absolute, shape (N, 3, 6)."""
    hosts: tuple
    causes: tuple
    phases: tuple
    weights: np.ndarray
    dropped: np.ndarray
    peak_m_s2: float

    def first(self, state, after_s=0.0):
        where = self.hosts if isinstance(state, HostState) else self.phases
        found = (t for t, one in zip(self.t_s, where, strict=True) if one is state)
        return next((t for t in found if t >= after_s), math.inf)

    @property
    def accelerations(self):
        """Largest of each coordinate [m/s², rad/s²], shape (6,)."""
        return np.abs(self.rows[:, 2]).max(axis=0)

    @property
    def torn(self):
        """By how much positions and speeds asked do not belong together at most [m/s, rad/s]."""
        x, v = self.rows[:, 0], self.rows[:, 1]
        return float(np.abs(np.diff(x, axis=0) / PERIOD_S - 0.5 * (v[1:] + v[:-1])).max())


class Bench:
    """A ride under way: `HostSource` and `RideMotion`, cycle by cycle.

    Args:
        map_name: of the host.
        seed: of its network; it chooses the vehicle too.
        watched: whether its watchdogs are on.
        governed: whether a governor is there; such a ride cannot be copied.
    """

    def __init__(self, map_name, seed, watched=True, governed=False):
        feed, preset = VEHICLES[vehicle_of(map_name, seed)]
        kind, map_ = load_map(configs_dir() / "hosts" / f"{map_name}.toml")
        around = Surroundings(Path("ride.toml"), PERIOD_S, True, seed, lambda: 0.0)
        network = {"jitter_s": 0.006, "loss": 0.005}
        waiting = WaitingFeed(feed)
        settings = EmulatedSettings.build(network, "ride.toml")
        self._host = host_of(settings, kind, map_, b"", waiting, around)
        self._source = HostSource(kind, map_, EmulatedWire(self._host, waiting, (), 0.0), around)
        if not watched:
            vars(self._source)["_watch"] = Trusting()
        preset = preset if "f_m_s2" in kind.fields else "direct"
        cue = filter_of(read_preset(preset), PERIOD_S)
        neutral = np.array(rig().neutral.coordinates())
        limiter = governor_of(rig(), PERIOD_S) if governed else None
        chain = Chain(cue, limiter, neutral, HEAD_M, PERIOD_S)
        self._motion = RideMotion(chain, rig().slow_moves.limits(), PERIOD_S, math.inf)
        self._cycle, self._told = 0, []
        self._source.begin(0.0)

    @property
    def now_s(self):
        return self._cycle * PERIOD_S

    def fault(self, line):
        """The same ride with a fault from now on; an empty line for none."""
        twin = copy.copy(self)
        twin._host, twin._source, twin._motion = copy.deepcopy(
            (self._host, self._source, self._motion)
        )
        twin._told = list(self._told)
        return twin.fault_here(line) if line else twin

    def fault_here(self, line):
        """This ride with a fault from now on."""
        self._host.fault(line, self.now_s)
        return self

    def engage(self):
        """A person lets it follow again, after it was parked."""
        self._motion.begin()
        self._source.begin(self.now_s)

    @property
    def margin(self):
        """Smallest share of a limit that is left now; NaN without a governor."""
        return self._motion.cued.margin

    def until(self, end_s):
        while self.now_s < end_s:
            motion = self._motion
            motion.reading = heard = self._source.poll(self.now_s)
            motion.sample((self._cycle + 1) * PERIOD_S)
            row = (motion.cued.rows, heard.host, heard.cause, motion.phase, motion.weight)
            self._told.append((*row, heard.dropped))
            self._cycle += 1
        return self

    def ridden(self):
        rows, hosts, causes, phases, weights, dropped = zip(*self._told, strict=True)
        rows = np.array(rows)
        t_s = PERIOD_S * np.arange(len(rows))
        peak_m_s2 = legs_peak(rows[:, 0])
        weights, dropped = np.array(weights), np.array(dropped)
        return Ridden(t_s, rows, hosts, causes, phases, weights, dropped, peak_m_s2)


@lru_cache(maxsize=2)
def before(map_name, seed, watched=True):
    """A ride until its fault begins."""
    return Bench(map_name, seed, watched).until(begins_s(seed))


@lru_cache(maxsize=200)
def clean(map_name, seed):
    """The whole ride without one."""
    return before(map_name, seed).fault("").until(CLEAN_S).ridden()


def faulty(map_name, seed, line, lasts_s, watched=True):
    """The ride with a fault; `lasts_s` after it began [s]."""
    end_s = begins_s(seed) + lasts_s
    return before(map_name, seed, watched).fault(line).until(end_s).ridden()


class Trusting:
    """A watch that takes everything, faded in once: the positive control."""

    def __init__(self):
        self._begun, self._since_s = False, math.inf

    def step(self, now_s, heard):
        taken = tuple(one for one in heard if isinstance(one, Received))
        anchor, self._begun = not self._begun and bool(taken), self._begun or bool(taken)
        weight = window(now_s - self._since_s - 1.0)
        return Judgement(HostState.LIVE, Cause.NONE, weight, taken, anchor, 0, 0)

    def reengage(self, now_s):
        self._since_s = now_s


@lru_cache(maxsize=20)
def ideal_loop(map_name, seed, takes_s, lasts_s):
    """Peak of the ride of a loop known in every cycle, with no wire between [m/s²]."""
    feed, preset = VEHICLES[vehicle_of(map_name, seed)]
    neutral = np.array(rig().neutral.coordinates())
    chain = Chain(filter_of(read_preset(preset), PERIOD_S), None, neutral, HEAD_M, PERIOD_S)
    loop, rows = PitchLoop(begins_s(seed), takes_s), []
    for cycle in range(round(lasts_s / PERIOD_S)):
        t_s = cycle * PERIOD_S
        motion = feed.at(t_s)
        if t_s >= begins_s(seed):
            motion = loop.of(motion, t_s)
        told = VehicleState(
            t_s, motion.f_m_s2, motion.omega_rad_s, motion.domega_rad_s2, motion.attitude,
            motion.v_m_s, motion.position_m,
        )  # fmt: skip
        rows.append(chain.follow(told, window(t_s - 1.0), 1.0).rows[0])
    return legs_peak(np.array(rows))
