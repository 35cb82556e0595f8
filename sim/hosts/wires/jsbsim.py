"""JSBSim's socket output: labels when it starts anew, then a line of numbers for each moment.

Source: what JSBSim 1.3.3 sends for an ``<output type="SOCKET" protocol="UDP">``: the simulated time
and the properties asked for, 12 characters each at least, in as many significant digits as its
`precision` says. Labels are the last part of a property's name, with blanks for underscores.

Not modelled: groups such as ``<rates>``; JSBSim's silence while it holds, where this one repeats
its line; the new port that JSBSim sends from after a reset.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from typing import Final

from sim.hosts.telemetry import Packed, Silent, Telemetry
from sim.hosts.vehicle_motion import AT_REST, to_earth, to_euler
from sim.hosts.wires.flightgear import FOOT_M, latitude_longitude

_DIGITS: Final = 7
"""If the directive does not say."""
_G_FT_S2: Final = 9.80665 / FOOT_M


class SocketLines(Silent):
    """What a directive asks for.

    Args:
        directive: text of its XML file; empty for all that moves a platform.

    Raises:
        ValueError: if it is none, or asks for what is not emulated.
    """

    def __init__(self, directive: str = "") -> None:
        names, self._digits = _asked(directive) if directive else (_SHIPPED, 12)
        known = _properties(Telemetry(AT_REST, 0.0, 0))
        for name in names:
            if name not in known:
                known_text = ", ".join(known)
                raise ValueError(f"property {name!r}: not emulated; there are {known_text}")
        self._names = names
        self._begins = True

    def restart(self) -> None:
        """Labels come again."""
        self._begins = True

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """One line; labels before it where the vehicle begins."""
        values = _properties(shown)
        numbers = (shown.time_s, *(values[name] for name in self._names))
        line = ",".join(f"{number:12.{self._digits}g}" for number in numbers)
        packets = (Packed(f"{line}\n".encode()),)
        if self._begins or shown.reset:
            self._begins = False
            labels = (name.split("/")[-1].split("[")[0] for name in self._names)
            text = f"<LABELS> ,Time,{','.join(labels)}\n".replace("_", " ")
            packets = (Packed(text.encode()), *packets)
        return packets


def _asked(directive: str) -> tuple[tuple[str, ...], int]:
    """Names of properties, and significant digits."""
    try:
        root = ET.fromstring(directive.encode())  # noqa: S314  # the bench's own file
    except ET.ParseError as error:
        raise ValueError(f"the directive is no XML: {error}") from error
    if root.tag != "output" or root.get("type") != "SOCKET":
        raise ValueError('the directive is no <output type="SOCKET">')
    names = tuple((one.text or "").strip() for one in root.findall("property"))
    if not names:
        raise ValueError("the directive has no property")
    return names, int(root.get("precision", str(_DIGITS)))


def _properties(shown: Telemetry) -> dict[str, float]:
    """What is emulated of the property tree."""
    motion = shown.motion
    angles = dict(zip(("phi", "theta", "psi"), to_euler(motion.attitude), strict=True))
    angles["psi"] %= 2.0 * math.pi
    latitude, longitude = latitude_longitude(motion.position_m)
    force = [one / FOOT_M for one in motion.f_m_s2]
    earth = [one / FOOT_M for one in to_earth(motion.attitude, motion.v_m_s)]
    pqr = dict(zip("pqr", motion.omega_rad_s, strict=True))
    return {
        **{f"accelerations/a-pilot-{a}-ft_sec2": one for a, one in zip("xyz", force, strict=True)},
        **{
            f"accelerations/n-pilot-{a}-norm": one / _G_FT_S2
            for a, one in zip("xyz", force, strict=True)
        },
        **{f"velocities/{name}-rad_sec": rate for name, rate in pqr.items()},
        **{
            f"accelerations/{name}dot-rad_sec2": one
            for name, one in zip("pqr", motion.domega_rad_s2, strict=True)
        },
        **{f"attitude/{name}-rad": angle for name, angle in angles.items()},
        **{f"attitude/{name}-deg": math.degrees(angle) for name, angle in angles.items()},
        **{
            f"velocities/{name}-fps": speed / FOOT_M
            for name, speed in zip("uvw", motion.v_m_s, strict=True)
        },
        **{
            f"velocities/v-{name}-fps": speed
            for name, speed in zip(("north", "east", "down"), earth, strict=True)
        },
        "position/lat-geod-rad": latitude,
        "position/lat-geod-deg": math.degrees(latitude),
        "position/long-gc-rad": longitude,
        "position/long-gc-deg": math.degrees(longitude),
        "position/h-sl-ft": -motion.position_m[2] / FOOT_M,
        "simulation/sim-time-sec": shown.time_s,
        "gear/wow": float(motion.ground),
    }


_SHIPPED: Final = (
    "accelerations/a-pilot-x-ft_sec2", "accelerations/a-pilot-y-ft_sec2",
    "accelerations/a-pilot-z-ft_sec2", "velocities/p-rad_sec", "velocities/q-rad_sec",
    "velocities/r-rad_sec", "accelerations/pdot-rad_sec2", "accelerations/qdot-rad_sec2",
    "accelerations/rdot-rad_sec2", "attitude/phi-rad", "attitude/theta-rad", "attitude/psi-rad",
    "velocities/u-fps", "velocities/v-fps", "velocities/w-fps", "position/lat-geod-rad",
    "position/long-gc-rad", "position/h-sl-ft", "gear/wow",
)  # fmt: skip
