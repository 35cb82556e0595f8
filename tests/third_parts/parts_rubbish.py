"""A motion of somebody else's that is well until a time and rubbish from then on."""

import math
from typing import Literal

import numpy as np

from hil.config.settings import Settings
from hil.stations.platform.motion.motion_plugins import MotionKind
from platform6dof.pose import PlatformSetpoint

AT_S = 1.25


class RubbishSettings(Settings):
    """What goes wrong, and when."""

    kind: Literal["rubbish"]
    what: str
    """Which rubbish."""


def packed(value):
    """A setpoint that nobody has checked, with a value in its middle."""
    numbers = np.zeros(24)
    numbers[3:12] = np.eye(3).ravel()
    numbers[2], numbers[12] = 0.9, value
    return PlatformSetpoint.from_packed(numbers)


def hollow():
    return object.__new__(PlatformSetpoint)


def raises():
    raise KeyError("no such row")


def leaves():
    raise SystemExit(3)


class Once:
    """Rubbish only when it is asked for the second time at one moment: the trial sees none."""

    def __init__(self):
        self.asked = 0

    def __call__(self):
        self.asked += 1
        return "late rubbish" if self.asked > 1 else None


WHATS = {
    "none": lambda: None,
    "text": lambda: "up",
    "array": lambda: np.zeros(6),
    "list": lambda: [0.0] * 6,
    "nan": lambda: packed(math.nan),
    "infinite": lambda: packed(math.inf),
    "stretched": lambda: PlatformSetpoint.from_packed(np.arange(24.0)),
    "short": lambda: PlatformSetpoint.from_packed(np.zeros(18)),
    "hollow": hollow,
    "raises": raises,
    "leaves": leaves,
    "coordinates": lambda: PlatformSetpoint.from_coordinates([0.0] * 5, [0.0] * 6, [0.0] * 6),
}


class Rubbish:
    """At rest at the rig's neutral pose, but for its rubbish."""

    def __init__(self, what, pose):
        self._what, self._rest = what, PlatformSetpoint.at_rest(pose)
        self.duration_s = {"endless": math.inf, "backwards": -1.0, "timeless": None}.get(what, 2.0)
        self._once = Once()

    def sample(self, t_s):
        if self._what == "moving":
            return PlatformSetpoint(self._rest.X_BP, np.full(6, 0.01), np.zeros(6))
        if t_s < AT_S or (self._what not in WHATS and self._what != "once"):
            return self._rest
        if self._what == "once":
            return self._once() or self._rest if t_s == AT_S else self._rest
        return WHATS[self._what]()


def build(settings, rig):
    if settings.what == "unmade":
        raise RuntimeError("cannot be built today")
    if settings.what == "nothing":
        return None
    return Rubbish(settings.what, rig.neutral.pose())


RUBBISH = MotionKind(RubbishSettings, build)
