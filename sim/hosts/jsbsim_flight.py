"""A light aeroplane in JSBSim: trimmed, then turns, a climb, a dive and rudder, gently flown.

JSBSim (LGPL) comes with the extra ``[fly]``; its wheel has the aeroplane, a Cessna 172. The flight
is flown once, at 120 Hz, and played from its table. Force and rates are those at the pilot's eyes,
as its own FlightGear output has them.

Not modelled: take-off and landing, wind; the earth's curvature beyond what JSBSim does in 60 s.
"""

from __future__ import annotations

import math
import os
from typing import Any, Final

from sim.hosts.motion_table import Sampled
from sim.hosts.vehicle_motion import Vector, VehicleMotion, add, from_euler, scaled

AIRCRAFT: Final = "c172x"
RATE_HZ: Final = 120.0
LASTS_S: Final = 60.0
_FOOT_M: Final = 0.3048
_BEGIN: Final = (
    ("ic/lat-gc-deg", 51.13),
    ("ic/long-gc-deg", 13.77),
    ("ic/h-sl-ft", 4000.0),
    ("ic/psi-true-deg", 0.0),
    ("ic/vc-kts", 95.0),
    ("ic/gamma-deg", 0.0),
)
_RUNNING: Final = (
    ("propulsion/set-running", -1.0),
    ("fcs/mixture-cmd-norm", 0.87),
    ("fcs/throttle-cmd-norm", 0.7),
    ("simulation/do_simple_trim", 1.0),
)
_COMMANDS: Final = (  # from [s]: bank, pitch beside the trimmed one [deg], rudder [1]
    (0.0, 0.0, 0.0, 0.0),
    (4.0, -20.0, 0.0, 0.0),
    (14.0, 25.0, 0.0, 0.0),
    (26.0, 0.0, 5.0, 0.0),
    (34.0, 0.0, -5.0, 0.0),
    (41.0, 0.0, 0.0, 0.0),
    (46.0, 0.0, 0.0, 0.08),
    (47.5, 0.0, 0.0, -0.08),
    (49.0, 0.0, 0.0, 0.0),
)


def installed() -> bool:
    """Whether JSBSim is installed."""
    from importlib.util import find_spec

    return find_spec("jsbsim") is not None


def trimmed() -> Any:
    """Trim JSBSim's aeroplane in level flight at 95 kt.

    Raises:
        ModuleNotFoundError: without the extra ``[fly]``.
        RuntimeError: if it cannot be trimmed.
    """
    import jsbsim

    jsbsim.FGJSBBase().debug_lvl = 0
    fdm = jsbsim.FGFDMExec(None)
    fdm.set_debug_level(0)
    fdm.load_model(AIRCRAFT)
    fdm.set_output_filename(0, os.devnull)  # the aeroplane's own would be a file wherever one is
    fdm.set_dt(1.0 / RATE_HZ)
    for name, value in _BEGIN:
        fdm[name] = value
    fdm.run_ic()
    for name, value in _RUNNING:
        fdm[name] = value
    return fdm


class Pilot:
    """Pilot that follows commanded bank and pitch by the three controls.

    Args:
        fdm: the executive, trimmed.
    """

    def __init__(self, fdm: Any) -> None:
        self._fdm = fdm
        self._theta = fdm["attitude/theta-rad"]
        self._begin_s = fdm["simulation/sim-time-sec"]
        self._bank = self._pitch = 0.0

    def step(self) -> None:
        """Set the controls and fly one step."""
        fdm = self._fdm
        t_s = fdm["simulation/sim-time-sec"] - self._begin_s
        _, bank, pitch, rudder = next(row for row in reversed(_COMMANDS) if row[0] <= t_s)
        self._bank += _limited(math.radians(bank) - self._bank, math.radians(8.0) / RATE_HZ)
        self._pitch += _limited(math.radians(pitch) - self._pitch, math.radians(3.0) / RATE_HZ)
        roll = 1.2 * (self._bank - fdm["attitude/phi-rad"]) - 0.5 * fdm["velocities/p-rad_sec"]
        nose = self._theta + self._pitch - fdm["attitude/theta-rad"]
        fdm["fcs/aileron-cmd-norm"] = _limited(roll, 0.5)
        fdm["fcs/elevator-cmd-norm"] = _limited(
            -1.5 * nose + 0.6 * fdm["velocities/q-rad_sec"], 0.4
        )
        fdm["fcs/rudder-cmd-norm"] = rudder
        fdm.run()


def jsbsim_flight(lasts_s: float = LASTS_S) -> Sampled:
    """Fly, and keep the flight as a table.

    Args:
        lasts_s: how long [s].

    Raises:
        ModuleNotFoundError: without the extra ``[fly]``.
        RuntimeError: if the aeroplane cannot be trimmed.
    """
    fdm = trimmed()
    pilot = Pilot(fdm)
    place: Vector = (0.0, 0.0, -fdm["position/h-sl-ft"] * _FOOT_M)
    before = velocity(fdm)
    rows, times_s = [moment(fdm, place)], [0.0]
    for index in range(1, round(lasts_s * RATE_HZ) + 1):
        pilot.step()
        now = velocity(fdm)
        place = add(place, scaled(add(before, now), 0.5 / RATE_HZ))
        before = now
        rows.append(moment(fdm, place))
        times_s.append(index / RATE_HZ)
    return Sampled(times_s, rows)


def velocity(fdm: Any) -> Vector:
    """Velocity north, east, down [m/s]."""
    names = ("v-north-fps", "v-east-fps", "v-down-fps")
    north, east, down = (fdm[f"velocities/{name}"] * _FOOT_M for name in names)
    return (north, east, down)


def moment(fdm: Any, place: Vector) -> VehicleMotion:
    """Read the aeroplane's present motion from JSBSim's property tree."""
    x, y, z = (fdm[f"accelerations/a-pilot-{axis}-ft_sec2"] * _FOOT_M for axis in "xyz")
    p, q, r = (fdm[f"velocities/{axis}-rad_sec"] for axis in "pqr")
    dp, dq, dr = (fdm[f"accelerations/{axis}dot-rad_sec2"] for axis in "pqr")
    u, v, w = (fdm[f"velocities/{axis}-fps"] * _FOOT_M for axis in "uvw")
    phi, theta, psi = (fdm[f"attitude/{angle}-rad"] for angle in ("phi", "theta", "psi"))
    return VehicleMotion(
        (x, y, z), (p, q, r), (dp, dq, dr), from_euler(phi, theta, psi), (u, v, w), place
    )


def _limited(value: float, most: float) -> float:
    return max(-most, min(most, value))
