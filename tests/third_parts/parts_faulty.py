"""Banks with one planted fault each, named by their URL `faulty:FAULT`."""

import itertools
from dataclasses import replace

import numpy as np
from own_bank import GlidingBank

from drives.bank import BankReport, DriveGoal, DriveSequenceError, DriveState, LinkLostError
from hil_common.legs import LegTarget

SIX = (0.0,) * 6


class Deaf(GlidingBank):
    """Does not move."""

    def _go(self, leg, to_m):
        if self._state is DriveState.HOMING:
            super()._go(leg, to_m)


class Swapped(GlidingBank):
    """Legs 2 and 3 have each other's cables."""

    def exchange(self, command):
        if command is not None:
            a, b, c, d, e, f = command.length_m
            command = LegTarget((a, c, b, d, e, f), command.speed_m_s)
        return super().exchange(command)


class Unchecked(GlidingBank):
    """Takes what is no number for the lengths that it has."""

    def exchange(self, command):
        if command is not None and not np.isfinite(command.length_m + command.speed_m_s).all():
            command = LegTarget(tuple(self._length_m), SIX)
        return super().exchange(command)


class Runaway(GlidingBank):
    """Goes on after it was disabled."""

    def exchange(self, command):
        feedback = super().exchange(command)
        if command is not None and self._homed and feedback.state[0] is not DriveState.ENABLED:
            for leg in range(6):
                self._go(leg, command.length_m[leg])
        return feedback


class Eager(GlidingBank):
    """Is enabled without a reference."""

    def exchange(self, command):
        if self._goal is DriveGoal.ENABLED:
            self._homed = True
        return super().exchange(command)


class Forgetful(GlidingBank):
    """Goes from a quick stop to enabled."""

    def request(self, goal):
        self._require_open()
        self._goal = goal


class Immortal(GlidingBank):
    """Works on after close()."""

    def close(self):
        end = super().close()
        self._closed = False
        return end


class Fragile(GlidingBank):
    """Does not bear a second close()."""

    def close(self):
        if self._closed:
            raise DriveSequenceError("closed already")
        return super().close()


class Silent(GlidingBank):
    """Tells nothing of what was sent."""

    def exchange(self, command):
        return super().exchange(command)._replace(accepted=None)


class Stale(GlidingBank):
    """Calls every answer old."""

    def exchange(self, command):
        return super().exchange(command)._replace(fresh=(False,) * 6)


class Arrays(GlidingBank):
    """Returns an array that changes later."""

    def exchange(self, command):
        return super().exchange(command)._replace(length_m=np.array(self._length_m))


class Mute(GlidingBank):
    """Its report has no lines of legs."""

    def configure(self):
        report = super().configure()
        return BankReport(report.name, report.url, True, ())


class Real(GlidingBank):
    """No fault: it only says that it is not simulated."""

    def configure(self):
        return replace(super().configure(), simulated=False)


class Homeless(GlidingBank):
    """Never finds its reference."""

    def _go(self, leg, to_m):
        pass


class After(GlidingBank):
    """Fails once its legs have moved with power for half a second, and then for ever."""

    cycles = 0

    def exchange(self, command):
        feedback = super().exchange(command)
        moving = command is not None and any(command.speed_m_s)
        self.cycles += moving
        return self.fail(feedback) if self.cycles > 100 else feedback

    def fail(self, feedback):
        raise ValueError("the adapter says 0xBAD")


class Lost(After):
    def fail(self, feedback):
        raise LinkLostError("/dev/glide has gone")


class Leaves(After):
    def fail(self, feedback):
        raise SystemExit(7)


class Nonsense(After):
    def fail(self, feedback):
        return feedback._replace(length_m=feedback.length_m[:5])


class Text(After):
    def fail(self, feedback):
        return "all is well"


class Nan(After):
    def fail(self, feedback):
        return feedback._replace(speed_m_s=("fast",) * 6)


class AtOnce(GlidingBank):
    def exchange(self, command):
        raise RuntimeError("no current")


class Unset(GlidingBank):
    def configure(self):
        raise RuntimeError("no current")


FAULTS = {
    one.__name__.lower(): one
    for one in (
        Deaf, Swapped, Unchecked, Runaway, Eager, Forgetful, Immortal, Fragile, Silent, Stale,
        Arrays, Mute, Real, Homeless, After, Lost, Leaves, Nonsense, Text, Nan, AtOnce, Unset,
    )
}  # fmt: skip
MADE = itertools.count()


def make(order, now_s):
    next(MADE)
    fault = order.url.partition(":")[2]
    if fault == "unmade":
        raise RuntimeError("no licence")
    return FAULTS[fault](order)
