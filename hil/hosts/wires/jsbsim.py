"""JSBSim's socket output: lines of text over UDP, as an output directive asks for them.

Source: `FGOutputSocket` of JSBSim (LGPL), and the bytes of its version 1.3.3. After each initial
condition it sends ``<LABELS> ,Time,…``; then lines of numbers, the simulated time [s] and the
properties in the directive's order, parted by commas, each `precision` significant digits (7 if
the directive does not say; 9 keep a float32). While it holds it sends nothing. A property that the
aircraft does not have is left out of its lines, which are then none of ours.

The pilot's accelerations are his specific force, forward, right, down; speeds are those over the
ground, angles those of roll, pitch and true heading.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from hil.config.errors import ConfigError, about
from hil.config.file_search import find_file
from hil.hosts.kind import HostKind, Packet, Refused
from hil.hosts.maps import MapSettings
from hil.hosts.wires.jsbsim_directive import Directive, read_directive
from hil.hosts.wires.quantities import FOOT_M, LocalFrame, fault_of_numbers, numbers_of_line
from hil.hosts.wires.xml_file import xml_text
from platform6dof.cueing.attitude import from_euler, to_body
from platform6dof.cueing.vehicle import (
    GRAVITY_M_S2,
    UNKNOWN,
    Vector3,
    VehicleFlags,
    VehicleState,
)

_Wordings = tuple[tuple[tuple[str, str, str], Vector3], ...]
"""Properties that three numbers may be asked for by, and their units in SI; the best ones first."""

_DEG: Final = math.pi / 180.0
_ONES: Final = (1.0, 1.0, 1.0)
_FEET: Final = (FOOT_M, FOOT_M, FOOT_M)
_GRAVITIES: Final = (GRAVITY_M_S2, GRAVITY_M_S2, GRAVITY_M_S2)
_DEGREES: Final = (_DEG, _DEG, _DEG)


def _three(before: str, middles: Sequence[str], after: str) -> tuple[str, str, str]:
    x, y, z = (f"{before}{middle}{after}" for middle in middles)
    return x, y, z


_FORCE: Final[_Wordings] = (
    (_three("accelerations/a-pilot-", "xyz", "-ft_sec2"), _FEET),
    (_three("accelerations/n-pilot-", "xyz", "-norm"), _GRAVITIES),
)
_ANGLES: Final[_Wordings] = (
    (_three("attitude/", ("phi", "theta", "psi"), "-rad"), _ONES),
    (_three("attitude/", ("phi", "theta", "psi"), "-deg"), _DEGREES),
)
_RATES: Final[_Wordings] = ((_three("velocities/", "pqr", "-rad_sec"), _ONES),)
_RATE_RATES: Final[_Wordings] = ((_three("accelerations/", "pqr", "dot-rad_sec2"), _ONES),)
_BODY_SPEED: Final[_Wordings] = ((_three("velocities/", "uvw", "-fps"), _FEET),)
_EARTH_SPEED: Final[_Wordings] = (
    (_three("velocities/v-", ("north", "east", "down"), "-fps"), _FEET),
)
_PLACE: Final[_Wordings] = (
    (("position/lat-geod-rad", "position/long-gc-rad", "position/h-sl-ft"), (1.0, 1.0, FOOT_M)),
    (("position/lat-geod-deg", "position/long-gc-deg", "position/h-sl-ft"), (_DEG, _DEG, FOOT_M)),
)
_LABELS: Final = b"<LABELS>"


class JsbsimSettings(MapSettings):
    """Map of JSBSim's socket output."""

    kind: Literal["jsbsim"] = "jsbsim"  # pyright: ignore[reportIncompatibleVariableOverride]
    """Which wire it is for."""
    directive: str = "hil_jsbsim.xml"
    """The output directive that JSBSim was given: one that is shipped in ``configs/hosts``, or a
    path."""


