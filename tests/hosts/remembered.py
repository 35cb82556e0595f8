"""An emulated vehicle that is computed once: what it does at a time is remembered.

A script gives the same motion at a time whoever asks, and the emulated wires ask at the same times.
"""

from functools import cache, cached_property, partial

from sim.hosts.flight import scripted_drive, scripted_flight


class Remembered:
    """A vehicle of the tests of several wires; it is shared, and never copied."""

    def __init__(self, make):
        self._make, self._told = make, {}

    @cached_property
    def _vehicle(self):
        """It takes seconds to make, and is made by a worker whose tests ask for it."""
        return self._make()

    @property
    def lasts_s(self):
        return self._vehicle.lasts_s

    def at(self, t_s):
        if (motion := self._told.get(t_s)) is None:
            motion = self._told[t_s] = self._vehicle.at(t_s)
        return motion

    def __deepcopy__(self, memo):
        return self


@cache
def remembered_flight(**how):
    """`scripted_flight`, once for all tests of a worker."""
    return Remembered(partial(scripted_flight, **how))


@cache
def remembered_drive():
    """`scripted_drive`, once for all tests of a worker."""
    return Remembered(scripted_drive)
