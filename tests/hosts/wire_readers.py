"""Readers of the simulators' wires for tests, written apart from emulator and codecs alike.

Each gives a flat dictionary of SI values in body axes FRD and north, east, down.
"""

import json
import math
import struct

from flightgear_python.fdm_v24 import fdm_struct

G = 9.80665
FOOT = 0.3048


def flightgear(data):
    """By flightgear-python; no stamp, no flags."""
    fdm = fdm_struct.parse(data)
    assert fdm is not None
    return {
        "f": tuple(fdm[f"A_{axis}_pilot_ft_per_s_per_s"] * FOOT for axis in "XYZ"),
        "theta": fdm.theta_rad, "phi": fdm.phi_rad, "psi": fdm.psi_rad,
        "euler_rates": (fdm.phidot_rad_per_s, fdm.thetadot_rad_per_s, fdm.psidot_rad_per_s),
        "v": tuple(fdm[f"v_body_{axis}"] * FOOT for axis in "uvw"),
        "v_north": fdm.v_north_ft_per_s * FOOT,
        "north": (fdm.lat_rad - math.radians(51.1344)) * 6378137.0,
        "down": -fdm.alt_m,
        "ground": fdm.wow[0],
    }  # fmt: skip


def flightgear_binary(data):
    """By the layout of the sim's own protocol."""
    values = struct.unpack(">d9f3d3fBifBI", data)
    assert values[-1] == 0x48435531
    return _generic(values[:-1])


def flightgear_ascii(data):
    """A line of numbers."""
    text = data.decode()
    assert text.endswith("\n")
    return _generic(tuple(float(word) for word in text.strip().split(",")))


def _generic(values):
    return {
        "stamp": values[0], "f": tuple(v * FOOT for v in values[1:4]),
        "phi": math.radians(values[4]), "theta": math.radians(values[5]),
        "psi": math.radians(values[6]), "omega": tuple(values[7:10]),
        "north": math.radians(values[10] - 51.1344) * 6378137.0, "down": -values[12] * FOOT,
        "v": tuple(v * FOOT for v in values[13:16]), "paused": bool(values[16]),
        "replay": bool(values[17]), "factor": values[18], "ground": values[19],
    }  # fmt: skip


NAMES = (
    "sim/flightmodel/forces/g_axil", "sim/flightmodel/forces/g_side",
    "sim/flightmodel/forces/g_nrml", "sim/flightmodel/position/Prad",
    "sim/flightmodel/position/Qrad", "sim/flightmodel/position/Rrad",
    "sim/flightmodel/position/theta", "sim/flightmodel/position/phi",
    "sim/flightmodel/position/psi", "sim/flightmodel/position/local_x",
    "sim/flightmodel/position/local_y", "sim/flightmodel/position/local_z",
    "sim/time/paused", "sim/time/is_in_replay", "sim/time/sim_speed",
    "sim/time/total_running_time_sec", "sim/flightmodel/position/local_vz",
)  # fmt: skip


def ask_xplane(host, rate_hz=60, peer=""):
    """Ask for all that `xplane_rref` reads."""
    for index, name in enumerate(NAMES):
        text = name.encode() + b"\0" + b" " * (399 - len(name))
        host.receive(b"RREF\0" + struct.pack("<ii", rate_hz, index) + text, peer)


def xplane_rref(data):
    """Values asked for by `ask_xplane`."""
    assert data[:4] == b"RREF"
    assert (len(data) - 5) % 8 == 0
    got = dict(struct.iter_unpack("<if", data[5:]))
    return {
        "f": (-got[0] * G, got[1] * G, -got[2] * G), "omega": (got[3], got[4], got[5]),
        "theta": math.radians(got[6]), "phi": math.radians(got[7]), "psi": math.radians(got[8]),
        "north": -got[11], "down": -got[10], "paused": bool(got[12]), "replay": bool(got[13]),
        "factor": got[14], "stamp": got[15], "v_north": -got[16],
    }  # fmt: skip


def _rows(data):
    assert data[:5] == b"DATA*"
    assert (len(data) - 5) % 36 == 0
    return {row[0]: row[1:] for row in struct.iter_unpack("<i8f", data[5:])}


def xplane_data_12(data):
    """Rows of version 12."""
    rows = _rows(data)
    omega = tuple(math.radians(rate) for rate in rows[16][:3])
    return _data(rows, omega)


def xplane_data_11(data):
    """Rows of version 11."""
    rows = _rows(data)
    q, p, r = rows[16][:3]
    return _data(rows, (p, q, r))


