"""X-Plane's wires: data references on request (RREF), and rows of the data output (DATA).

Little-endian floats. Local axes point east, up, south, an aircraft's right, up, aft. Versions 11
and 12 differ in row 16, and in the fifth byte of an answer.

Data references as Laminar's `DataRefs.txt` and MatrixPilot's `HILSIM.cpp` have them: `g_side`,
`g_nrml`, `g_axil` are the loads along the aircraft's axes right, up, aft, so that a push forward is
below 0. Rows as ArduPilot's `SIM_XPlane.cpp` reads them: there the axial load is + forward.

Not modelled: DREF, CMND, the beacon, references of arrays.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Final

from sim.hosts.telemetry import Packed, Telemetry
from sim.hosts.vehicle_motion import GRAVITY_M_S2, to_earth, to_euler

ROWS: Final = (1, 4, 16, 17, 21)
"""Rows of DATA that are sent at first."""
_REQUEST: Final = struct.Struct("<5sii400s")
_ANSWERS_MAX: Final = 150
"""Values in one datagram, so that it stays below 1472 bytes."""


def references(shown: Telemetry) -> dict[str, float]:
    """Values of the data references that are emulated."""
    motion = shown.motion
    phi, theta, psi = (math.degrees(angle) for angle in to_euler(motion.attitude))
    forward, right, down_g = (force / GRAVITY_M_S2 for force in motion.f_m_s2)
    north, east, down = motion.position_m
    v_north, v_east, v_down = to_earth(motion.attitude, motion.v_m_s)
    at, forces, time = "sim/flightmodel/position/", "sim/flightmodel/forces/", "sim/time/"
    return {
        f"{forces}g_axil": -forward,
        f"{forces}g_side": right,
        f"{forces}g_nrml": -down_g,
        **{f"{at}{name}rad": rate for name, rate in zip("PQR", motion.omega_rad_s, strict=True)},
        **{f"{at}{name}": math.degrees(rate)
           for name, rate in zip("PQR", motion.omega_rad_s, strict=True)},
        f"{at}phi": phi,
        f"{at}theta": theta,
        f"{at}psi": psi % 360.0,
        f"{at}local_x": east,
        f"{at}local_y": -down,
        f"{at}local_z": -north,
        f"{at}local_vx": v_east,
        f"{at}local_vy": -v_down,
        f"{at}local_vz": -v_north,
        f"{time}paused": float(shown.paused),
        f"{time}is_in_replay": float(shown.replay),
        f"{time}sim_speed": shown.speed_factor,
        f"{time}sim_speed_actual": 0.0 if shown.paused else shown.speed_factor,
        f"{time}total_running_time_sec": shown.time_s,
        "sim/flightmodel/failures/onground_any": float(motion.ground),
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Asked:
    name: str
    rate_hz: int


class References:
    """Answers each who asked with the values asked for, each at its own rate.

    Args:
        version: of X-Plane, "11" or "12".
        rate_hz: how often moments are shown [Hz]; nothing is sent more often.
        answers: values in one datagram at most; as many as fit if left out.
    """

    def __init__(self, version: str, rate_hz: float, answers: int = _ANSWERS_MAX) -> None:
        if not 1 <= answers <= _ANSWERS_MAX:
            raise ValueError(f"answers = {answers}: 1 to {_ANSWERS_MAX} values are needed")
        self._answers = answers
        self._head = b"RREFO" if version == "11" else b"RREF,"
        self._rate_hz = rate_hz
        self._asked: dict[str, dict[int, _Asked]] = {}
        self._turn = 0

    def receive(self, datagram: bytes, peer: str) -> None:
        """Hear ``RREF``: rate, index, name; a rate of 0 ends it."""
        if len(datagram) != _REQUEST.size or datagram[:4] != b"RREF":
            return
        _, rate_hz, index, text = _REQUEST.unpack(datagram)
        name = text.split(b"\0", 1)[0].decode("ascii", "replace").strip()
        asked = self._asked.setdefault(peer, {})
        if rate_hz <= 0:
            asked.pop(index, None)
        else:
            asked[index] = _Asked(name, rate_hz)

    def restart(self) -> None:
        """Forget who asked."""
        self._asked.clear()

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """Answers that are due."""
        values = references(shown)
        self._turn += 1
        packed: list[Packed] = []
        for peer, asked in self._asked.items():
            due = [(index, values[one.name]) for index, one in asked.items()
                   if one.name in values and self._is_due(one)]  # fmt: skip
            for begin in range(0, len(due), self._answers):
                part = due[begin : begin + self._answers]
                data = b"".join(struct.pack("<if", index, number) for index, number in part)
                packed.append(Packed(self._head + data, peer))
        return tuple(packed)

    def _is_due(self, asked: _Asked) -> bool:
        return self._turn % max(1, round(self._rate_hz / asked.rate_hz)) == 0


class Rows:
    """The data output; rows are chosen in its settings, or by ``DSEL0`` and ``USEL0``.

    Args:
        version: of X-Plane, "11" or "12".
    """

    def __init__(self, version: str) -> None:
        self._twelve = version == "12"
        self._chosen = set(ROWS)

    def receive(self, datagram: bytes, peer: str) -> None:
        """Hear ``DSEL0`` or ``USEL0`` with numbers of rows."""
        del peer
        head, body = datagram[:4], datagram[5:]
        if head not in (b"DSEL", b"USEL") or len(body) % 4:
            return
        rows = set(struct.unpack(f"<{len(body) // 4}i", body))
        self._chosen = self._chosen | rows if head == b"DSEL" else self._chosen - rows

    def restart(self) -> None:
        """Its choice is in its settings: it stays."""

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """One packet with all rows."""
        rows = _rows(shown, self._twelve)
        data = b"".join(
            struct.pack("<i8f", number, *values, *[0.0] * (8 - len(values)))
            for number, values in rows.items()
            if number in self._chosen
        )
        return (Packed(b"DATA*" + data),) if data else ()


def _rows(shown: Telemetry, twelve: bool) -> dict[int, tuple[float, ...]]:
    motion = shown.motion
    phi, theta, psi = (math.degrees(angle) for angle in to_euler(motion.attitude))
    g_x, g_y, g_z = (force / GRAVITY_M_S2 for force in motion.f_m_s2)
    north, east, down = motion.position_m
    v_north, v_east, v_down = to_earth(motion.attitude, motion.v_m_s)
    p, q, r = motion.omega_rad_s
    rates = tuple(math.degrees(rate) for rate in (p, q, r)) if twelve else (q, p, r)
    heading = psi % 360.0
    return {
        1: (shown.time_s, shown.time_s, shown.time_s, 0.0),
        4: (math.hypot(*motion.v_m_s) / 340.0, 0.0, -v_down * 196.85, 0.0, -g_z, g_x, g_y, 0.0),
        16: rates,
        17: (theta, phi, heading, heading),
        21: (east, -down, -north, v_east, -v_down, -v_north),
    }
