"""A robot that is watched, and an operator whose wish comes at a given time of the clock."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field

import numpy as np

from hil.timing.stop import StopSignals
from sim.devices.arm.controller import ArmController

WINDOW_S = 0.084
"""Speeds are means over three of the controller's steps of 28 ms, in each of which it is even."""


@dataclass
class Watched:
    """Where the robot's gripper was, and when."""

    t_s: list[float] = field(default_factory=list)
    places_m: list[np.ndarray] = field(default_factory=list)

    def speeds(self, from_s, until_s):
        """Times and mean speeds [m/s] of the gripper between two times."""
        times = np.arange(from_s, until_s, WINDOW_S)
        places = np.array(self.places_m)
        at = np.column_stack([np.interp(times, self.t_s, places[:, k]) for k in range(3)])
        return times[1:], np.linalg.norm(np.diff(at, axis=0), axis=1) / WINDOW_S

    def rest_s(self, after_s, still_m=1e-4):
        """When it was last further from its end than a tenth of a millimetre."""
        far = np.linalg.norm(np.array(self.places_m) - self.places_m[-1], axis=1) > still_m
        times = np.array(self.t_s)
        return float(max(times[far].max(initial=after_s), after_s))


def watch(monkeypatch, wish_s=None):
    """Follow the emulated robot; with a time [s], press Ctrl-C then."""
    watched, advance = Watched(), ArmController.advance
    now = [0.0]

    def followed(self, now_s):
        told = advance(self, now_s)
        now[0] = now_s
        watched.t_s.append(now_s)
        watched.places_m.append(np.array(self.gripper[0]))
        return told

    class AtTime(StopSignals):
        @property
        def asked(self):
            return signal.SIGINT if wish_s is not None and now[0] >= wish_s else None

    monkeypatch.setattr(ArmController, "advance", followed)
    monkeypatch.setattr("hil.run.run.StopSignals", AtTime)
    return watched
