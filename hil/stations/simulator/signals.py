"""Row of a ride's recording: the platform's cycle, then what was received and felt."""

from __future__ import annotations

from math import nan
from typing import Final

from hil.hosts.watch.states import Cause, HostState
from hil.recording.signals import CODE, Signal, Signals
from hil.stations.platform.signals import SIGNALS as PLATFORM

XYZ: Final = ("x", "y", "z")
NAN3: Final = (nan, nan, nan)


def _head(name: str, unit: str) -> Signal:
    """Return the signals of the rider's head, in axes forward, right, down."""
    return Signal(name, "f8", 3, unit, "head", parts=XYZ)


OWN: Final = (
    Signal("host_stamp_s", "f8", unit="s"),  # of a packet first used in this cycle, host's clock
    Signal("kernel_stamp_s", "f8", unit="s"),  # when the kernel took it, the run's clock
    Signal("taken_stamp_s", "f8", unit="s"),  # when the loop took it from the kernel
    Signal("asked_stamp_s", "f8", unit="s"),  # when control handed its setpoint to the gate
    Signal("weight", "f8"),  # share of the vehicle's force and rates that is wanted
    Signal("gain", "f8"),  # factor on them, with its ramps
    _head("wanted_force_m_s2", "m/s2"),  # specific force of the vehicle at the head, times gain
    _head("wanted_rate_rad_s", "rad/s"),  # its angular velocity, likewise
    _head("felt_force_m_s2", "m/s2"),  # specific force that the setpoint gives the head
    _head("felt_rate_rad_s", "rad/s"),
    Signal("governor_margin", "f8"),  # smallest share left of a limit, as the governor sees it
    Signal("packets", "u8"),  # used since the run began
    Signal("dropped", "u8"),  # not used
    Signal("missing", "u8"),  # never came, by the host's count
    Signal("host", "u1", unit=CODE, codes=tuple(one.name for one in HostState)),
    Signal("cause", "u1", unit=CODE, codes=tuple(one.name for one in Cause)),
    Signal("governor_binding", "u1"),  # number of the binding margin; 0 for none
    Signal("governor_active", "u1"),
    Signal("governor_failed", "u1"),  # its fallback was used
    Signal("muted", "u1"),
    Signal("preset", "u1"),  # number of the preset in force, from 0
    Signal("plans", "u4"),  # of predictive presets, that took over
    Signal("plans_late", "u4"),  # that were not there when they should have taken over
    Signal("plans_failed", "u4"),  # that were not found
)

SIGNALS: Final = Signals("simulator", (*PLATFORM.fields, *OWN))
"""The table of a cycle."""