class JsbsimCodec:
    """Understands the lines that one directive asks for.

    Args:
        directive: what it says.
        source: the file, for error texts.

    Raises:
        ConfigError: if it asks for no force, or no attitude.
    """

    def __init__(self, directive: Directive, source: str) -> None:
        self._labels, self._place = ("Time", *directive.labels), LocalFrame()
        self._foreign = False
        names = directive.properties
        self._force, self._angles = (_columns(names, one) for one in (_FORCE, _ANGLES))
        for found, wordings, what in (
            (self._force, _FORCE, "force"),
            (self._angles, _ANGLES, "attitude"),
        ):
            if found is None:
                wanted = " or ".join(", ".join(one) for one, _ in wordings)
                line = f"gives no {what}: it needs properties {wanted}"
                raise ConfigError(source, [about("directive", line)])
        self._rates, self._rate_rates = _columns(names, _RATES), _columns(names, _RATE_RATES)
        self._body, self._earth = _columns(names, _BODY_SPEED), _columns(names, _EARTH_SPEED)
        self._where = _columns(names, _PLACE)
        on_wheels = (at for at, name in enumerate(names, 1) if name.lower().endswith("/wow"))
        self._wheels = tuple(on_wheels)

    def decode(self, datagram: bytes) -> Packet | Refused:
        """What a line tells, or why it is none of ours."""
        line = datagram.removesuffix(b"\n")
        if line.startswith(_LABELS):
            labels = line[len(_LABELS) :].lstrip(b" ,").decode("ascii", "replace")
            self._foreign = tuple(labels.split(",")) != self._labels
            return Refused.VERSION if self._foreign else Refused.NO_MOTION
        if self._foreign:
            return Refused.VERSION
        numbers = numbers_of_line(line, ",", len(self._labels))
        if isinstance(numbers, Refused):
            return numbers
        wrong = fault_of_numbers(numbers)
        if wrong is not None:
            return wrong
        angles = _vector(numbers, self._angles)
        if max(map(abs, angles)) > 13.0:
            return Refused.RANGE
        return Packet(self._state(numbers, angles))

    def requests(self, now_s: float) -> tuple[bytes, ...]:
        """Nothing: JSBSim sends by itself."""
        del now_s
        return ()

    def _state(self, numbers: Sequence[float], angles: Vector3) -> VehicleState:
        attitude = from_euler(*angles)
        speed = _vector(numbers, self._body)
        if self._earth is not None:
            speed = to_body(attitude, _vector(numbers, self._earth))
        ground = any(numbers[at] != 0.0 for at in self._wheels)
        return VehicleState(
            t_s=numbers[0],
            f_m_s2=_vector(numbers, self._force),
            omega_rad_s=_vector(numbers, self._rates),
            domega_rad_s2=_vector(numbers, self._rate_rates),
            attitude=attitude,
            v_m_s=speed,
            position_m=self._position(numbers),
            flags=VehicleFlags.GROUND if ground else VehicleFlags(0),
            speed_factor=math.nan,
        )

    def _position(self, numbers: Sequence[float]) -> Vector3:
        latitude_rad, longitude_rad, height_m = _vector(numbers, self._where)
        if not (abs(latitude_rad) <= 0.5 * math.pi and abs(longitude_rad) <= 2.0 * math.pi):
            return UNKNOWN
        return self._place.position(latitude_rad, longitude_rad, height_m)


_Columns = tuple[tuple[int, int, int], Vector3]
"""Places of three numbers in a line, behind the time, and their units in SI."""


def _columns(names: Sequence[str], wordings: _Wordings) -> _Columns | None:
    for (x, y, z), units in wordings:
        if x in names and y in names and z in names:
            return (names.index(x) + 1, names.index(y) + 1, names.index(z) + 1), units
    return None


def _vector(numbers: Sequence[float], columns: _Columns | None) -> Vector3:
    if columns is None:
        return UNKNOWN
    (x, y, z), units = columns
    return units[0] * numbers[x], units[1] * numbers[y], units[2] * numbers[z]


def _codec(settings: JsbsimSettings) -> JsbsimCodec:
    path = find_file(settings.directive, folder="hosts", key="directive")
    return JsbsimCodec(read_directive(Path(path)), str(path))


def _wire(settings: JsbsimSettings, version: str) -> tuple[str, dict[str, str]]:
    path = find_file(settings.directive, folder="hosts", key="directive")
    return version, {"directive": xml_text(path)}


KIND: Final = HostKind(
    name="jsbsim",
    title="JSBSim 1.2 and later: socket output, text over UDP",
    port=1138,
    fields=frozenset(
        {
            "t_s", "f_m_s2", "omega_rad_s", "domega_rad_s2", "attitude", "v_m_s", "position_m",
            "flags.GROUND",
        }
    ),
    settings=lambda: JsbsimSettings,
    codec=_codec,
    files=("directive",),
    wire=_wire,
)  # fmt: skip
