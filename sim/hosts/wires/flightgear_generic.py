"""FlightGear's generic protocol: what its XML file asks for, as packed bytes or as a line of text.

Source: `src/Network/generic.cxx` of FlightGear 2020.3, line by line: `read_config` for the file,
`gen_message_binary` and `gen_message_ascii` for what is sent; `src/FDM/flight.cxx` for the
properties, of which p-body, q-body and r-body are in rad/s. Binary mode packs the chunks without
gaps in network order, or in little-endian order where the file says "host", as on the machines that
FlightGear runs on; else each chunk is written with its C format between separators. Numbers are
``offset + value · factor``, booleans neither. A type that is not known is an int.

Not modelled: string and const chunks, wrappers, preambles; a number whose format is another type's.
"""

from __future__ import annotations

import math
import struct
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import Final

from sim.hosts.telemetry import Packed, Silent, Telemetry
from sim.hosts.vehicle_motion import AT_REST, acceleration, euler_rates, to_earth, to_euler
from sim.hosts.wires.flightgear import FOOT_M, KNOT_M_S, latitude_longitude

_PACKED: Final = {
    "bool": "B", "int": "i", "byte": "b", "word": "h", "fixed": "i", "float": "f", "double": "d",
}  # fmt: skip
_WHOLE: Final = ("bool", "int", "byte", "word")
_SEPARATORS: Final = {"newline": "\n", "tab": "\t", "space": " ", "formfeed": "\f",
                      "carriagereturn": "", "verticaltab": "\v"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Chunk:
    node: str
    kind: str
    form: str
    factor: float
    offset: float


class Generic(Silent):
    """What ``--generic=socket,out,60,localhost,5502,udp,NAME`` sends with the file NAME.xml.

    Args:
        protocol: text of the XML file.

    Raises:
        ValueError: if it is no such file, or asks for what is not emulated.
    """

    def __init__(self, protocol: str) -> None:
        try:
            root = ET.fromstring(protocol.encode())  # noqa: S314  # the bench's own file
        except ET.ParseError as error:
            raise ValueError(f"the protocol is no XML: {error}") from error
        output = root.find("./generic/output")
        if output is None:
            raise ValueError("the protocol has no generic/output")
        self._binary = _text(output, "binary_mode", "false") in ("true", "1")
        self._order = "<" if _text(output, "byte_order", "network") == "host" else ">"
        self._between = _separator(_text(output, "var_separator", ""))
        self._after = _separator(_text(output, "line_separator", ""))
        self._footer = _text(output, "binary_footer", "none")
        self._chunks = tuple(_chunk(one) for one in output.findall("chunk"))
        if not self._chunks:
            raise ValueError("the protocol has no chunk")
        known = _nodes(Telemetry(AT_REST, 0.0, 0))
        for chunk in self._chunks:
            if chunk.node not in known:
                raise ValueError(f"node {chunk.node!r}: not emulated; there are {', '.join(known)}")

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """One packet, or one line."""
        values = _nodes(shown)
        wanted = [(one, _sent(one, values[one.node])) for one in self._chunks]
        if self._binary:
            data = b"".join(self._packed(chunk.kind, number) for chunk, number in wanted)
            return (Packed(data + self._end(len(data))),)
        texts = (_written(chunk, number) for chunk, number in wanted)
        return (Packed((self._between.join(texts) + self._after).encode("latin-1")),)

    def _packed(self, kind: str, number: float) -> bytes:
        if kind == "fixed":
            number *= 65536.0
        form = _PACKED[kind]
        if form not in "fd":
            number = int(number) if math.isfinite(number) else 0
        return struct.pack(self._order + form, number)

    def _end(self, length: int) -> bytes:
        if self._footer == "length":
            return struct.pack(self._order + "i", length)
        if self._footer.startswith("magic,"):
            number = int(self._footer.removeprefix("magic,"), 0)
            return struct.pack(self._order + "I", number & 0xFFFFFFFF)
        return b""


def _sent(chunk: _Chunk, number: float) -> float:
    """What stands for a property's value in the packet."""
    if chunk.kind == "bool":
        return float(number != 0.0)
    return chunk.offset + number * chunk.factor


def _written(chunk: _Chunk, number: float) -> str:
    if chunk.kind in _WHOLE:
        return chunk.form % (int(number) if math.isfinite(number) else 0)
    return chunk.form % number


def _text(element: ET.Element, name: str, default: str) -> str:
    found = element.find(name)
    return default if found is None else found.text or ""


def _separator(text: str) -> str:
    plain = _unescape(text)
    return _SEPARATORS.get(plain, plain)


def _unescape(text: str) -> str:
    """As `unescape` of SimGear: a letter after a backslash, or the number of a character."""
    made, at = "", 0
    while at < len(text):
        letter = text[at]
        at += 1
        if letter != "\\":
            made += letter
            continue
        if at == len(text):
            break
        letter = text[at]
        at += 1
        if letter == "x":
            end = at
            while end < len(text) and end < at + 2 and text[end] in "0123456789abcdefABCDEF":
                end += 1
            made, at = made + chr(int(text[at:end] or "0", 16)), end
        elif letter in "01234567":
            end = at
            while end < len(text) and end < at + 2 and text[end] in "01234567":
                end += 1
            made, at = made + chr(int(text[at - 1 : end], 8)), end
        else:
            made += {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f", "a": "\a",
                     "b": "\b"}.get(letter, letter)  # fmt: skip
    return made


def _chunk(element: ET.Element) -> _Chunk:
    kind = _text(element, "type", "int")
    if kind == "string":
        raise ValueError("chunk of type 'string': not emulated")
    kind = "bool" if kind == "boolean" else kind if kind in _PACKED else "int"
    form = _unescape(_text(element, "format", "%d"))
    if kind not in _WHOLE and form.endswith("d"):
        form = "%f"  # in text undefined, in binary not used
    path = [one.removesuffix("[0]") for one in _text(element, "node", "").split("/") if one]
    return _Chunk(
        "/" + "/".join(path),
        kind,
        form,
        float(_text(element, "factor", "1")),
        float(_text(element, "offset", "0")),
    )


def _nodes(shown: Telemetry) -> dict[str, float]:
    """Values of the property tree that are emulated."""
    motion = shown.motion
    phi, theta, psi = to_euler(motion.attitude)
    latitude, longitude = latitude_longitude(motion.position_m)
    north, east, down = (speed / FOOT_M for speed in to_earth(motion.attitude, motion.v_m_s))
    u, v, w = (speed / FOOT_M for speed in motion.v_m_s)
    x, y, z = (force / FOOT_M for force in motion.f_m_s2)
    p, q, r = motion.omega_rad_s
    dphi, dtheta, dpsi = euler_rates(motion.omega_rad_s, phi, theta)
    gained = to_earth(motion.attitude, acceleration(motion))
    height_ft = -motion.position_m[2] / FOOT_M
    return {
        "/accelerations/pilot/x-accel-fps_sec": x,
        "/accelerations/pilot/y-accel-fps_sec": y,
        "/accelerations/pilot/z-accel-fps_sec": z,
        "/accelerations/ned/north-accel-fps_sec": gained[0] / FOOT_M,
        "/accelerations/ned/east-accel-fps_sec": gained[1] / FOOT_M,
        "/accelerations/ned/down-accel-fps_sec": gained[2] / FOOT_M,
        "/orientation/roll-deg": math.degrees(phi),
        "/orientation/pitch-deg": math.degrees(theta),
        "/orientation/heading-deg": math.degrees(psi) % 360.0,
        "/orientation/roll-rate-degps": math.degrees(dphi),
        "/orientation/pitch-rate-degps": math.degrees(dtheta),
        "/orientation/yaw-rate-degps": math.degrees(dpsi),
        "/orientation/p-body": p,
        "/orientation/q-body": q,
        "/orientation/r-body": r,
        "/position/latitude-deg": math.degrees(latitude),
        "/position/longitude-deg": math.degrees(longitude),
        "/position/altitude-ft": height_ft,
        "/position/altitude-agl-ft": height_ft,
        "/velocities/speed-north-fps": north,
        "/velocities/speed-east-fps": east,
        "/velocities/speed-down-fps": down,
        "/velocities/uBody-fps": u,
        "/velocities/vBody-fps": v,
        "/velocities/wBody-fps": w,
        "/velocities/airspeed-kt": math.hypot(u, v, w) * FOOT_M / KNOT_M_S,
        "/gear/gear/wow": float(motion.ground),
        "/gear/gear[1]/wow": float(motion.ground),
        "/gear/gear[2]/wow": float(motion.ground),
        "/sim/freeze/master": float(shown.paused),
        "/sim/freeze/clock": float(shown.paused),
        "/sim/freeze/replay-state": float(shown.replay),
        "/sim/replay/replay-state": float(shown.replay),
        "/sim/speed-up": shown.speed_factor,
        "/sim/time/elapsed-sec": shown.time_s,
    }


_SHIPPED: Final = (
    ("/sim/time/elapsed-sec", "double"),
    ("/accelerations/pilot/x-accel-fps_sec", "float"),
    ("/accelerations/pilot/y-accel-fps_sec", "float"),
    ("/accelerations/pilot/z-accel-fps_sec", "float"),
    ("/orientation/roll-deg", "float"),
    ("/orientation/pitch-deg", "float"),
    ("/orientation/heading-deg", "float"),
    ("/orientation/p-body", "float"),
    ("/orientation/q-body", "float"),
    ("/orientation/r-body", "float"),
    ("/position/latitude-deg", "double"),
    ("/position/longitude-deg", "double"),
    ("/position/altitude-ft", "double"),
    ("/velocities/uBody-fps", "float"),
    ("/velocities/vBody-fps", "float"),
    ("/velocities/wBody-fps", "float"),
    ("/sim/freeze/master", "bool"),
    ("/sim/freeze/replay-state", "int"),
    ("/sim/speed-up", "float"),
    ("/gear/gear[1]/wow", "bool"),
)


def shipped(form: str) -> str:
    """A protocol with all that moves a platform, "binary" or "ascii", as XML."""
    mode = (
        "<binary_mode>true</binary_mode><binary_footer>magic,0x48435531</binary_footer>"
        if form == "binary"
        else "<line_separator>newline</line_separator><var_separator>,</var_separator>"
    )
    chunks = "".join(
        f"<chunk><node>{node}</node><type>{kind}</type>{_form(kind)}</chunk>"
        for node, kind in _SHIPPED
    )
    output = f"<output>{mode}{chunks}</output>"
    return f"<PropertyList><generic>{output}</generic></PropertyList>"


def _form(kind: str) -> str:
    return "" if kind in ("bool", "int") else "<format>%.9f</format>"