def _data(rows, omega):
    normal, axial, side = rows[4][4:7]
    theta, phi, psi = map(math.radians, rows[17][:3])
    return {
        "f": (axial * G, side * G, -normal * G), "omega": omega, "theta": theta, "phi": phi,
        "psi": psi, "stamp": rows[1][2], "north": -rows[21][2], "down": -rows[21][1],
        "v_north": -rows[21][5],
    }  # fmt: skip


def beamng(data):
    """MotionSim; None for OutGauge."""
    if len(data) == 96:
        assert data[4:8] == b"beam"
        return None
    assert len(data) == 88
    magic, *v = struct.unpack("<4s21f", data)
    assert magic == b"BNG1"
    right, forward, up = v[6:9]
    return {
        "north": v[1], "down": -v[2], "v_north": v[4], "acceleration": (forward, right, -up),
        "up": (v[9], v[10], v[11]), "phi": v[12], "theta": v[13], "psi": v[14] + math.pi,
        "omega": tuple(v[15:18]), "domega": tuple(v[18:21]),
    }  # fmt: skip


def hcu1(data):
    """Our frame, binary."""
    assert len(data) == 112
    assert data[:8] == b"HCU1\x01" + bytes([data[5]]) + b"\x70\x00"
    flags, sequence = data[5], struct.unpack_from("<I", data, 8)[0]
    v = struct.unpack_from("<Q16f3d", data, 12)
    return _own(flags, sequence, v[0], v[1:4], v[4:7], v[7:10], v[10:14], v[14:17], v[17:20])


def hcu1_json(data):
    """Our frame, JSON."""
    v = json.loads(data)
    assert set(v) == {"seq", "t_ns", "flags", "f", "w", "dw", "q", "v", "p"}
    return _own(v["flags"], v["seq"], v["t_ns"], v["f"], v["w"], v["dw"], v["q"], v["v"], v["p"])


def _own(flags, sequence, stamp_ns, f, w, dw, q, v, p):
    a, b, c, d = q
    return {
        "stamp": 1e-9 * stamp_ns, "sequence": sequence, "f": tuple(f), "omega": tuple(w),
        "domega": tuple(dw), "v": tuple(v), "north": p[0], "down": p[2],
        "theta": math.asin(max(-1.0, min(1.0, 2 * (a * c - b * d)))),
        "paused": bool(flags & 1), "reset": bool(flags & 2), "replay": bool(flags & 4),
        "end": bool(flags & 8),
    }  # fmt: skip


def jsbsim(data):
    """A line of the shipped directive; None for labels."""
    text = data.decode()
    assert text.endswith("\n")
    words = text[:-1].split(",")
    if words[0] == "<LABELS> ":
        assert words[1:4] == ["Time", "a-pilot-x-ft sec2", "a-pilot-y-ft sec2"]
        return None
    v = [float(word) for word in words]
    assert len(v) == 20
    return {
        "stamp": v[0], "f": tuple(one * FOOT for one in v[1:4]), "omega": tuple(v[4:7]),
        "domega": tuple(v[7:10]), "phi": v[10], "theta": v[11], "psi": v[12],
        "v": tuple(one * FOOT for one in v[13:16]),
        "north": (v[16] - math.radians(51.1344)) * 6378137.0, "down": -v[18] * FOOT,
        "ground": v[19],
    }  # fmt: skip


def pose_text(data):
    """Six decimal numbers of 12 bits."""
    text = data.decode()
    assert text.endswith("X")
    axes = [int(word) for word in text[:-1].split(",")]
    assert len(axes) == 6
    assert all(0 <= axis <= 4095 for axis in axes)
    return {"axes": tuple(2 * axis / 4095 - 1 for axis in axes)}


def pose_binary(data):
    """Six numbers of 16 bits."""
    assert data[:4] == b"\xff\xffF1"
    assert data[-1:] == b"!"
    return {"axes": tuple(2 * axis / 65535 - 1 for axis in struct.unpack(">6H", data[4:-1]))}


WIRES = {
    "flightgear": ("flightgear", "", flightgear),
    "flightgear_binary": ("flightgear_generic", "binary", flightgear_binary),
    "flightgear_ascii": ("flightgear_generic", "ascii", flightgear_ascii),
    "xplane_rref_12": ("xplane_rref", "12", xplane_rref),
    "xplane_rref_11": ("xplane_rref", "11", xplane_rref),
    "xplane_data_12": ("xplane_data", "12", xplane_data_12),
    "xplane_data_11": ("xplane_data", "11", xplane_data_11),
    "beamng": ("beamng", "", beamng),
    "hcu1": ("hcu1", "binary", hcu1),
    "hcu1_json": ("hcu1", "json", hcu1_json),
    "jsbsim": ("jsbsim", "", jsbsim),
    "pose_text": ("pose_template", "text", pose_text),
    "pose_binary": ("pose_template", "binary", pose_binary),
}
"""Wire → kind, version, reader."""
